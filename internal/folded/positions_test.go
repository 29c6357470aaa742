package folded

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// digits are two convolutions of 8 x 8 pixels, pooled, with uniform thresholds.
func digits() *PositionsShape {
	s := &PositionsShape{
		Frame:  Frame{Module: "net_fold", WordBits: 5, Classes: 10},
		Planes: 1, Rows: 8, Columns: 8, Dense: Part{Module: "net_fold_dense"},
		Convolutions: []Convolution{
			{
				Planes: 3, Rows: 8, Columns: 8, Side: 3, Stride: 1, Padding: 1, Pool: 2, Kernels: 16, Part: Part{Module: "net_fold_conv1"},
			},
			{
				Planes: 16, Rows: 4, Columns: 4, Side: 3, Stride: 1, Padding: 1, Pool: 2, Kernels: 32, Part: Part{Module: "net_fold_conv2"},
			},
		},
	}
	for range 64 {
		s.Thresholds = append(s.Thresholds, []uint16{3, 7, 11})
	}
	return s
}

// TestPositionsCost checks the cost of an engine whose scan takes longer than receiving its words.
func TestPositionsCost(t *testing.T) {
	want := PositionsCost{
		// There are nine columns and nine rows of steps. The last column and the last row are zeros.
		Cycles: 81,
		// The latency consists of the 64 words, three clocks until the last word is stored, 81 steps, and the clocks
		// after the last pixel.
		Latency: 162, ImageBits: 256, GatheredBits: 128,
		Convolutions: []ConvolutionCost{
			{Kernels: 16, Positions: 64, Steps: 81, PatchBits: 27, LineBits: 2 * 3 * 9, PoolBits: 4 * 16},
			{Kernels: 32, Positions: 16, Steps: 25, PatchBits: 144, LineBits: 2 * 16 * 5, PoolBits: 2 * 32},
		},
	}
	if diff := cmp.Diff(want, digits().Cost()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	slow := digits()
	slow.Convolutions[0].Stages, slow.Convolutions[1].Stages, slow.Dense.Stages = 2, 3, 4
	if got := slow.Cost(); got.Latency != want.Latency+2+3+4 || got.Cycles != want.Cycles {
		t.Errorf("with stages %+v", got)
	}
}

// TestWriteVerilog checks that the same shape gives the same bytes, and that thresholds are in a memory only if
// features have different thresholds.
func TestWriteVerilog(t *testing.T) {
	text := func(s *PositionsShape) string {
		var b bytes.Buffer
		if err := s.WriteVerilog(&b, []string{"made by a test"}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	first := text(digits())
	if first != text(digits()) {
		t.Error("another text for the same shape")
	}
	for _, want := range []string{"// - made by a test\n", "net_fold_conv2 kernels_2 (\n", "net_fold_dense dense (\n"} {
		if !strings.Contains(first, want) {
			t.Errorf("there is no %q", want)
		}
	}
	if strings.Contains(first, "@") != strings.Contains(first, "always @") || strings.Contains(first, "@N@") {
		t.Error("something is not filled in")
	}
	if strings.Contains(first, "readmemh") || len(digits().Memories()) > 0 {
		t.Error("a memory for thresholds that are all the same")
	}
	uneven := digits()
	uneven.Thresholds[5] = []uint16{1, 2, 3}
	if m := uneven.Memories(); len(m) != 1 || !strings.Contains(text(uneven), m[0].File) || m[0].Word(5).Int64() != 3<<10|2<<5|1 {
		t.Errorf("memories %+v", m)
	}
}

// TestCheck refuses shapes with parts that do not fit together.
func TestCheck(t *testing.T) {
	for want, change := range map[string]func(s *PositionsShape){
		"there are no convolutions": func(s *PositionsShape) { s.Convolutions = nil },
		"module":                    func(s *PositionsShape) { s.Module = "1" },
		"64 features for 2 planes":  func(s *PositionsShape) { s.Planes = 2 },
		"convolution 2":             func(s *PositionsShape) { s.Convolutions[0].Kernels = 15 },
		"reads 3 planes of 8 x 8":   func(s *PositionsShape) { s.Convolutions[0].Padding = 3 },
	} {
		s := digits()
		change(s)
		if err := s.WriteVerilog(&bytes.Buffer{}, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
