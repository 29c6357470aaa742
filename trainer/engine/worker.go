package engine

import (
	"ialgn/internal/bitplane"
	"ialgn/trainer/kernel"
)

// worker trains the chains from lo up to hi.
type worker struct {
	e          *Engine
	lo, hi     int
	firstClass int
	counts     []int32 // [classes touched][samples, padded]
	counters   []bitplane.Counter

	// Scratch of one chain.
	h, b []uint64 // bits of pin A and B of each layer, [depth][words]
	out  []uint64 // [words]
	pass *kernel.Pass
}

func newWorker(e *Engine, lo, hi int) *worker {
	w := &worker{e: e, lo: lo, hi: hi, firstClass: lo / e.perClass}
	touched := (hi-1)/e.perClass - w.firstClass + 1
	padded := e.words * 64
	w.counts = make([]int32, touched*padded)
	w.counters = make([]bitplane.Counter, e.words)
	w.h, w.b = make([]uint64, e.depth*e.words), make([]uint64, e.depth*e.words)
	w.out = make([]uint64, e.words)
	k := max(e.first.A.K, e.first.B.K)
	if e.rest != nil {
		k = max(k, e.rest.B.K)
	}
	w.pass = kernel.NewPass(e.words, k)
	return w
}

// chain computes the bits of both pins of every layer of chain i and of its output.
func (w *worker) chain(i int, x []uint64) {
	e, n := w.e, w.e.words
	row := func(bit uint32) []uint64 { return x[int(bit)*n:][:n] }
	copy(w.h[:n], row(e.first.A.Bit[i]))
	copy(w.b[:n], row(e.first.B.Bit[i]))
	op := e.first.Op[i]
	for l := 1; l < e.depth; l++ {
		g := i*e.rest.Layers + l - 1
		kernel.Apply(w.h[l*n:][:n], w.h[(l-1)*n:][:n], w.b[(l-1)*n:][:n], op)
		copy(w.b[l*n:][:n], row(e.rest.B.Bit[g]))
		op = e.rest.Op[g]
	}
	last := (e.depth - 1) * n
	kernel.Apply(w.out, w.h[last:][:n], w.b[last:][:n], op)
}

// forward counts the ones of each class of the worker's chains.
func (w *worker) forward(x []uint64) {
	for i := w.lo; i < w.hi; i++ {
		w.chain(i, x)
		for k, bits := range w.out {
			w.counters[k].Add(bits)
		}
		if i+1 == w.hi || (i+1)%w.e.perClass == 0 {
			w.endClass(i/w.e.perClass - w.firstClass)
		}
	}
}

func (w *worker) endClass(c int) {
	for k := range w.counters {
		w.counters[k].Store(w.counts[(c*w.e.words+k)*64:][:64])
		w.counters[k].Reset()
	}
}

// backward updates the worker's chains from the upstream gradient of their classes.
func (w *worker) backward(x []uint64, samples int, adam *kernel.Adam) {
	e, n, p := w.e, w.e.words, w.pass
	p.X, p.Samples, p.Adam = x, samples, *adam
	for i := w.lo; i < w.hi; i++ {
		w.chain(i, x)
		copy(p.Delta, e.delta[i/e.perClass])
		if e.rest != nil {
			p.Update(e.rest, i*e.rest.Layers, e.rest.Layers, w.h[n:], w.b[n:])
		}
		p.Update(e.first, i, 1, w.h, w.b)
	}
}
