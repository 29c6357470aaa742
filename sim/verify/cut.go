package verify

import (
	"fmt"

	"ialgn/netlist"
)

// A cut is the gates of a classifier without encoder and head: from the comparators'
// outputs (or the thermometer bits) to what the popcounts read (or the output h), so
// that a proof about gates needs no arithmetic. Its output h has the roots of all
// classes in order.
//
// Comparators of both netlists are matched by what they compare: the word's bits above
// those that cannot matter, and the threshold. A comparator that shrank to a bit of
// the bus is that bit.
type cut struct {
	n     *netlist.Netlist
	roots roots // in the cut's own nets
}

// comparison is the canonical form of a comparator: bits first .. first+width-1 of the
// input bus are above threshold. A plain bit is above 0; one without bits is never 1.
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
	if len(in) < 64 && t>>len(in) > 0 || len(in) == 0 {
		return comparison{}, nil
	}
	return comparison{in[0], len(in), t}, nil
}

// bit returns the comparison that is a bit of the input itself.
func bit(v netlist.Net) comparison { return comparison{v, 1, 0} }

// comparisons returns the distinct comparisons of the raw netlist in order, nil if it
// reads thermometer bits, and for each thermometer bit the index of its comparison, -1
// for one that is never 1.
func comparisons(n *netlist.Netlist) (all []comparison, index []int, err error) {
	seen := map[comparison]int{}
	for c := range netlist.Cell(n.Cells()) {
		if n.Kind(c) != netlist.Compare {
			continue
		}
		k, err := compares(n, c)
		if err != nil {
			return nil, nil, fmt.Errorf("raw netlist: %w", err)
		}
		i, ok := seen[k]
		switch {
		case k == comparison{}:
			i = -1
		case !ok:
			i = len(all)
			seen[k] = i
			all = append(all, k)
		}
		index = append(index, i)
	}
	return all, index, nil
}

// cutter copies the gates of a netlist.
type cutter struct {
	*netlist.Builder
	old   *netlist.Netlist
	to    []netlist.Net // of each old net; 0 (the constant) for what has no counterpart
	known map[comparison]netlist.Net
}

// newCut copies the function cells of n. inputs gives the comparisons that become its
// input bits, in order; nil for a netlist that reads thermometer bits.
func newCut(n *netlist.Netlist, inputs []comparison) (*cut, error) {
	k := &cutter{netlist.NewBuilder(n.Name), n, make([]netlist.Net, n.Nets()), map[comparison]netlist.Net{}}
	k.to[netlist.True] = netlist.True
	k.inputs(inputs)
	for c := range netlist.Cell(n.Cells()) {
		if err := k.cell(c); err != nil {
			return nil, err
		}
	}
	r, err := findRoots(n)
	if err != nil {
		return nil, err
	}
	var all []netlist.Net
	for _, nets := range r.nets {
		for i, v := range nets {
			if nets[i], err = k.net(v); err != nil {
				return nil, err
			}
		}
		all = append(all, nets...)
	}
	k.Output("h", 1, nil, all)
	return &cut{k.Netlist(), r}, nil
}

// inputs declares the input bits.
func (k *cutter) inputs(inputs []comparison) {
	if inputs == nil {
		for i, v := range k.Input("x", int(k.old.FirstCellNet())-2, 1, nil) {
			k.to[2+i] = v
		}
		return
	}
	for i, v := range k.Input("x", len(inputs), 1, nil) {
		k.known[inputs[i]] = v
		if inputs[i] == bit(inputs[i].first) {
			k.to[inputs[i].first] = v
		}
	}
}

// cell copies a gate, and finds the input that a comparator has become.
func (k *cutter) cell(c netlist.Cell) error {
	switch k.old.Kind(c) {
	case netlist.Compare:
		what, err := compares(k.old, c)
		if err != nil {
			return err
		}
		v, ok := k.known[what]
		if !ok && what != (comparison{}) {
			return fmt.Errorf("comparator %d has no counterpart in the raw netlist", c)
		}
		k.to[k.old.Output(c)] = v
	case netlist.Function:
		in := make([]netlist.Net, 0, netlist.MaxFunctionInputs)
		for _, v := range k.old.Inputs(c) {
			w, err := k.net(v)
			if err != nil {
				return fmt.Errorf("cell %d: %w", c, err)
			}
			in = append(in, w)
		}
		k.to[k.old.Output(c)] = k.Function(k.old.Param(c), k.old.Origin(c), in...)
	}
	return nil
}

// net returns the net of the cut that stands for net v, which must be a constant, or
// be driven by a gate, a comparator or a thermometer bit.
func (k *cutter) net(v netlist.Net) (netlist.Net, error) {
	w := k.to[v]
	if w != netlist.False || v == netlist.False {
		return w, nil
	}
	if c, _, ok := k.old.Driver(v); ok && k.old.Kind(c) == netlist.Compare {
		return w, nil // one that is never 1
	}
	return 0, fmt.Errorf("net %d is read as a bit, but no gate, comparator or thermometer bit drives it", v)
}
