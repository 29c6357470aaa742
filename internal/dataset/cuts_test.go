package dataset

import (
	"context"
	"errors"
	"io"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/config"
	"ialgn/internal/encoding"
)

// byCuts returns an encoder that turns real features into words by the given cuts (real thresholds).
func byCuts(t *testing.T, cuts ...[]float64) *encoding.Encoder {
	t.Helper()
	e, err := encoding.NewCuts(cuts, nil)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestOpenForCuts opens data sets of every number format for an encoder that uses cuts. The ranges of the set must
// not matter.
func TestOpenForCuts(t *testing.T) {
	enc := byCuts(t, []float64{-1.5, 0.1, 0.1}, []float64{0, 3, 200})
	labels := npyBytes("|u1", "3,", []uint8{0, 1, 1})
	for name, test := range map[string]struct {
		files map[string][]byte
		cfg   config.Data
		want  []sample
	}{
		"table": {
			map[string][]byte{"x.csv": []byte("a,b,c\n0.1,0,p\n-1e308,3.0000000000000004,q\n0.10000000000000002,1e308,q\n")},
			config.Data{Set: "csv", Train: "x.csv", Test: "x.csv"},
			[]sample{{[]uint16{1, 0}, 0}, {[]uint16{0, 2}, 1}, {[]uint16{3, 3}, 1}},
		},
		"real array": {
			map[string][]byte{"x.npy": npyBytes("<f8", "3, 2", []float64{0.1, 0, -1.5, 3, math.MaxFloat64, 200.5}), "y.npy": labels},
			config.Data{Set: "arrays", Train: "x.npy", TrainLabels: "y.npy", Test: "x.npy", TestLabels: "y.npy"},
			[]sample{{[]uint16{1, 0}, 0}, {[]uint16{0, 1}, 1}, {[]uint16{3, 3}, 1}},
		},
		"array of bytes": {
			map[string][]byte{"x.npy": npyBytes("|u1", "3, 2", []uint8{0, 3, 1, 200, 255, 201}), "y.npy": labels},
			config.Data{Set: "arrays", Train: "x.npy", TrainLabels: "y.npy", Test: "x.npy", TestLabels: "y.npy"},
			[]sample{{[]uint16{1, 1}, 0}, {[]uint16{3, 2}, 1}, {[]uint16{3, 3}, 1}},
		},
		"memory": {
			nil,
			config.Data{Set: "memory", Memory: &config.Samples{
				Features: [][]float64{{0.1, 0}, {-2, 201}}, Labels: []int{0, 1},
				TestFeatures: [][]float64{{0.1, 0}, {-2, 201}}, TestLabels: []int{0, 1},
			}},
			[]sample{{[]uint16{1, 0}, 0}, {[]uint16{0, 3}, 1}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			test.cfg.Dir = writeFiles(t, test.files)
			s, err := OpenFor(context.Background(), test.cfg, enc, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, part := range []Part{Train, Test} {
				if diff := cmp.Diff(test.want, mustCollect(t, s, part)); diff != "" {
					t.Errorf("%s samples (-want +got):\n%s", part, diff)
				}
			}
			if s.Features != 2 || s.BitsIn != 2 || s.Max != 3 || s.Quantiser != enc.Quantiser {
				t.Errorf("set %+v", s)
			}
			_, err = OpenFor(context.Background(), test.cfg, byCuts(t, []float64{1}), nil)
			wantError(t, err, "2 features, but the model reads 1; name the data set that the model was trained on")
		})
	}
}

// TestOpenForPixels opens a set of images for an encoder that uses cuts. The pixels must be compared with the cuts.
// For other encoders, the set keeps its own integers.
func TestOpenForPixels(t *testing.T) {
	var cuts [][]float64
	for range 64 {
		cuts = append(cuts, []float64{0.5, 7, 15.75})
	}
	enc, cfg := byCuts(t, cuts...), config.Data{Set: "digits"}
	plain, err := Open(context.Background(), cfg, 8, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := OpenFor(context.Background(), cfg, enc, nil)
	if err != nil {
		t.Fatal(err)
	}
	words := mustCollect(t, s, Test)
	for i, pixels := range mustCollect(t, plain, Test) {
		for f, v := range pixels.Values {
			if want := enc.Quantiser.Apply(f, float64(v), enc.Max); words[i].Values[f] != want || words[i].Label != pixels.Label {
				t.Fatalf("sample %d: pixel %d is %d, its word %d, want %d", i, f, v, words[i].Values[f], want)
			}
		}
	}
	if s.Shape != plain.Shape || s.Max != 3 || s.BitsIn != 2 || s.Digest(Test) == plain.Digest(Test) {
		t.Errorf("set %+v", s)
	}
	same, err := OpenFor(context.Background(), cfg, &encoding.Encoder{BitsIn: 5, Max: 16}, nil)
	if err != nil || same.Quantiser != nil || same.Max != plain.Max {
		t.Errorf("set %+v, error %v", same, err)
	}
}

// TestOpenForTable checks an encoder that uses cuts, for a table. The words of a category must stay distinct, and a
// missing value must become the median.
func TestOpenForTable(t *testing.T) {
	enc := byCuts(t, []float64{1, 2}, []float64{0, 0}, []float64{0.5, 0.9})
	dir := writeFiles(t, map[string][]byte{"x.csv": []byte("size,colour,c\n1.5,red,p\n,blue,q\n9,,q\n1.25,red,q\n")})
	cfg := config.Data{
		Set: "csv", Dir: dir, Train: "x.csv", Test: "x.csv", Categories: "colour", Missing: "median",
	}
	s, err := OpenFor(context.Background(), cfg, enc, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []sample{{[]uint16{1, 0, 2}, 0}, {[]uint16{1, 2, 0}, 1}, {[]uint16{2, 0, 0}, 1}, {[]uint16{1, 0, 2}, 1}}
	if diff := cmp.Diff(want, mustCollect(t, s, Test)); diff != "" {
		t.Errorf("samples (-want +got):\n%s", diff)
	}
	enc.Columns = s.Columns
	if err := enc.Check(); err != nil {
		t.Error(err)
	}
}

// TestSamplesByCuts reads samples for classification from a table and from arrays of bytes and of real numbers.
func TestSamplesByCuts(t *testing.T) {
	enc := byCuts(t, []float64{-1.5, 0.1, 0.1}, []float64{0, 3, 200})
	for name, test := range map[string]struct {
		data []byte
		want []uint16
	}{
		"table":          {[]byte("0.1,0\n0.10000000000000002,201\n"), []uint16{1, 0, 3, 3}},
		"real array":     {npyBytes("<f4", "2, 2", []float32{-1.5, 3, -1.4, 3.1}), []uint16{0, 1, 1, 2}},
		"array of bytes": {npyBytes("|u1", "2, 2", []uint8{0, 200, 1, 255}), []uint16{1, 2, 3, 3}},
	} {
		s, err := openSamples(inMemory(name, test.data), enc, config.Data{})
		if err != nil {
			t.Fatal(err)
		}
		var got []uint16
		words := make([]uint8, 2)
		for {
			n, err := ReadWords(s, words)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil || n != 1 {
				t.Fatalf("%s: %d samples, error %v", name, n, err)
			}
			got = append(got, uint16(words[0]), uint16(words[1]))
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: words (-want +got):\n%s", name, diff)
		}
		s.Close()
	}
	_, err := openSamples(inMemory("x", nil), &encoding.Encoder{
		Max: 3, Thresholds: make([][]uint16, 1), Quantiser: enc.Quantiser,
	}, config.Data{})
	wantError(t, err, "quantiser of 2 features for a model of 1")
}
