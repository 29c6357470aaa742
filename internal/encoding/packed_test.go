package encoding

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"ialgn/internal/crew"

	"github.com/google/go-cmp/cmp"
)

// shapes lists numbers of features and widths whose rows end before, at and after the end of a word.
var shapes = []struct{ features, width int }{
	{1, 1}, {64, 1}, {65, 1}, {784, 2}, {64, 3}, {43, 3}, {7, 5}, {16, 4}, {100, 8}, {33, 9}, {5, 13}, {12, 16},
}

// randomPacked returns random samples in packed form, and the same values unpacked.
func randomPacked(r *rand.Rand, features, width, samples int) (*Packed, [][]uint16) {
	p, all := NewPacked(features, width), make([][]uint16, samples)
	for i := range all {
		all[i] = make([]uint16, features)
		for f := range all[i] {
			all[i][f] = uint16(r.Uint32N(1 << width))
		}
		p.Append(all[i], i%256)
	}
	return p, all
}

func TestPackedValues(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, s := range shapes {
		p, want := randomPacked(r, s.features, s.width, 37)
		got := make([][]uint16, p.Len())
		for i := range got {
			got[i] = make([]uint16, s.features)
			p.Values(got[i], i)
			if n := len(p.Row(i)); n != (s.features*s.width+63)/64 {
				t.Fatalf("%v: a row of %d words", s, n)
			}
			if int(p.Labels[i]) != i%256 {
				t.Fatalf("%v: label %d of sample %d", s, p.Labels[i], i)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%v: values (-want +got):\n%s", s, diff)
		}
	}
}

func TestPackedPanics(t *testing.T) {
	tests := []struct {
		name string
		fn   func()
	}{
		{"no features", func() { NewPacked(0, 1) }},
		{"width 17", func() { NewPacked(1, 17) }},
		{"too few values", func() { NewPacked(2, 4).Append([]uint16{1}, 0) }},
		{"value too wide", func() { NewPacked(1, 4).Append([]uint16{16}, 0) }},
		{"label 256", func() { NewPacked(1, 4).Append([]uint16{1}, 256) }},
		{"batch beyond words", func() { NewPacked(1, 4).Gather(make([]uint64, 4), 1, make([]int32, 65)) }},
		{"rows beyond dst", func() { NewPacked(1, 4).GatherRange(make([]uint64, 3), 1, 0, 1) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			tt.fn()
		})
	}
}

// slowGather defines the result of Gather.
func slowGather(values [][]uint16, features, width, words int, index []int32) []uint64 {
	dst := make([]uint64, features*width*words)
	for i, sample := range index {
		for f := range features {
			for b := range width {
				dst[(f*width+b)*words+i/64] |= uint64(values[sample][f]>>b&1) << (i % 64)
			}
		}
	}
	return dst
}

var batches = []int{1, 63, 64, 65, 100, 1000}

func TestGather(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, s := range shapes {
		p, values := randomPacked(r, s.features, s.width, 300)
		for _, batch := range batches {
			index := make([]int32, batch)
			for i := range index {
				index[i] = int32(r.IntN(p.Len()))
			}
			for _, words := range []int{(batch + 63) / 64, (batch+63)/64 + 2} {
				got := dirty(p.Rows() * words)
				p.Gather(got, words, index)
				if diff := cmp.Diff(slowGather(values, s.features, s.width, words, index), got); diff != "" {
					t.Fatalf("%v, batch %d, %d words (-want +got):\n%s", s, batch, words, diff)
				}
			}
		}
	}
}

// dirty returns nonzero words, which the function under test must overwrite.
func dirty(n int) []uint64 {
	s := make([]uint64, n)
	for i := range s {
		s[i] = 0xdeadbeefdeadbeef
	}
	return s
}

func TestGatherRange(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	p, values := randomPacked(r, 50, 3, 1100)
	for _, batch := range append(batches, 0) {
		from := r.IntN(p.Len() - batch + 1)
		index := make([]int32, batch)
		for i := range index {
			index[i] = int32(from + i)
		}
		words := max(1, (batch+63)/64)
		got := dirty(p.Rows() * words)
		p.GatherRange(got, words, from, from+batch)
		if diff := cmp.Diff(slowGather(values, 50, 3, words, index), got); diff != "" {
			t.Fatalf("batch %d (-want +got):\n%s", batch, diff)
		}
	}
}

// TestThermometer encodes values as levels, packs the levels, and unpacks bit planes and thermometer bits. It
// compares the bits with value > threshold.
func TestThermometer(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, bits := range []int{2, 3, 4, 5, 7, 8, 9, 16, 17, 31, 32, 33, 100, 255, 256} {
		e := randomEncoder(r, 5, bits, 9)
		for _, batch := range batches {
			words := (batch + 63) / 64
			p, want := NewPacked(e.Features(), e.LevelBits()), make([]uint64, e.Inputs()*words)
			values, levels := make([]uint16, e.Features()), make([]uint16, e.Features())
			for i := range batch {
				for f := range values {
					values[f] = uint16(r.Uint32N(e.Max + 1))
					for j, th := range e.Thresholds[f] {
						if values[f] > th {
							want[(f*(bits-1)+j)*words+i/64] |= 1 << (i % 64)
						}
					}
				}
				e.Levels(levels, values)
				p.Append(levels, 0)
			}
			planes, got := dirty(p.Rows()*words), dirty(len(want))
			p.GatherRange(planes, words, 0, batch)
			e.Thermometer(got, planes, words)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("bits %d, batch %d (-want +got):\n%s", bits, batch, diff)
			}
		}
	}
}

