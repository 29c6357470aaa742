package engine

import "ialgn/internal/kernel"

// NewScores implements [Engine].
func (b *base) NewScores(w Window) *Scores {
	return b.newScores(w, func(int) int { return 64 * b.words })
}

// Score implements [Engine].
func (b *base) Score(s *Scores) {
	b.scores = s
	b.combine()
}

// Tell implements [Engine].
func (b *base) Tell(s kernel.Sink) {
	b.told = s
	b.combine()
}

// combine makes b.sink forward gradients to both b.scores and b.told, unless they are nil.
func (b *base) combine() {
	switch {
	case b.scores == nil:
		b.sink = b.told
	case b.told == nil:
		b.sink = b.scores
	default:
		b.sink = kernel.Sinks{b.scores, b.told}
	}
}

// probe computes the straight-through gradients of pins for engines that do not report these
// gradients themselves. It runs a forward and a backward pass of the node kernels on the engine's
// own state and updates nothing.
type probe struct {
	*nodeNetwork[uint64]
	passes  []*kernel.NodePass
	private bool // whether chains are private; scores then need only the nodes of the window

	forward, backward func(member int)
}

// probeBatch passes the pin gradients of a batch to the sink, if there is one. It uses the gradients of the class
// counts, so it must be called after the engine's forward pass. It must also be called before the update. The
// function sections returns the sections that share the engine's state.
func (b *base) probeBatch(batch Batch, sections func() []*kernel.Nodes) {
	if b.sink == nil {
		return
	}
	if b.probe == nil {
		b.probe = newProbe(b, sections())
	}
	p := b.probe
	for _, pass := range p.passes {
		pass.Sink = b.sink
	}
	p.up(batch, p.forward)
	p.down(kernel.Adam{}, p.backward)
	if b.scores != nil {
		b.scores.add(b, batch.X, p.rows)
	}
}

func newProbe(b *base, sections []*kernel.Nodes) *probe {
	p := &probe{nodeNetwork: newNodeNetwork[uint64](b, sections, 0, b.words), private: true}
	p.makeTraces(false)
	for _, s := range sections {
		for _, pin := range s.Pins {
			p.private = p.private && (pin == nil || !pin.Hidden)
		}
	}
	for range b.crew.Size() {
		pass := kernel.NewNodePass(kernel.NodeOptions{}, b.words, p.widest())
		pass.Still = true
		p.passes = append(p.passes, pass)
	}
	p.forward = func(i int) {
		from, to := p.share(i)
		p.begin(i).Forward(p.layers[p.layer], p.rows[p.layer], from, to)
	}
	p.backward = func(i int) {
		own, next := p.turns()
		from, to := p.share(i)
		p.begin(i).Update(p.layers[p.layer], own, next, p.gradient, from, to)
	}
	return p
}

// begin sets up a goroutine's pass for the current layer and batch and returns the pass.
func (p *probe) begin(member int) *kernel.NodePass {
	pass := p.passes[member]
	pass.X, pass.Below, pass.Samples, pass.Number = p.batch.X, p.below(), len(p.batch.Labels), p.batch.Step
	return pass
}

// share returns the range of nodes of the current layer that a goroutine handles.
func (p *probe) share(member int) (from, to int) {
	if !p.private || p.told != nil {
		return p.bounds(member)
	}
	first, end := p.scores.nodes(p.layer)
	n, size := end-first, p.crew.Size()
	return first + n*member/size, first + n*(member+1)/size
}
