package native

import (
	"context"
	"fmt"
	"sync/atomic"

	"ialgn/backend/wordcode"
	"ialgn/internal/bitplane"
	"ialgn/internal/crew"
	"ialgn/internal/nativecall"
	"ialgn/sim"
)

// Classify is [sim.Classifier.Classify]: it returns counts and class of the first samples of the bit rows x of the
// input port, (samples+63)/64 words a row. It returns an error if x has another size, or ctx's.
func (e *Engine) Classify(ctx context.Context, x []uint64, samples int) (*sim.Result, error) {
	words := (samples + 63) / 64
	if samples < 0 || len(x) != words*e.inputs {
		return nil, fmt.Errorf("engine %s: input has %d words, need %d (%d rows of %d for %d samples)", e.ISA().Name, len(x),
			words*e.inputs, e.inputs, words, samples)
	}
	r := &sim.Result{Classes: e.Classes(), Class: make([]uint16, samples), Counts: make([]int32, samples*e.Classes())}
	rowWords := e.ISA().RowBytes / 8
	blocks := (words + rowWords - 1) / rowWords
	var next atomic.Int64
	g, ctx := crew.NewGroup(ctx)
	step := min(e.blocks, max(1, (blocks+e.threads-1)/e.threads))
	for range min(e.threads, (blocks+step-1)/step) {
		g.Go(func() error {
			w := e.newWorker(step)
			for first := int(next.Add(int64(step))) - step; first < blocks; first = int(next.Add(int64(step))) - step {
				if err := ctx.Err(); err != nil {
					return err
				}
				count := min(step, blocks-first)
				for b := range count {
					w.load(b, x, words, (first+b)*rowWords)
				}
				w.run(count)
				for b := range count {
					w.store(b, r, (first+b)*rowWords*64)
				}
			}
			return nil
		})
	}
	return r, g.Wait()
}

// worker is the memory of a thread.
type worker struct {
	*Engine
	rows, state, local []uint64
	words              int // of a row
}

func (e *Engine) newWorker(blocks int) *worker {
	words := e.ISA().RowBytes / 8
	return &worker{
		e, aligned(blocks * len(e.code.Rows) * words), aligned(blocks * e.code.State * words), aligned(e.code.Local * words),
		words,
	}
}

// line is the words of a cache line, the longest row.
const line = 8

// aligned returns words that begin at a cache line. There is at least one.
func aligned(n int) []uint64 {
	s := make([]uint64, n+line)
	skip := 0
	for (address(s)/8+uintptr(skip))%line != 0 {
		skip++
	}
	return s[skip:]
}

// load lays out a block of the rows x, words each, from a word on. What is past the end of a row is of no matter.
func (w *worker) load(block int, x []uint64, words, first int) {
	to := w.rows[block*len(w.code.Rows)*w.words:]
	count := min(w.words, words-first)
	for i, bit := range w.code.Rows {
		copy(to[i*w.words:][:count], x[bit*words+first:])
	}
}

// run runs the code over the first blocks.
func (w *worker) run(blocks int) {
	c, row := w.code, w.code.ISA.RowBytes
	for i := range c.Segments {
		nativecall.Call(w.mapped.Entry(c.Segments[i].Offset), address(w.rows), address(w.state), address(w.local),
			uintptr(blocks), uintptr(c.State*row), uintptr(len(c.Rows)*row))
	}
}

// store reads class and counts of a block, whose first sample is given.
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

// numbers turns digits of 64 samples, which stand in one word of state rows, into a number a sample.
func (w *worker) numbers(m *[64]uint64, state []uint64, word int, digits wordcode.Rows) {
	clear(m[digits.Count:])
	for d := range digits.Count {
		m[d] = state[(digits.First+d)*w.words+word]
	}
	bitplane.Transpose(m)
}
