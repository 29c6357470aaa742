package interchange

import (
	"errors"
	"fmt"

	"ialgn/internal/interchange/graph"
)

// maxPassed is the greatest number of nodes of a levelled network. Such a network has an additional node for each
// layer that a bit passes.
const maxPassed = 1 << 26

// level is a layer whose nodes read only the layer before. The first level reads input bits.
type level struct {
	pins   int        // pins of each node
	tables []uint64   // truth tables; lines are ordered as in package graph
	wires  [][]uint32 // [pin][node]
}

// levels turns a circuit into layers, each of which reads only the layer before. If a later layer reads a bit, nodes
// pass the bit on to this layer. The last layer has a node for each element of the slice out. An element may be a
// node, an input or a constant. An element that occurs several times gets several nodes.
func levels(c *graph.Circuit, out []graph.Ref) ([]level, error) {
	l := levelled{c: c, depth: make([]int32, c.Inputs+c.Nodes()), last: make([]int32, c.Inputs+c.Nodes())}
	l.reach(out)
	if err := l.check(len(out)); err != nil {
		return nil, err
	}
	all := make([]level, l.deepest)
	for node := range c.Nodes() {
		if v := c.Inputs + node; l.last[v] > 0 { // a node or an output reads bit v
			l.hidden[l.depth[v]] = append(l.hidden[l.depth[v]], graph.Ref(v))
		}
	}
	l.before = make([]int32, len(l.depth))
	for v := range c.Inputs {
		l.before[v] = int32(v)
		if l.last[v] > 1 {
			l.passed = append(l.passed, graph.Ref(v))
		}
	}
	for d := range int32(l.deepest) {
		if d == int32(l.deepest)-1 {
			all[d] = l.layer(out, d+1)
			break
		}
		all[d] = l.next(d + 1)
	}
	return all, nil
}

// levelled is a circuit together with the depths of its bits.
type levelled struct {
	c       *graph.Circuit
	depth   []int32 // depth of each bit: 0 for an input; for a node, one more than the largest depth of its pins
	last    []int32 // for each bit, the last layer that reads the bit; 0 if no layer reads it
	deepest int

	hidden [][]graph.Ref // for each depth, the nodes that a node or an output reads
	passed []graph.Ref   // bits of earlier layers that later layers still read
	before []int32       // for each bit of the layer before, its index in that layer
}

// reach computes the depth of every bit, and the last layer that reads the bit.
func (l *levelled) reach(out []graph.Ref) {
	c := l.c
	for node := range c.Nodes() {
		d := int32(0)
		for _, p := range c.NodePins(node) {
			d = max(d, l.depth[p])
		}
		l.depth[c.Inputs+node] = d + 1
	}
	l.deepest = 1
	for _, v := range out {
		if v >= 0 {
			l.deepest = max(l.deepest, int(l.depth[v]))
		}
	}
	for _, v := range out {
		if v >= 0 {
			l.last[v] = int32(l.deepest)
		}
	}
	for node := c.Nodes() - 1; node >= 0; node-- {
		v := c.Inputs + node
		if l.last[v] == 0 {
			continue
		}
		for _, p := range c.NodePins(node) {
			l.last[p] = max(l.last[p], l.depth[v])
		}
	}
	l.hidden = make([][]graph.Ref, l.deepest+1)
}

// check returns an error if the layers would become too large.
func (l *levelled) check(outputs int) error {
	if l.deepest > maxDepth {
		return fmt.Errorf("%d layers, want at most %d", l.deepest, maxDepth)
	}
	total := int64(outputs)
	for v, last := range l.last {
		total += max(0, int64(last-l.depth[v]-1))
		if v >= l.c.Inputs && last > 0 {
			total++
		}
	}
	if total > maxPassed {
		return fmt.Errorf("%d nodes, including nodes that only pass bits from layer to layer, want at most %d", total,
			maxPassed)
	}
	if l.c.Inputs == 0 {
		return errors.New("a network without inputs")
	}
	return nil
}

// next returns the layer at the given depth. It consists of the nodes with this depth and of nodes that pass bits on.
func (l *levelled) next(depth int32) level {
	values := append(l.hidden[depth], l.passed...)
	made := l.layer(values, depth)
	l.passed = l.passed[:0]
	for i, v := range values {
		l.before[v] = int32(i)
		if l.last[v] > depth+1 {
			l.passed = append(l.passed, v)
		}
	}
	return made
}

// layer returns the layer at the given depth, with one node for each value.
func (l *levelled) layer(values []graph.Ref, depth int32) level {
	made := level{pins: 1, tables: make([]uint64, len(values))}
	for _, v := range values {
		if l.made(v, depth) {
			made.pins = max(made.pins, len(l.c.NodePins(int(v)-l.c.Inputs)))
		}
	}
	made.wires = make([][]uint32, made.pins)
	for k := range made.wires {
		made.wires[k] = make([]uint32, len(values))
	}
	for i, v := range values {
		made.set(i, l, v, depth)
	}
	return made
}

// made reports whether a bit is the output of a node at this depth, rather than a bit that is passed on.
func (l *levelled) made(v graph.Ref, depth int32) bool { return v >= 0 && l.depth[v] == depth }

// set makes node i of a layer compute v. Additional pins read the same bit as the node's first pin.
func (y *level) set(i int, l *levelled, v graph.Ref, depth int32) {
	table, pins := uint64(0b10), []graph.Ref{v} // the truth table that passes v on
	switch {
	case v == graph.False:
		table, pins = 0, nil
	case v == graph.True:
		table, pins = 1, nil
	case l.made(v, depth):
		node := int(v) - l.c.Inputs
		table, pins = l.c.Tables[node], l.c.NodePins(node)
	}
	y.tables[i] = widen(table, len(pins), y.pins)
	for k := range y.wires {
		switch {
		case k < len(pins):
			y.wires[k][i] = uint32(l.before[pins[k]])
		case len(pins) > 0:
			y.wires[k][i] = uint32(l.before[pins[0]])
		}
	}
}

// widen returns a truth table with additional pins after the existing pins. The function does not depend on the
// additional pins.
func widen(table uint64, pins, more int) uint64 {
	wide := uint64(0)
	for line := range uint(1) << more {
		wide |= table >> (line >> (more - pins)) & 1 << line
	}
	return wide
}
