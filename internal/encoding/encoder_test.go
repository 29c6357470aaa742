package encoding

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestUniform(t *testing.T) {
	tests := []struct {
		name         string
		bits, bitsIn int
		max          uint32
		want         []uint16
	}{
		{"paper, MNIST", 4, 8, 255, []uint16{63, 127, 191}},
		{"digits", 8, 5, 16, []uint16{2, 4, 6, 8, 10, 12, 14}},
		{"binary feature", 2, 1, 1, []uint16{0}},
		{"more bits than values", 8, 2, 3, []uint16{0, 0, 1, 1, 1, 2, 2}},
		{"widest", 4, 16, 65535, []uint16{16383, 32767, 49151}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e, err := NewUniform(2, tt.bits, tt.bitsIn, tt.max, nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([][]uint16{tt.want, tt.want}, e.Thresholds); diff != "" {
				t.Errorf("thresholds (-want +got):\n%s", diff)
			}
			if err := e.Check(); err != nil {
				t.Errorf("Check: %v", err)
			}
		})
	}
}

// TestUniformDefinition compares the integer thresholds with the paper's definition v/max > j/n_b, for every value.
// The definition is cross-multiplied.
func TestUniformDefinition(t *testing.T) {
	for _, tt := range []struct {
		bits, bitsIn int
		max          uint32
	}{{2, 1, 1}, {3, 8, 255}, {4, 8, 255}, {16, 8, 255}, {8, 5, 16}, {256, 8, 255}, {17, 8, 200}, {10, 12, 4095}} {
		e, err := NewUniform(1, tt.bits, tt.bitsIn, tt.max, nil)
		if err != nil {
			t.Fatal(err)
		}
		for v := uint32(0); v <= tt.max; v++ {
			want := uint16(0)
			for j := 1; j < tt.bits; j++ {
				above := v*uint32(tt.bits) > uint32(j)*tt.max
				if above {
					want++
				}
				if got := v > uint32(e.Thresholds[0][j-1]); got != above {
					t.Fatalf("bits %d max %d: bit %d of value %d is %t, want %t", tt.bits, tt.max, j, v, got, above)
				}
			}
			if got := e.Level(0, uint16(v)); got != want {
				t.Fatalf("bits %d max %d: level of %d is %d, want %d", tt.bits, tt.max, v, got, want)
			}
		}
	}
}

func TestLevelsAnyThresholds(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, bits := range []int{2, 5, 17, 18, 100, 256} {
		e := randomEncoder(r, 20, bits, 16)
		values, got := make([]uint16, 20), make([]uint16, 20)
		for range 200 {
			want := make([]uint16, 20)
			for f := range values {
				values[f] = uint16(r.Uint32())
				if r.IntN(3) == 0 {
					values[f] = e.Thresholds[f][r.IntN(bits-1)] // equal to a threshold, to test that > is strict
				}
				for _, th := range e.Thresholds[f] {
					if values[f] > th {
						want[f]++
					}
				}
			}
			e.Levels(got, values)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("bits %d: levels of %v (-want +got):\n%s", bits, values, diff)
			}
		}
	}
}

// randomEncoder returns an encoder with random ascending thresholds. Some thresholds are equal.
func randomEncoder(r *rand.Rand, features, bits, bitsIn int) *Encoder {
	e := &Encoder{Bits: bits, BitsIn: bitsIn, Max: 1<<bitsIn - 1, Thresholds: thresholdRows(features, bits)}
	for _, row := range e.Thresholds {
		for j := range row {
			row[j] = uint16(r.Uint32N(1 << bitsIn))
		}
		if len(row) > 2 {
			row[1] = row[2]
		}
		slices.Sort(row)
	}
	return e
}

