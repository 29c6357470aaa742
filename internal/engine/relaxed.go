package engine

import (
	"ialgn/internal/kernel"
	"ialgn/internal/memory"
)

// relaxedEngine trains any network of gates with relaxed values, layer by layer. The relaxed network is the mean over
// all functions and wires that the logits can select. It differs from the frozen network, which has only the
// functions and wires with the largest logits. Both traces share one array for the field Pins.
type relaxedEngine struct {
	*stack[float32]
	workers []*relaxedWorker

	forward, sum, update func(member int)
	gradient             func(gate int) []float32 // same function as readout.top
}

// relaxedWorker handles the gates of each layer in the range [lo, hi).
type relaxedWorker struct {
	lo, hi int
	pass   *kernel.RelaxedPass
}

func newRelaxed(n *network) *relaxedEngine {
	row := n.words * 64
	e := &relaxedEngine{stack: newStack[float32](n, row)}
	for t, lo := range e.bounds[:n.crew.Size()] {
		e.workers = append(e.workers, &relaxedWorker{
			lo, e.bounds[t+1],
			kernel.NewRelaxedPass(n.words, mostCandidates(e.layers)),
		})
	}
	pins := memory.MakeHuge[float32](kernel.Settle(e.layers, e.bounds) * row)
	e.rewire = func() {
		e.reconnect()
		if n := kernel.Settle(e.layers, e.bounds) * row; n > len(pins) {
			pins = memory.MakeHuge[float32](n)
			for i := range e.traces {
				e.traces[i].Pins = pins
			}
		}
	}
	for i := range e.traces {
		e.traces[i] = kernel.Trace{Pins: pins, Share: memory.MakeHuge[float32](n.m.Width * mostSlots(e.layers))}
	}
	e.forward = func(i int) { e.workers[i].forward(e) }
	e.update = func(i int) { e.workers[i].update(e) }
	e.sum = func(i int) {
		for c := e.classes * i / len(e.workers); c < e.classes*(i+1)/len(e.workers); c++ {
			e.sumValues(c, len(e.batch.Labels), e.rows[len(e.rows)-1])
		}
	}
	e.gradient = e.top
	return e
}

// Step implements [Engine].
func (e *relaxedEngine) Step(b Batch, adam kernel.Adam) Result {
	r := e.Measure(b)
	e.probeBatch(b, e.views)
	e.down(adam, e.update)
	return r
}

// Measure implements [Engine].
func (e *relaxedEngine) Measure(b Batch) Result {
	e.up(b, e.forward)
	e.crew.Run(e.sum)
	return e.loss(e.crew, b)
}

// forward computes the worker's gates of the current layer.
func (w *relaxedWorker) forward(e *relaxedEngine) {
	w.pass.X, w.pass.Below, w.pass.Samples = e.batch.X, e.below(), len(e.batch.Labels)
	if e.layer < e.batch.Frozen {
		w.pass.Hard(e.layers[e.layer], e.rows[e.layer], w.lo, w.hi)
		return
	}
	w.pass.Forward(e.layers[e.layer], e.rows[e.layer], w.lo, w.hi)
}

// update updates the worker's gates of the current layer.
func (w *relaxedWorker) update(e *relaxedEngine) {
	own, next := e.turns()
	w.pass.Below, w.pass.Adam, w.pass.Straight = e.below(), e.adam, e.layer < e.batch.Frozen
	w.pass.Update(e.layers[e.layer], own, next, e.gradient, w.lo, w.hi)
}
