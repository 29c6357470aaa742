package model_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/encoding"
	"ialgn/internal/model"
	"ialgn/internal/netgen"
)

// TestForwardPass compares the frozen network and its bit-parallel forward pass with the slow forward pass, for every
// form of network. It compares each bit of each layer, the counts and the classes.
func TestForwardPass(t *testing.T) {
	const samples, words = 150, 3
	for _, form := range netgen.Forms() {
		t.Run(form.Name, func(t *testing.T) {
			m := form.Model()
			p := netgen.Samples(&m.Encoder, samples, len(m.Classes), 1)
			var want []slow
			for s := range samples {
				want = append(want, evaluateSlowly(m, bitsOf(&m.Encoder, p, s)))
			}
			f := m.Freeze()
			e := model.NewEvaluator(f)
			visited := 0
			e.Run(thermometer(f, p, words), words, func(layer int, h []uint64) {
				if layer != visited || len(h) != f.Layers[layer].Width()*words {
					t.Fatalf("visit %d: layer %d with %d words", visited, layer, len(h))
				}
				visited++
				compareLayer(t, layer, h, words, want)
			})
			if n := len(want[0].layers); visited != n {
				t.Errorf("%d layers visited, want %d", visited, n)
			}
			compareScores(t, e, m.Ties, len(m.Classes), want)
		})
	}
}

// thermometer returns the input bit rows of all samples of p.
func thermometer(f *model.Frozen, p *encoding.Packed, words int) []uint64 {
	planes := make([]uint64, p.Features*p.Width*words)
	p.GatherRange(planes, words, 0, p.Len())
	in := make([]uint64, f.Inputs()*words)
	f.Encoder.Thermometer(in, planes, words)
	return in
}

func compareLayer(t *testing.T, layer int, h []uint64, words int, want []slow) {
	t.Helper()
	for s := range want {
		for i, bit := range want[s].layers[layer] {
			if got := h[i*words+s/64]>>(s%64)&1 == 1; got != bit {
				t.Fatalf("sample %d, layer %d, gate %d: %v, want %v", s, layer, i, got, bit)
			}
		}
	}
}

func compareScores(t *testing.T, e *model.Evaluator, order []int, classes int, want []slow) {
	t.Helper()
	samples := len(want)
	counts, predicted := make([]int32, classes*samples), make([]uint8, samples)
	e.Counts(counts, samples)
	model.Classify(predicted, counts, order)
	for s := range want {
		for c, n := range want[s].counts {
			if got := counts[c*samples+s]; got != n {
				t.Fatalf("sample %d, class %d: count %d, want %d", s, c, got, n)
			}
		}
		if predicted[s] != want[s].class {
			t.Fatalf("sample %d: class %d, want %d", s, predicted[s], want[s].class)
		}
	}
}

func TestClassify(t *testing.T) {
	for _, test := range []struct {
		name   string
		counts []int32 // [3][4]
		order  []int
		want   []uint8
	}{
		{"each class once", []int32{5, 0, 1, 0, 0, 5, 2, 0, 0, 0, 3, 1}, nil, []uint8{0, 1, 2, 2}},
		{"each class once, with an order", []int32{5, 0, 1, 0, 0, 5, 2, 0, 0, 0, 3, 1}, []int{2, 0, 1}, []uint8{0, 1, 2, 2}},
		{"ties", []int32{5, 1, 2, 0, 5, 4, 3, 0, 5, 4, 3, 0}, nil, []uint8{0, 1, 1, 0}},
		{"ties with an order", []int32{5, 1, 3, 0, 5, 4, 3, 0, 5, 4, 1, 0}, []int{2, 0, 1}, []uint8{2, 2, 0, 2}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := []uint8{9, 9, 9, 9}
			model.Classify(got, test.counts, test.order)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("classes (-want +got):\n%s", diff)
			}
		})
	}
}

// TestEvaluate compares the evaluation of a whole set with the slow forward pass. The last batch is partial. The
// result must not depend on the number of threads.
func TestEvaluate(t *testing.T) {
	m := netgen.Model(netgen.ModelOptions{Seed: 20})
	p := netgen.Samples(&m.Encoder, 1100, len(m.Classes), 2)
	f := m.Freeze()
	first, err := f.Evaluate(context.Background(), p, 1)
	if err != nil {
		t.Fatal(err)
	}
	correct := 0
	for s := range p.Len() {
		want := evaluateSlowly(m, bitsOf(&m.Encoder, p, s))
		if got := first.Counts[s*3 : s*3+3]; !slices.Equal(got, want.counts) || first.Predicted[s] != want.class {
			t.Fatalf("sample %d: counts %v and class %d, want %v and %d", s, got, first.Predicted[s], want.counts, want.class)
		}
		if want.class == p.Labels[s] {
			correct++
		}
	}
	if got := first.Correct(p.Labels); got != correct {
		t.Errorf("%d correct, want %d", got, correct)
	}
	table, diagonal := first.Confusion(p.Labels), 0
	for c := range table {
		diagonal += table[c][c]
	}
	if diagonal != correct {
		t.Errorf("%d on the diagonal of the confusion table, want %d", diagonal, correct)
	}
	for _, threads := range []int{0, 2, 7} {
		again, err := f.Evaluate(context.Background(), p, threads)
		if diff := cmp.Diff(first, again); diff != "" || err != nil {
			t.Errorf("%d threads: error %v, scores (-1 thread +%d threads):\n%s", threads, err, threads, diff)
		}
	}
}

func TestEvaluateRefuses(t *testing.T) {
	m := netgen.Model(netgen.ModelOptions{})
	f := m.Freeze()
	p := netgen.Samples(&m.Encoder, 10, 3, 1)
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := f.Evaluate(ended, p, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("ended context: error %v, want %v", err, context.Canceled)
	}
	for _, other := range []*encoding.Packed{encoding.NewPacked(5, 2), encoding.NewPacked(6, 8)} {
		if _, err := f.Evaluate(context.Background(), other, 1); err == nil {
			t.Errorf("%d features of %d bits were accepted", other.Features, other.Width)
		}
	}
	s, err := f.Evaluate(context.Background(), encoding.NewPacked(6, 2), 4)
	if err != nil || len(s.Predicted) != 0 {
		t.Errorf("no samples: %v, %v", s, err)
	}
}
