package main

import (
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ialgn/compiler"
	"ialgn/internal/testkit"
	"ialgn/netlist"
)

// rebuild copies a netlist. If change returns true for a cell, change has made a replacement, and rebuild does not
// copy the cell.
func rebuild(n *netlist.Netlist, change func(k *netlist.Copier, c netlist.Cell) bool) *netlist.Netlist {
	k := netlist.NewCopier(n)
	for c := range netlist.Cell(n.Cells()) {
		if !change(k, c) {
			k.Copy(c)
		}
	}
	return k.Finish()
}

// one returns a bug that picks one cell and changes the cell's parameter and inputs. The cell has the given kind and
// at least the given number of inputs.
func one(kind netlist.Kind, inputs int, change func(r *rand.Rand, param uint64, in []netlist.Net) (uint64,
	[]netlist.Net),
) func(*rand.Rand, *netlist.Netlist) *netlist.Netlist {
	return func(r *rand.Rand, n *netlist.Netlist) *netlist.Netlist {
		var cells []netlist.Cell
		for c := range netlist.Cell(n.Cells()) {
			if n.Kind(c) == kind && len(n.Inputs(c)) >= inputs {
				cells = append(cells, c)
			}
		}
		if len(cells) == 0 {
			return n
		}
		broken := cells[r.IntN(len(cells))]
		return rebuild(n, func(k *netlist.Copier, c netlist.Cell) bool {
			if c != broken {
				return false
			}
			param, in := change(r, n.Param(c), slices.Clone(k.Inputs(c)))
			first := k.Cell(kind, param, n.Origin(c), in...)
			for i := range netlist.Net(n.Outputs(c)) {
				k.Set(n.Output(c)+i, first+i)
			}
			return true
		})
	}
}

// wire is a bug that replaces a register by a wire from the register's data input.
func wire(r *rand.Rand, n *netlist.Netlist) *netlist.Netlist {
	last := netlist.Cell(n.Cells())
	for c := range netlist.Cell(n.Cells()) {
		if n.Kind(c) == netlist.Register && (last == netlist.Cell(n.Cells()) || r.IntN(4) == 0) {
			last = c
		}
	}
	return rebuild(n, func(k *netlist.Copier, c netlist.Cell) bool {
		if c == last {
			k.Set(n.Output(c), k.Inputs(c)[0])
		}
		return c == last
	})
}

// lastWins is a bug that gives ties to the highest class. It computes the argmax of the words in reverse order, and
// translates the result back with a table.
func lastWins(_ *rand.Rand, n *netlist.Netlist) *netlist.Netlist {
	return rebuild(n, func(k *netlist.Copier, c netlist.Cell) bool {
		if n.Kind(c) != netlist.Argmax || n.IndexBits(c) > netlist.MaxFunctionInputs {
			return false
		}
		in, size, width := slices.Clone(k.Inputs(c)), n.ArgmaxWidth(c), n.IndexBits(c)
		slices.Reverse(in)
		for i := 0; i < len(in); i += size {
			slices.Reverse(in[i : i+size])
		}
		first := k.Cell(netlist.Argmax, n.Param(c), n.Origin(c), in...)
		index := netlist.Word(first, width)
		for bit := width; bit < n.Outputs(c); bit++ { // the bit for uncertain results
			k.Set(n.Output(c)+netlist.Net(bit), first+netlist.Net(bit))
		}
		for bit := range width {
			table := uint64(0)
			for i := range len(in) / size {
				table |= uint64((len(in)/size-1-i)>>bit&1) << i
			}
			k.Set(n.Output(c)+netlist.Net(bit), k.Function(table, netlist.Origin{}, index...))
		}
		return true
	})
}

// otherTies is a bug that exchanges two neighbours in the tie order.
func otherTies(r *rand.Rand, n *netlist.Netlist) *netlist.Netlist {
	if n.Ties() == nil {
		return n
	}
	k := netlist.NewCopier(n)
	for c := range netlist.Cell(n.Cells()) {
		k.Copy(c)
	}
	order, place := slices.Clone(n.Ties()), r.IntN(len(n.Ties())-1)
	order[place], order[place+1] = order[place+1], order[place]
	if slices.IsSorted(order) {
		order = nil
	}
	k.Ties(order)
	return k.Finish()
}