func TestLabel(t *testing.T) {
	e, err := NewUniform(2, 4, 8, 255, []string{"pixel 0", ""})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range e.Inputs() {
		got = append(got, e.Label(i))
	}
	want := []string{
		"pixel 0 > 63", "pixel 0 > 127", "pixel 0 > 191", "feature 1 > 63", "feature 1 > 127",
		"feature 1 > 191",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
}

func TestCheck(t *testing.T) {
	good := func() *Encoder {
		return &Encoder{
			Bits: 3, BitsIn: 4, Max: 15, Names: []string{"a", "b"},
			Thresholds: [][]uint16{{4, 9}, {7, 7}},
			Quantiser:  &Quantiser{Offset: []float64{0, -1}, Scale: []float64{2, 0}},
		}
	}
	inf := math.Inf(1)
	tests := []struct {
		name   string
		change func(e *Encoder)
		want   string // part of the error, empty for none
	}{
		{"good", func(*Encoder) {}, ""},
		{"no names", func(e *Encoder) { e.Names = nil }, ""},
		{"no quantiser", func(e *Encoder) { e.Quantiser = nil }, ""},
		{"one bit", func(e *Encoder) { e.Bits = 1 }, "encoder bits: 1"},
		{"too many bits", func(e *Encoder) { e.Bits = 257 }, "encoder bits: 257"},
		{"no width", func(e *Encoder) { e.BitsIn = 0 }, "feature width: 0"},
		{"too wide", func(e *Encoder) { e.BitsIn = 17 }, "feature width: 17"},
		{"max does not fit", func(e *Encoder) { e.Max = 16 }, "largest feature value: 16"},
		{"max 0", func(e *Encoder) { e.Max = 0 }, "largest feature value: 0"},
		{"no features", func(e *Encoder) { e.Thresholds = nil; e.Names = nil }, "no features"},
		{"names too few", func(e *Encoder) { e.Names = e.Names[:1] }, "1 feature names for 2"},
		{"newline in name", func(e *Encoder) { e.Names[1] = "b\nendmodule" }, `name "b\nendmodule"`},
		{"name not UTF-8", func(e *Encoder) { e.Names[0] = "\xff" }, "not UTF-8"},
		{"row too short", func(e *Encoder) { e.Thresholds[1] = e.Thresholds[1][:1] }, "feature 1 has 1 thresholds, want 2"},
		{"row too long", func(e *Encoder) { e.Bits = 2 }, "feature 0 has 2 thresholds, want 1"},
		{"descending", func(e *Encoder) { e.Thresholds[0] = []uint16{9, 4} }, "feature 0: threshold 2 (4) is below"},
		{"above max", func(e *Encoder) { e.Thresholds[0][1] = 16 }, "feature 0: threshold 2 (16) is above"},
		{"short quantiser", func(e *Encoder) { e.Quantiser.Scale = e.Quantiser.Scale[:1] }, "2 offsets and 1 scales"},
		{"negative scale", func(e *Encoder) { e.Quantiser.Scale[1] = -1 }, "quantiser of feature 1"},
		{"offset not finite", func(e *Encoder) { e.Quantiser.Offset[0] = -inf }, "quantiser of feature 0"},
		{"scale not a number", func(e *Encoder) { e.Quantiser.Scale[0] = math.NaN() }, "quantiser of feature 0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := good()
			tt.change(e)
			wantError(t, e.Check(), tt.want)
		})
	}
}

// wantError fails the test unless err contains the text want. If this text is empty, err must be nil.
func wantError(t *testing.T, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Errorf("error %v, want none", err)
	case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
		t.Errorf("error %v, want one with %q", err, want)
	}
}

func TestNewErrors(t *testing.T) {
	tests := []struct {
		name                   string
		features, bits, bitsIn int
		max                    uint32
		names                  []string
		want                   string
	}{
		{"no features", 0, 4, 8, 255, nil, "no features"},
		{"bits", 1, 1, 8, 255, nil, "encoder bits: 1"},
		{"width", 1, 4, 17, 255, nil, "feature width: 17"},
		{"max", 1, 4, 8, 256, nil, "largest feature value: 256"},
		{"names", 2, 4, 8, 255, []string{"a"}, "1 feature names for 2 features"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := NewUniform(tt.features, tt.bits, tt.bitsIn, tt.max, tt.names)
			wantError(t, err, tt.want)
		})
	}
	if _, err := NewHistogram(1, 8, 256); err == nil {
		t.Error("histogram with a max that does not fit: no error")
	}
	h, err := NewHistogram(1, 8, 255)
	if err != nil {
		t.Fatal(err)
	}
	_, err = h.Quantile(4, nil)
	wantError(t, err, "no training sample")
}

func TestQuantile(t *testing.T) {
	tests := []struct {
		name   string
		bits   int
		values []uint16
		want   []uint16
	}{
		{"even", 4, []uint16{0, 1, 2, 3, 4, 5, 6, 7}, []uint16{1, 3, 5}},
		{"skewed", 4, []uint16{0, 0, 0, 0, 0, 0, 9, 300}, []uint16{0, 0, 0}},
		{"mostly the largest", 4, []uint16{5, 900, 900, 900, 900, 900}, []uint16{5, 5, 5}},
		{"constant", 3, []uint16{7, 7, 7}, []uint16{7, 7}},
		{"two values", 2, []uint16{3, 3, 3, 1000}, []uint16{3}},
		{"one sample", 2, []uint16{1000}, []uint16{1000}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h, err := NewHistogram(1, 10, 1000)
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range tt.values {
				h.Add([]uint16{v})
			}
			e, err := h.Quantile(tt.bits, nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, e.Thresholds[0]); diff != "" {
				t.Errorf("thresholds (-want +got):\n%s", diff)
			}
		})
	}
}