// TestChunks packs more samples than fit into a chunk. It tests the chunk's last place and the places after it.
func TestChunks(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	const features, width = 1 << 16, 16 // 16 samples per chunk
	for _, n := range []int{16, 17, 50} {
		p, values := randomPacked(r, features, width, n)
		if want := (n + 15) / 16; len(p.chunks) != want {
			t.Fatalf("%d samples: %d chunks, want %d", n, len(p.chunks), want)
		}
		got := make([]uint16, features)
		for i, want := range values {
			if p.Values(got, i); !slices.Equal(got, want) {
				t.Errorf("%d samples: sample %d differs", n, i)
			}
		}
		index := []int32{int32(n - 1), 0, 15}
		rows := dirty(p.Rows())
		p.Gather(rows, 1, index)
		if !slices.Equal(rows, slowGather(values, features, width, 1, index)) {
			t.Errorf("%d samples: gathered rows differ", n)
		}
	}
}

// TestBatcher compares a Batcher with Gather and Thermometer. The number of features is below, at and above the size
// of a block, and the number of goroutines varies.
func TestBatcher(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for _, features := range []int{1, 127, 128, 129, 300} {
		for _, bits := range []int{2, 4, 8, 16, 21} {
			e := randomEncoder(r, features, bits, 8)
			p := NewPacked(features, e.LevelBits())
			levels := make([]uint16, features)
			for range 300 {
				for f := range levels {
					levels[f] = uint16(r.IntN(bits))
				}
				p.Append(levels, 0)
			}
			for _, batch := range []int{0, 1, 64, 100, 200} {
				index, words := make([]int32, batch), max(2, (batch+63)/64)
				for i := range index {
					index[i] = int32(r.IntN(p.Len()))
				}
				planes, want := make([]uint64, p.Rows()*words), make([]uint64, e.Inputs()*words)
				p.Gather(planes, words, index)
				e.Thermometer(want, planes, words)
				for _, threads := range []int{1, 3} {
					got := dirty(len(want))
					NewBatcher(e, p, words, crew.New(threads)).Batch(got, index)
					if !slices.Equal(got, want) {
						t.Fatalf("%d features, %d bits, batch %d, %d threads: wrong result", features, bits, batch, threads)
					}
				}
			}
		}
	}
}

