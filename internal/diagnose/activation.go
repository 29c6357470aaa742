// This file runs a frozen network over a data set and reads the bits of its layers. From these bits it computes the
// entropy of the layers (IALGN paper, supplement, "Representation-Diagnostic Details"). For probes, it returns the
// bits themselves, sample by sample.
//
// Layers are counted as in the paper: layer 0 is the encoded input, layer 1 the first layer of gates.
// [model.Evaluator] computes all bits in a forward pass with 64 samples in each word.

package diagnose

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"sync"
	"sync/atomic"

	"ialgn/internal/crew"
	"ialgn/internal/encoding"
	"ialgn/internal/model"
)

// batchWords is the number of words in a row of a batch. They fill a cache line.
const batchWords = 8

// batchSamples is the number of samples of a full batch.
const batchSamples = 64 * batchWords

// Frequencies counts in how many samples each bit of each layer is 1. The result is indexed [layer][i], where layer 0
// holds the input bits and the other layers hold the outputs of the gates. It does not depend on the number of
// threads. If ctx is cancelled, Frequencies returns the context's error.
func Frequencies(ctx context.Context, f *model.Frozen, set *encoding.Packed, threads int) ([][]int, error) {
	total := counts(f)
	var mutex sync.Mutex
	err := sweep(ctx, f, set, threads, func() visitor {
		own := counts(f)
		return visitor{
			layer: func(layer int, rows []uint64, from, to int) { count(own[layer], rows, to-from) },
			done: func() {
				mutex.Lock()
				defer mutex.Unlock()
				for l, c := range own {
					for i, n := range c {
						total[l][i] += n
					}
				}
			},
		}
	})
	return total, err
}

func counts(f *model.Frozen) [][]int {
	c := [][]int{make([]int, f.Inputs())}
	for l := range f.Layers {
		c = append(c, make([]int, f.Layers[l].Width()))
	}
	return c
}

// count increases to[i] by the number of ones among the bits of the first samples in row i, for every row i.
func count(to []int, rows []uint64, samples int) {
	words := (samples + 63) / 64
	last := ^uint64(0) >> (64*words - samples)
	for i := range to {
		row := rows[i*batchWords:][:words]
		for _, w := range row[:words-1] {
			to[i] += bits.OnesCount64(w)
		}
		to[i] += bits.OnesCount64(row[words-1] & last)
	}
}

// BitEntropy returns the mean binary entropy of the bits of a layer, in bits. This is the mean of -p log2 p - (1-p)
// log2 (1-p), with 0 log 0 = 0. ones[i] is the number of samples in which bit i is 1. The result is exactly 0 if no
// bit changes, and exactly 1 if each bit is 1 in half of the samples.
func BitEntropy(ones []int, samples int) float64 {
	sum := 0.0
	for _, n := range ones {
		sum += term(n, samples) + term(samples-n, samples)
	}
	return sum / float64(len(ones))
}

// term returns -p log2 p for p = n/samples.
func term(n, samples int) float64 {
	if n == 0 || n == samples {
		return 0
	}
	p := float64(n) / float64(samples)
	return -p * math.Log2(p)
}

// visitor receives the bit rows of all layers, batch by batch. The function done is called after the last batch.
type visitor struct {
	layer func(layer int, rows []uint64, from, to int) // rows is [bits][batchWords], for the samples [from, to)
	done  func()
}

// sweep runs the network over a set. Several goroutines process batches, each with its own visitor.
func sweep(ctx context.Context, f *model.Frozen, set *encoding.Packed, threads int, visit func() visitor) error {
	if set.Features != f.Encoder.Features() || set.Width != f.Encoder.LevelBits() {
		return fmt.Errorf("activations: samples of %d features of %d bits, the network reads levels of %d features of %d "+
			"bits; encode them with the model's own encoder",
			set.Features, set.Width, f.Encoder.Features(), f.Encoder.LevelBits())
	}
	var next atomic.Int64
	crew.Each(max(1, threads), func(int) {
		v := visit()
		w := worker{
			model.NewEvaluator(f), encoding.NewBatcher(&f.Encoder, set, batchWords, crew.New(1)),
			make([]uint64, f.Inputs()*batchWords), nil,
		}
		for ctx.Err() == nil {
			from := int(next.Add(1)-1) * batchSamples
			if from >= set.Len() {
				break
			}
			w.batch(v, from, min(from+batchSamples, set.Len()))
		}
		v.done()
	})
	return ctx.Err()
}

// worker holds the memory of a goroutine.
type worker struct {
	eval    *model.Evaluator
	batcher *encoding.Batcher
	in      []uint64
	index   []int32
}

func (w *worker) batch(v visitor, from, to int) {
	w.index = w.index[:0]
	for i := from; i < to; i++ {
		w.index = append(w.index, int32(i))
	}
	w.batcher.Batch(w.in, w.index)
	v.layer(0, w.in, from, to)
	w.eval.Run(w.in, batchWords, func(l int, h []uint64) { v.layer(l+1, h, from, to) })
}
