package diagnose

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/kernel"
	"ialgn/internal/netgen"
)

func TestLayers(t *testing.T) {
	for depth, want := range map[int][]int{
		1: {0, 1}, 4: {0, 1, 4}, 10: {0, 1, 10}, 50: {0, 1, 10, 20, 40, 50},
		100: {0, 1, 10, 20, 40, 60, 80, 100}, 150: {0, 1, 10, 20, 40, 60, 80, 100, 150},
	} {
		if diff := cmp.Diff(want, Layers(depth)); diff != "" {
			t.Errorf("depth %d (-want +got):\n%s", depth, diff)
		}
	}
}

// probeNetwork returns a random network, and samples whose labels can be computed from the input bits. Only the
// network depends on the seed.
func probeNetwork(seed uint64) ProbeNetwork {
	f := netgen.Model(netgen.ModelOptions{Width: 99, Depth: 6, Features: 9, Seed: seed}).Freeze()
	train, test := netgen.Samples(&f.Encoder, 700, 3, 1), netgen.Samples(&f.Encoder, 300, 3, 2)
	row := make([]uint16, 9)
	for i := range train.Labels {
		train.Values(row, i)
		train.Labels[i] = uint8(min(2, row[0]))
	}
	for i := range test.Labels {
		test.Values(row, i)
		test.Labels[i] = uint8(min(2, row[0]))
	}
	return ProbeNetwork{f, train, test, new(Known)}
}

// TestRun probes with several numbers of threads and with each path. The results must be the same. The input bits
// determine the class completely, but the last layer of a random network does not.
func TestRun(t *testing.T) {
	n, layers := probeNetwork(4), []int{0, 1, 6}
	p := Protocol{Epochs: 20, Batch: 50, Rate: 0.01, Starts: 2, Seed: 1}
	var want [][]float64
	for _, path := range kernel.Paths() {
		use(t, path)
		for _, threads := range []int{1, 5} {
			calls, last := 0, 0
			n.Known = new(Known)
			got, err := n.Run(t.Context(), layers, p, threads, func(done, all int) {
				if calls++; done != calls || all != 60 {
					t.Errorf("call %d: %d of %d epochs", calls, done, all)
				}
				last = done
			})
			if err != nil || last != 60 {
				t.Fatalf("%v after %d epochs", err, last)
			}
			if want == nil {
				want = got
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s, %d threads (-first +this):\n%s", path, threads, diff)
			}
		}
	}
	if want[0][0] < 0.99 || want[1][1] < 0.99 || want[2][0] > 0.96 || want[2][0] < 0.4 {
		t.Errorf("accuracies by layer: %v", want)
	}
}

func TestRunInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	_, err := probeNetwork(4).Run(ctx, []int{0, 1}, Protocol{Epochs: 50, Batch: 50, Starts: 1}, 2, func(int, int) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want canceled", err)
	}
}
