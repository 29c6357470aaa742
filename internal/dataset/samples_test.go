package dataset

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/config"
	"ialgn/internal/encoding"
)

// readSamples reads all samples of a file in memory.
func readSamples(data []byte, features int, names []string, label string, q *encoding.Quantiser,
	max uint32,
) ([][]uint16, error) {
	s, err := openSamples(inMemory("in", data), encoderOf(features, names, q, max), config.Data{Label: label})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	var all [][]uint16
	for {
		values := make([]uint16, features)
		if err := s.Next(values); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return all, err
		}
		all = append(all, values)
	}
}

// encoderOf returns an encoder with the given features.
func encoderOf(features int, names []string, q *encoding.Quantiser, max uint32) *encoding.Encoder {
	return &encoding.Encoder{Max: max, Names: names, Thresholds: make([][]uint16, features), Quantiser: q}
}

func TestSamples(t *testing.T) {
	q := &encoding.Quantiser{Offset: []float64{-1, 0}, Scale: []float64{10, 2}}
	ab := []string{"a", "b"}
	tests := []struct {
		name  string
		data  []byte
		label string
		names []string
		q     *encoding.Quantiser
		want  [][]uint16
	}{
		{"integers", []byte("1,2\n15,0\n"), "", nil, nil, [][]uint16{{1, 2}, {15, 0}}},
		{"integers written as reals", []byte("1.0,2e0\n"), "", nil, nil, [][]uint16{{1, 2}}},
		{"header", []byte("a,b\n1,2\n"), "", ab, nil, [][]uint16{{1, 2}}},
		{"another header is as good for pixels", []byte("x,y\n1,2\n"), "", ab, nil, [][]uint16{{1, 2}}},
		{"label last", []byte("1,2,cat\n3,4,5\n"), "", ab, nil, [][]uint16{{1, 2}, {3, 4}}},
		{"label by name", []byte("class,a,b\ncat,1,2\n"), "class", ab, q, [][]uint16{{15, 4}}},
		{"label by name, not in the header", []byte("a,b,kind\n1,2,cat\n"), "class", ab, q, [][]uint16{{15, 4}}},
		{"label by name, no header", []byte("1,2,cat\n"), "class", ab, nil, [][]uint16{{1, 2}}},
		{"label column absent", []byte("a,b\n0,1\n"), "class", ab, q, [][]uint16{{10, 2}}},
		{"real values saturate", []byte("0.04,1.2\n-9,1e9\n"), "", ab, q, [][]uint16{{10, 2}, {0, 15}}},
		{"header of numbers", []byte("7,8\n1,2\n"), "", []string{"7", "8"}, nil, [][]uint16{{1, 2}}},
		{"gzip", gzipped([]byte("1,2\n")), "", nil, nil, [][]uint16{{1, 2}}},
		{"images", idxBytes([]byte{1, 2, 3, 4}, 2, 1, 2), "", nil, nil, [][]uint16{{1, 2}, {3, 4}}},
		{"images, gzip", gzipped(idxBytes([]byte{1, 2, 3, 4}, 2, 2)), "", nil, nil, [][]uint16{{1, 2}, {3, 4}}},
		{"images, quantised", idxBytes([]byte{0, 2}, 1, 2), "", nil, q, [][]uint16{{10, 4}}},
		{"no image", idxBytes(nil, 0, 2), "", nil, nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := readSamples(tt.data, 2, tt.names, tt.label, tt.q, 15)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("samples (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSamplesFaults(t *testing.T) {
	q := &encoding.Quantiser{Offset: []float64{-1, 0}, Scale: []float64{10, 2}}
	tests := []struct {
		name string
		data []byte
		q    *encoding.Quantiser
		want []string
	}{
		{"empty", nil, nil, []string{"in: the file is empty"}},
		{"separators alone", []byte(",\n"), nil, []string{"in: the file has no records"}},
		{"too few columns", []byte("1\n"), nil, []string{"in: first line: 1 columns, want 2 features and at most a label"}},
		{"too many columns", []byte("1,2,3,4\n"), nil, []string{"4 columns"}},
		{
			"not an integer", []byte("1,2\n1,2.5\n"), nil,
			[]string{"in: record 2: line 2: column 2 is 2.5, want an integer of 0..15"},
		},
		{"negative", []byte("1,-1\n"), nil, []string{"column 2 is -1"}},
		{"too large", []byte("16,1\n"), nil, []string{"column 1 is 16"}},
		{"not a number", []byte("1,2\nx,1\n"), q, []string{"record 2", `column 1: "x" is not a number`}},
		{"columns swapped", []byte("b,a\n1,2\n"), q, []string{"in: header", "in: header: the columns differ from the model's features or their order"}},
		{"images of another size", idxBytes([]byte{1, 2, 3}, 1, 3), nil, []string{"in: header: samples of 3 numbers, but the model has 2 features"}},
		{"image cut", idxBytes([]byte{1, 2, 3}, 2, 2), nil, []string{"in: record 2", "cut short"}},
		{"pixel too large", idxBytes([]byte{1, 16}, 1, 2), nil, []string{"in: record 1: feature 1 is 16, want an integer of 0..15"}},
		{"damaged gzip", []byte{0x1f, 0x8b, 1, 1, 1, 1, 1, 1, 1, 1, 1}, nil, []string{"in: ", "damaged"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := readSamples(tt.data, 2, []string{"a", "b"}, "", tt.q, 15)
			wantError(t, err, tt.want...)
		})
	}
	_, err := readSamples([]byte("1\n"), 1, nil, "", q, 15)
	wantError(t, err, "quantiser of 2 features for a model of 1")
	_, err = OpenSamples(context.Background(), "/nowhere/at.all", encoderOf(1, nil, nil, 1), config.Data{})
	wantError(t, err, "/nowhere/at.all")
}
