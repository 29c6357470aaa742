package runner

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/freeze"
	"ialgn/internal/model"
	"ialgn/internal/native"
	"ialgn/internal/netgen"
	"ialgn/internal/positions"
)

// looped returns a network that keeps each kernel once, or nil if only the unrolled form exists.
func looped(t *testing.T, m *model.Model) *positions.Network {
	t.Helper()
	n, err := freeze.Positions(m.Compact())
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestLooped compares code that loops over positions with the trainer's evaluation of the unrolled network, on bit
// rows and on feature words of both widths, with full and partial blocks. Some features have two equal thresholds.
func TestLooped(t *testing.T) {
	for i, form := range netgen.Convolutions() {
		m := form.Model(uint64(i))
		for f, row := range m.Encoder.Thresholds {
			if f%5 == 0 {
				row[1] = row[0]
			}
		}
		n := looped(t, m)
		if (n == nil) != (form.Name == "anchored") { // its second convolution skips a row of its image
			t.Errorf("%s: there is a network with kernels once: %v", form.Name, n != nil)
		}
		if n == nil {
			continue
		}
		f := m.Freeze()
		for _, isa := range sets(t) {
			for _, wide := range []bool{false, true} {
				e, err := NewLooped(n, isa, 1+i%2, native.FeaturesOf(f.Encoder.Thresholds, wide))
				if err != nil {
					t.Fatal(err)
				}
				for _, samples := range []int{0, 1, 300, 1300} {
					name := fmt.Sprintf("%s, %s, wide %v, %d samples", form.Name, isa.Name, wide, samples)
					checkWords(t, name, f, e, samples)
					checkRows(t, name, f, e, samples)
				}
			}
		}
	}
}

// checkRows compares class and counts of random bit rows with the results of the trainer's evaluator.
func checkRows(t *testing.T, name string, f *model.Frozen, e *Engine, samples int) {
	t.Helper()
	words := (samples + 63) / 64
	x := randomRows(uint64(samples), f.Inputs(), samples)
	got, err := e.Classify(t.Context(), x, samples)
	if err != nil {
		t.Fatal(err)
	}
	counts, class := make([]int32, len(f.Classes)*samples), make([]uint8, samples)
	if samples > 0 {
		eval := model.NewEvaluator(f)
		eval.Run(x, words, nil)
		eval.Counts(counts, samples)
		model.Classify(class, counts, f.Ties)
	}
	for i := range samples {
		if got.Class[i] != uint16(class[i]) {
			t.Fatalf("%s: sample %d is of class %d, want %d", name, i, got.Class[i], class[i])
		}
		for c := range f.Classes {
			if g, w := got.Counts[i*len(f.Classes)+c], counts[c*samples+i]; g != w {
				t.Fatalf("%s: sample %d: count %d of class %d, want %d", name, i, g, c, w)
			}
		}
	}
}

// TestLoopedOnce checks that compiling a network twice gives the same code.
func TestLoopedOnce(t *testing.T) {
	n := looped(t, netgen.Convolutions()[0].Model(1))
	for _, isa := range native.ISAs {
		first, err := native.CompileLooped(n, isa, nil)
		if err != nil {
			t.Fatal(err)
		}
		second, err := native.CompileLooped(n, isa, nil)
		if diff := cmp.Diff(first.Text, second.Text); err != nil || diff != "" {
			t.Errorf("%s: %v, other code the second time", isa.Name, err)
		}
	}
}
