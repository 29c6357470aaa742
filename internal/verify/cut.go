// This file takes a classifier apart: what is counted for each class, and the netlist without the head
// that counts it. It checks that the head makes of the counted bits what it should.

package verify

import (
	"fmt"

	"ialgn/internal/lowering"
	"ialgn/netlist"
)

// A Cut is a classifier without its head, in function cells: from the input port to what
// is counted (or the output h), so that a proof about gates needs no arithmetic. Its
// output h has the roots of all classes in order.
type Cut struct {
	of      *netlist.Netlist // the whole, which the roots are of
	Netlist *netlist.Netlist
	Roots   *Roots
}

// NewCut cuts the roots' logic out of n. With project, the inputs are thermometer bits of
// features with that many each, and what is read of them is made a thermometer code, which
// changes nothing for such codes.
func NewCut(n *netlist.Netlist, r *Roots, project int) (*Cut, error) {
	live, err := r.live(n)
	if err != nil {
		return nil, err
	}
	k := netlist.NewCopier(n)
	if project > 0 {
		Codes(k, n, project)
	}
	for c := range netlist.Cell(n.Cells()) {
		if live[c] {
			k.Copy(c)
		}
	}
	var all []netlist.Net
	for _, class := range r.Bits {
		for _, b := range class {
			all = append(all, b.build(k))
		}
	}
	if len(all) == 0 { // all gates are constant: a port has bits
		all = append(all, netlist.False)
	}
	k.Output("h", 1, nil, all)
	return &Cut{n, lowering.Functions(k.Netlist()), r}, nil
}

// The tables that cuts are built with.
const (
	TableAnd  = 0b1000
	TableNot  = 0b01
	TableCopy = 0b10
)

// Root is a bit that is counted: a function of nets.
type Root struct {
	Table uint64
	Nets  []netlist.Net
}

// build returns the net of the root in the netlist that is being copied.
func (b Root) build(k *netlist.Copier) netlist.Net {
	in := make([]netlist.Net, len(b.Nets))
	for i, v := range b.Nets {
		in[i] = k.To(v)
	}
	switch {
	case len(in) == 0:
		return netlist.Net(b.Table & 1)
	case len(in) == 1 && b.Table == TableCopy:
		return in[0]
	}
	return k.Function(b.Table, netlist.Origin{}, in...)
}

// Ones returns the roots of a class that are the constant 1.
func (k *Cut) Ones(class int) (list []int) {
	for i, b := range k.Roots.Bits[class] {
		if len(b.Nets) == 0 && b.Table&1 == 1 || len(b.Nets) == 1 && b.Table == TableCopy && b.Nets[0] == netlist.True {
			list = append(list, i)
		}
	}
	return list
}

// Origin returns where a root comes from: the latest gate among those that it is made of.
func (k *Cut) Origin(b Root) (latest netlist.Origin) {
	for _, v := range b.Nets {
		if c, _, ok := k.of.Driver(v); ok && k.of.Origin(c).Layer > latest.Layer {
			latest = k.of.Origin(c)
		}
	}
	return latest
}

// live returns the cells that the roots depend on. It returns an error if one of them is
// part of a head.
func (r *Roots) live(n *netlist.Netlist) ([]bool, error) {
	live := make([]bool, n.Cells())
	mark := func(v netlist.Net) {
		if c, _, ok := n.Driver(v); ok {
			live[c] = true
		}
	}
	for _, class := range r.Bits {
		for _, b := range class {
			for _, v := range b.Nets {
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

// Inputs returns the bits of the input port.
func (k *Cut) Inputs() int { return len(k.Netlist.InputPorts()[0].Nets) }

// Outputs returns the roots' nets in the cut.
func (k *Cut) Outputs() []netlist.Net { return k.Netlist.OutputPorts()[0].Nets }

// Codes turns what is read of an input port's bits into thermometer codes: a bit counts as 1 only if all lower bits
// of its feature are 1.
func Codes(k *netlist.Copier, n *netlist.Netlist, bits int) {
	for i, v := range n.InputPorts()[0].Nets {
		if i%bits > 0 {
			k.Set(v, k.Function(TableAnd, netlist.Origin{}, k.To(v), k.To(v-1)))
		}
	}
}
