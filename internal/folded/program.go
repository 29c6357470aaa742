package folded

import (
	"errors"
	"fmt"
	"slices"

	"ialgn/internal/chain"
	"ialgn/netlist"
)

// Program is a network as a list of steps, chain by chain.
type Program struct {
	name       string
	wordBits   int
	countBits  int
	thresholds [][]uint16
	classes    []class  // in tie order
	ties       []uint16 // tie order; nil if it is the order of the classes
}

// class is the part of a program that computes the count of one class.
type class struct {
	chains [][]step
	ones   int // number of chains that are always 1
}

// op is the operation of a step, in the coding of the program.
type op uint8

const (
	load op = iota
	and
	or
	xor
)

// step is a word of a program. It identifies the bit that it reads by feature and level, because the engine stores
// levels. With n_b = 4, a level takes two bits, but its thermometer code would take three. An xor is never inverted,
// so the code of an inverted xor can mean that a class is complete. A step for MNIST therefore fits a 16-bit word of
// block RAM.
type step struct {
	op      op
	negated bool // p
	end     bool
	feature int
	level   int // j
	ones    int // number of the class's chains that are always 1; only in a step that closes a class
}

// closing returns the step that closes a class.
func closing(ones int) step { return step{op: xor, negated: true, ones: ones} }

// closes reports whether a step closes a class.
func (s step) closes() bool { return s.op == xor && s.negated }

// NewProgram returns the program of a netlist whose features have the given thresholds. It returns
// the errors of [NewChains] about the netlist.
func NewProgram(n *netlist.Netlist, thresholds [][]uint16) (*Program, error) {
	inputs, outputs := n.DataInputs(), n.OutputPorts()
	if len(inputs) != 1 || inputs[0].Word*len(thresholds) != len(inputs[0].Nets) || len(thresholds) == 0 {
		return nil, fmt.Errorf("%w: it needs one input port, of a word for each of %d features", errForm, len(thresholds))
	}
	if len(outputs) != 1 || outputs[0].Name != netlist.ClassPort {
		return nil, fmt.Errorf("%w: its only output port must be class_index", errForm)
	}
	f := &folder{
		n: n, paths: chain.Find(n), anchors: map[netlist.Net]anchor{},
		simplifier: chain.NewSimplifier(chain.NewOrder(n, false)),
	}
	if err := f.findAnchors(inputs[0], thresholds); err != nil {
		return nil, err
	}
	f.join()
	p := &Program{name: n.Name, wordBits: inputs[0].Word, thresholds: thresholds, ties: n.Ties()}
	for place := range n.Probes() {
		probe := n.Probes()[n.Contender(place)]
		c, err := f.class(probe)
		if err != nil {
			return nil, fmt.Errorf("%w: %s: %w", errForm, probe.Name, err)
		}
		p.classes = append(p.classes, c)
		p.countBits = max(p.countBits, len(probe.Nets))
	}
	if len(p.classes) == 0 {
		return nil, fmt.Errorf("%w: it has no class counts", errForm)
	}
	return p, nil
}

// folder turns a netlist into a program.
type folder struct {
	n          *netlist.Netlist
	paths      *chain.Paths
	simplifier *chain.Simplifier
	anchors    map[netlist.Net]anchor
}

// anchor is a thermometer bit: it says whether the feature exceeds its threshold with index level.
type anchor struct{ feature, level int }

// findAnchors finds the nets that are thermometer bits: the outputs of comparators, and the highest
// bits of words.
func (f *folder) findAnchors(x netlist.Port, thresholds [][]uint16) error {
	feature := map[netlist.Net]int{} // maps the net of a feature's highest bit to the feature
	for i := range thresholds {
		if len(thresholds[i]) != len(thresholds[0]) || len(thresholds[i]) == 0 {
			return fmt.Errorf("%w: feature %d has %d thresholds, feature 0 has %d", errForm, i, len(thresholds[i]),
				len(thresholds[0]))
		}
		top := x.Nets[(i+1)*x.Word-1]
		feature[top] = i
		if j := slices.Index(thresholds[i], 1<<(x.Word-1)-1); j >= 0 {
			f.anchors[top] = anchor{i, j}
		}
	}
	for c := range netlist.Cell(f.n.Cells()) {
		if f.n.Kind(c) != netlist.Compare {
			continue
		}
		in := f.n.Inputs(c)
		i, ok := feature[in[len(in)-1]]
		if !ok || len(in) > x.Word || in[0] != in[len(in)-1]-netlist.Net(len(in)-1) {
			return fmt.Errorf("%w: cell %d compares something else than a feature", errForm, c)
		}
		low := x.Word - len(in) // number of lower bits, which do not affect the comparison
		threshold := (f.n.Param(c)+1)<<low - 1
		j := slices.Index(thresholds[i], uint16(threshold))
		if threshold > 1<<16-1 || j < 0 {
			return fmt.Errorf("%w: cell %d compares feature %d with %d, which is none of its thresholds", errForm, c, i,
				threshold)
		}
		f.anchors[f.n.Output(c)] = anchor{i, j}
	}
	return nil
}

