// This file trains the linear probes of the IALGN paper. A probe is a linear classifier (softmax regression with
// Adam) on the bits of a layer of a frozen network. The test accuracy of the probe shows how well a weighted sum of
// the layer's bits can tell the classes apart.
//
// The paper does not say how a probe starts. Here it starts like PyTorch's linear layer: weights and bias are uniform
// between plus and minus 1/sqrt(bits). All starts of a layer are trained together in one pass over its bits. They
// share the order of samples, which is drawn again in each epoch.
//
// # How it is computed
//
// Inputs are bits, so a weighted sum is the sum of the weights whose bits are 1. For every group of four bits, there
// are only sixteen possible sums, which are computed once for all samples of a batch. In the same way, the gradient
// of a weight is the sum of the errors of the samples whose bit is 1, and samples are handled in groups of four. This
// is the method of the four Russians.
//
// Weights are stored as rows of 64 columns, one column for each combination of a class and a start. Unused columns
// are zeros. The bias is the weight of an additional bit, which is always 1.
//
// All arithmetic is float32. Every product is rounded before it is added, and every sum has a fixed order. Therefore
// results depend neither on the processor nor on the number of threads.

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
	Rate   float64 `json:"rate"`   // learning rate of Adam
	Starts int     `json:"starts"` // number of probes of a layer, each with its own initial weights
	Seed   uint64  `json:"seed"`
}

// Paper is the protocol of the IALGN paper.
var Paper = Protocol{Epochs: 200, Batch: 100, Rate: 0.01, Starts: 5, Seed: 1}

// These are the constants of Adam. The paper leaves them at their defaults.
const (
	beta1 = 0.9
	beta2 = 0.999
	eps   = 1e-8
)

// Train trains the probes of a layer on the bits in train. It returns the accuracy of each start on the bits in test.
// The function step is called after each epoch. If ctx is cancelled, Train returns the context's error.
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

// accuracy returns, for each start, the share of samples that it classifies correctly.
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
