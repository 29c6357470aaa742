package verify

import (
	"fmt"
	"math/rand/v2"

	"ialgn/netlist"
	"ialgn/sim"
)

// A cut is the gates of a classifier without encoder and head: from the comparators'
// outputs (or the thermometer bits) to what the popcounts read (or the output h), so
// that a proof about gates needs no arithmetic.
//
// Comparators of both netlists are matched by what they compare: the word's bits above
// those that cannot matter, and the threshold. A comparator that shrank to a bit of
// the bus is that bit.
type cut struct {
	n     *netlist.Netlist
	roots [][]netlist.Net // of each class, in n's order
}

// comparison is the canonical form of a comparator: bits first .. first+width-1 of the
// input bus are above threshold. A plain bit is above 0.
type comparison struct {
	first     netlist.Net
	width     int
	threshold uint64
}

func compares(n *netlist.Netlist, c netlist.Cell) (comparison, error) {
	in, t := n.Inputs(c), n.Param(c)
	for len(in) > 0 && t&1 == 1 { // word > ...1 is word/2 > .../2
		in, t = in[1:], t>>1
	}
	for i, v := range in {
		if v != in[0]+netlist.Net(i) || v <= netlist.True || v >= n.FirstCellNet() {
			return comparison{}, fmt.Errorf("comparator %d does not read neighbouring bits of the input", c)
		}
	}
	if len(in) == 0 {
		return comparison{}, fmt.Errorf("comparator %d is a constant", c)
	}
	return comparison{in[0], len(in), t}, nil
}

// classRoots returns the nets that are counted for each class.
func classRoots(n *netlist.Netlist) ([][]netlist.Net, error) {
	var roots [][]netlist.Net
	for _, p := range n.OutputPorts() {
		if p.Name != "h" {
			continue
		}
		for i, v := range p.Nets {
			c := int(n.ChainClasses()[i])
			for len(roots) <= c {
				roots = append(roots, nil)
			}
			roots[c] = append(roots[c], v)
		}
		return roots, nil
	}
	for _, p := range n.Probes() {
		if p.Name != fmt.Sprintf("count_%d", len(roots)) {
			continue
		}
		r, err := counted(n, p)
		if err != nil {
			return nil, err
		}
		roots = append(roots, r)
	}
	return roots, nil
}

// counted returns the inputs of the popcount whose result is the probe p. A probe of
// constant zeros counts nothing.
func counted(n *netlist.Netlist, p netlist.Port) ([]netlist.Net, error) {
	for _, v := range p.Nets {
		if v == netlist.False {
			continue
		}
		c, pin, ok := n.Driver(v)
		if v == p.Nets[0] && ok && pin == 0 && n.Kind(c) == netlist.Popcount {
			return n.Inputs(c), nil
		}
		if len(p.Nets) > 1 && v == p.Nets[0] && (!ok || n.Kind(c) != netlist.Popcount) {
			return []netlist.Net{v}, nil // a single bit counts itself
		}
		return nil, fmt.Errorf("the count %s is not made by a popcount", p.Name)
	}
	return nil, nil
}

// newCut copies the function cells of n. inputs gives the comparisons that become its
// input bits, in order; nil for a netlist that reads thermometer bits.
func newCut(n *netlist.Netlist, inputs []comparison) (*cut, error) {
	b := netlist.NewBuilder(n.Name)
	to := make([]netlist.Net, n.Nets())
	to[netlist.True] = netlist.True
	known := map[comparison]netlist.Net{}
	if inputs == nil {
		for i, v := range b.Input("x", int(n.FirstCellNet())-2, 1, nil) {
			to[2+i] = v
		}
	} else {
		for i, v := range b.Input("x", len(inputs), 1, nil) {
			known[inputs[i]] = v
			if inputs[i].width == 1 && inputs[i].threshold == 0 {
				to[inputs[i].first] = v
			}
		}
	}
	var in []netlist.Net
	for c := range netlist.Cell(n.Cells()) {
		switch n.Kind(c) {
		case netlist.Compare:
			k, err := compares(n, c)
			if err != nil {
				return nil, err
			}
			v, ok := known[k]
			if !ok {
				return nil, fmt.Errorf("comparator %d has no counterpart in the raw netlist", c)
			}
			to[n.Output(c)] = v
		case netlist.Function:
			in = in[:0]
			for _, v := range n.Inputs(c) {
				if to[v] == 0 && v != netlist.False {
					return nil, fmt.Errorf("cell %d reads net %d, which no gate, comparator or thermometer bit drives", c, v)
				}
				in = append(in, to[v])
			}
			to[n.Output(c)] = b.Function(n.Param(c), n.Origin(c), in...)
		}
	}
	roots, err := classRoots(n)
	if err != nil {
		return nil, err
	}
	k := &cut{roots: make([][]netlist.Net, len(roots))}
	var all []netlist.Net
	for i, r := range roots {
		for _, v := range r {
			k.roots[i] = append(k.roots[i], to[v])
			all = append(all, to[v])
		}
	}
	b.Output("h", 1, nil, all)
	k.n = b.Netlist()
	return k, nil
}