// merge returns a bug that merges cells for which equal returns true. The bug is that equal does not compare
// everything.
func merge(equal func(n *netlist.Netlist, a, b netlist.Cell) bool) func(*rand.Rand, *netlist.Netlist) *netlist.Netlist {
	return func(_ *rand.Rand, n *netlist.Netlist) *netlist.Netlist {
		before := map[int][]netlist.Cell{}
		return rebuild(n, func(k *netlist.Copier, c netlist.Cell) bool {
			if n.Kind(c) != netlist.Function || len(n.Inputs(c)) < 2 {
				return false
			}
			for _, b := range before[len(n.Inputs(c))] {
				if equal(n, b, c) {
					k.Set(n.Output(c), k.To(n.Output(b)))
					return true
				}
			}
			before[len(n.Inputs(c))] = append(before[len(n.Inputs(c))], c)
			return false
		})
	}
}

// ports returns a bug that exchanges two bits of the output port with the given index, if there is such a port.
func ports(place int) func(*rand.Rand, *netlist.Netlist) *netlist.Netlist {
	return func(r *rand.Rand, n *netlist.Netlist) *netlist.Netlist {
		if place >= len(n.OutputPorts()) {
			return n
		}
		port := n.OutputPorts()[place]
		a, b := port.Nets[r.IntN(len(port.Nets))], port.Nets[r.IntN(len(port.Nets))]
		k := netlist.NewCopier(n)
		for c := range netlist.Cell(n.Cells()) {
			k.Copy(c)
		}
		exchange := func(p netlist.Port, v netlist.Net) netlist.Net {
			switch {
			case p.Name == port.Name && v == a:
				return k.To(b)
			case p.Name == port.Name && v == b:
				return k.To(a)
			}
			return k.To(v)
		}
		return k.FinishWith(exchange, func(_ netlist.Port, v netlist.Net) netlist.Net { return k.To(v) })
	}
}

// exchange returns a bug that exchanges the first inputs of two cells of a kind. It does so only if all cells still
// read only earlier nets.
func exchange(kind netlist.Kind) func(*rand.Rand, *netlist.Netlist) *netlist.Netlist {
	return func(_ *rand.Rand, n *netlist.Netlist) *netlist.Netlist {
		var cells []netlist.Cell
		for c := range netlist.Cell(n.Cells()) {
			if n.Kind(c) == kind && len(n.Inputs(c)) > 1 {
				cells = append(cells, c)
			}
		}
		for i, b := range cells {
			for _, a := range cells[:i] {
				if x, y := n.Inputs(a)[0], n.Inputs(b)[0]; x != y && y < n.Output(a) {
					return rebuild(n, func(k *netlist.Copier, c netlist.Cell) bool {
						if c != a && c != b {
							return false
						}
						in := slices.Clone(k.Inputs(c))
						if in[0] = k.To(y); c == b {
							in[0] = k.To(x)
						}
						first := k.Cell(kind, n.Param(c), n.Origin(c), in...)
						for o := range netlist.Net(n.Outputs(c)) {
							k.Set(n.Output(c)+o, first+o)
						}
						return true
					})
				}
			}
		}
		return n
	}
}

func flip(r *rand.Rand, table uint64, in []netlist.Net) (uint64, []netlist.Net) {
	return table ^ 1<<r.IntN(1<<len(in)), in
}

func swapPins(_ *rand.Rand, table uint64, in []netlist.Net) (uint64, []netlist.Net) {
	in[0], in[1] = in[1], in[0]
	return table, in
}

func repeatPin(_ *rand.Rand, param uint64, in []netlist.Net) (uint64, []netlist.Net) {
	in[len(in)-1] = in[0]
	return param, in
}

func losePin(_ *rand.Rand, param uint64, in []netlist.Net) (uint64, []netlist.Net) {
	in[len(in)-1] = netlist.False
	return param, in
}

func invert(_ *rand.Rand, table uint64, in []netlist.Net) (uint64, []netlist.Net) {
	return ^table & netlist.TableMask(len(in)), in
}

// classBefore is a bug that exchanges the words of the first two classes.
func classBefore(_ *rand.Rand, param uint64, in []netlist.Net) (uint64, []netlist.Net) {
	if n, _ := netlist.ArgmaxForm(param); len(in) >= 2*n {
		return param, append(slices.Concat(in[n:2*n], in[:n]), in[2*n:]...)
	}
	return param, in
}

// topDigit is a bug that ignores the highest digit of every count.
func topDigit(_ *rand.Rand, param uint64, in []netlist.Net) (uint64, []netlist.Net) {
	size, _ := netlist.ArgmaxForm(param)
	for i := size - 1; i < len(in); i += size {
		in[i] = netlist.False
	}
	return param, in
}

