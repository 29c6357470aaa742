package main

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"ialgn/netlist"
)

// change is a mutated netlist, and how.
type change struct {
	netlist *netlist.Netlist
	what    string
	// rename, unless nil, says by which net the hint goes on to name one that was replaced,
	// so that it tells the same lie.
	rename func(netlist.Net) netlist.Net
}

// cellEdit is what becomes of a cell.
type cellEdit struct {
	param uint64
	in    []netlist.Net
}

// rebuild copies a netlist with some of its cells edited.
func rebuild(n *netlist.Netlist, edits map[netlist.Cell]cellEdit) *netlist.Netlist {
	k := netlist.NewCopier(n)
	for c := range netlist.Cell(n.Cells()) {
		e, ok := edits[c]
		if !ok {
			k.Copy(c)
			continue
		}
		in := make([]netlist.Net, len(e.in))
		for j, v := range e.in {
			in[j] = k.To(v)
		}
		first := k.Cell(n.Kind(c), e.param, n.Origin(c), in...)
		for i := range netlist.Net(n.Outputs(c)) {
			k.Set(n.Output(c)+i, first+i)
		}
	}
	return k.Finish()
}

// edit returns the change of one cell.
func (d *design) edit(c netlist.Cell, param uint64, in []netlist.Net) *change {
	n := d.out.Netlist
	what := fmt.Sprintf("%s %s", n.Kind(c), d.names[n.Output(c)])
	if param != n.Param(c) {
		what += fmt.Sprintf(": %#x becomes %#x", n.Param(c), param)
	}
	for j, v := range n.Inputs(c) {
		if v != in[j] {
			what += fmt.Sprintf(": input %d, %s, becomes %s", j, d.name(v), d.name(in[j]))
		}
	}
	return &change{netlist: rebuild(n, map[netlist.Cell]cellEdit{c: {param, in}}), what: what}
}

func (d *design) name(v netlist.Net) string {
	if v <= netlist.True {
		return fmt.Sprint(v)
	}
	return d.names[v]
}

// pick draws one of a list.
func pick[T any](r *rand.Rand, list []T) (x T, ok bool) {
	if len(list) == 0 {
		return x, false
	}
	return list[r.IntN(len(list))], true
}

// full returns the table that is 1 for all values of k inputs.
func full(k int) uint64 { return ^uint64(0) >> (64 - 1<<k) }

// operation gives a gate another function of the same inputs.
func (d *design) operation(r *rand.Rand) *change {
	n := d.out.Netlist
	c, ok := pick(r, d.cellsOf(gate, func(c netlist.Cell) bool {
		return n.Kind(c) == netlist.Function &&
			len(n.Inputs(c)) > 0
	}))
	if !ok {
		return nil
	}
	in, table := n.Inputs(c), n.Param(c)
	all := full(len(in))
	other := r.Uint64() & all
	if len(in) > 2 { // something that a wrong normal form would give
		j := r.IntN(len(in))
		switch r.IntN(3) {
		case 0: // an input is complemented
			other = shuffle(table, len(in), func(i int) int { return i ^ 1<<j })
		case 1: // an input counts for nothing
			other = shuffle(table, len(in), func(i int) int { return i | 1<<j })
		default: // AND for OR
			other = shuffle(table, len(in), func(i int) int { return int(all>>1&63) ^ i })
			other = ^other & all
		}
	}
	if other == table {
		return nil
	}
	return d.edit(c, other, in)
}

// shuffle returns the table whose bit i is bit of(i) of another.
func shuffle(table uint64, inputs int, of func(i int) int) (t uint64) {
	for i := range 1 << inputs {
		t |= table >> (of(i) & (1<<inputs - 1)) & 1 << i
	}
	return t
}

// anchor has a gate read another net.
func (d *design) anchor(r *rand.Rand) *change {
	n := d.out.Netlist
	c, ok := pick(r, d.cellsOf(gate, func(c netlist.Cell) bool {
		return n.Kind(c) == netlist.Function &&
			len(n.Inputs(c)) > 0
	}))
	if !ok {
		return nil
	}
	return d.move(r, c, func(v netlist.Net) bool { return d.isSource(v) })
}

// isSource reports whether a gate may read the net: a bit of a thermometer code or of a gate.
func (d *design) isSource(v netlist.Net) bool {
	n := d.out.Netlist
	c, _, ok := n.Driver(v)
	if !ok {
		return n.InputPorts()[0].Word == 1
	}
	return d.where[c] == gate || d.where[c] == encoder
}

// moveTries is how many nets are drawn before a move is given up.
const moveTries = 200

// move has a pin of a cell read another net of the same stage that f wants.
func (d *design) move(r *rand.Rand, c netlist.Cell, f func(netlist.Net) bool) *change {
	n := d.out.Netlist
	in := slices.Clone(n.Inputs(c))
	j := r.IntN(len(in))
	for range moveTries {
		v := netlist.Net(2 + r.IntN(int(n.Output(c))-2))
		if v == in[j] || slices.Contains(in, v) || !f(v) || d.stage[v] != d.stage[in[j]] || d.isEnable(v) {
			continue
		}
		old := in[j]
		in[j] = v
		k := d.edit(c, n.Param(c), in)
		k.rename = func(w netlist.Net) netlist.Net {
			if w == old {
				return v
			}
			return w
		}
		return k
	}
	return nil
}

func (d *design) isEnable(v netlist.Net) bool {
	p := d.out.Netlist.InputPorts()
	return len(p) > 1 && v == p[1].Nets[0]
}

// lutBit turns one bit of a LUT's table over.
func (d *design) lutBit(r *rand.Rand) *change {
	n := d.out.Netlist
	if !d.mapped() {
		return nil
	}
	c, ok := pick(r, d.cellsOf(gate, func(c netlist.Cell) bool {
		return n.Kind(c) == netlist.Function &&
			len(n.Inputs(c)) > 2
	}))
	if !ok {
		return nil
	}
	return d.edit(c, n.Param(c)^1<<r.IntN(1<<len(n.Inputs(c))), n.Inputs(c))
}

// threshold compares with another number, or breaks a LUT that is part of comparators.
func (d *design) threshold(r *rand.Rand) *change {
	n := d.out.Netlist
	c, ok := pick(r, d.cellsOf(encoder, func(netlist.Cell) bool { return true }))
	if !ok {
		return nil
	}
	if n.Kind(c) == netlist.Function {
		return d.edit(c, n.Param(c)^1<<r.IntN(1<<len(n.Inputs(c))), n.Inputs(c))
	}
	t := int(n.Param(c)) + []int{-2, -1, 1, 2}[r.IntN(4)]
	if t < 0 || t >= 1<<len(n.Inputs(c))-1 {
		return nil
	}
	return d.edit(c, uint64(t), n.Inputs(c))
}
