package diagnose

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/encoding"
	"ialgn/internal/model"
	"ialgn/internal/netgen"
)

// slow returns all bits of all samples, indexed [sample][layer][bit]. It computes one gate at a time.
func slow(f *model.Frozen, set *encoding.Packed) [][][]bool {
	var all [][][]bool
	levels := make([]uint16, set.Features)
	for s := range set.Len() {
		set.Values(levels, s)
		var input []bool
		for _, level := range levels {
			for j := range f.Encoder.Bits - 1 {
				input = append(input, int(level) > j)
			}
		}
		layers := [][]bool{input}
		for _, layer := range f.Layers {
			from := map[model.Source][]bool{model.Input: input, model.Previous: layers[len(layers)-1]}
			out := make([]bool, layer.Width())
			for i := range out {
				line := 0
				for _, p := range layer.Pins {
					if line *= 2; from[p.Source][p.Index[i]] {
						line++
					}
				}
				out[i] = layer.Op.At(i)>>(1<<len(layer.Pins)-1-line)&1 == 1
			}
			layers = append(layers, out)
		}
		all = append(all, layers)
	}
	return all
}

// TestBruteForce counts and collects the bits of networks of every form. The sets end within a word, at the end of a
// word, and at the end of a batch.
func TestBruteForce(t *testing.T) {
	for _, form := range netgen.Forms() {
		f := form.Model().Freeze()
		for _, n := range []int{1, 64, 512, 700} {
			set := netgen.Samples(&f.Encoder, n, len(f.Classes), 5)
			want := slow(f, set)
			checkFrequencies(t, form.Name, f, set, want)
			for layer := range f.Depth() + 1 {
				checkBits(t, form.Name, f, set, layer, want)
			}
		}
	}
}

func checkFrequencies(t *testing.T, name string, f *model.Frozen, set *encoding.Packed, want [][][]bool) {
	t.Helper()
	counts := make([][]int, f.Depth()+1)
	for _, layers := range want {
		for l, bits := range layers {
			if counts[l] == nil {
				counts[l] = make([]int, len(bits))
			}
			for i, b := range bits {
				if b {
					counts[l][i]++
				}
			}
		}
	}
	for _, threads := range []int{1, 3} {
		got, err := Frequencies(t.Context(), f, set, threads)
		if diff := cmp.Diff(counts, got); diff != "" || err != nil {
			t.Errorf("%s, %d samples, %d threads: %v (-want +got):\n%s", name, set.Len(), threads, err, diff)
		}
	}
}

func checkBits(t *testing.T, name string, f *model.Frozen, set *encoding.Packed, layer int, want [][][]bool) {
	t.Helper()
	b, err := Collect(t.Context(), f, set, layer, 2)
	if err != nil {
		t.Fatal(err)
	}
	for s := range want {
		row := b.Sample(s)
		if b.Width != len(want[s][layer]) || len(row) != (b.Width+63)/64 || b.Labels[s] != set.Labels[s] {
			t.Fatalf("%s: layer %d has %d bits in %d words, want %d", name, layer, b.Width, len(row), len(want[s][layer]))
		}
		for i := range 64 * len(row) {
			if set := row[i/64]>>(i%64)&1 == 1; set != (i < b.Width && want[s][layer][i]) {
				t.Fatalf("%s: bit %d of layer %d is %v in sample %d", name, i, layer, set, s)
			}
		}
	}
}

func TestEntropy(t *testing.T) {
	quarter := 2 - 0.75*math.Log2(3) // the entropy of a bit that is 1 in one of four samples
	for _, c := range []struct {
		ones []int
		want float64
	}{
		{[]int{0, 4}, 0},
		{[]int{2, 2}, 1},
		{[]int{0, 2, 4}, 1. / 3},
		{[]int{1}, quarter},
		{[]int{3, 1, 0, 2}, (2*quarter + 1) / 4},
	} {
		if got := BitEntropy(c.ones, 4); math.Abs(got-c.want) > 1e-15 {
			t.Errorf("ones %v of 4: entropy %v, want %v", c.ones, got, c.want)
		}
	}
	if BitEntropy([]int{0, 4}, 4) != 0 || BitEntropy([]int{2}, 4) != 1 {
		t.Error("the entropy of constants is not exactly 0, or a coin's entropy is not exactly 1")
	}
}

func TestFrequenciesRefusesMisfits(t *testing.T) {
	f := netgen.Forms()[0].Model().Freeze()
	set := netgen.Samples(&f.Encoder, 100, len(f.Classes), 5)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Frequencies(ctx, f, set, 2); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want canceled", err)
	}
	if _, err := Collect(ctx, f, set, 1, 2); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want canceled", err)
	}
	if _, err := Frequencies(t.Context(), f, encoding.NewPacked(set.Features+1, set.Width), 1); err == nil {
		t.Error("samples of other features were counted")
	}
}
