package difflogic

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"ialgn/internal/interchange/given"
	"ialgn/internal/interchange/graph"
	"ialgn/internal/interchange/graph/graphtest"
	"ialgn/internal/interchange/torchfile"
)

const fixtures = "../../../../shared/reference/import"

// open opens a fixture. It returns the fixture and the names of its files that end in one of the given endings.
func open(t *testing.T, name string, endings ...string) (*graphtest.Fixture, []string) {
	t.Helper()
	f := graphtest.Open(t, filepath.Join(fixtures, name))
	var files []string
	for _, ending := range endings {
		found, err := filepath.Glob(filepath.Join(f.Dir, "*"+ending))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range found {
			files = append(files, filepath.Base(path))
		}
	}
	return f, files
}

func value(t *testing.T, src *given.Source) any {
	t.Helper()
	v, err := torchfile.Read(src.File, src.Size)
	if err != nil {
		t.Fatal(err)
	}
	if !Recognise(v) {
		t.Fatal("Recognise is false for the file")
	}
	return v
}

var names = []string{"difflogic-random", "difflogic-unique", "difflogic-real-200x4"}

// TestAllFilesWithAllWirings reads each checkpoint with each of its wiring files and checks the scores.
func TestAllFilesWithAllWirings(t *testing.T) {
	for _, name := range names {
		f, checkpoints := open(t, name, ".pt")
		_, texts := open(t, name, ".c", ".v", "wiring.json", "wiring_replayed.json")
		for _, file := range checkpoints {
			for _, text := range texts {
				t.Run(name+"/"+file+"/"+text, func(t *testing.T) {
					src := f.Source(t, file)
					src.Wiring = f.Text(t, text)
					n, err := Read(src, value(t, src))
					if err != nil {
						t.Fatal(err)
					}
					f.Check(t, n)
					t.Log(n.Findings)
				})
			}
		}
	}
}

func TestModelHoldsAll(t *testing.T) {
	for _, name := range names[:2] {
		f, _ := open(t, name)
		src := f.Source(t, "model.pt")
		src.Facts = &given.Facts{}
		n, err := Read(src, value(t, src))
		if err != nil {
			t.Fatal(err)
		}
		f.Check(t, n)
	}
}

func missing(t *testing.T, src *given.Source, what string) {
	t.Helper()
	_, err := Read(src, value(t, src))
	var m *given.Missing
	if !errors.As(err, &m) || m.What != what {
		t.Errorf("%v, want that %s is missing", err, what)
	}
}

func TestMissing(t *testing.T) {
	f, files := open(t, "difflogic-unique", "dict.pt", "legacy.pt")
	for _, file := range files {
		src := f.Source(t, file)
		missing(t, src, "wiring")
		src.Wiring = f.Text(t, "wiring.json")
		src.Facts = &given.Facts{}
		missing(t, src, "in_dim")
		const why = "nor the wiring (lists) say how many bits the first layer reads, at least 64"
		if _, err := Read(src, value(t, src)); !strings.Contains(err.Error(), why) {
			t.Errorf("error %v", err)
		}
		src.Facts.InDim = 64
		missing(t, src, "group_sum.k")
		k, tau := 9, 3.0
		src.Facts.Sum.K = &k
		missing(t, src, "group_sum.tau")
		src.Facts = &given.Facts{Sum: given.GroupSum{Tau: &tau}}
		src.Wiring = f.Text(t, "compiled_c_8bits.c") // gives the numbers of inputs and classes
		n, err := Read(src, value(t, src))
		if err != nil {
			t.Fatal(err)
		}
		f.Check(t, n)
	}
}

