// This file divides a classifier into two parts: the netlist without its head, and the bits that the head counts for
// each class.

package verify

import (
	"fmt"

	"ialgn/internal/lowering"
	"ialgn/netlist"
)

// A Cut is a classifier without its head. It consists only of function cells. A proof about a cut needs no
// arithmetic. The cut's output port h has the roots of all classes, in order.
type Cut struct {
	of      *netlist.Netlist // the whole classifier, to which the nets of the roots belong
	Netlist *netlist.Netlist
	Roots   *Roots
}

// NewCut cuts the logic of the roots r out of n. If project is positive, NewCut also inserts the cells of [Codes]. In
// this case, project is the number of thermometer bits per feature at the input port. The cells of [Codes] do not
// change inputs that are thermometer codes.
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
	if len(all) == 0 { // all gates are constant, but a port needs at least one bit
		all = append(all, netlist.False)
	}
	k.Output("h", 1, nil, all)
	return &Cut{n, lowering.Functions(k.Netlist()), r}, nil
}

// These are the truth tables of the cells that cuts are built with.
const (
	TableAnd  = 0b1000
	TableNot  = 0b01
	TableCopy = 0b10
)

// Root is a counted bit, given as a function of nets.
type Root struct {
	Table uint64
	Nets  []netlist.Net
}

// build returns the net of the root in the netlist that k builds.
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

// One reports whether the root is the constant 1.
func (b Root) One() bool {
	return len(b.Nets) == 0 && b.Table&1 == 1 || len(b.Nets) == 1 && b.Table == TableCopy && b.Nets[0] == netlist.True
}

// Ones returns the indices of a class's roots that are the constant 1.
func (k *Cut) Ones(class int) (list []int) {
	for i, b := range k.Roots.Bits[class] {
		if b.One() {
			list = append(list, i)
		}
	}
	return list
}

// Origin returns the origin of a root. The drivers of the root's nets may be in different layers, and the result is
// the origin of a driver in the latest layer.
func (k *Cut) Origin(b Root) (latest netlist.Origin) {
	for _, v := range b.Nets {
		if c, _, ok := k.of.Driver(v); ok && k.of.Origin(c).Layer > latest.Layer {
			latest = k.of.Origin(c)
		}
	}
	return latest
}

// live reports, for each cell, whether the roots depend on the cell. It returns an error if the roots depend on a
// cell of a head.
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

// Inputs returns the number of bits of the input port.
func (k *Cut) Inputs() int { return len(k.Netlist.InputPorts()[0].Nets) }

// Outputs returns the roots' nets in the cut.
func (k *Cut) Outputs() []netlist.Net { return k.Netlist.OutputPorts()[0].Nets }

// Codes inserts cells after the input port of n, in the copy that k builds. All other cells of the copy then read
// thermometer codes, even if the port carries other values. A bit counts as 1 only if all lower bits of its feature
// are 1. Each feature has the given number of bits.
func Codes(k *netlist.Copier, n *netlist.Netlist, bits int) {
	for i, v := range n.InputPorts()[0].Nets {
		if i%bits > 0 {
			k.Set(v, k.Function(TableAnd, netlist.Origin{}, k.To(v), k.To(v-1)))
		}
	}
}
