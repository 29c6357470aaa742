package engine

import (
	"fmt"
	"slices"
	"strings"

	"ialgn/internal/kernel"
	"ialgn/internal/memory"
	"ialgn/internal/model"
)

// gates reports whether the engines of gates can train the model. All nodes must have two pins, and all layers must
// have the same width. No configuration key may ask for an estimator, a rounding of gradients or a cost that only the
// node engines support. Of the engines of gates, only the chain engine rounds gradients.
func gates(m *model.Model) bool {
	t := &m.Config.Train
	for i := range m.Sections {
		if s := &m.Sections[i]; len(s.Pins) != 2 || s.Width != m.Width || s.Pins[1].Source == model.Spine {
			return false
		}
	}
	return t.Estimator != "gumbel" && !t.Cost.Active() && (!rounds(m) || suitsChains(m))
}

// rounds reports whether gradients of pins are rounded to 8 bits. Only pins that choose among candidates need them.
func rounds(m *model.Model) bool {
	return m.Config.Train.Gradients == "int8" && slices.ContainsFunc(m.Sections, func(s model.Section) bool {
		return slices.ContainsFunc(s.Pins, func(p model.Pin) bool { return p.K > 1 })
	})
}

// nodeNetwork is a network of nodes, with the state of a pass over its layers. Each goroutine handles a range of
// every layer's nodes.
type nodeNetwork[T uint64 | float32] struct {
	*base
	walk[*kernel.NodeLayer, T]
	sections []*kernel.Nodes
	gradient func(node int) []float32 // same function as readout.top
}

// newNodeNetwork returns a network that consists of the sections and shares their state. Its first layer has the number
// first in the model. The caller makes the traces.
func newNodeNetwork[T uint64 | float32](b *base, sections []*kernel.Nodes, first, row int) *nodeNetwork[T] {
	n := &nodeNetwork[T]{
		base: b, walk: walk[*kernel.NodeLayer, T]{on: b, layers: nodeLayers(sections, first)},
		sections: sections, gradient: b.top,
	}
	for _, l := range n.layers {
		n.rows = append(n.rows, memory.MakeHuge[T](l.Width*row))
	}
	n.connect()
	return n
}

// nodeLayers returns the layers of all sections, in order. They are numbered from first.
func nodeLayers(sections []*kernel.Nodes, first int) (all []*kernel.NodeLayer) {
	for _, s := range sections {
		for l := range s.Layers {
			all = append(all, &kernel.NodeLayer{Nodes: s, Index: l, Number: first + len(all)})
		}
	}
	return all
}

// connect finds the readers of the nodes of each layer except the last. The readers of a layer are nodes of the next
// layer.
func (n *nodeNetwork[T]) connect() {
	for i, l := range n.layers[1:] {
		n.layers[i].Uses = kernel.NewNodeUses(l, n.layers[i].Width)
	}
}

// newSections returns the kernels' view of a model's sections.
func newSections(m *model.Model) (all []*kernel.Nodes) {
	for i := range m.Sections {
		nodes := newNodes(&m.Sections[i])
		nodes.Part = m.Part
		all = append(all, nodes)
	}
	return all
}

// makeTraces allocates the two traces. The layers use the traces alternately: each layer writes the gradients for the
// previous layer to one of the traces. If integer is true, gradients of pins are rounded to 8 bits.
func (n *nodeNetwork[T]) makeTraces(integer bool) {
	var pins, rounded, share [2]int
	for i, l := range n.layers {
		hidden, candidates := l.Hidden()
		which, rows := i%2, &pins
		if integer && l.Choosing() {
			rows = &rounded
		}
		rows[which], share[which] = max(rows[which], l.Width*hidden), max(share[which], l.Width*candidates)
	}
	row := n.words * 64
	for i := range n.traces {
		n.traces[i] = kernel.Trace{
			Pins: memory.MakeHuge[float32](pins[i] * row), Share: memory.MakeHuge[float32](share[i]),
			Rounded: memory.MakeHuge[int8](rounded[i] * row), Steps: memory.MakeHuge[float32](rounded[i]),
		}
	}
}

