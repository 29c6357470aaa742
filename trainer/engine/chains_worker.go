package engine

import (
	"ialgn/internal/bitplane"
	"ialgn/trainer/kernel"
)

// chainWorker trains the chains from lo up to hi.
type chainWorker struct {
	e          *chainEngine
	lo, hi     int
	firstClass int
	counts     []int32 // [classes touched][samples, padded]
	counters   []bitplane.Counter

	pass *kernel.Pass
}

func newChainWorker(e *chainEngine, lo, hi int) *chainWorker {
	w := &chainWorker{e: e, lo: lo, hi: hi, firstClass: lo / e.perClass}
	touched := (hi-1)/e.perClass - w.firstClass + 1
	padded := e.words * 64
	w.counts = make([]int32, touched*padded)
	w.counters = make([]bitplane.Counter, e.words)
	k := max(e.first.A.K, e.first.B.K)
	if e.rest != nil {
		k = max(k, e.rest.B.K)
	}
	w.pass = kernel.NewPass(e.depth, e.words, k)
	return w
}

// groups calls f for the worker's chains, a few at a time, from the last ones down: an
// update walks through a section's arrays downwards, and so goes on in the next group.
func (w *chainWorker) groups(f func(chain, chains int)) {
	for end := w.hi; end > w.lo; end -= w.pass.Group {
		n := min(w.pass.Group, end-w.lo)
		f(end-n, n)
	}
}

// forward counts the ones of each class of the worker's chains.
func (w *chainWorker) forward(x []uint64) {
	e, n := w.e, w.e.words
	w.pass.X = x
	for chain := w.lo; chain < w.hi; {
		class := chain / e.perClass
		end := min((class+1)*e.perClass, w.hi)
		for ; chain < end; chain += w.pass.Group {
			chains := min(w.pass.Group, end-chain)
			w.pass.Forward(e.first, e.rest, chain, chains)
			for k := range w.counters {
				w.counters[k].AddRows(w.pass.Out[k:chains*n], n)
			}
		}
		chain = end
		w.endClass(class - w.firstClass)
	}
}

func (w *chainWorker) endClass(c int) {
	for k := range w.counters {
		w.counters[k].Store(w.counts[(c*w.e.words+k)*64:][:64])
		w.counters[k].Reset()
	}
}

// backward updates the worker's chains from the upstream gradient of their classes.
func (w *chainWorker) backward(x []uint64, samples int, adam *kernel.Adam) {
	e, p := w.e, w.pass
	p.X, p.Samples, p.Adam = x, samples, *adam
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
