package runner

import (
	"context"
	"fmt"
	"sync/atomic"

	"ialgn/internal/bitplane"
	"ialgn/internal/crew"
	"ialgn/internal/nativecall"
	"ialgn/internal/wordcode"
	"ialgn/sim"
)

// Classify implements [sim.Classifier.Classify]. It returns counts and classes for the given number of samples. x
// holds the bit rows of the input port, with (samples+63)/64 words each. Classify returns an error if x has another
// size, or if ctx is done.
func (e *Engine) Classify(ctx context.Context, x []uint64, samples int) (*sim.Result, error) {
	words := (samples + 63) / 64
	if samples < 0 || len(x) != words*e.inputs {
		return nil, fmt.Errorf("engine %s: input has %d words, need %d (%d rows of %d for %d samples)", e.ISA().Name, len(x),
			words*e.inputs, e.inputs, words, samples)
	}
	r := &sim.Result{Classes: e.Classes(), Class: make([]uint16, samples), Counts: make([]int32, samples*e.Classes())}
	return r, e.each(ctx, samples, func(w *worker, first, blocks int) {
		for b := range blocks {
			w.load(b, x, words, (first+b)*w.words)
			w.convolve(b)
		}
		w.run(blocks)
		for b := range blocks {
			w.store(b, r, (first+b)*w.words*64)
		}
	})
}

// each divides the given number of samples into blocks, and calls do until all blocks are handled. A call handles
// several consecutive blocks. Its argument first is the number of the first of these blocks, and its argument blocks
// is the number of blocks. Each thread has its own worker.
func (e *Engine) each(ctx context.Context, samples int, do func(w *worker, first, blocks int)) error {
	blocks := (samples + e.ISA().Samples() - 1) / e.ISA().Samples()
	step := min(e.blocks, max(1, (blocks+e.threads-1)/e.threads))
	threads := min(e.threads, (blocks+step-1)/step)
	var next atomic.Int64
	run := func() error {
		w := e.worker()
		defer e.workers.Put(w)
		for first := int(next.Add(int64(step))) - step; first < blocks; first = int(next.Add(int64(step))) - step {
			if err := ctx.Err(); err != nil {
				return err
			}
			do(w, first, min(step, blocks-first))
		}
		return nil
	}
	if threads <= 1 {
		return run()
	}
	g, ctx := crew.NewGroup(ctx)
	for range threads {
		g.Go(run)
	}
	return g.Wait()
}

// worker is the memory of a thread.
type worker struct {
	*Engine
	rows, state, local, temp []uint64
	images                   [][]uint64 // images that the convolutions read
	words                    int        // words of a row
}

// worker returns a worker that no other goroutine uses.
func (e *Engine) worker() *worker {
	if w, ok := e.workers.Get().(*worker); ok {
		return w
	}
	words, temp := e.ISA().RowBytes/8, 0
	if e.code.Edges != nil {
		temp = (e.code.Edges.Temp + 7) / 8
	}
	w := &worker{
		Engine: e, rows: aligned(e.blocks * e.code.Last * words), state: aligned(e.blocks * e.code.State * words),
		local: aligned(e.code.Local * words), temp: aligned(temp), words: words,
	}
	for i := range e.code.Stages {
		w.images = append(w.images, aligned(e.code.Stages[i].Image*words))
	}
	return w
}

// input returns the input rows of a block.
func (w *worker) input(block int) []uint64 {
	if len(w.images) > 0 {
		return w.images[0]
	}
	return w.rows[block*w.code.Last*w.words:]
}

// line is the number of words of a cache line, which is also the longest row.
const line = 8

// aligned returns n words, at least one, that begin at a cache line.
func aligned(n int) []uint64 {
	s := make([]uint64, n+line)
	skip := 0
	for (address(s)/8+uintptr(skip))%line != 0 {
		skip++
	}
	return s[skip:]
}

// load copies one block from the rows x, beginning at the word with the index first in each row. Each row has the
// given number of words. Bits after the end of a row have any value.
func (w *worker) load(block int, x []uint64, words, first int) {
	to := w.input(block)
	count := min(w.words, words-first)
	for i, bit := range w.code.Rows {
		if bit >= 0 {
			copy(to[i*w.words:][:count], x[bit*words+first:])
		}
	}
}

// convolve runs the convolutions on the images of a block. The last convolution writes input rows
// of the block.
func (w *worker) convolve(block int) {
	for i := range w.code.Stages {
		s, out := &w.code.Stages[i], w.rows[block*w.code.Last*w.words:]
		if i+1 < len(w.images) {
			out = w.images[i+1]
		}
		row := w.code.ISA.RowBytes
		s.Each(row, func(offset, from, to, positions int) {
			nativecall.Call(w.mapped.Entry(offset), address(w.images[i])+uintptr(from), address(out)+uintptr(to),
				address(w.local), uintptr(positions), uintptr(s.Out.Column*row), uintptr(s.In.Column*row))
		})
	}
}

// run runs the code on the given number of blocks, beginning with the first.
func (w *worker) run(blocks int) {
	c, row := w.code, w.code.ISA.RowBytes
	for i := range c.Segments {
		nativecall.Call(w.mapped.Entry(c.Segments[i].Offset), address(w.rows), address(w.state), address(w.local),
			uintptr(blocks), uintptr(c.State*row), uintptr(c.Last*row))
	}
}

// store stores the classes and counts of a block in r. The argument first is the block's first sample.
func (w *worker) store(block int, r *sim.Result, first int) {
	state := w.state[block*w.code.State*w.words:]
	for word := range w.words {
		from := first + 64*word
		count := min(64, len(r.Class)-from)
		if count <= 0 {
			return
		}
		var m [64]uint64
		w.numbers(&m, state, word, w.classifier.Class)
		for i := range count {
			r.Class[from+i] = uint16(m[i])
		}
		for class, digits := range w.classifier.Counts {
			w.numbers(&m, state, word, digits)
			for i := range count {
				r.Counts[(from+i)*r.Classes+class] = int32(m[i])
			}
		}
	}
}

// numbers converts binary digits to a number for each of 64 samples. The digits of these samples are in one word of
// each state row in digits.
func (w *worker) numbers(m *[64]uint64, state []uint64, word int, digits wordcode.Rows) {
	clear(m[digits.Count:])
	for d := range digits.Count {
		m[d] = state[(digits.First+d)*w.words+word]
	}
	bitplane.Transpose(m)
}
