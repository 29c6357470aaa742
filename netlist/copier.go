package netlist

// Copier rebuilds a netlist with changes. A pass walks the cells of Old in order and decides for each cell whether
// to copy it, to replace its outputs by other nets, or to build something else with the embedded [Builder].
//
//	c := netlist.NewCopier(old)
//	for i := range netlist.Cell(old.Cells()) {
//		c.Copy(i) // or c.Set(old.Output(i), replacement)
//	}
//	return c.Finish()
//
// The new netlist has the name, input ports, primitives, chain classes, offsets, tie order and
// positions of the old one. Finish
// copies the output ports and the probes.
type Copier struct {
	*Builder
	Old *Netlist
	to  []Net
	buf []Net
}

const unset = ^Net(0)

// NewCopier returns a copier that has copied only the input ports of old.
func NewCopier(old *Netlist) *Copier {
	c := newCopier(old)
	for _, p := range old.inputs {
		c.port(p)
	}
	return c
}

// NewCopierOf is like NewCopier, but replaces input port i by a port of another width. The new port has the same
// name and, if the number of words is the same, the same labels. NewCopierOf returns the new port's nets. The
// caller must call Set for each bit of the old port.
func NewCopierOf(old *Netlist, i, width, word int) (c *Copier, nets []Net) {
	c = newCopier(old)
	for k, p := range old.inputs {
		if k == i {
			labels := p.Labels
			if len(labels) != width/word {
				labels = nil
			}
			nets = c.Input(p.Name, width, word, labels)
			continue
		}
		c.port(p)
	}
	return c, nets
}

// newCopier is NewCopier without copied input ports.
func newCopier(old *Netlist) *Copier {
	c := &Copier{Builder: NewBuilder(old.Name), Old: old, to: make([]Net, old.Nets())}
	for i := range c.to {
		c.to[i] = unset
	}
	c.to[False], c.to[True] = False, True
	c.n.primitives = old.primitives
	c.n.class, c.n.offsets, c.n.ties, c.n.places = old.class, old.offsets, old.ties, old.places
	return c
}

// port copies an input port.
func (c *Copier) port(p Port) {
	for i, v := range c.Input(p.Name, len(p.Nets), p.Word, p.Labels) {
		c.to[p.Nets[i]] = v
	}
}

// To returns the new net for net v of the old netlist. It panics if v was neither copied nor set, because then a pass
// has forgotten a cell.
func (c *Copier) To(v Net) Net {
	w := c.to[v]
	if w == unset {
		panic("netlist: copier asked for a net that was not copied")
	}
	return w
}

// Set makes w the new net for net v of the old netlist.
func (c *Copier) Set(v, w Net) { c.to[v] = w }

// Inputs returns the new nets for the inputs of cell i of the old netlist. The slice is valid until the next call.
func (c *Copier) Inputs(i Cell) []Net {
	c.buf = c.buf[:0]
	for _, v := range c.Old.Inputs(i) {
		c.buf = append(c.buf, c.To(v))
	}
	return c.buf
}

// Copy copies cell i of the old netlist, with its new inputs.
func (c *Copier) Copy(i Cell) {
	first := c.Cell(c.Old.kind[i], c.Old.param[i], c.Old.Origin(i), c.Inputs(i)...)
	for k := range Net(c.Old.Outputs(i)) {
		c.Set(c.Old.Output(i)+k, first+k)
	}
}

// Finish copies the output ports and the probes and returns the new netlist.
func (c *Copier) Finish() *Netlist {
	to := func(_ Port, v Net) Net { return c.To(v) }
	return c.FinishWith(to, to)
}

// FinishWith is like Finish, but does not use [Copier.To] for the bits of ports. Instead, the functions output and
// probe return the new net for net v of an output port or a probe.
func (c *Copier) FinishWith(output, probe func(p Port, v Net) Net) *Netlist {
	c.n.outputs = ports(c.Old.outputs, output)
	c.n.probes = ports(c.Old.probes, probe)
	return c.Netlist()
}

func ports(old []Port, to func(Port, Net) Net) []Port {
	ports := make([]Port, len(old))
	for i, p := range old {
		ports[i] = Port{p.Name, p.Word, p.Labels, make([]Net, len(p.Nets))}
		for k, v := range p.Nets {
			ports[i].Nets[k] = to(p, v)
		}
	}
	return ports
}
