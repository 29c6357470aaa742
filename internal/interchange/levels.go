package interchange

import (
	"errors"
	"fmt"

	"ialgn/internal/interchange/graph"
)

// maxPassed bounds the nodes of a levelled network, which has one for each layer that a bit is passed on through.
const maxPassed = 1 << 26

// level is a layer of nodes that read the layer before alone: the first reads input bits.
type level struct {
	pins   int        // of every node
	tables []uint64   // lines as in package graph
	wires  [][]uint32 // [pin][node]
}

// levels turns a circuit into layers of which each reads the one before. The last one's nodes are those of out, which
// has no inputs that a simplified circuit would not have: a node that stands several times there is made as often. Bits
// that later layers read are passed on by nodes.
func levels(c *graph.Circuit, out []graph.Ref) ([]level, error) {
	l := levelled{c: c, depth: make([]int32, c.Inputs+c.Nodes()), last: make([]int32, c.Inputs+c.Nodes())}
	l.reach(out)
	if err := l.check(len(out)); err != nil {
		return nil, err
	}
	all := make([]level, l.deepest)
	for node := range c.Nodes() {
		if v := c.Inputs + node; l.last[v] > 0 { // some node or output reads it
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

// levelled is a circuit with the depth of its bits.
type levelled struct {
	c       *graph.Circuit
	depth   []int32 // of each bit: 0 of inputs, of a node one more than the largest of its pins
	last    []int32 // the last layer that reads the bit; 0: none does
	deepest int

	hidden [][]graph.Ref // nodes of each depth that some node or output reads
	passed []graph.Ref   // bits of the layer before, and before that, which later layers read
	before []int32       // of each bit that is in the layer before, its place there
}

// reach finds what is read, and how deep it is.
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

// check refuses what would become too large.
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
		return fmt.Errorf("%d nodes, most of which pass bits on from one layer to the next, want at most %d", total,
			maxPassed)
	}
	if l.c.Inputs == 0 {
		return errors.New("a network without inputs")
	}
	return nil
}

// next returns the layer of the nodes at a depth, and of what passes them.
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

// layer returns the layer at a depth with a node for each of the bits.
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

// made reports whether a bit is the output of a node at that depth, and is not passed on.
func (l *levelled) made(v graph.Ref, depth int32) bool { return v >= 0 && l.depth[v] == depth }

// set makes node i of a layer. Pins that it has no use for read what its first does.
func (y *level) set(i int, l *levelled, v graph.Ref, depth int32) {
	table, pins := uint64(0b10), []graph.Ref{v} // passes v on
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

// widen returns a table with more pins behind those that it has, on which it does not depend.
func widen(table uint64, pins, more int) uint64 {
	wide := uint64(0)
	for line := range uint(1) << more {
		wide |= table >> (line >> (more - pins)) & 1 << line
	}
	return wide
}
