package engine

import (
	"ialgn/internal/kernel"
	"ialgn/internal/kernel/shared"
	"ialgn/internal/model"
)

// recurrence computes a recurrent network forward through all steps of a sequence, and backward again.
//
// All values of a unit stay in the arena. The arena begins with the state before the first step, which consists of
// rows of zeros that are never written. After this state comes a frame for each step. A frame has the rows of the
// step's input bits. For each layer, it also has the rows gathered for pins with several candidates, and the rows of
// the layer's nodes. The state that a step reads ends where the step's frame begins. A row of step s is s*frame after
// the same row of the first step.
type recurrence struct {
	steps, frame int // frame is the number of float32 in a step's frame
	state        int // number of float32 in the state
	layers       []stepLayer
}

// stepLayer is one layer of a step. It holds the layer's nodes and the rows gathered for these nodes. All offsets of
// rows are the offsets in the first step.
type stepLayer struct {
	section int
	list    shared.List
	tables  *nodeTables
	choices []stepChoice
}

// stepChoice is a pin of one node. The pin chooses among candidates.
type stepChoice struct {
	shared.Choice
	node, pin int
	leaf      uint32 // the row with the gathered value, which the pin reads
}

// frameRows returns the number of rows of a step's frame.
func frameRows(m *model.Model) int {
	n := m.Encoder.Inputs() / m.Steps
	for i := range m.Sections {
		s := &m.Sections[i]
		n += s.Width
		for k := range s.Pins {
			if s.Pins[k].K > 1 {
				n += s.Width
			}
		}
	}
	return n
}

// newRecurrence places all rows of the network in an arena and returns the arena's size in float32.
func (e *sharedEngine) newRecurrence() (r *recurrence, size int) {
	m := e.m
	last := m.Sections[len(m.Sections)-1].Width
	r = &recurrence{steps: m.Steps, frame: frameRows(m) * shared.Lanes, state: last * shared.Lanes}
	inputs := m.Encoder.Inputs() / m.Steps
	for i := range m.Encoder.Inputs() {
		e.input = append(e.input, uint32(r.state+i/inputs*r.frame+i%inputs*shared.Lanes))
	}
	at := uint32(r.state + inputs*shared.Lanes)
	rows := func(n int) (first uint32) {
		first, at = at, at+uint32(n*shared.Lanes)
		return first
	}
	before := uint32(0) // the state of the previous step
	for i, n := range e.sections {
		l := stepLayer{section: i, tables: e.tables[i], list: shared.List{Pins: len(n.Pins)}}
		l.wire(n, [2]uint32{model.Input: uint32(r.state), model.Previous: before}, &m.Sections[i], rows)
		before = rows(n.Width)
		for node := range uint32(n.Width) {
			l.list.Out = append(l.list.Out, before+node*shared.Lanes)
		}
		r.layers = append(r.layers, l)
	}
	return r, r.state + r.steps*r.frame
}

// wire sets the rows that the layer's pins read, given the first row of each source. For each pin that chooses among
// candidates, wire calls the function rows to allocate rows.
func (l *stepLayer) wire(n *kernel.Nodes, sources [2]uint32, s *model.Section, rows func(int) uint32) {
	first := make([]uint32, len(n.Pins))
	for k, p := range n.Pins {
		if p.K > 1 {
			first[k] = rows(n.Width)
		}
	}
	for node := range n.Width {
		for k, p := range n.Pins {
			row := func(j int) uint32 { return sources[s.Pins[k].Source] + p.Wire(node*p.K+j)*shared.Lanes }
			if p.K == 1 {
				l.list.Wires = append(l.list.Wires, row(0))
				continue
			}
			c := stepChoice{node: node, pin: k, leaf: first[k] + uint32(node*shared.Lanes)}
			for j := range p.K {
				c.Rows = append(c.Rows, row(j))
			}
			l.choices = append(l.choices, c)
			l.list.Wires = append(l.list.Wires, c.leaf)
		}
	}
}

// counted implements [course]. The bits that the readout counts are the state after the last step.
func (r *recurrence) counted() uint32 { return uint32(r.steps * r.frame) }

// forward implements [course].
func (r *recurrence) forward(x []float32) {
	for step := range r.steps {
		at := uint32(step * r.frame)
		for i := range r.layers {
			l := &r.layers[i]
			for j := range l.choices {
				l.choices[j].forward(x, l.tables, at)
			}
			shared.Forward(x, &l.list, l.tables.forward, 1, shared.Shift{In: at, Out: at})
		}
	}
}

// clear implements [course]. It clears all gradients, because every reader of a row adds to the row's gradient.
func (r *recurrence) clear(g []float32) { clear(g) }

// backward implements [course]. It also computes sums for layers that are not trained, because gradients must pass
// through these layers to reach earlier steps.
func (r *recurrence) backward(x, g []float32, s *sums, _ int) {
	for step := r.steps - 1; step >= 0; step-- {
		at := uint32(step * r.frame)
		for i := len(r.layers) - 1; i >= 0; i-- {
			l := &r.layers[i]
			shared.Backward(x, g, &l.list, l.list.Wires, l.tables.slopes, s.lines[l.section], 1,
				shared.Shift{In: at, Out: at}, shared.Added)
			for j := range l.choices {
				l.choices[j].backward(x, g, l.tables, s.chosen[l.section], at)
			}
		}
	}
}

// forward gathers the value of a pin that chooses.
func (c *stepChoice) forward(x []float32, t *nodeTables, at uint32) {
	if t.relaxed {
		c.Mean(x, c.shares(t), c.leaf+at, 1, at)
		return
	}
	c.Select(x, int(t.selected[c.pin][c.node]), c.leaf+at, 1, at)
}

// shares returns the probabilities of the pin's candidates.
func (c *stepChoice) shares(t *nodeTables) []float32 {
	k := len(c.Rows)
	return t.q[c.pin][c.node*k:][:k]
}

// backward passes the pin's gradient on to the candidates.
func (c *stepChoice) backward(x, g []float32, t *nodeTables, chosen [][]float32, at uint32) {
	k := len(c.Rows)
	c.Sums(chosen[c.pin][c.node*k:][:k], x, g, c.leaf+at, 1, at)
	c.Spread(g, c.shares(t), c.leaf+at, 1, at)
}
