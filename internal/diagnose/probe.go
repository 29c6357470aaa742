// This file trains linear classifiers on the bits of a frozen network's layers, the
// linear probes of the IALGN paper: softmax regression by Adam, whose test accuracy says
// how much of the classes a layer shows to whoever can only weigh and add.
//
// The paper leaves open how a probe begins: here as PyTorch's linear layer does, weights and
// bias uniform between plus and minus 1/sqrt(bits). All starts of a layer are trained side by
// side in one pass over its bits; they share the order of samples, drawn anew each epoch.
//
// # How it is computed
//
// Inputs are bits, so that a weighted sum is a sum of the weights whose bits are 1. For four
// bits it is one of sixteen sums, made once for all samples of a batch; likewise the gradient
// of a weight is the sum of the errors of the samples whose bit is 1, four samples at a time
// (the method of the four Russians). Weights stand as rows of 64 columns, one a class and
// start, with zeros past the last. The bias is the weight of one more bit, which is always 1.
//
// All arithmetic is float32, every product is rounded before it is added, and every sum has
// one order: results depend neither on the processor nor on the number of threads.

package diagnose

import (
	"context"
	"math"
	"math/rand/v2"

	"ialgn/internal/kernel"
)

// Protocol says how probes are trained.
type Protocol struct {
	Epochs int     `json:"epochs"`
	Batch  int     `json:"batch"`
	Rate   float64 `json:"rate"`   // Adam's learning rate
	Starts int     `json:"starts"` // probes of a layer, from weights of their own
	Seed   uint64  `json:"seed"`
}

// Paper is the paper's protocol.
var Paper = Protocol{Epochs: 200, Batch: 100, Rate: 0.01, Starts: 5, Seed: 1}

// The constants of Adam, which the paper leaves at their defaults.
const (
	beta1 = 0.9
	beta2 = 0.999
	eps   = 1e-8
)

// Train trains the probes of a layer on the bits of one set and returns the accuracy of each
// on another, [start]. step is called after each epoch. It returns the context's error if
// that ends first.
func Train(ctx context.Context, train, test *Bits, classes int, p Protocol, step func()) ([]float64, error) {
	f := newFit(train.Width, classes, p)
	order := make([]int32, len(train.Labels))
	for i := range order {
		order[i] = int32(i)
	}
	shuffle := rand.New(rand.NewPCG(p.Seed, math.MaxUint64))
	t := 0
	for range p.Epochs {
		shuffle.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for at := 0; at < len(order); at += p.Batch {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			t++
			adam := kernel.NewAdam(p.Rate, beta1, beta2, eps, t)
			f.step(train, order[at:min(at+p.Batch, len(order))], &adam)
		}
		step()
	}
	return f.accuracy(ctx, test)
}

// accuracy returns the share of samples that each start classifies rightly.
func (f *fit) accuracy(ctx context.Context, set *Bits) ([]float64, error) {
	correct := make([]int, f.starts)
	index := make([]int32, 0, f.batch)
	for at := 0; at < len(set.Labels); at += f.batch {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		index = index[:0]
		for i := at; i < min(at+f.batch, len(set.Labels)); i++ {
			index = append(index, int32(i))
		}
		f.load(set, index)
		f.forward()
		for s, i := range index {
			for start := range f.starts {
				if arg, _ := kernel.Largest(f.read(s, start)); arg == int(set.Labels[i]) {
					correct[start]++
				}
			}
		}
	}
	shares := make([]float64, f.starts)
	for i, n := range correct {
		shares[i] = float64(n) / float64(len(set.Labels))
	}
	return shares, nil
}