// join extends every chain down to an anchor. If chains share gates, each of them gets these gates, because steps
// cannot be shared.
func (f *folder) join() {
	for c := range netlist.Cell(f.n.Cells()) {
		if !f.paths.Last(c) {
			continue
		}
		if d, _, ok := f.n.Driver(f.paths.Base(c)); ok && f.paths.Gate(d) {
			f.paths.Join(c)
		}
	}
}

// class returns the chains whose outputs are added up in a count.
func (f *folder) class(count netlist.Port) (c class, err error) {
	counted, err := f.counted(count)
	for _, v := range counted {
		if err != nil {
			return c, err
		}
		var steps []step
		var one bool
		if steps, one, err = f.chain(v); one {
			c.ones++
		} else if len(steps) > 0 {
			c.chains = append(c.chains, steps)
		}
	}
	return c, err
}

// counted returns the nets whose number of ones is the count.
func (f *folder) counted(count netlist.Port) ([]netlist.Net, error) {
	width, nets := 1, count.Nets[:1]
	switch cell, pin, ok := f.n.Driver(count.Nets[0]); {
	case ok && f.n.Kind(cell) == netlist.Popcount && pin == 0:
		width, nets = f.n.Outputs(cell), f.n.Inputs(cell)
	case count.Nets[0] <= netlist.True: // a constant
		nets = nil
		for i, v := range count.Nets {
			if v > netlist.True {
				return nil, errCount
			}
			for range int(v) << i {
				nets = append(nets, netlist.True)
			}
		}
		return nets, nil
	}
	for i, v := range count.Nets {
		if i < width && v != count.Nets[0]+netlist.Net(i) || i >= width && v != netlist.False {
			return nil, errCount
		}
	}
	return nets, nil
}

var errCount = errors.New("it is no popcount")

// chain returns the steps that compute a net. If the net is constant, there are no steps, and the result one is the
// value of the net.
func (f *folder) chain(v netlist.Net) (steps []step, one bool, err error) {
	var c chain.Chain
	driver, _, driven := f.n.Driver(v)
	switch {
	case driven && f.paths.Gate(driver):
		f.paths.Chain(driver, &c)
	case driven && f.n.Kind(driver) == netlist.Function && len(f.n.Inputs(driver)) == 1 && f.n.Param(driver)&3 == 1:
		// an inverter
		v = f.n.Inputs(driver)[0]
		if driver, _, driven = f.n.Driver(v); driven && f.paths.Gate(driver) {
			f.paths.Chain(driver, &c)
		} else {
			c.Base.Net = v
		}
		c.Inverted = !c.Inverted
	case driven && f.n.Kind(driver) == netlist.Function && len(f.n.Inputs(driver)) > 2:
		return nil, false, fmt.Errorf("a node has %d inputs: only networks of chains of gates with two can be folded",
			len(f.n.Inputs(driver)))
	default:
		c.Base.Net = v
	}
	f.simplifier.Simplify(&c)
	if len(c.Steps) == 0 && c.Base.Net <= netlist.True {
		return nil, (c.Base.Net == netlist.True) != (c.Base.Inverted != c.Inverted), nil
	}
	steps, err = f.steps(&c)
	return steps, false, err
}

// steps returns the steps of a chain, with its output inversion pushed down to the bits.
func (f *folder) steps(c *chain.Chain) ([]step, error) {
	s, err := f.step(load, c.Base, c.Inverted)
	steps := append(make([]step, 0, 1+len(c.Steps)), s)
	for _, g := range c.Steps {
		if err != nil {
			return nil, err
		}
		o := [...]op{chain.And: and, chain.Or: or, chain.Xor: xor}[g.Op]
		negated := c.Inverted
		switch {
		case o == xor:
			negated = false // the step passes the inversion on to the next step
		case c.Inverted && o == and:
			o = or
		case c.Inverted && o == or:
			o = and
		}
		s, err = f.step(o, g.Side, negated)
		steps = append(steps, s)
	}
	steps[len(steps)-1].end = true
	return steps, err
}

func (f *folder) step(o op, side chain.Literal, negated bool) (step, error) {
	a, ok := f.anchors[side.Net]
	if !ok {
		return step{}, fmt.Errorf("a gate reads net %d, which is no thermometer bit: only networks of chains can be folded",
			side.Net)
	}
	return step{op: o, negated: side.Inverted != negated, feature: a.feature, level: a.level}, nil
}