// comparisons returns the distinct comparisons of the raw netlist in order, nil if it
// has none.
func comparisons(n *netlist.Netlist) ([]comparison, error) {
	var all []comparison
	seen := map[comparison]bool{}
	for c := range netlist.Cell(n.Cells()) {
		if n.Kind(c) != netlist.Compare {
			continue
		}
		k, err := compares(n, c)
		if err != nil {
			return nil, err
		}
		if !seen[k] {
			seen[k] = true
			all = append(all, k)
		}
	}
	return all, nil
}

// cuts returns the gates of both netlists with equal ports. A popcount of the
// optimised netlist may have lost inputs that are always 0; signatures under random
// inputs tell which, and the proof that follows judges the choice.
func (d Design) cuts() (raw, product *netlist.Netlist, err error) {
	inputs, err := comparisons(d.Raw)
	if err != nil {
		return nil, nil, fmt.Errorf("raw netlist: %w", err)
	}
	a, err := newCut(d.Raw, inputs)
	if err != nil {
		return nil, nil, fmt.Errorf("raw netlist: %w", err)
	}
	b, err := newCut(d.Product, inputs)
	if err != nil {
		return nil, nil, fmt.Errorf("optimised netlist: %w", err)
	}
	if len(a.roots) != len(b.roots) {
		return nil, nil, fmt.Errorf("optimised netlist counts %d classes, the raw one %d", len(b.roots), len(a.roots))
	}
	sa, err := signatures(a.n)
	if err != nil {
		return nil, nil, err
	}
	sb, err := signatures(b.n)
	if err != nil {
		return nil, nil, err
	}
	var aligned []netlist.Net
	atA, atB := 0, 0
	for c := range a.roots {
		na, nb := len(a.roots[c]), len(b.roots[c])
		aligned = append(aligned, align(b.roots[c], sa[atA:atA+na], sb[atB:atB+nb])...)
		atA, atB = atA+na, atB+nb
	}
	return a.n, withOutputs(b.n, aligned), nil
}

// align returns for each of the raw signatures the optimised root that stands for it,
// the constant 0 for one that was dropped.
func align(roots []netlist.Net, raw, product []signature) []netlist.Net {
	out := make([]netlist.Net, len(raw)) // the constant 0
	spare, j := len(raw)-len(product), 0
	for i, s := range raw {
		if j < len(roots) && (s != (signature{}) || product[j] == s || spare == 0) {
			out[i] = roots[j]
			j++
			continue
		}
		spare--
	}
	return out
}

// signature is a net's value under the random inputs.
type signature [sim.MaxBlock]uint64

// signatures returns the signatures of the bits of output h.
func signatures(n *netlist.Netlist) ([]signature, error) {
	s, err := sim.NewBlock(n, sim.MaxBlock)
	if err != nil {
		return nil, err
	}
	r := rand.New(rand.NewPCG(1, 1))
	x := make([]uint64, len(n.InputPorts()[0].Nets)*sim.MaxBlock)
	for i := range x {
		x[i] = r.Uint64()
	}
	if err := s.Run(sim.MaxBlock, x); err != nil {
		return nil, err
	}
	var sigs []signature
	for _, v := range n.OutputPorts()[0].Nets {
		sigs = append(sigs, signature(s.Net(v)))
	}
	return sigs, nil
}

// withOutputs returns n with the given nets as its output h.
func withOutputs(n *netlist.Netlist, nets []netlist.Net) *netlist.Netlist {
	c := netlist.NewCopier(n)
	for i := range netlist.Cell(n.Cells()) {
		c.Copy(i)
	}
	for i, v := range nets {
		nets[i] = c.To(v)
	}
	c.Output("h", 1, nil, nets)
	return c.Netlist()
}