// newNodes returns the kernels' view of a section. The view shares the section's arrays.
func newNodes(s *model.Section) *kernel.Nodes {
	nodes := s.Width * s.Layers
	n := &kernel.Nodes{Layers: s.Layers, Width: s.Width, Arity: s.Arity, Table: memory.MakeHuge[uint64](nodes)}
	tops := 0
	if s.Arity == kernel.Ops && len(s.Pins) == 2 {
		tops = nodes
	}
	n.Logits = newLogits(s.Ops, tops)
	for k := range s.Pins {
		var pin *kernel.Pin
		if s.Pins[k].Source != model.Spine {
			pin = newPin(&s.Pins[k], nodes)
		}
		n.Pins = append(n.Pins, pin)
	}
	n.Refresh()
	return n
}

// widest returns the largest number of candidates of a pin.
func (n *nodeNetwork[T]) widest() int { return widestPin(n.sections) }

// widestPin returns the largest number of candidates of a pin in the sections.
func widestPin(sections []*kernel.Nodes) int {
	k := 1
	for _, s := range sections {
		for _, p := range s.Pins {
			if p != nil {
				k = max(k, p.K)
			}
		}
	}
	return k
}

// bounds returns the range of nodes of the current layer that a goroutine handles.
func (n *nodeNetwork[T]) bounds(member int) (from, to int) {
	width, size := n.layers[n.layer].Width, n.crew.Size()
	return width * member / size, width * (member + 1) / size
}

// Frozen implements [Engine].
func (n *nodeNetwork[T]) Frozen(f *model.Frozen) *model.Frozen {
	if f == nil {
		f = n.m.Blank()
	}
	for _, l := range n.layers {
		to := &f.Layers[l.Number]
		for i := range l.Width {
			g := i*l.Layers + l.Index
			to.Op.Set(i, kernel.Number(l.Table[g], len(l.Pins)))
			for k, p := range l.Pins {
				if to.Pins[k].Index[i] = uint32(i); p != nil {
					to.Pins[k].Index[i] = p.Bit[g]
				}
			}
		}
	}
	return f
}

// Moments implements [Engine].
func (n *nodeNetwork[T]) Moments() []Moment { return sectionMoments(n.sections) }

// sectionMoments returns the moments of all sections.
func sectionMoments(sections []*kernel.Nodes) []Moment {
	var all []Moment
	for i, s := range sections {
		all = appendMoments(all, fmt.Sprintf("section%d.ops", i), s.Width, s.Layers, s.Arity, &s.Logits)
		for k, p := range s.Pins {
			if p != nil {
				name := fmt.Sprintf("section%d.%s.logits", i, strings.ToLower(model.PinName(k)))
				all = appendMoments(all, name, s.Width, s.Layers, p.K, &p.Logits)
			}
		}
	}
	return all
}

// nodeEngine trains networks with hard values whose nodes have any number of pins and whose layers
// have any width.
type nodeEngine struct {
	*nodeNetwork[uint64]
	passes  []*kernel.NodePass
	tallies []*tally
	costs   *costs        // nil without train.cost
	noise   *kernel.Noise // noise in the layers that are not frozen; nil if there is no noise

	forward, count, update func(member int)
}

func newNodeEngine(b *base) Engine {
	if b.m.Config.Train.Estimator == "soft" {
		return newRelaxedNodes(b)
	}
	e := newHardNodes(b, newSections(b.m), 0)
	e.candidates = newCandidates(e.layers, b.m.Encoder.Inputs(), e.connect)
	e.part = b.m.Part
	if b.m.Config.Train.Cost.Active() {
		e.costs = newCosts(b.m, e.layers)
		e.candidates.costs = e.costs
	}
	return e
}

// newHardNodes returns a node engine for sections. Their first layer has the number first in the model.
func newHardNodes(b *base, sections []*kernel.Nodes, first int) *nodeEngine {
	e := &nodeEngine{nodeNetwork: newNodeNetwork[uint64](b, sections, first, b.words)}
	o := kernel.NodeOptions{Integer: b.m.Config.Train.Gradients == "int8"}
	e.makeTraces(o.Integer)
	if t := &b.m.Config.Train; t.Estimator == "gumbel" {
		e.noise = &kernel.Noise{Seed: t.Seed, Temperature: float32(t.Temperature)}
	}
	e.layer = len(e.layers) - 1
	for i := range b.crew.Size() {
		e.passes = append(e.passes, kernel.NewNodePass(o, b.words, e.widest()))
		lo, hi := e.bounds(i)
		e.tallies = append(e.tallies, newTally(b.readout, lo, hi))
	}
	e.forward = func(i int) {
		from, to := e.bounds(i)
		e.begin(i).Forward(e.layers[e.layer], e.rows[e.layer], from, to)
	}
	e.count = func(i int) { e.tallies[i].layer(e.rows[len(e.rows)-1]) }
	e.update = func(i int) {
		own, next := e.turns()
		from, to := e.bounds(i)
		e.begin(i).Update(e.layers[e.layer], own, next, e.gradient, from, to)
	}
	return e
}

