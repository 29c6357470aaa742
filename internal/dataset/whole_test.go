package dataset

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/config"
	"ialgn/internal/encoding"
	"ialgn/internal/message"
)

// wholeWords returns an encoder of whole numbers with the given number of bits.
func wholeWords(features, bits int) *encoding.Encoder {
	e := &encoding.Encoder{Bits: 2, BitsIn: bits, Max: 1<<bits - 1}
	for range features {
		e.Thresholds = append(e.Thresholds, []uint16{0})
	}
	return e
}

// TestOpenForWhole checks data sets of every number format. Whole numbers must be unchanged, and other numbers must
// be refused.
func TestOpenForWhole(t *testing.T) {
	labels := npyBytes("|u1", "2,", []uint8{3, 4})
	table := func(text string) map[string][]byte { return map[string][]byte{"x.csv": []byte(text)} }
	csv := config.Data{Set: "csv", Train: "x.csv", Test: "x.csv"}
	arrays := config.Data{Set: "arrays", Train: "x.npy", TrainLabels: "y.npy", Test: "x.npy", TestLabels: "y.npy"}
	array := func(kind, shape string, elements any) map[string][]byte {
		return map[string][]byte{"x.npy": npyBytes(kind, shape, elements), "y.npy": labels}
	}
	memory := func(x float64) config.Data {
		rows := [][]float64{{x, 0}, {2, 7}}
		return config.Data{Set: "memory", Memory: &config.Samples{
			Features: rows, Labels: []int{0, 1}, TestFeatures: rows, TestLabels: []int{0, 1},
		}}
	}
	want := []sample{{[]uint16{1, 0}, 0}, {[]uint16{2, 7}, 1}}
	for name, test := range map[string]struct {
		files map[string][]byte
		cfg   config.Data
		err   string
	}{
		"table":    {table("a,b,c\n1,0,p\n2.0,7,q\n"), csv, ""},
		"fraction": {table("a,b,c\n1,0,p\n2.5,7,q\n"), csv, `x.csv: record 2: line 3: column 1 ("a") is 2.5, want an integer of 0..7`},
		"large":    {table("a,b,c\n1,0,p\n2,8,q\n"), csv, "is 8, want an integer of 0..7"},
		"negative": {table("a,b,c\n1,0,p\n2,-1,q\n"), csv, "is -1, want an integer of 0..7"},
		"features": {table("a,c\n1,p\n2,q\n"), csv, "1 features, but the model reads 2"},
		"bytes":    {array("|u1", "2, 2", []uint8{1, 0, 2, 7}), arrays, ""},
		"large bytes": {
			array("|u1", "2, 2", []uint8{1, 0, 2, 8}), arrays,
			"sample 2 of the test part: feature 1 is 8, want an integer of 0..7",
		},
		"whole reals": {array("<f4", "2, 2", []float32{1, 0, 2, 7}), arrays, ""},
		"other reals": {
			array("<f4", "2, 2", []float32{1, 0, 2, 0.5}), arrays,
			"feature 1 is 0.5, want an integer of 0..7",
		},
		"memory":          {nil, memory(1), ""},
		"memory fraction": {nil, memory(0.25), "sample 0 of the test part: feature 0 is 0.25, want an integer of 0..7"},
	} {
		t.Run(name, func(t *testing.T) {
			test.cfg.Dir, test.cfg.Plain = writeFiles(t, test.files), true
			s, err := OpenFor(t.Context(), test.cfg, wholeWords(2, 3), nil)
			var got []sample
			if err == nil {
				got, err = collect(s, Test)
			}
			if test.err != "" {
				wantError(t, err, test.err)
				return
			}
			if err != nil || s.BitsIn != 3 || s.Max != 7 || s.Quantiser != nil {
				t.Fatalf("words of %d bits up to %d, quantiser %v, error %v", s.BitsIn, s.Max, s.Quantiser, err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("samples (-want +got):\n%s", diff)
			}
		})
	}
}

// TestOpenForWholeWidth reads a set of integers of a fixed width for a network whose words have another width.
func TestOpenForWholeWidth(t *testing.T) {
	cfg := config.Data{Set: "digits", Plain: true}
	s, err := OpenFor(t.Context(), cfg, wholeWords(64, 9), nil)
	if err != nil || s.BitsIn != 9 || s.Max != 511 || s.Shape != (Shape{}) {
		t.Fatalf("%+v, %v", s, err)
	}
	if s, err = OpenFor(t.Context(), cfg, wholeWords(64, 5), nil); err != nil || s.Max != 31 || s.Shape != (Shape{1, 8, 8}) {
		t.Fatalf("%+v, %v", s, err)
	}
	_, err = OpenFor(t.Context(), cfg, wholeWords(64, 1), nil)
	wantError(t, err, "digits: features up to 16, but the network accepts whole numbers only up to 1")
	if h := message.Hint(err); h != "import the network again with Fact: input.bits=5, and with input.divisor if its training inputs were divided" {
		t.Errorf("hint %q", h)
	}
}

// TestPlainArrays checks that a set keeps the values of images in file order if Plain is set. It must not sort them
// by plane.
func TestPlainArrays(t *testing.T) {
	files := map[string][]byte{
		"x.npy": npyBytes("|u1", "2, 2, 1, 3", []uint8{1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4}),
		"y.npy": npyBytes("|u1", "2,", []uint8{0, 1}),
	}
	cfg := config.Data{
		Set: "arrays", Dir: writeFiles(t, files), Train: "x.npy", TrainLabels: "y.npy", Test: "x.npy", TestLabels: "y.npy",
	}
	for plain, want := range map[bool][]uint16{true: {1, 2, 3, 4, 5, 6}, false: {1, 4, 2, 5, 3, 6}} {
		cfg.Plain = plain
		s, err := OpenFor(t.Context(), cfg, wholeWords(6, 3), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := mustCollect(t, s, Test); !cmp.Equal(got[0].Values, want) || (s.Shape == Shape{}) != plain {
			t.Errorf("plain %v: %v, shape %+v, want %v", plain, got[0].Values, s.Shape, want)
		}
	}
}
