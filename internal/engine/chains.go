package engine

import (
	"ialgn/internal/kernel"
	"ialgn/internal/model"
)

// chainEngine trains networks of private chains.
//
// A step goes chain by chain. The forward pass computes the class counts. It evaluates the gates on packed bits, with
// 64 samples in each word. The loss turns the counts into one upstream gradient for each class and sample. The
// backward pass walks each chain from its last gate to its first. It recomputes the chain's bits and updates each
// gate with Adam as soon as its gradient is known, so the network's gradient is never stored as a whole.
type chainEngine struct {
	*network
	first   *kernel.Gates
	rest    *kernel.Gates // nil at depth 1
	workers []*chainWorker
	tallies []*tally // the tallies of the workers
}

// newChains returns the chain engine for a network of private chains.
func newChains(m *model.Model, maxBatch, threads int) (*chainEngine, error) {
	n, err := newNetwork(m, maxBatch, threads)
	if err != nil {
		return nil, err
	}
	e := &chainEngine{network: n, first: n.sections[0]}
	if len(n.sections) > 1 {
		e.rest = n.sections[1]
	}
	for t := range n.crew.Size() {
		w := newChainWorker(e, m.Width*t/n.crew.Size(), m.Width*(t+1)/n.crew.Size())
		e.workers, e.tallies = append(e.workers, w), append(e.tallies, w.tally)
	}
	return e, nil
}

// chains reports whether the model is a network of private chains. Such a network has a first layer on the input and
// an optional second section whose pins read the spine and the input.
func chains(m *model.Model) bool {
	if len(m.Sections) == 0 || len(m.Sections) > 2 || m.Sections[0].Layers != 1 {
		return false
	}
	for i, a := range []model.Source{model.Input, model.Spine}[:len(m.Sections)] {
		if s := &m.Sections[i]; s.Pins[0].Source != a || s.Pins[1].Source != model.Input {
			return false
		}
	}
	return true
}

// suitsChains reports whether the chain engine trains the model, if an engine of gates can train it.
func suitsChains(m *model.Model) bool {
	return chains(m) && m.Config.Train.Estimator != "soft" && !m.Config.Train.Freeze.Active()
}

// Step implements [Engine].
func (e *chainEngine) Step(b Batch, adam kernel.Adam) Result {
	r := e.Measure(b)
	if r.Err != nil {
		return r
	}
	e.probeBatch(b, e.views)
	e.each(func(w *chainWorker) { w.backward(&b, &adam) })
	return r
}

// Measure implements [Engine].
func (e *chainEngine) Measure(b Batch) Result {
	if e.check(b); b.Frozen > 0 {
		panic("engine: the chain engine freezes no layers")
	}
	e.each(func(w *chainWorker) { w.forward(b.X) })
	return e.result(e.tallies, b)
}

// each runs f for every worker and waits for all of them.
func (e *chainEngine) each(f func(w *chainWorker)) { e.crew.Run(func(i int) { f(e.workers[i]) }) }