// TestQuantileDefinition compares quantile thresholds with sorted samples. Threshold j is the element of rank
// ceil(j*n/bits), or the largest value below the maximum if this element is the maximum.
func TestQuantileDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	for trial := range 200 {
		n, spread := 1+r.IntN(300), 1+r.Uint32N(4000)
		bits := 2 + r.IntN(20)
		h, err := NewHistogram(2, 12, 4095)
		if err != nil {
			t.Fatal(err)
		}
		columns := [2][]uint16{}
		for range n {
			v := []uint16{uint16(r.Uint32N(spread)), uint16(r.Uint32N(3) * 700)}
			h.Add(v)
			columns[0], columns[1] = append(columns[0], v[0]), append(columns[1], v[1])
		}
		e, err := h.Quantile(bits, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := e.Check(); err != nil {
			t.Fatal(err)
		}
		for f, c := range columns {
			if diff := cmp.Diff(slowQuantile(c, bits), e.Thresholds[f]); diff != "" {
				t.Fatalf("trial %d, %d samples, feature %d (-want +got):\n%s", trial, n, f, diff)
			}
		}
	}
}

func slowQuantile(values []uint16, bits int) []uint16 {
	s := slices.Sorted(slices.Values(values))
	top := s[len(s)-1]
	if i := slices.Index(s, top); i > 0 {
		top = s[i-1]
	}
	var row []uint16
	for j := 1; j < bits; j++ {
		row = append(row, min(s[(j*len(s)+bits-1)/bits-1], top))
	}
	return row
}

func TestQuantiser(t *testing.T) {
	q, err := NewQuantiser([]float64{-1, 5, 0}, []float64{1, 5, 255}, 255)
	if err != nil {
		t.Fatal(err)
	}
	nan := math.NaN()
	tests := []struct {
		f    int
		x    float64
		want uint16
	}{
		{0, -1, 0},
		{0, 1, 255},
		{0, 0, 128},
		{0, -0.999, 0},
		{0, 1.5, 255},
		{0, -3, 0},
		{0, 1e300, 255},
		{1, 5, 0},
		{1, 6, 0},
		{1, -1e300, 0},
		{2, 0.49, 0},
		{2, 0.5, 1},
		{2, 7, 7},
		{2, 254.5, 255},
		{2, nan, 0},
	}
	for _, tt := range tests {
		if got := q.Apply(tt.f, tt.x, 255); got != tt.want {
			t.Errorf("feature %d: %g becomes %d, want %d", tt.f, tt.x, got, tt.want)
		}
	}
}

func TestQuantiserErrors(t *testing.T) {
	tests := []struct {
		name   string
		lo, hi float64
	}{
		{"too wide", -1.5e308, 1.5e308},
		{"too narrow", 0, 5e-324},
		{"empty", 1, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := NewQuantiser([]float64{0, tt.lo}, []float64{1, tt.hi}, 255)
			wantError(t, err, "feature 1: values from ")
		})
	}
}

func ExampleEncoder() {
	e, err := NewUniform(1, 4, 8, 255, []string{"pixel 0"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, v := range []uint16{63, 64, 255} {
		fmt.Printf("%d exceeds %d thresholds\n", v, e.Level(0, v))
	}
	fmt.Println(e.Label(1))
	// Output:
	// 63 exceeds 0 thresholds
	// 64 exceeds 1 thresholds
	// 255 exceeds 3 thresholds
	// pixel 0 > 127
}

// TestCheapen checks that Cheapen keeps the levels of all samples and the order of the thresholds. Cheapen must also
// choose the cheapest possible place, and the nearest place if several cost the same.
func TestCheapen(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for trial := range 300 {
		width := 1 + r.IntN(9)
		size := uint32(1) << width
		h, err := NewHistogram(1, width, size-1)
		if err != nil {
			t.Fatal(err)
		}
		occurs := make([]bool, size)
		for range 1 + r.IntN(20) {
			v := r.Uint32N(size)
			h.Add([]uint16{uint16(v)})
			occurs[v] = true
		}
		e, err := h.Quantile(2+r.IntN(6), nil)
		if err == nil && trial%2 == 0 {
			e, err = NewUniform(1, e.Bits, width, size-1, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		cost := func(t uint16) int { return ComparisonLUTs(width, t, 3) }
		before := slices.Clone(e.Thresholds[0])
		h.Cheapen(e, cost)
		if err := e.Check(); err != nil {
			t.Fatal(err)
		}
		for j, was := range before {
			want := was
			for at := range uint16(size - 1) {
				alike := true
				for v := range size {
					alike = alike && (!occurs[v] || v > uint32(at) == (v > uint32(was)))
				}
				distance := func(x uint16) int { return max(int(x)-int(was), int(was)-int(x)) }
				if better := cost(at) - cost(want); alike && (better < 0 || better == 0 && distance(at) < distance(want)) {
					want = at
				}
			}
			if got := e.Thresholds[0][j]; got != want {
				t.Fatalf("trial %d: threshold %d becomes %d of cost %d, want %d of cost %d", trial, was, got, cost(got), want,
					cost(want))
			}
		}
	}
}