// marginBelow is a bug that makes the margin smaller by 1.
func marginBelow(_ *rand.Rand, param uint64, in []netlist.Net) (uint64, []netlist.Net) {
	if size, margin := netlist.ArgmaxForm(param); margin > 1 {
		return netlist.ArgmaxParam(size, margin-1), in
	}
	return param, in
}

// loseOne is a bug that loses a constant 1 that a popcount counts, such as one of a class offset.
func loseOne(_ *rand.Rand, param uint64, in []netlist.Net) (uint64, []netlist.Net) {
	if i := slices.Index(in, netlist.True); i >= 0 {
		in[i] = netlist.False
	}
	return param, in
}

func atLeast(_ *rand.Rand, threshold uint64, in []netlist.Net) (uint64, []netlist.Net) {
	return max(threshold, 1) - 1, in
}

func noEnable(_ *rand.Rand, param uint64, in []netlist.Net) (uint64, []netlist.Net) {
	return param, in[:1]
}

// bugs lists bugs that the compiler could have.
var bugs = []fault{
	{name: "a gate's table bit", optimised: one(netlist.Function, 2, flip)},
	{name: "a gate's pins exchanged", optimised: one(netlist.Function, 2, swapPins)},
	{name: "a gate's pin lost", optimised: one(netlist.Function, 2, losePin)},
	{name: "an inverter taken for a copy", optimised: one(netlist.Function, 1, invert)},
	{name: "hashing blind for the table", optimised: merge(func(n *netlist.Netlist, a, b netlist.Cell) bool {
		return slices.Equal(n.Inputs(a), n.Inputs(b))
	})},
	{name: "hashing blind for the last pin", optimised: merge(func(n *netlist.Netlist, a, b netlist.Cell) bool {
		return n.Param(a) == n.Param(b) && n.Inputs(a)[0] == n.Inputs(b)[0]
	})},
	{name: "thermometer codes assumed unasked", options: func(o *compiler.Options) {
		o.Restructure, o.Thermometer, o.Check = true, compiler.ThermometerAssumed, nil // no check between passes
	}},
	{name: "at least for more than", optimised: one(netlist.Compare, 1, atLeast)},
	{name: "a comparator's highest bit lost", optimised: one(netlist.Compare, 2, losePin)},
	{name: "a gate not counted", optimised: one(netlist.Popcount, 1, losePin)},
	{name: "a gate counted twice", optimised: one(netlist.Popcount, 2, repeatPin)},
	{name: "a one of an offset lost", optimised: one(netlist.Popcount, 2, loseOne)},
	{name: "two popcounts' inputs exchanged", optimised: exchange(netlist.Popcount)},
	{name: "two classes exchanged", optimised: one(netlist.Argmax, 2, classBefore)},
	{name: "the highest digits not compared", optimised: one(netlist.Argmax, 2, topDigit)},
	{name: "ties to the highest class", optimised: lastWins},
	{name: "another tie order", optimised: otherTies},
	{name: "a margin that is too small", optimised: one(netlist.Argmax, 2, marginBelow)},
	{name: "a LUT's table bit", lowered: one(netlist.Function, 2, flip)},
	{name: "a LUT's pins exchanged", lowered: one(netlist.Function, 3, swapPins)},
	{name: "two LUTs' inputs exchanged", lowered: exchange(netlist.Function)},
	{name: "a carry's operand lost", lowered: one(netlist.Carry, 2, losePin)},
	{name: "two carries' inputs exchanged", lowered: exchange(netlist.Carry)},
	{name: "a register dropped", lowered: wire},
	{name: "a register without enable", lowered: one(netlist.Register, 2, noEnable)},
	{name: "output bits exchanged", lowered: ports(0)},
	{name: "bits of the counts' port exchanged", lowered: ports(1)},
}

// TestBugs puts each bug into the compiler. The checks that every case gets must find the bug within 2,000 seeds.
func TestBugs(t *testing.T) {
	testkit.Long(t, "searches up to 2,000 seeds for each bug")
	for i, bug := range bugs {
		t.Run(bug.name, func(t *testing.T) {
			t.Parallel()
			f := fuzzer{w: io.Discard, first: 1 + 100*uint64(i), count: 2000, bug: bug}
			err := f.run(t.Context())
			if err == nil || !strings.Contains(err.Error(), "repeat it with") {
				t.Fatalf("not found: %v", err)
			}
			if strings.Contains(err.Error(), "panic:") {
				t.Fatalf("the bug itself failed: %v", err)
			}
			t.Logf("after %d networks: %.120v", f.sum.Networks, err)
		})
	}
}