// TestBatcherPanics passes invalid arguments to a Batcher. The panic must reach the caller, because a panic in
// another goroutine would end the program.
func TestBatcherPanics(t *testing.T) {
	e := randomEncoder(rand.New(rand.NewPCG(15, 16)), 300, 4, 8)
	p := benchPacked(e, 3)
	for name, misuse := range map[string]func(){
		"other set":   func() { NewBatcher(e, NewPacked(300, 3), 1, crew.New(2)) },
		"short dst":   func() { NewBatcher(e, p, 2, crew.New(2)).Batch(make([]uint64, e.Inputs()), []int32{0}) },
		"large batch": func() { NewBatcher(e, p, 1, crew.New(2)).Batch(make([]uint64, e.Inputs()), make([]int32, 65)) },
		"no sample":   func() { NewBatcher(e, p, 1, crew.New(2)).Batch(make([]uint64, e.Inputs()), []int32{3}) },
		"negative":    func() { NewBatcher(e, p, 1, crew.New(2)).Batch(make([]uint64, e.Inputs()), []int32{-1}) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			misuse()
		})
	}
}

func TestNoAllocation(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for _, bits := range []int{4, 16, 21} {
		e := randomEncoder(r, 30, bits, 8)
		p, _ := randomPacked(r, 30, e.LevelBits(), 200)
		index := make([]int32, 130)
		planes, dst := make([]uint64, p.Rows()*3), make([]uint64, e.Inputs()*3)
		n := testing.AllocsPerRun(10, func() {
			p.Gather(planes, 3, index)
			p.GatherRange(planes, 3, 5, 135)
			e.Thermometer(dst, planes, 3)
		})
		if n != 0 {
			t.Errorf("bits %d: %v allocations a batch", bits, n)
		}
	}
}

// TestRelevel replaces the levels of a set by levels for other thresholds, for every width of a level.
func TestRelevel(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	for _, bits := range []int{2, 3, 4, 6, 17, 40} {
		e, err := NewUniform(37, bits, 10, 1000, nil)
		if err != nil {
			t.Fatal(err)
		}
		words, levels, row := NewPacked(37, 10), NewPacked(37, e.LevelBits()), make([]uint16, 37)
		for range 20 {
			for f := range row {
				row[f] = uint16(r.IntN(1001))
			}
			words.Append(row, 3)
			e.Levels(row, row)
			levels.Append(row, 3)
		}
		for _, thresholds := range e.Thresholds {
			for j := range thresholds {
				thresholds[j] = uint16(r.IntN(1000))
			}
			slices.Sort(thresholds)
		}
		first := &levels.Row(0)[0]
		e.Relevel(levels, words)
		for i := range words.Len() {
			words.Values(row, i)
			want, got := make([]uint16, 37), make([]uint16, 37)
			e.Levels(want, row)
			levels.Values(got, i)
			if !slices.Equal(got, want) || levels.Len() != 20 || &levels.Row(0)[0] != first {
				t.Fatalf("bits %d, sample %d: levels %v, want %v", bits, i, got, want)
			}
		}
		for name, set := range map[string]*Packed{
			"samples": NewPacked(37, e.LevelBits()), "features": NewBlank(36, e.LevelBits(), 20), "width": NewBlank(37, 11, 20),
		} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("bits %d: other %s: no panic", bits, name)
					}
				}()
				e.Relevel(set, words)
			}()
		}
	}
}

func ExamplePacked() {
	e, err := NewUniform(2, 4, 8, 255, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	p := NewPacked(e.Features(), e.LevelBits())
	levels := make([]uint16, e.Features())
	for _, sample := range [][]uint16{{0, 255}, {100, 200}, {64, 63}} {
		e.Levels(levels, sample)
		p.Append(levels, 0)
	}
	const words = 1
	planes, bits := make([]uint64, p.Rows()*words), make([]uint64, e.Inputs()*words)
	p.GatherRange(planes, words, 0, p.Len())
	e.Thermometer(bits, planes, words)
	for i, row := range bits {
		fmt.Printf("%-15s %03b\n", e.Label(i), row)
	}
	// Output:
	// feature 0 > 63  110
	// feature 0 > 127 000
	// feature 0 > 191 000
	// feature 1 > 63  011
	// feature 1 > 127 011
	// feature 1 > 191 011
}
