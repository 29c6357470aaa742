package diagnose

import (
	"context"
	"sync"
	"sync/atomic"

	"ialgn/internal/crew"
	"ialgn/internal/encoding"
	"ialgn/internal/model"
)

// Layers returns the layers to probe in a network of the given depth. These are all layers that the paper probes and
// that the network has, and also the network's last layer.
func Layers(depth int) []int {
	var layers []int
	for _, l := range []int{0, 1, 10, 20, 40, 60, 80, 100} {
		if l < depth {
			layers = append(layers, l)
		}
	}
	return append(layers, depth)
}

// ProbeNetwork is a frozen network and the data to probe it with.
type ProbeNetwork struct {
	*model.Frozen
	Train, Test *encoding.Packed // data sets as bits of the network's encoder
	Known       *Known           // results of earlier probes, not nil
}

// Run probes layers, at most one per thread at the same time. It returns the accuracies on the test set, indexed
// [layer][start]. For each layer that is being probed, Run holds the bits of all samples in memory, which takes bits
// x samples / 8 bytes.
//
// The function step is called after each epoch of a layer, one call at a time. Its arguments are the number of
// completed epochs and the total number of epochs. Epochs of layers whose result is already known are not counted. If
// ctx is cancelled, Run returns the context's error.
func (n ProbeNetwork) Run(ctx context.Context, layers []int, p Protocol, threads int,
	step func(done, all int),
) ([][]float64, error) {
	results := make([][]float64, len(layers))
	var next atomic.Int32
	epochs := counter{all: p.Epochs * len(layers), step: step}
	g, ctx := crew.NewGroup(ctx)
	for range max(1, min(threads, len(layers))) {
		g.Go(func() error {
			for i := int(next.Add(1)) - 1; i < len(layers); i = int(next.Add(1)) - 1 {
				var err error
				if results[i], err = n.layer(ctx, layers[i], p, &epochs); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return results, g.Wait()
}

// layer probes a layer, unless the same bits were probed before.
func (n ProbeNetwork) layer(ctx context.Context, layer int, p Protocol, epochs *counter) ([]float64, error) {
	train, err := Collect(ctx, n.Frozen, n.Train, layer, 1)
	if err != nil {
		return nil, err
	}
	test, err := Collect(ctx, n.Frozen, n.Test, layer, 1)
	if err != nil {
		return nil, err
	}
	accuracies, known, err := n.Known.do(ctx, newTask(train, test, len(n.Classes), p), func() ([]float64, error) {
		return Train(ctx, train, test, len(n.Classes), p, epochs.next)
	})
	if known {
		epochs.without(p.Epochs)
	}
	return accuracies, err
}

// counter counts the epochs of several goroutines.
type counter struct {
	mutex     sync.Mutex
	done, all int
	step      func(done, all int)
}

func (c *counter) next() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.done++
	c.step(c.done, c.all)
}

// without subtracts epochs that need not be trained from the total.
func (c *counter) without(epochs int) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.all -= epochs
}
