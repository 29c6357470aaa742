package verify

import (
	"fmt"

	"ialgn/backend/lowering"
	"ialgn/netlist"
)

// A cut is a classifier without its head, in function cells: from the input port to what
// is counted (or the output h), so that a proof about gates needs no arithmetic. Its
// output h has the roots of all classes in order.
type cut struct {
	of    *netlist.Netlist // the whole, which the roots are of
	n     *netlist.Netlist
	roots *roots
}

// newCut cuts the roots' logic out of n. With project, the inputs are thermometer bits of
// features with that many each, and what is read of them is made a thermometer code, which
// changes nothing for such codes.
func newCut(n *netlist.Netlist, r *roots, project int) (*cut, error) {
	live, err := r.live(n)
	if err != nil {
		return nil, err
	}
	k := netlist.NewCopier(n)
	if project > 0 {
		codes(k, n, project)
	}
	for c := range netlist.Cell(n.Cells()) {
		if live[c] {
			k.Copy(c)
		}
	}
	var all []netlist.Net
	for _, class := range r.bits {
		for _, b := range class {
			all = append(all, b.build(k))
		}
	}
	if len(all) == 0 { // all gates are constant: a port has bits
		all = append(all, netlist.False)
	}
	k.Output("h", 1, nil, all)
	return &cut{n, lowering.Functions(k.Netlist()), r}, nil
}

// The tables that cuts are built with.
const (
	tableAnd  = 0b1000
	tableNot  = 0b01
	tableCopy = 0b10
)

// root is a bit that is counted: a function of nets.
type root struct {
	table uint64
	nets  []netlist.Net
}

// build returns the net of the root in the netlist that is being copied.
func (b root) build(k *netlist.Copier) netlist.Net {
	in := make([]netlist.Net, len(b.nets))
	for i, v := range b.nets {
		in[i] = k.To(v)
	}
	switch {
	case len(in) == 0:
		return netlist.Net(b.table & 1)
	case len(in) == 1 && b.table == tableCopy:
		return in[0]
	}
	return k.Function(b.table, netlist.Origin{}, in...)
}

// ones returns the roots of a class that are the constant 1.
func (k *cut) ones(class int) (list []int) {
	for i, b := range k.roots.bits[class] {
		if len(b.nets) == 0 && b.table&1 == 1 || len(b.nets) == 1 && b.table == tableCopy && b.nets[0] == netlist.True {
			list = append(list, i)
		}
	}
	return list
}

// origin returns where a root comes from: the latest gate among those that it is made of.
func (k *cut) origin(b root) (latest netlist.Origin) {
	for _, v := range b.nets {
		if c, _, ok := k.of.Driver(v); ok && k.of.Origin(c).Layer > latest.Layer {
			latest = k.of.Origin(c)
		}
	}
	return latest
}

// live returns the cells that the roots depend on. It returns an error if one of them is
// part of a head.
func (r *roots) live(n *netlist.Netlist) ([]bool, error) {
	live := make([]bool, n.Cells())
	mark := func(v netlist.Net) {
		if c, _, ok := n.Driver(v); ok {
			live[c] = true
		}
	}
	for _, class := range r.bits {
		for _, b := range class {
			for _, v := range b.nets {
				mark(v)
			}
		}
	}
	for c := netlist.Cell(n.Cells()); c > 0; {
		c--
		if !live[c] {
			continue
		}
		switch n.Kind(c) {
		case netlist.Function, netlist.Compare:
		default:
			return nil, fmt.Errorf("cell %d, a %v, decides what is counted", c, n.Kind(c))
		}
		for _, v := range n.Inputs(c) {
			mark(v)
		}
	}
	return live, nil
}

func (k *cut) inputs() int { return len(k.n.InputPorts()[0].Nets) }

// h returns the roots' nets in the cut.
func (k *cut) h() []netlist.Net { return k.n.OutputPorts()[0].Nets }
