package engine

import (
	"ialgn/internal/kernel"
	"ialgn/internal/kernel/shared"
	"ialgn/internal/memory"
	"ialgn/internal/model"
)

// behind trains the layers behind convolutions, if all their pins choose among nodes. These layers have one position,
// and the node engine takes a whole batch through them as bits. This is several times faster than the units of the
// shared engine, because each candidate of a pin is a row of bits and not a row of numbers.
type behind struct {
	*nodeEngine
	outputs  *image           // the outputs of the last convolution
	readers  kernel.NodeLayer // a layer without nodes that has the readers of these outputs
	bits     bitRows          // the bits of the outputs
	gradient []float32        // the gradients of the outputs, [units][outputs][Lanes]

	forward, gather, backward func(member int)
}

// firstBehind returns the number of the first section that the node engine trains. If there is none, it returns the
// number of sections.
func firstBehind(m *model.Model) int {
	first := len(m.Sections)
	if m.Steps > 0 || m.Config.Train.Estimator == "soft" {
		return first
	}
	for m.Sections[first-1].Grid == nil && chooses(&m.Sections[first-1]) {
		first--
	}
	return first
}

// chooses reports whether all pins of a section choose among nodes of the layer before.
func chooses(s *model.Section) bool {
	for k := range s.Pins {
		if s.Pins[k].Source != model.Previous || s.Pins[k].K == 1 {
			return false
		}
	}
	return true
}

// newBehind returns the engine of the sections from first on.
func (e *sharedEngine) newBehind(first int) *behind {
	all := e.course.(blocks)
	b := &behind{nodeEngine: newHardNodes(e.base, e.all[first:], first), outputs: &all[len(all)-1].out}
	b.bits = newBitRows(b.outputs, e.words*64)
	b.gradient = memory.MakeHuge[float32](b.outputs.size() * b.bits.units)
	b.connect()
	b.forward = func(member int) {
		e.forwardUnits(member, func(a *arena, u int) { b.bits.pack(b.outputs, a.x, u) })
	}
	b.gather = func(member int) {
		n, size := b.outputs.size()/shared.Lanes, e.crew.Size()
		from, to := n*member/size, n*(member+1)/size
		b.passes[member].Gradients(&b.readers, &b.traces[0], from, to, func(i int, delta []float32) {
			for u := range e.units() {
				copy(b.gradient[(u*n+i)*shared.Lanes:][:shared.Lanes], delta[u*shared.Lanes:])
			}
		})
	}
	b.backward = func(member int) {
		e.forwardUnits(member, func(a *arena, u int) { e.back(a, u, b.outputGradients) })
	}
	return b
}

// outputGradients writes the gradients of the outputs of the last convolution.
func (b *behind) outputGradients(a *arena, u int) {
	n := b.outputs.size()
	copy(a.g[b.outputs.at:][:n], b.gradient[u*n:])
}

// connect finds the readers of all nodes again.
func (b *behind) connect() {
	b.nodeEngine.connect()
	b.readers.Uses = kernel.NewNodeUses(b.layers[0], b.outputs.size()/shared.Lanes)
}

// below returns the rows that a layer reads, counted from the first layer behind.
func (b *behind) below(layer int) []uint64 {
	if layer == 0 {
		return b.bottom
	}
	return b.rows[layer-1]
}

// passBehind is the part of a pass after the tables were prepared, for a network with layers behind its convolutions.
// Values of a unit do not stay in an arena until the backward pass, so they are computed again.
func (e *sharedEngine) passBehind(batch Batch) Result {
	b := e.behind
	e.crew.Run(b.forward)
	b.bottom = b.bottom[:0]
	for i := range b.outputs.size() / shared.Lanes {
		b.bottom = b.bits.add(b.bottom, i)
	}
	batch.Frozen = max(0, batch.Frozen-len(e.layers))
	r := b.Measure(batch)
	if !e.train {
		return r
	}
	b.learn(e.adam)
	if e.batch.trained(len(e.all)) < len(e.layers) {
		e.crew.Run(b.gather)
		e.crew.Run(b.backward)
	}
	return r
}
