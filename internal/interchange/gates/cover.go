package gates

import (
	"fmt"
	"math"

	"ialgn/internal/interchange/graph"
)

// emit builds the circuit and returns the outputs. It adds each cover after the covers that it reads.
func (b *blifReader) emit() ([]graph.Ref, error) {
	b.circuit = graph.NewCircuit(len(b.inputs))
	b.refs = make([]graph.Ref, len(b.drivers))
	for net, driver := range b.drivers {
		if driver == undriven { // no output depends on this net
			b.refs[net] = graph.False
		}
	}
	for i, net := range b.inputs {
		b.refs[net] = graph.Ref(i)
	}
	cycle, err := order(len(b.covers), func(i int) int { return len(b.covers[i].pins) }, func(i, k int) int32 {
		return b.drivers[b.covers[i].pins[k]]
	}, func(i int) error {
		b.line = int(b.covers[i].line)
		return b.add(&b.covers[i])
	})
	if err != nil {
		return nil, err
	}
	if cycle >= 0 {
		b.line = int(b.covers[cycle].line)
		return nil, fmt.Errorf("%.60q depends on itself", b.name(b.covers[cycle].out))
	}
	outputs := make([]graph.Ref, len(b.outputs))
	for i, net := range b.outputs {
		outputs[i] = b.refs[net]
	}
	return outputs, nil
}

// add adds the nodes of a cover. Constants and buffers need no nodes.
func (b *blifReader) add(c *cover) error {
	if err := room(b.circuit, 1+2*len(c.cubes)); err != nil {
		return err
	}
	pins := make([]graph.Ref, len(c.pins))
	for i, net := range c.pins {
		pins[i] = b.refs[net]
	}
	if len(pins) > graph.MaxPins {
		b.refs[c.out] = b.wide(c, pins)
		return nil
	}
	all := uint64(math.MaxUint64) >> (64 - 1<<len(pins))
	table := c.table
	if c.value == '0' {
		table = all &^ table
	}
	switch {
	case table == 0:
		b.refs[c.out] = graph.False
	case table == all:
		b.refs[c.out] = graph.True
	case len(pins) == 1 && table == 0b10:
		b.refs[c.out] = pins[0]
	default:
		b.refs[c.out] = b.circuit.Add(table, pins...)
	}
	return nil
}

// wide adds the nodes of a cover that has more pins than a node may have. The cover is the disjunction of its cubes.
func (b *blifReader) wide(c *cover, pins []graph.Ref) graph.Ref {
	var terms []graph.Ref
	for cubes := c.cubes; len(cubes) > 0; cubes = cubes[len(pins):] {
		terms = append(terms, b.conjunction(cubes[:len(pins)], pins))
	}
	out := b.circuit.Or(terms...)
	if c.value == '0' {
		return b.circuit.Add(0b01, out)
	}
	return out
}

// conjunction adds the nodes of a cube.
func (b *blifReader) conjunction(cube []byte, pins []graph.Ref) graph.Ref {
	var literals []graph.Ref
	var values []byte
	for i, v := range cube {
		if v != '-' {
			literals, values = append(literals, pins[i]), append(values, v)
		}
	}
	if len(literals) == 0 {
		return graph.True
	}
	for {
		var next []graph.Ref
		for at := 0; at < len(literals); at += graph.MaxPins {
			end := min(at+graph.MaxPins, len(literals))
			next = append(next, b.circuit.Add(lines(values[at:end]), literals[at:end]...))
		}
		if len(next) == 1 {
			return next[0]
		}
		literals, values = next, values[:len(next)]
		for i := range values {
			values[i] = '1'
		}
	}
}
