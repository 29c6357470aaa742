package dataset

import (
	"context"
	"io"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/config"
)

// TestPackedRowsAreExact packs columns of many kinds, in memory and with some blocks in a file. It compares the
// values bit by bit.
func TestPackedRowsAreExact(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	columns := []func(i int) float64{
		func(int) float64 { return 7 },
		func(int) float64 { return math.NaN() },
		func(i int) float64 { return float64(i) },
		func(int) float64 { return float64(random.IntN(1000)) / 100 },
		func(int) float64 { return -float64(random.IntN(1<<20)) / 1e7 },
		func(int) float64 { return random.NormFloat64() },
		func(int) float64 { return float64(float32(random.NormFloat64())) },
		func(i int) float64 { return []float64{1, math.NaN(), -2.5}[i%3] },
		func(i int) float64 { return []float64{0, math.Copysign(0, -1)}[i%2] },
		func(i int) float64 { return []float64{0, 254, math.NaN()}[i%3] },
		func(i int) float64 { return []float64{0, 255, math.NaN()}[i%3] },
		func(i int) float64 { return []float64{1<<53 - 1, 1 << 53, math.MaxFloat64, 5e-324}[i/2000%4] },
	}
	for name, rows := range map[string]int{"none": 0, "one": 1, "full block": mostRows, "file": 1 << 17} {
		t.Run(name, func(t *testing.T) {
			p := newPacked(len(columns))
			want := make([][]float64, rows)
			for i := range want {
				for _, of := range columns {
					want[i] = append(want[i], of(i))
				}
				p.add(want[i])
			}
			p.end()
			if inFile := p.file != nil; inFile != (name == "file") {
				t.Fatalf("rows are in a file: %v, want the opposite", inFile)
			}
			odd := func(i int) bool { return i%2 == 1 }
			for _, kept := range []func(int) bool{func(int) bool { return true }, odd} {
				seen := 0
				err := p.each(kept, kept, func(i int, x []float64) error {
					for seen++; seen <= i && !kept(seen-1); {
						seen++
					}
					for c := range x {
						if kept(c) && math.Float64bits(x[c]) != math.Float64bits(want[i][c]) {
							t.Fatalf("row %d, column %d: %v, want %v", i, c, x[c], want[i][c])
						}
					}
					return nil
				})
				if err != nil || seen != rows && kept(rows-1) {
					t.Fatalf("%d of %d rows, error %v", seen, rows, err)
				}
			}
		})
	}
}

// TestCSVFileIsReadOnce counts how often the files of a set are opened. Each file must be opened once for training,
// and once for a model with other words. This must be true for every sequence of operations.
func TestCSVFileIsReadOnce(t *testing.T) {
	text := "x,colour,class\n"
	for i := range 40 {
		text += []string{"1,red,a\n", "2,blue,b\n", ",red,b\n", "-7.5,,a\n"}[i%4]
	}
	for name, test := range map[string]config.Data{"split": {TestShare: 0.25}, "test file": {Test: "test.csv"}} {
		t.Run(name, func(t *testing.T) {
			var opened [2]int
			counted := func(part Part) file {
				in := inMemory(part.String(), []byte(text))
				return file{in.name, func() (io.ReadCloser, error) {
					opened[part]++
					return in.open()
				}}
			}
			cfg := test
			cfg.Set, cfg.Train, cfg.Label, cfg.Categories, cfg.Missing = "csv", "train.csv", "class", "colour", "median"
			files := found{files: []file{counted(Train), counted(Test)}[:1+len(cfg.Test)/8]}
			s, err := openCSVFiles(t.Context(), cfg, form{bitsIn: 4}, files)
			if err != nil {
				t.Fatal(err)
			}
			readTwice(t, s)
			again, err := s.With(t.Context(), cfg, config.Encoder{BitsIn: 8, Ranges: "robust"}, nil)
			if err != nil {
				t.Fatal(err)
			}
			readTwice(t, again)
			enc := asEncoder(again)
			enc.BitsIn = again.BitsIn
			model, err := openCSVFiles(t.Context(), cfg, form{bitsIn: 8, q: again.Quantiser, largest: 255, model: enc}, files)
			if err != nil {
				t.Fatal(err)
			}
			alone, err := collect(model, Test)
			if err != nil {
				t.Fatal(err)
			}
			after, err := s.For(t.Context(), cfg, enc, nil) // the files of the set were already read
			if err != nil {
				t.Fatal(err)
			}
			if got, err := collect(after, Test); err != nil || !cmp.Equal(got, alone) || after.Digest(Test) != model.Digest(Test) {
				t.Errorf("a model after the set reads %v, %v, alone %v", got, err, alone)
			}
			if want := [2]int{2, 2 * (len(cfg.Test) / 8)}; opened != want {
				t.Errorf("the files were opened %v times, want %v: once for training and once for a model", opened, want)
			}
		})
	}
}

// readTwice reads all data about the samples of a set. It reads some of the data twice.
func readTwice(t *testing.T, s *Set) {
	t.Helper()
	for _, part := range []Part{Train, Test, Train, Test} {
		if _, err := collect(s, part); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Clipped(context.Background(), part); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Unknown(t.Context(), part); err != nil {
			t.Fatal(err)
		}
	}
}