// begin sets up a goroutine's pass for the current layer and batch and returns the pass.
func (e *nodeEngine) begin(member int) *kernel.NodePass {
	p := e.passes[member]
	p.X, p.Below, p.Number = e.batch.X, e.below(), e.batch.Step
	p.Samples, p.Adam = len(e.batch.Labels), e.adam
	if p.Noise = e.noise; e.layer < e.batch.Frozen {
		p.Noise = nil
	}
	return p
}

// Step implements [Engine].
func (e *nodeEngine) Step(b Batch, adam kernel.Adam) Result {
	r := e.Measure(b)
	if r.Err == nil {
		r.Err = e.costs.refresh(e.comm)
	}
	if r.Err != nil {
		return r
	}
	if e.learn(adam); e.scores != nil {
		e.scores.add(e.base, b.X, e.rows)
	}
	return r
}

// learn updates the nodes after Measure.
func (e *nodeEngine) learn(adam kernel.Adam) {
	for _, p := range e.passes {
		p.Sink, p.Prices = e.sink, e.costs.prices()
	}
	e.down(adam, e.update)
}

// Measure implements [Engine].
func (e *nodeEngine) Measure(b Batch) Result {
	e.up(b, e.forward)
	e.crew.Run(e.count)
	return e.result(e.tallies, b)
}

// relaxedNodes trains networks of nodes with relaxed values.
type relaxedNodes struct {
	*nodeNetwork[float32]
	passes []*kernel.RelaxedNodePass

	forward, sum, update func(member int)
}

func newRelaxedNodes(b *base) Engine {
	e := &relaxedNodes{nodeNetwork: newNodeNetwork[float32](b, newSections(b.m), 0, b.words*64)}
	e.makeTraces(false)
	e.candidates = newCandidates(e.layers, b.m.Encoder.Inputs(), func() {
		if e.connect(); e.probe != nil {
			e.probe.connect()
		}
	})
	for range b.crew.Size() {
		e.passes = append(e.passes, kernel.NewRelaxedNodePass(b.words, e.widest()))
	}
	e.forward = func(i int) {
		from, to := e.bounds(i)
		if pass := e.begin(i); e.layer < e.batch.Frozen {
			pass.Hard(e.layers[e.layer], e.rows[e.layer], from, to)
		} else {
			pass.Forward(e.layers[e.layer], e.rows[e.layer], from, to)
		}
	}
	e.update = func(i int) {
		own, next := e.turns()
		from, to := e.bounds(i)
		e.begin(i).Update(e.layers[e.layer], own, next, e.gradient, from, to)
	}
	e.sum = func(i int) {
		for c := e.classes * i / b.crew.Size(); c < e.classes*(i+1)/b.crew.Size(); c++ {
			e.sumValues(c, len(e.batch.Labels), e.rows[len(e.rows)-1])
		}
	}
	return e
}

// begin sets up a goroutine's pass for the current layer and batch and returns the pass.
func (e *relaxedNodes) begin(member int) *kernel.RelaxedNodePass {
	p := e.passes[member]
	p.X, p.Below, p.Samples, p.Adam = e.batch.X, e.below(), len(e.batch.Labels), e.adam
	p.Straight = e.layer < e.batch.Frozen
	return p
}

// Step implements [Engine].
func (e *relaxedNodes) Step(b Batch, adam kernel.Adam) Result {
	r := e.Measure(b)
	e.probeBatch(b, func() []*kernel.Nodes { return e.sections })
	e.down(adam, e.update)
	return r
}

// Measure implements [Engine].
func (e *relaxedNodes) Measure(b Batch) Result {
	e.up(b, e.forward)
	e.crew.Run(e.sum)
	return e.loss(e.crew, b)
}
