package engine

import (
	"ialgn/internal/hugepage"
	"ialgn/trainer/kernel"
)

// relaxedEngine trains any network, layer by layer, with relaxed values: what is trained is
// the mean of what the logits may select, and what they do select is another network.
type relaxedEngine struct {
	*network
	layers  []*kernel.Layer
	rows    [][]float32     // the values of each layer, [width][row]
	traces  [2]kernel.Trace // of the layer at hand and of the one above, in turns; with the same Pins
	workers []*relaxedWorker
}

// relaxedWorker does the gates from lo up to hi of each layer.
type relaxedWorker struct {
	lo, hi int
	pass   *kernel.RelaxedPass
}

func newRelaxed(n *network) *relaxedEngine {
	e := &relaxedEngine{network: n, layers: newLayerList(n)}
	width, row := n.m.Width, n.words*64
	for range e.layers {
		e.rows = append(e.rows, hugepage.Make[float32](width*row))
	}
	bounds := []int{0}
	for t := range n.crew.Size() {
		w := &relaxedWorker{lo: bounds[t], hi: width * (t + 1) / n.crew.Size(), pass: kernel.NewRelaxedPass(n.words, mostCandidates(e.layers))}
		e.workers, bounds = append(e.workers, w), append(bounds, w.hi)
	}
	pins := hugepage.Make[float32](kernel.Settle(e.layers, bounds) * row)
	for i := range e.traces {
		e.traces[i] = kernel.Trace{Pins: pins, Share: hugepage.Make[float32](width * mostSlots(e.layers))}
	}
	return e
}

// Step implements [Engine].
func (e *relaxedEngine) Step(b Batch, adam kernel.Adam) Result {
	r := e.Measure(b)
	for l := len(e.layers) - 1; l >= 0; l-- {
		own, next := &e.traces[l%2], &e.traces[(l+1)%2]
		if l == len(e.layers)-1 {
			next = nil
		}
		e.each(func(w *relaxedWorker) {
			w.pass.Below, w.pass.Adam = e.below(l), adam
			w.pass.Update(e.layers[l], own, next, e.top, w.lo, w.hi)
		})
	}
	return r
}

// Measure implements [Engine].
func (e *relaxedEngine) Measure(b Batch) Result {
	e.check(b)
	for l, layer := range e.layers {
		e.each(func(w *relaxedWorker) {
			w.pass.X, w.pass.Below, w.pass.Samples = b.X, e.below(l), len(b.Labels)
			w.pass.Forward(layer, e.rows[l], w.lo, w.hi)
		})
	}
	e.crew.Run(func(i int) {
		for c := e.classes * i / len(e.workers); c < e.classes*(i+1)/len(e.workers); c++ {
			e.sum(c, len(b.Labels))
		}
	})
	return e.loss(e.crew, b.Labels)
}

// sum adds up the values of a class's gates, in their order and in double precision.
func (e *relaxedEngine) sum(c, samples int) {
	row := e.words * 64
	counts := e.counts[c*row:][:samples]
	clear(counts)
	for i := range e.perClass {
		for s, v := range e.rows[len(e.rows)-1][(c*e.perClass+i)*row:][:samples] {
			counts[s] += float64(v)
		}
	}
}

// below returns the rows of the layer before a layer.
func (e *relaxedEngine) below(l int) []float32 {
	if l == 0 {
		return nil
	}
	return e.rows[l-1]
}

// each runs f for every worker and waits.
func (e *relaxedEngine) each(f func(w *relaxedWorker)) { e.crew.Run(func(i int) { f(e.workers[i]) }) }
