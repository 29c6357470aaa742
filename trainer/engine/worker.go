package engine

import (
	"math"

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

	// Scratch of one chain and one gate.
	h           []uint64 // bits of pin A of each layer, [depth][words]
	out         []uint64 // [words]
	samples     int
	delta, beta []float32 // [samples, padded]
	ops         [kernel.Ops]float32
	opGrad      [kernel.Ops]float32
	q, r        []float32 // [largest k]
	tables      kernel.Tables
	touched     uint32 // of no meaning, see touch
}

func newWorker(e *Engine, lo, hi int) *worker {
	w := &worker{e: e, lo: lo, hi: hi, firstClass: lo / e.perClass}
	touched := (hi-1)/e.perClass - w.firstClass + 1
	padded := e.words * 64
	w.counts = make([]int32, touched*padded)
	w.counters = make([]bitplane.Counter, e.words)
	w.h = make([]uint64, e.depth*e.words)
	w.out = make([]uint64, e.words)
	w.delta, w.beta = make([]float32, padded), make([]float32, padded)
	k := max(e.first.a.k, e.first.b.k)
	if e.rest != nil {
		k = max(k, e.rest.b.k)
	}
	w.q, w.r = make([]float32, k), make([]float32, k)
	return w
}

// chain computes the bits of pin A of every layer of chain i, and of its output.
func (w *worker) chain(i int, x []uint64) {
	e, n := w.e, w.e.words
	h := w.h[:n]
	copy(h, e.row(x, e.first.a.bit[i]))
	op, b := e.first.op[i], e.first.b.bit[i]
	for l := 1; l < e.depth; l++ {
		next := w.h[l*n:][:n]
		kernel.Apply(next, h, e.row(x, b), op)
		g := i*e.rest.layers + l - 1
		h, op, b = next, e.rest.op[g], e.rest.b.bit[g]
	}
	kernel.Apply(w.out, h, e.row(x, b), op)
}

// row returns the words of an input bit.
func (e *Engine) row(x []uint64, bit uint32) []uint64 { return x[int(bit)*e.words:][:e.words] }

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

// touchBlock is how many gates are touched at a time: enough that their waits for
// memory overlap, few enough that their lines are still in the first cache when used.
const touchBlock = 8

// backward updates the worker's chains from the upstream gradient of their classes.
func (w *worker) backward(x []uint64, samples int, adam *kernel.Adam) {
	padded := (samples + kernel.Lanes - 1) / kernel.Lanes * kernel.Lanes
	w.samples = samples
	w.delta, w.beta = w.delta[:padded], w.beta[:padded]
	depth := w.e.depth
	for i := w.lo; i < w.hi; i++ {
		w.chain(i, x)
		copy(w.delta, w.e.delta[i/w.e.perClass])
		for l := depth - 1; l >= 0; l-- {
			if (depth-1-l)%touchBlock == 0 {
				w.touch(i, l-touchBlock)
			}
			w.gate(i, l, x, adam)
		}
	}
}

// touch reads a word of each cache line that the updates of a block of gates need: of
// chain i from layer l downwards, or of the next chain's last layers where l is below
// the first. Done a block ahead, the waits for memory overlap, which otherwise come one
// after the other.
func (w *worker) touch(i, l int) {
	if l < 0 {
		i, l = i+1, w.e.depth-1
	}
	if i == w.hi {
		return
	}
	for to := max(l-touchBlock, -1); l > to; l-- {
		s, g := w.e.at(i, l)
		w.touched += s.touch(g)
	}
}

// at returns the section and the index in it of the gate of chain i in layer l.
func (e *Engine) at(i, l int) (s *section, g int) {
	if l == 0 {
		return e.first, i
	}
	return e.rest, i*e.rest.layers + l - 1
}

// touch returns the sum of what it reads, so that the reads happen.
func (s *section) touch(g int) uint32 {
	at := g * kernel.Ops
	sum := math.Float32bits(s.w[at]) + math.Float32bits(s.m[at]) + math.Float32bits(s.v[at])
	sum += s.b.touch(g)
	if s.a != nil {
		sum += s.a.touch(g)
	}
	return sum
}

// lineFloats is the number of float32 in a cache line.
const lineFloats = 16

func (p *pin) touch(g int) uint32 {
	sum := uint32(0)
	if p.k == 1 {
		return sum
	}
	for at := g * p.k; at < (g+1)*p.k; at += lineFloats {
		sum += math.Float32bits(p.w[at]) + math.Float32bits(p.m[at]) + math.Float32bits(p.v[at]) + p.wires.At(at)
	}
	return sum
}

// gate updates the gate of chain i, the current one, in layer l and replaces delta by
// the gradient of its pin A.
func (w *worker) gate(i, l int, x []uint64, adam *kernel.Adam) {
	s, g := w.e.at(i, l)
	n := w.e.words
	at := g * kernel.Ops
	t := kernel.Operations(&w.ops, (*[kernel.Ops]float32)(s.w[at:]), s.top[g])
	beta := w.beta
	if s.b.k == 1 {
		beta = nil
	}
	sums := kernel.Bins(w.delta, beta, w.h[l*n:][:n], w.e.row(x, s.b.bit[g]), &t)
	kernel.OpGradient(&w.opGrad, &w.ops, &sums, &t)
	arg, top := adam.Update(s.w[at:at+kernel.Ops], s.m[at:], s.v[at:], w.opGrad[:])
	s.op[g], s.top[g] = uint8(arg), top
	w.selection(s.b, g, beta, x, adam)
	if s.a != nil {
		w.selection(s.a, g, w.delta, x, adam)
	}
}

// selection updates a relaxed pin of gate g from the gradient of its bit.
func (w *worker) selection(p *pin, g int, grad []float32, x []uint64, adam *kernel.Adam) {
	if p.k == 1 {
		return
	}
	at := g * p.k
	q, r := w.q[:p.k], w.r[:p.k]
	kernel.Selection(q, p.w[at:], p.top[g])
	w.tables.Fill(grad, w.samples)
	if p.wires.Wide != nil {
		kernel.Candidates(&w.tables, r, x, w.e.words, p.wires.Wide[at:])
	} else {
		kernel.Candidates(&w.tables, r, x, w.e.words, p.wires.Narrow[at:])
	}
	kernel.SelectGradient(r, q, r)
	arg, top := adam.Update(p.w[at:at+p.k], p.m[at:], p.v[at:], r)
	p.bit[g], p.top[g] = p.wires.At(at+arg), top
}
