package runner

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/encoding"
	"ialgn/internal/freeze"
	"ialgn/internal/model"
	"ialgn/internal/native"
	"ialgn/internal/native/rows"
	"ialgn/internal/netgen"
	"ialgn/netlist"
	"ialgn/sim"
)

// TestWords compares the classification of feature words with the trainer's evaluation. It tries every form of
// network, words of both widths, and numbers of samples that fill all blocks or leave the last block partly filled.
func TestWords(t *testing.T) {
	for _, form := range netgen.Forms() {
		f := form.Model().Freeze()
		n, err := freeze.Network(f, netlist.Core)
		if err != nil {
			t.Fatal(err)
		}
		for _, isa := range sets(t) {
			for _, wide := range []bool{false, true} {
				if f.Encoder.BitsIn > 8 && !wide {
					continue
				}
				e, err := NewWords(n, isa, 2, native.FeaturesOf(f.Encoder.Thresholds, wide))
				if err != nil {
					t.Fatal(err)
				}
				for _, samples := range []int{0, 1, 300, 5000} {
					checkWords(t, fmt.Sprintf("%s, %s, wide %v, %d samples", form.Name, isa.Name, wide, samples), f, e, samples)
				}
			}
		}
	}
}

func checkWords(t *testing.T, name string, f *model.Frozen, e *Engine, samples int) {
	t.Helper()
	enc := &f.Encoder
	r, levels := rand.New(rand.NewPCG(uint64(samples), 9)), encoding.NewPacked(enc.Features(), enc.LevelBits())
	var narrow []uint8
	var wide []uint16
	row := make([]uint16, enc.Features())
	for range samples {
		for i := range row {
			row[i] = uint16(r.Uint64N(uint64(enc.Max) + 1))
			if t := enc.Thresholds[i]; r.IntN(3) == 0 {
				row[i] = t[r.IntN(len(t))]
			}
			narrow, wide = append(narrow, uint8(row[i])), append(wide, row[i])
		}
		enc.Levels(row, row)
		levels.Append(row, 0)
	}
	want, err := f.Evaluate(t.Context(), levels, 1)
	if err != nil {
		t.Fatal(err)
	}
	got := sim.Result{Classes: want.Classes, Class: make([]uint16, samples), Counts: make([]int32, samples*want.Classes)}
	alone := sim.Result{Classes: want.Classes, Class: make([]uint16, samples)}
	for _, r := range []sim.Result{got, alone} {
		if e.features.Wide {
			err = ClassifyWords(t.Context(), e, wide, r)
		} else {
			err = ClassifyWords(t.Context(), e, narrow, r)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(want.Counts, got.Counts); diff != "" {
		t.Fatalf("%s: counts (-trainer +engine):\n%.1000s", name, diff)
	}
	for i, class := range want.Predicted {
		if got.Class[i] != uint16(class) || alone.Class[i] != uint16(class) {
			t.Fatalf("%s: sample %d is of class %d, without counts %d, want %d", name, i, got.Class[i], alone.Class[i], class)
		}
	}
}

// TestWideWords checks a network with so many features and classes that one call cannot compute the rows or the
// numbers of a block.
func TestWideWords(t *testing.T) {
	o := netgen.FrozenOptions{Width: 140 * 256, Depth: 1, Features: 3000, Bits: 4, BitsIn: 8, Classes: 256}
	f := netgen.Frozen(1, o)
	n, err := freeze.Network(f, netlist.Core)
	if err != nil {
		t.Fatal(err)
	}
	for _, isa := range sets(t) {
		e, err := NewWords(n, isa, 1, native.FeaturesOf(f.Encoder.Thresholds, false))
		if err != nil {
			t.Fatal(err)
		}
		if e.piece >= isa.Samples() || len(e.code.Edges.Inputs) < 2 {
			t.Errorf("%s: numbers of %d samples, rows by %d functions", isa.Name, e.piece, len(e.code.Edges.Inputs))
		}
		for _, samples := range []int{1, isa.Samples(), 3*isa.Samples() + 100} {
			checkWords(t, fmt.Sprintf("%s, %d samples", isa.Name, samples), f, e, samples)
		}
	}
}

// TestWordsRefuse checks that words of another width, and too few words, are refused.
func TestWordsRefuse(t *testing.T) {
	f := netgen.Forms()[0].Model().Freeze()
	n, err := freeze.Network(f, netlist.Core)
	if err != nil {
		t.Fatal(err)
	}
	features := native.FeaturesOf(f.Encoder.Thresholds, false)
	e, err := NewWords(n, sets(t)[0], 1, features)
	if err != nil {
		t.Fatal(err)
	}
	r := sim.Result{Classes: e.Classes(), Class: make([]uint16, 2)}
	if err := ClassifyWords(t.Context(), e, make([]uint8, 2*features.Count-1), r); err == nil {
		t.Error("too few words were accepted")
	}
	if err := ClassifyWords(t.Context(), e, make([]uint16, 2*features.Count), r); err == nil {
		t.Error("wide words were accepted")
	}
	other := native.FeaturesOf(f.Encoder.Thresholds[1:], false)
	if _, err := NewWords(n, sets(t)[0], 1, other); err == nil {
		t.Error("features of other input bits were accepted")
	}
}

// BenchmarkWords measures the time from the bytes of images to classes and to counts.
func BenchmarkWords(b *testing.B) {
	const samples, pixels = 10000, 784
	for _, isa := range sets(b) {
		for _, counts := range []bool{false, true} {
			b.Run(fmt.Sprintf("gates=8000x6/isa=%s/counts=%v", isa.Name, counts), func(b *testing.B) {
				f := &native.Features{Count: pixels}
				n := core(b, 8000, 6)
				for i := range n.InputPorts()[0].Nets {
					f.Bits = append(f.Bits, rows.Pair{Feature: i / 3 % pixels, Threshold: uint16(63 + 64*(i%3))})
				}
				e, err := NewWords(n, isa, 1, f)
				if err != nil {
					b.Fatal(err)
				}
				x, r := make([]uint8, samples*pixels), sim.Result{Classes: e.Classes(), Class: make([]uint16, samples)}
				random := rand.New(rand.NewPCG(1, 1))
				for i := range x {
					x[i] = uint8(random.Uint32())
				}
				if counts {
					r.Counts = make([]int32, samples*e.Classes())
				}
				for b.Loop() {
					if err := ClassifyWords(b.Context(), e, x, r); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(samples*float64(b.N)/b.Elapsed().Seconds(), "images/s")
			})
		}
	}
}
