package engine

import (
	"fmt"
	"math"

	"ialgn/internal/bitplane"
	"ialgn/internal/hugepage"
	"ialgn/trainer/kernel"
	"ialgn/trainer/model"
)

// layerEngine trains any network, layer by layer, with hard values. Each goroutine has a
// range of every layer's gates. Going down, a gate gathers its gradient from the gates that
// read it, along lists that were made once; so nobody adds to what another one writes, and
// a sum has one order.
type layerEngine struct {
	*network
	layers  []*kernel.Layer
	rows    [][]uint64      // the bits of each layer, [width][words]
	traces  [2]kernel.Trace // of the layer at hand and of the one above, in turns
	sums    *kernel.Trace   // of the classes
	workers []*layerWorker
}

// layerWorker does the gates from lo up to hi of each layer.
type layerWorker struct {
	lo, hi   int
	pass     *kernel.LayerPass
	counters []bitplane.Counter
	counts   []int32 // of the classes touched
}

func newLayers(m *model.Model, maxBatch, threads int) (Engine, error) {
	if err := checkEdges(m); err != nil {
		return nil, fmt.Errorf("engine: %w", err)
	}
	n, err := newNetwork(m, maxBatch, threads)
	if err != nil {
		return nil, err
	}
	if m.Config.Train.Estimator == "soft" {
		return newRelaxed(n), nil
	}
	e := &layerEngine{network: n, layers: newLayerList(n)}
	for range e.layers {
		e.rows = append(e.rows, hugepage.Make[uint64](m.Width*n.words))
	}
	e.layers[len(e.layers)-1].Uses = kernel.NewClassUses(m.Width, n.classes)
	e.sums = kernel.NewClassTrace(n.deltas, n.classes, n.words)
	slots := mostSlots(e.layers)
	for i := range e.traces {
		e.traces[i] = kernel.Trace{
			Delta: hugepage.Make[float32](m.Width * n.words * 64),
			Bits:  hugepage.Make[uint64](m.Width * 2 * n.words),
			Coef:  hugepage.Make[float32](m.Width * slots * 2),
		}
	}
	for t := range n.crew.Size() {
		e.workers = append(e.workers, newLayerWorker(e, m.Width*t/n.crew.Size(), m.Width*(t+1)/n.crew.Size()))
	}
	return e, nil
}

// checkEdges refuses layers with more edges than [kernel.Uses] can number, of a model that
// another program may have written.
func checkEdges(m *model.Model) error {
	for i := range m.Sections {
		edges := 0
		for _, p := range []*model.Pin{&m.Sections[i].A, &m.Sections[i].B} {
			if p.Source != model.Input {
				edges += m.Width * p.K
			}
		}
		if edges > math.MaxUint32 {
			return fmt.Errorf("section %d: %d edges lead to a layer, of which there can be %d; use fewer hidden candidates or gates a layer", i, edges, math.MaxUint32)
		}
	}
	return nil
}

// newLayerList returns the layers of a network with their uses by the layers above.
func newLayerList(n *network) []*kernel.Layer {
	var all []*kernel.Layer
	for _, s := range n.sections {
		for l := range s.Layers {
			all = append(all, &kernel.Layer{Gates: s, Index: l})
		}
	}
	for i, next := range all[1:] {
		all[i].Uses = kernel.NewUses(next.Gates, next.Index, n.m.Width)
	}
	return all
}

// mostSlots returns the largest number of slots of a gate, but at least one: kernels take
// the address of the first also where no gate reads the layer before.
func mostSlots(layers []*kernel.Layer) int {
	most := 1
	for _, l := range layers {
		a, b := l.Slots()
		most = max(most, a+b)
	}
	return most
}

// mostCandidates returns the largest number of candidates of a pin.
func mostCandidates(layers []*kernel.Layer) int {
	k := 1
	for _, l := range layers {
		if k = max(k, l.B.K); l.A != nil {
			k = max(k, l.A.K)
		}
	}
	return k
}

func newLayerWorker(e *layerEngine, lo, hi int) *layerWorker {
	touched := (hi-1)/e.perClass - lo/e.perClass + 1
	return &layerWorker{
		lo: lo, hi: hi, pass: kernel.NewLayerPass(e.words, mostCandidates(e.layers)),
		counters: make([]bitplane.Counter, e.words), counts: make([]int32, touched*e.words*64),
	}
}

// Step implements [Engine].
func (e *layerEngine) Step(b Batch, adam kernel.Adam) Result {
	r := e.Measure(b)
	for l := len(e.layers) - 1; l >= 0; l-- {
		own, next := &e.traces[l%2], &e.traces[(l+1)%2]
		if l == len(e.layers)-1 {
			next = e.sums
		}
		e.each(func(w *layerWorker) {
			w.pass.X, w.pass.Below, w.pass.Samples, w.pass.Adam = b.X, e.below(l), len(b.Labels), adam
			w.pass.Update(e.layers[l], own, next, w.lo, w.hi)
		})
	}
	return r
}

// Measure implements [Engine].
func (e *layerEngine) Measure(b Batch) Result {
	e.check(b)
	for l, layer := range e.layers {
		e.each(func(w *layerWorker) {
			w.pass.X, w.pass.Below = b.X, e.below(l)
			w.pass.Forward(layer, e.rows[l], w.lo, w.hi)
		})
	}
	e.each(func(w *layerWorker) { e.count(w) })
	clear(e.counts)
	for _, w := range e.workers {
		e.add(w.lo/e.perClass, w.counts)
	}
	return e.loss(e.crew, b.Labels)
}

// count counts the ones of the worker's gates by class.
func (e *layerEngine) count(w *layerWorker) {
	out := e.rows[len(e.rows)-1]
	for from := w.lo; from < w.hi; {
		class := from / e.perClass
		end := min((class+1)*e.perClass, w.hi)
		for k := range w.counters {
			c := &w.counters[k]
			c.Reset()
			c.AddRows(out[from*e.words+k:end*e.words], e.words)
			c.Store(w.counts[((class-w.lo/e.perClass)*e.words+k)*64:][:64])
		}
		from = end
	}
}

// below returns the rows of the layer before a layer.
func (e *layerEngine) below(l int) []uint64 {
	if l == 0 {
		return nil
	}
	return e.rows[l-1]
}

// each runs f for every worker and waits.
func (e *layerEngine) each(f func(w *layerWorker)) { e.crew.Run(func(i int) { f(e.workers[i]) }) }
