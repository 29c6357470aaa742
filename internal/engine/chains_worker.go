package engine

import "ialgn/internal/kernel"

// chainWorker trains the chains of its tally.
type chainWorker struct {
	*tally
	e    *chainEngine
	pass *kernel.Pass
}

func newChainWorker(e *chainEngine, lo, hi int) *chainWorker {
	k := max(e.first.A.K, e.first.B.K)
	if e.rest != nil {
		k = max(k, e.rest.B.K)
	}
	pass := kernel.NewPass(e.depth, e.words, k)
	pass.Integer, pass.Part = e.m.Config.Train.Gradients == "int8", e.m.Part
	return &chainWorker{tally: newTally(e.readout, lo, hi), e: e, pass: pass}
}

// groups calls f for groups of the worker's chains, from the last group to the first. In this order, an update reads
// a section's arrays from the end to the beginning without jumps between groups.
func (w *chainWorker) groups(f func(chain, chains int)) {
	for end := w.hi; end > w.lo; end -= w.pass.Group {
		n := min(w.pass.Group, end-w.lo)
		f(end-n, n)
	}
}

// forward counts the ones of each class over the worker's chains.
func (w *chainWorker) forward(x []uint64) {
	w.pass.X = x
	w.classes(func(chain, end int) {
		for ; chain < end; chain += w.pass.Group {
			chains := min(w.pass.Group, end-chain)
			w.pass.Forward(w.e.first, w.e.rest, chain, chains)
			w.rows(chains, w.pass.Out)
		}
	})
}

// backward updates the worker's chains from the upstream gradient of their classes.
func (w *chainWorker) backward(b *Batch, adam *kernel.Adam) {
	e, p := w.e, w.pass
	p.X, p.Samples, p.Number, p.Adam = b.X, len(b.Labels), b.Step, *adam
	w.groups(func(chain, chains int) {
		p.Forward(e.first, e.rest, chain, chains)
		for c := range chains {
			p.Delta[c] = e.delta[(chain+c)/e.perClass]
		}
		if e.rest != nil {
			p.Update(e.rest, 1, chain, chains)
		}
		p.Update(e.first, 0, chain, chains)
	})
}
