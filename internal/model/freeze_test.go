package model_test

import (
	"math"
	"strings"
	"testing"

	"ialgn/internal/encoding"
	"ialgn/internal/model"
	"ialgn/internal/netgen"
)

// TestApply compares every operation with the paper's truth table. It tests words, and rows of several lengths.
func TestApply(t *testing.T) {
	a := []uint64{0x3333333333333333, 0, ^uint64(0)}
	b := []uint64{0x5555555555555555, ^uint64(0), 0}
	for op, want := range truth {
		for words := range len(a) + 1 {
			h := []uint64{7, 7, 7}
			model.Apply(uint8(op), h[:words], a[:words], b[:words])
			for s := range 64 * words {
				corner := a[s/64]>>(s%64)&1<<1 | b[s/64]>>(s%64)&1
				if got := h[s/64]>>(s%64)&1 == 1; got != want[corner] {
					t.Fatalf("operation %d of bits %02b: %v, want %v", op, corner, got, want[corner])
				}
			}
			for _, w := range h[words:] {
				if w != 7 {
					t.Fatalf("operation %d wrote past %d words", op, words)
				}
			}
		}
	}
}

// TestSelected checks the selected function for operations of two pins and for truth tables of one to six pins.
func TestSelected(t *testing.T) {
	six := make([]float32, 64)
	six[0], six[63] = 1, 1
	zero := float32(math.Copysign(0, -1))
	sixteen := func(at map[int]float32) []float32 {
		x := make([]float32, 16)
		for i, v := range at {
			x[i] = v
		}
		return x
	}
	for _, test := range []struct {
		name   string
		logits []float32
		pins   int
		want   uint64
	}{
		{"largest", sixteen(map[int]float32{3: 5, 9: 5.5}), 2, 9},
		{"tie", sixteen(map[int]float32{7: 2, 12: 2}), 2, 7},
		{"all equal", sixteen(nil), 2, 0},
		{"signed zeros are equal", sixteen(map[int]float32{0: zero}), 2, 0},
		{"all negative", sixteen(map[int]float32{
			0: -1, 1: -1, 2: -1, 3: -1, 4: -1, 5: -1, 6: -1, 7: -1, 8: -1, 9: -1, 10: -1,
			11: -1, 12: -1, 13: -1, 14: -1, 15: -0.5,
		}), 2, 15},
		{"light AND", []float32{-1, -1, -1, 1}, 2, 1},
		{"light A", []float32{-1, -1, 1, 1}, 2, 3},
		{"light B", []float32{-1, 1, -1, 1}, 2, 5},
		{"light NOT B", []float32{1, -1, 1, -1}, 2, 10},
		{"light zeros are 0", []float32{0, zero, 0, 1e-30}, 2, 1},
		{"one pin: its complement", []float32{1, -1}, 1, 0b10},
		{"four pins: sixteen lines, not operations", sixteen(map[int]float32{0: 1, 3: 2}), 4, 0b1001_0000_0000_0000},
		{"six pins: the first and the last line", six, 6, 1<<63 | 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := model.Table(test.logits, test.pins); got != test.want {
				t.Errorf("operation %d, want %d", got, test.want)
			}
		})
	}
}

// TestFreezeTies checks that the first of several equal logits is selected.
func TestFreezeTies(t *testing.T) {
	m := netgen.Model(netgen.ModelOptions{Seed: 3})
	pin := &m.Sections[1].Pins[1]
	clear(pin.Logits)
	f := m.Freeze()
	for chain := range m.Width {
		for l := range m.Sections[1].Layers {
			want := pin.Wires.At((chain*m.Sections[1].Layers + l) * pin.K)
			if got := f.Layers[l+1].Pins[1].Index[chain]; got != want {
				t.Fatalf("layer %d, gate %d: candidate %d, want the first, %d", l+1, chain, got, want)
			}
		}
	}
}

func TestFrozenValidate(t *testing.T) {
	for _, test := range []struct {
		name string
		harm func(f *model.Frozen)
		want string
	}{
		{"operation", func(f *model.Frozen) { f.Layers[2].Op.Narrow[4] = 16 }, "layer 2: gate 4: operation 16"},
		{"input index", func(f *model.Frozen) { f.Layers[1].Pins[1].Index[3] = 18 }, "layer 1: pin B: gate 3: index 18, want below 18"},
		{"gate index", func(f *model.Frozen) { f.Layers[1].Pins[0].Index[3] = 30 }, "layer 1: pin A: gate 3: index 30, want below 30"},
		{"first layer", func(f *model.Frozen) { f.Layers[0].Pins[0].Source = model.Previous }, "no previous"},
		{"spine", func(f *model.Frozen) { f.Layers[1].Pins[0].Source = model.Spine }, "source spine"},
		{"source", func(f *model.Frozen) { f.Layers[1].Pins[0].Source = 9 }, "source 9"},
		{"short operations", func(f *model.Frozen) { f.Layers[1].Op.Narrow = f.Layers[1].Op.Narrow[1:] }, "layer 1: pin A: 30 indices, want 29"},
		{"short indices", func(f *model.Frozen) { f.Layers[1].Pins[1].Index = nil }, "0 indices"},
		{"no layers", func(f *model.Frozen) { f.Layers = nil }, "no layers"},
		{
			"classes", func(f *model.Frozen) { f.Classes = f.Classes[:2]; f.Width = 31 },
			"31 chains cannot be split into 2 classes",
		},
		{"no classes", func(f *model.Frozen) { f.Classes = nil }, "0 classes"},
		{"width", func(f *model.Frozen) { f.Width = 0 }, "width 0"},
		{"encoder", func(f *model.Frozen) { f.Encoder = encoding.Encoder{} }, "encoder"},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := netgen.Model(netgen.ModelOptions{}).Freeze()
			if err := f.Validate(); err != nil {
				t.Fatal(err)
			}
			test.harm(f)
			if err := f.Validate(); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
		})
	}
}