// TestContradictions reads a network with one wrong fact at a time.
func TestContradictions(t *testing.T) {
	f, _ := open(t, "difflogic-unique")
	number := func(n int) *int { return &n }
	real := func(x float64) *float64 { return &x }
	for name, test := range map[string]struct {
		change func(said *given.Facts)
		want   string
	}{
		"in_dim":      {func(s *given.Facts) { s.InDim = 65 }, "facts.json: in_dim is 65, but the network has 64"},
		"widths":      {func(s *given.Facts) { s.Widths = []int{100, 140} }, "facts.json: widths is [100 140], but the file has [100 140 90]"},
		"connections": {func(s *given.Facts) { s.Connections = "random" }, `connections is random, but module "1" has unique`},
		"k":           {func(s *given.Facts) { s.Sum.K = number(10) }, `group_sum.k is 10, but module "4" has 9`},
		"tau":         {func(s *given.Facts) { s.Sum.Tau = real(2) }, `group_sum.tau is 2, but module "4" has 3`},
		"beta":        {func(s *given.Facts) { s.Sum.Beta = real(2) }, `group_sum.beta is 2, but module "4" has none`},
		"size":        {func(s *given.Facts) { s.Sum.GroupSize = number(9) }, "group_sum.group_size is 9, but a sum of 90 bits for 9 classes has 10"},
		"padding":     {func(s *given.Facts) { s.Sum.Padding = number(1) }, "zero_padding_at_end is 1, but a sum of 90 bits for 9 classes has 0"},
		"order":       {func(s *given.Facts) { s.Sum.RandPerm = []int{1, 0} }, "group_sum.randperm is an order"},
		"classes":     {func(s *given.Facts) { s.Classes = []string{"a"} }, "classes has 1 names, where there are 9"},
	} {
		src, said := f.Source(t, "model.pt"), *f.Facts
		src.Facts = &said
		test.change(&said)
		_, err := Read(src, value(t, src))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
	src, said := f.Source(t, "state_dict.pt"), *f.Facts
	src.Facts, src.Wiring = &said, f.Text(t, "compiled_c_8bits.c")
	said.Sum.K, said.Sum.GroupSize = number(10), nil
	if _, err := Read(src, value(t, src)); err == nil || !strings.Contains(err.Error(), "group_sum.k is 10, but compiled_c_8bits.c has 9") {
		t.Error(err)
	}
	src.Wiring, said.Sum.K = f.Text(t, "wiring.json"), number(7)
	if _, err := Read(src, value(t, src)); err == nil || !strings.Contains(err.Error(), "group_sum.k is 7, but the last layer has 90 bits, which is not a multiple of it") {
		t.Error(err)
	}
}

// TestTextOfOtherNetworkIsRefused reads a network with the generated C of another network, and with generated C in
// which one operation is changed.
func TestTextOfOtherNetworkIsRefused(t *testing.T) {
	f, _ := open(t, "difflogic-unique")
	other, _ := open(t, "difflogic-random")
	src := f.Source(t, "state_dict.pt")
	src.Wiring = other.Text(t, "compiled_c_64bits.c")
	if _, err := Read(src, value(t, src)); err == nil || !strings.Contains(err.Error(), "compiled_c_64bits.c: line 6: layer 0, gate 0: the text has operation") {
		t.Error(err)
	}
	src.Wiring = f.Text(t, "compiled_c_8bits.c")
	src.Wiring.Data = []byte(strings.Replace(string(src.Wiring.Data), "inp[20] ^ inp[21]", "inp[20] | inp[21]", 1))
	want := "compiled_c_8bits.c: line 7: layer 0, gate 1: the text has operation 7 (a | b), but operation 6 (a ^ b) has the largest weight"
	if _, err := Read(src, value(t, src)); err == nil || err.Error() != want {
		t.Error(err)
	}
}

// TestThresholds reads a network whose input bits are made from features.
func TestThresholds(t *testing.T) {
	f, _ := open(t, "difflogic-random")
	src := f.Source(t, "model.pt")
	src.Thresholds = [][]float32{{.2, .45, .7}}
	n, err := Read(src, value(t, src))
	if err != nil {
		t.Fatal(err)
	}
	if n.Input.Features() != 64 || n.Input.Bits() != 192 || n.Input.Bit(4) != (graph.Bit{Feature: 1, Index: 1}) {
		t.Errorf("%d features, %d bits", n.Input.Features(), n.Input.Bits())
	}
	src.Thresholds = [][]float32{{.2, .45, .7, .8, .9}}
	if _, err := Read(src, value(t, src)); err == nil || !strings.Contains(err.Error(), "which are 190, where the first layer reads 192") {
		t.Error(err)
	}
}

func TestRecognise(t *testing.T) {
	dict := func(v ...any) *torchfile.Dict {
		d := &torchfile.Dict{}
		for i := 0; i < len(v); i += 2 {
			d.Keys, d.Values = append(d.Keys, v[i]), append(d.Values, v[i+1])
		}
		return d
	}
	weights := &torchfile.Tensor{Shape: []int{5, 16}}
	for name, test := range map[string]struct {
		value any
		want  bool
	}{
		"state dict": {dict("1.weights", weights), true},
		"alone":      {dict("weights", weights), true},
		"within":     {dict("epoch", int64(3), "model_state_dict", dict("1.weights", weights)), true},
		"model":      {&torchfile.Object{Class: layerClass}, true},
		"empty":      {dict(), false},
		"torchlogix": {dict("1.weight", weights), false},
		"more":       {dict("1.weights", weights, "2.bias", weights), false},
		"dwn":        {dict("0.mapping.weights", weights, "0.luts", weights), false},
		"shape":      {dict("1.weights", &torchfile.Tensor{Shape: []int{5, 4}}), false},
		"nothing":    {nil, false},
		"number":     {dict(int64(1), weights), false},
	} {
		if got := Recognise(test.value); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestNotFinite changes the last weight of a file to values that are not finite numbers.
func TestNotFinite(t *testing.T) {
	f, _ := open(t, "difflogic-unique")
	data := f.Text(t, "state_dict_legacy.pt").Data
	for text, bits := range map[string][]byte{"NaN": {0, 0, 0xc0, 0x7f}, "+Inf": {0, 0, 0x80, 0x7f}, "-Inf": {0, 0, 0x80, 0xff}} {
		copy(data[len(data)-4:], bits)
		src := f.Source(t, "state_dict_legacy.pt")
		src.File, src.Wiring = bytes.NewReader(data), f.Text(t, "wiring.json")
		if _, err := Read(src, value(t, src)); err == nil || err.Error() != "3.weights: element [89][15] is "+text {
			t.Error(err)
		}
	}
}
