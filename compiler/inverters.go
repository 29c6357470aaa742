package compiler

import (
	"fmt"

	"ialgn/netlist"
)

// Inverters absorbs inverters into the tables of the functions that read them. Other readers (output ports, probes,
// popcounts, registers) cannot absorb an inversion. If one of them needs an inverted net, and only functions read the
// net directly, the inversion moves into the function that drives the net. Otherwise one inverter serves all readers.
//
// Requires: [PassThrough], so that no copy hides an inverter.
// Ensures:  a net has at most one inverter. An inverter remains only if a reader other than a function needs the
//
//	inverted net, and if the driver cannot be inverted. A driver cannot be inverted if it is no function, or
//	if a reader other than a function also reads the net directly.
//
// Cost:     O(cells + pins).
//
// Inverters runs before [Hash]: functions of a net and of its complement look different until the complement is
// part of the function.
func Inverters(n *netlist.Netlist) *netlist.Netlist {
	v := newInverter(n)
	for i := range netlist.Cell(n.Cells()) {
		switch {
		case isUnary(n, i, tableNot): // readers of an inverter read the inverter's root instead
		case n.Kind(i) == netlist.Function:
			v.function(i)
		default:
			v.other(i)
		}
	}
	for _, ports := range [][]netlist.Port{n.OutputPorts(), n.Probes()} {
		for _, p := range ports {
			for _, net := range p.Nets {
				v.Set(net, v.wire(net))
			}
		}
	}
	return v.Finish()
}

// inverter copies a netlist without its inverters.
type inverter struct {
	*netlist.Copier
	root     []netlist.Net // for each old net, the net at the start of the chain of inverters that leads to it
	odd      netSet        // old nets with an odd number of inverters between them and their root
	plain    netSet        // roots that a reader other than a function reads directly
	inverse  netSet        // roots that a reader other than a function reads inverted
	flipped  netSet        // roots whose driver is inverted in the new netlist
	inverted map[netlist.Net]netlist.Net
	pins     []netlist.Net
}

func newInverter(n *netlist.Netlist) *inverter {
	v := &inverter{
		root: make([]netlist.Net, n.Nets()), odd: newNetSet(n),
		plain: newNetSet(n), inverse: newNetSet(n), flipped: newNetSet(n),
		inverted: map[netlist.Net]netlist.Net{},
	}
	for i := range v.root {
		v.root[i] = netlist.Net(i)
	}
	s := sizeOf(n)
	for i := range netlist.Cell(n.Cells()) {
		switch {
		case isUnary(n, i, tableNot):
			in, out := n.Inputs(i)[0], n.Output(i)
			v.root[out] = v.root[in]
			if !v.odd.has(in) {
				v.odd.add(out)
			}
			s.cells--
			s.pins--
		case n.Kind(i) != netlist.Function:
			v.demand(n.Inputs(i))
		}
	}
	for _, ports := range [][]netlist.Port{n.OutputPorts(), n.Probes()} {
		for _, p := range ports {
			v.demand(p.Nets)
		}
	}
	v.Copier = copier(n, s)
	return v
}

// demand records that the nets have a reader that cannot absorb an inversion.
func (v *inverter) demand(nets []netlist.Net) {
	for _, net := range nets {
		if v.odd.has(net) {
			v.inverse.add(v.root[net])
		} else {
			v.plain.add(v.root[net])
		}
	}
}

// function copies a function. The inversions of its inputs, and of its output if needed, go into its table.
func (v *inverter) function(i netlist.Cell) {
	in, out := v.Old.Inputs(i), v.Old.Output(i)
	table := v.Old.Param(i)
	v.pins = v.pins[:0]
	for p, net := range in {
		root := v.root[net]
		if v.odd.has(net) != v.flipped.has(root) {
			table = invertInput(table, len(in), p)
		}
		v.pins = append(v.pins, v.To(root))
	}
	if v.inverse.has(out) && !v.plain.has(out) {
		v.flipped.add(out)
		table = ^table & netlist.TableMask(len(in))
	}
	v.Set(out, v.Function(table, v.Old.Origin(i), v.pins...))
}

// other copies a cell of any other kind.
func (v *inverter) other(i netlist.Cell) {
	v.pins = v.pins[:0]
	for _, net := range v.Old.Inputs(i) {
		v.pins = append(v.pins, v.wire(net))
	}
	first := v.Cell(v.Old.Kind(i), v.Old.Param(i), v.Old.Origin(i), v.pins...)
	for k := range netlist.Net(v.Old.Outputs(i)) {
		v.Set(v.Old.Output(i)+k, first+k)
	}
}

// wire returns a new net with the value of an old net. It adds an inverter if necessary, unless the net already has
// an inverter.
func (v *inverter) wire(net netlist.Net) netlist.Net {
	root := v.To(v.root[net])
	if v.odd.has(net) == v.flipped.has(v.root[net]) {
		return root
	}
	if isConstant(root) {
		return root ^ 1
	}
	if _, ok := v.inverted[root]; !ok {
		i, _, _ := v.Old.Driver(net)
		v.inverted[root] = v.Function(tableNot, v.Old.Origin(i), root)
	}
	return v.inverted[root]
}

// invertersAbsorbed returns an error for the first net with two inverters, or the first function that reads an
// inverter.
func invertersAbsorbed(n *netlist.Netlist) error {
	inverted, inverse := newNetSet(n), newNetSet(n) // nets that inverters read, and nets that inverters drive
	for i := range netlist.Cell(n.Cells()) {
		if n.Kind(i) != netlist.Function {
			continue
		}
		for _, v := range n.Inputs(i) {
			if inverse.has(v) {
				return fmt.Errorf("function cell %d reads an inverter, net %d", i, v)
			}
		}
		if isUnary(n, i, tableNot) {
			if v := n.Inputs(i)[0]; inverted.has(v) {
				return fmt.Errorf("cell %d inverts net %d, as another cell does", i, v)
			}
			inverted.add(n.Inputs(i)[0])
			inverse.add(n.Output(i))
		}
	}
	return nil
}
