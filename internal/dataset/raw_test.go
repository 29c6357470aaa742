package dataset

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/config"
)

// TestRaw checks that whole numbers become words without scaling. Other numbers in the same table must be scaled.
func TestRaw(t *testing.T) {
	column := func(values ...string) []byte {
		var b strings.Builder
		b.WriteString("x,y,class\n")
		for i, v := range values {
			fmt.Fprintf(&b, "%s,%s\n", v, []string{"p", "q"}[i%2])
		}
		return []byte(b.String())
	}
	thousand := make([]string, 1000)
	for i := range thousand {
		thousand[i] = fmt.Sprintf("%d,%d", i, i%2)
	}
	thousand[500] = "40000,1"
	for name, c := range map[string]struct {
		file  []byte
		enc   config.Encoder
		data  config.Data
		bits  int
		words [][]uint16 // words of the first samples
		spans [][2]uint16
		err   string
	}{
		"12 bits": {
			file: column("0,7", "4095,8"), bits: 12, words: [][]uint16{{0, 7}, {4095, 8}},
			spans: [][2]uint16{{0, 4095}, {7, 8}},
		},
		"a converter's width": {
			file: column("3,7", "5,8"), enc: config.Encoder{BitsIn: 12}, bits: 12, words: [][]uint16{{3, 7}, {5, 8}},
			spans: [][2]uint16{{3, 5}, {7, 8}},
		},
		"offset binary": {
			file: column("-2048,0", "2047,3"), bits: 12, words: [][]uint16{{0, 0}, {4095, 3}},
			spans: [][2]uint16{{0, 4095}, {0, 3}},
		},
		"widest signed": {
			file: column("-32768,0", "32767,1"), bits: 16, words: [][]uint16{{0, 0}, {65535, 1}},
			spans: [][2]uint16{{0, 65535}, {0, 1}},
		},
		"widest": {
			file: column("0,0", "65535,-1"), bits: 16, words: [][]uint16{{0, 32768}, {65535, 32767}},
			spans: [][2]uint16{{0, 65535}, {32767, 32768}},
		},
		"bits": {
			file: column("0,-1", "1,0"), bits: 1, words: [][]uint16{{0, 0}, {1, 1}}, spans: [][2]uint16{{0, 1}, {0, 1}},
		},
		"beside fractions": {
			file: column("0,0.5", "3,1"), bits: 8, words: [][]uint16{{0, 0}, {3, 255}}, spans: [][2]uint16{{0, 3}, {0, 255}},
		},
		"beside numbers too large": {
			file: column("0,65536", "1023,0"), bits: 10, words: [][]uint16{{0, 1023}, {1023, 0}},
			spans: [][2]uint16{{0, 1023}, {0, 1023}},
		},
		"beside a constant": {
			file: column("0,9999", "3,9999"), bits: 2, words: [][]uint16{{0, 0}, {3, 0}}, spans: [][2]uint16{{0, 3}, {0, 3}},
		},
		"beside a category": {
			file: column("0,a", "3,b"), data: config.Data{Categories: "y"}, bits: 2, words: [][]uint16{{0, 3, 0}, {3, 0, 3}},
			spans: [][2]uint16{{0, 3}, {0, 3}, {0, 3}},
		},
		"missing": {
			file: column("5,1", "NA,2", "6,1", "6,1"), data: config.Data{Missing: "median"}, bits: 3,
			words: [][]uint16{{5, 1}, {6, 2}}, spans: [][2]uint16{{5, 6}, {1, 2}},
		},
		"written as fractions": {
			file: column("5.0,1e1", "6.00,2"), bits: 4, words: [][]uint16{{5, 10}, {6, 2}}, spans: [][2]uint16{{5, 6}, {2, 10}},
		},
		"an extreme value": {
			file: column(thousand...), enc: config.Encoder{Ranges: "robust"}, bits: 10,
			words: [][]uint16{{0, 0}, {1, 1}}, spans: [][2]uint16{{0, 999}, {0, 1}},
		},
		"fractions alone": {file: column("0.5,1.5", "1,2"), err: "no feature has only whole numbers from 0 to 65535"},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := c.data
			cfg.Set, cfg.Dir, cfg.Train, cfg.Test = "csv", writeFiles(t, map[string][]byte{"x.csv": c.file}), "x.csv", "x.csv"
			c.enc.Raw = true
			s, err := OpenWith(t.Context(), cfg, c.enc, nil)
			if c.err != "" || err != nil {
				if err == nil || c.err == "" || !strings.Contains(err.Error(), c.err) {
					t.Errorf("error %v, want %q in it", err, c.err)
				}
				return
			}
			var words [][]uint16
			err = s.Read(t.Context(), Train, func(values []uint16, _ int) error {
				words = append(words, slices.Clone(values))
				return nil
			})
			if err != nil || s.BitsIn != c.bits || s.Max != 1<<c.bits-1 {
				t.Errorf("words of %d bits up to %d, want %d bits; error %v", s.BitsIn, s.Max, c.bits, err)
			}
			if diff := cmp.Diff(c.words, words[:len(c.words)]); diff != "" {
				t.Errorf("words (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.spans, s.Spans); diff != "" {
				t.Errorf("words of the ends of the ranges (-want +got):\n%s", diff)
			}
		})
	}
}

// TestClipped counts the values outside the ranges and finds the line of the farthest value.
func TestClipped(t *testing.T) {
	var b strings.Builder
	for i := range 400 {
		x := fmt.Sprint(i % 100)
		switch i {
		case 36:
			x = "9999"
		case 41:
			x = "-500"
		case 201:
			x = "?"
		}
		fmt.Fprintf(&b, "%s,%s\n", x, []string{"p", "q"}[i/2%2])
	}
	dir := writeFiles(t, map[string][]byte{"x.csv": []byte(b.String())})
	data := config.Data{Set: "csv", Dir: dir, Train: "x.csv", Test: "x.csv", Missing: "median"}
	s, err := OpenWith(t.Context(), data, config.Encoder{BitsIn: 8, Ranges: "robust"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Clipped(t.Context(), Train)
	if err != nil || len(got) != 1 {
		t.Fatalf("clipped %+v, error %v, want one feature", got, err)
	}
	c := got[0]
	if c.Value != 9999 || c.At != 37 || !c.Far() || c.Above < 1 || c.Below < 1 || c.Low < 0 || c.High > 99 {
		t.Errorf("%+v, want 9999 in line 37, and a range within 0 to 99", c)
	}
	if s, err = OpenWith(t.Context(), data, config.Encoder{BitsIn: 8, Ranges: "full"}, nil); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Clipped(t.Context(), Train); err != nil || len(got) != 0 || s.Narrowed {
		t.Errorf("with full ranges: clipped %+v, error %v", got, err)
	}
}
