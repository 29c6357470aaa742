package netlist

import "slices"

// Equal reports whether n and m are identical. Identical netlists have the same name, ports, probes, primitives,
// classes, offsets, tie order and positions, and the same cells in the same order. Two netlists that compute the same
// function may be unequal.
func (n *Netlist) Equal(m *Netlist) bool {
	return n.Name == m.Name &&
		slices.EqualFunc(n.inputs, m.inputs, Port.equal) &&
		slices.EqualFunc(n.outputs, m.outputs, Port.equal) &&
		slices.EqualFunc(n.probes, m.probes, Port.equal) &&
		slices.EqualFunc(n.primitives, m.primitives, PrimitiveType.equal) &&
		slices.Equal(n.kind, m.kind) &&
		slices.Equal(n.param, m.param) &&
		slices.Equal(n.inStart, m.inStart) &&
		slices.Equal(n.in, m.in) &&
		slices.Equal(n.outStart, m.outStart) &&
		slices.Equal(n.layer, m.layer) &&
		slices.Equal(n.chain, m.chain) &&
		slices.Equal(n.class, m.class) &&
		slices.Equal(n.offsets, m.offsets) &&
		slices.Equal(n.ties, m.ties) &&
		slices.Equal(n.places, m.places)
}

func (p Port) equal(q Port) bool {
	return p.Name == q.Name && p.Word == q.Word && slices.Equal(p.Labels, q.Labels) && slices.Equal(p.Nets, q.Nets)
}

func (p PrimitiveType) equal(q PrimitiveType) bool {
	return p.Name == q.Name && p.Output == q.Output && p.Table == q.Table && slices.Equal(p.Inputs, q.Inputs)
}
