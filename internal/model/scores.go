package model

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"

	"ialgn/internal/crew"
	"ialgn/internal/encoding"
	"ialgn/internal/ties"
)

// Scores holds the results of a network for a set of samples.
type Scores struct {
	Classes   int
	Counts    []int32 // [samples][classes]
	Predicted []uint8 // [samples]
}

// Correct returns the number of predictions that equal the labels.
func (s *Scores) Correct(labels []uint8) int {
	n := 0
	for i, c := range s.Predicted {
		if c == labels[i] {
			n++
		}
	}
	return n
}

// Confusion returns a square table. Element [label][class] is the number of samples with this label and this
// predicted class.
func (s *Scores) Confusion(labels []uint8) [][]int {
	table := make([][]int, s.Classes)
	for c := range table {
		table[c] = make([]int, s.Classes)
	}
	for i, c := range s.Predicted {
		table[labels[i]][c]++
	}
	return table
}

// batchWords is the number of words in each bit row of a batch. A row of 8 words fills a cache line. It also spreads
// the cost of choosing an operation over 512 samples.
const batchWords = 8

// Evaluate runs the network on all samples of p, which must hold levels of f's encoder. It uses the given number of
// threads, or all cores if threads is 0. The result does not depend on the number of threads. If the context ends
// first, Evaluate returns the error of the context.
func (f *Frozen) Evaluate(ctx context.Context, p *encoding.Packed, threads int) (*Scores, error) {
	if err := f.accepts(p); err != nil {
		return nil, err
	}
	n, classes := p.Len(), len(f.Classes)
	s := &Scores{Classes: classes, Counts: make([]int32, n*classes), Predicted: make([]uint8, n)}
	const batch = 64 * batchWords
	batches := (n + batch - 1) / batch
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	var next atomic.Int64
	g, ctx := crew.NewGroup(ctx)
	for range min(threads, batches) {
		g.Go(func() error {
			w := newScorer(f, p)
			for from := int(next.Add(1)-1) * batch; from < n; from = int(next.Add(1)-1) * batch {
				if err := ctx.Err(); err != nil {
					return err
				}
				w.score(s, from, min(from+batch, n))
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	return s, nil
}

// accepts returns an error if p does not hold levels of the network's encoder.
func (f *Frozen) accepts(p *encoding.Packed) error {
	if p.Features != f.Encoder.Features() || p.Width != f.Encoder.LevelBits() {
		return fmt.Errorf("evaluate: samples of %d features of %d bits, the network reads levels of %d features of %d "+
			"bits; encode them with the model's own encoder",
			p.Features, p.Width, f.Encoder.Features(), f.Encoder.LevelBits())
	}
	return nil
}

// scorer holds the memory of one thread.
type scorer struct {
	eval    *Evaluator
	batcher *encoding.Batcher
	index   []int32
	in      []uint64
	counts  []int32
}

func newScorer(f *Frozen, p *encoding.Packed) *scorer {
	return &scorer{
		eval:    NewEvaluator(f),
		batcher: encoding.NewBatcher(&f.Encoder, p, batchWords, crew.New(1)),
		index:   make([]int32, 0, 64*batchWords),
		in:      make([]uint64, f.Inputs()*batchWords),
		counts:  make([]int32, len(f.Classes)*64*batchWords),
	}
}

// score writes the scores of the samples from .. to-1. There may be at most 64*batchWords samples.
func (w *scorer) score(s *Scores, from, to int) {
	n := to - from
	w.index = w.index[:0]
	for i := range n {
		w.index = append(w.index, int32(from+i))
	}
	w.batcher.Batch(w.in, w.index)
	w.eval.Run(w.in, batchWords, nil)
	counts := w.counts[:s.Classes*n]
	w.eval.Counts(counts, n)
	Classify(s.Predicted[from:to], counts, w.eval.f.Ties)
	for c := range s.Classes {
		for i := range n {
			s.Counts[(from+i)*s.Classes+c] = counts[c*n+i]
		}
	}
}

// Classify sets each prediction to the class with the largest count. If several classes have it, the first of them in
// the tie order wins, or the lowest if the order is nil.
func (s *Scores) Classify(order []int) {
	for i := range s.Predicted {
		s.Predicted[i] = uint8(ties.Winner(s.Counts[i*s.Classes:][:s.Classes], order))
	}
}
