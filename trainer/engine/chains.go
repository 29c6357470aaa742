package engine

import (
	"errors"
	"fmt"

	"ialgn/trainer/kernel"
	"ialgn/trainer/model"
)

// chainEngine trains networks of private chains.
//
// A step runs chain by chain. The forward pass is a Boolean circuit on packed bits, 64
// samples a word, and leaves the class counts; the loss turns them into one upstream
// gradient for each class and sample; the backward pass walks each chain from its last
// gate to its first, recomputing the chain's bits and updating each gate with Adam as
// soon as its gradient is known, so no gradient of the network is ever stored.
type chainEngine struct {
	*network
	first   *kernel.Gates
	rest    *kernel.Gates // nil at depth 1
	workers []*chainWorker
}

// newChains returns the chain engine for a model that [chains] has nothing against.
func newChains(m *model.Model, maxBatch, threads int) (*chainEngine, error) {
	if err := chains(m); err != nil {
		return nil, fmt.Errorf("engine: %w", err)
	}
	n, err := newNetwork(m, maxBatch, threads)
	if err != nil {
		return nil, err
	}
	e := &chainEngine{network: n, first: n.sections[0]}
	if len(n.sections) > 1 {
		e.rest = n.sections[1]
	}
	for t := range n.crew.Size() {
		e.workers = append(e.workers, newChainWorker(e, m.Width*t/n.crew.Size(), m.Width*(t+1)/n.crew.Size()))
	}
	return e, nil
}

// chains says why the model is not a network of private chains, or nil.
func chains(m *model.Model) error {
	if len(m.Sections) == 0 || len(m.Sections) > 2 || m.Sections[0].Layers != 1 {
		return errors.New("the model is not made of a first layer and a rest")
	}
	for i := range m.Sections {
		s := &m.Sections[i]
		if s.B.Source != model.Input {
			return fmt.Errorf("section %d: pin B does not read the input", i)
		}
		if want := []model.Source{model.Input, model.Spine}[i]; s.A.Source != want {
			return fmt.Errorf("section %d: pin A is not a private spine", i)
		}
	}
	return nil
}

// Step implements [Engine].
func (e *chainEngine) Step(b Batch, adam kernel.Adam) Result {
	r := e.Measure(b)
	e.each(func(w *chainWorker) { w.backward(b.X, len(b.Labels), &adam) })
	return r
}

// Measure implements [Engine].
func (e *chainEngine) Measure(b Batch) Result {
	e.check(b)
	e.each(func(w *chainWorker) { w.forward(b.X) })
	clear(e.counts)
	for _, w := range e.workers {
		e.add(w.firstClass, w.counts)
	}
	return e.loss(e.crew, b.Labels)
}

// each runs f for every worker and waits.
func (e *chainEngine) each(f func(w *chainWorker)) { e.crew.Run(func(i int) { f(e.workers[i]) }) }
