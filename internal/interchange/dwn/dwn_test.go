package dwn

import (
	"bytes"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ialgn/internal/interchange/given"
	"ialgn/internal/interchange/graph/graphtest"
	"ialgn/internal/interchange/torchfile"
	"ialgn/internal/testkit"
)

const fixtures = "../../../../shared/reference/import"

var names = []string{"dwn-n2-fixed", "dwn-n4-learn", "dwn-n6-arange-perm", "dwn-n6-learn-random"}

func open(t *testing.T, name string) *graphtest.Fixture {
	t.Helper()
	return graphtest.Open(t, filepath.Join(fixtures, name))
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

// TestAllFiles compares the scores with the framework's scores. It also compares the input bits with the bits that
// the original first layer received.
func TestAllFiles(t *testing.T) {
	for _, name := range names {
		f := open(t, name)
		for _, file := range f.Files {
			t.Run(name+"/"+file, func(t *testing.T) {
				src := f.Source(t, file)
				n, err := Read(src, value(t, src))
				if err != nil {
					t.Fatal(err)
				}
				f.Check(t, n)
				shape, want := testkit.ReadNPY(t, filepath.Join(f.Dir, "bits.npy"))
				for i, sample := range f.Inputs {
					for b, v := range graphtest.InputBits(n, sample) {
						if v != (want[i*shape[1]+b] == 1) {
							t.Fatalf("sample %d, bit %d is %v", i, b, v)
						}
					}
				}
				t.Log(n.Findings)
			})
		}
	}
}

// TestModelNeedsOnlyThresholds reads a whole model with thresholds but without facts.
func TestModelNeedsOnlyThresholds(t *testing.T) {
	f := open(t, "dwn-n6-learn-random")
	src := f.Source(t, "model.pt")
	src.Facts = &given.Facts{}
	n, err := Read(src, value(t, src))
	if err != nil {
		t.Fatal(err)
	}
	f.Check(t, n)
	src.Thresholds = nil
	missing(t, src, "thresholds")
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
	f := open(t, "dwn-n2-fixed")
	src := f.Source(t, "state_dict.pt")
	src.Thresholds = nil
	missing(t, src, "thresholds")
	src.Facts = &given.Facts{Thermometer: given.Thermometer{None: true}}
	missing(t, src, "in_dim")
	src.Facts.InDim = 192
	missing(t, src, "group_sum.k")
	k := 10
	src.Facts.Sum.K = &k
	missing(t, src, "group_sum.tau")
	src.Facts = &given.Facts{}
	src.Thresholds = [][]float32{{.1, .2, .3}}
	missing(t, src, "in_dim")
}

// TestBits reads a network without a thermometer. Its input samples are bits that a thermometer has already made.
func TestBits(t *testing.T) {
	f := open(t, "dwn-n4-learn")
	src, said := f.Source(t, "state_dict.pt"), *f.Facts
	said.Thermometer = given.Thermometer{None: true}
	src.Facts, src.Thresholds = &said, nil
	n, err := Read(src, value(t, src))
	if err != nil {
		t.Fatal(err)
	}
	shape, bits := testkit.ReadNPY(t, filepath.Join(f.Dir, "bits.npy"))
	for i := range f.Inputs {
		f.Inputs[i] = bits[i*shape[1] : (i+1)*shape[1]]
	}
	f.Check(t, n)
}

// TestCandidates compares a learnable mapping with the weights in the file. Every bit of the layer before must be a
// candidate.
func TestCandidates(t *testing.T) {
	f := open(t, "dwn-n4-learn")
	src := f.Source(t, "state_dict.pt")
	v := value(t, src)
	n, err := Read(src, v)
	if err != nil {
		t.Fatal(err)
	}
	tensor, _ := v.(*torchfile.Dict).Get("0.mapping.weights")
	weights, err := tensor.(*torchfile.Tensor).Float32()
	if err != nil {
		t.Fatal(err)
	}
	d := n.Dense[0]
	if d.Candidates != 128 || d.Pins != 4 || d.Width != 70 {
		t.Fatalf("%d candidates, %d pins, %d nodes", d.Candidates, d.Pins, d.Width)
	}
	for pin := range 4 {
		for node := range 70 {
			for c := range 128 {
				if d.Wires[pin][node*128+c] != uint32(c) || d.Choice[pin][node*128+c] != weights[c*280+node*4+3-pin] {
					t.Fatalf("pin %d of node %d, candidate %d", pin, node, c)
				}
			}
		}
	}
	// The fixture has two equal largest weights, for bits 3 and 7.
	if got := d.Wire(0, 3); got != 3 {
		t.Errorf("chose bit %d of the two equal ones, want the first, 3", got)
	}
}

func TestContradictions(t *testing.T) {
	f := open(t, "dwn-n6-learn-random")
	number := func(n int) *int { return &n }
	no := false
	for name, test := range map[string]struct {
		change func(said *given.Facts)
		want   string
	}{
		"layers":  {func(s *given.Facts) { s.Layers = s.Layers[:1] }, "layers is 1 layer, but the file has 2"},
		"inputs":  {func(s *given.Facts) { s.Layers[0].Inputs = number(127) }, "facts.json: layers[0].inputs is 127, but layer 0 has 128"},
		"second":  {func(s *given.Facts) { s.Layers[1].Inputs = number(61) }, "layer 1 reads 61 bits, where there are 60 before it"},
		"luts":    {func(s *given.Facts) { s.Layers[1].LUTs = number(51) }, "layers[1].luts is 51, but layer 1 has 50"},
		"n":       {func(s *given.Facts) { s.Layers[1].N = number(5) }, "layers[1].n is 5, but layer 1 has 6"},
		"mapping": {func(s *given.Facts) { s.Layers[1].Mapping = "learnable" }, "layers[1].mapping is learnable, but layer 1 has fixed"},
		"ste":     {func(s *given.Facts) { s.Layers[1].STE = &no }, "layers[1] of the facts is made with ste=False"},
		"in_dim":  {func(s *given.Facts) { s.InDim = 64 }, "in_dim is 64, but the first layer has 128"},
		"padding": {func(s *given.Facts) { s.Sum.Padding = number(0) }, "zero_padding_at_end is 0, but a sum of 50 bits for 8 classes has 6"},
		"size":    {func(s *given.Facts) { s.Sum.GroupSize = number(6) }, "group_size is 6, but a sum of 50 bits for 8 classes has 7"},
		"k":       {func(s *given.Facts) { s.Sum.K, s.Sum.Padding, s.Sum.GroupSize = number(51), nil, nil }, "group_sum.k is 51, where the last layer has 50 bits"},
		"order":   {func(s *given.Facts) { s.Sum.RandPerm = []int{0, 1} }, "randperm has 2 numbers, where the last layer has 50 bits"},
		"twice":   {func(s *given.Facts) { s.Sum.RandPerm = make([]int, 50) }, "randperm: number 1 is 0: want each of 0 to 49 once"},
		"bits":    {func(s *given.Facts) { s.Thermometer.Bits = 3 }, "thermometer.bits is 3, but the file of thresholds has 2"},
		"shape":   {func(s *given.Facts) { s.Thermometer.Shape = []int{63, 2} }, "thermometer.shape is [63 2], but the file of thresholds has [64 2]"},
		"none":    {func(s *given.Facts) { s.Thermometer.None = true }, "thermometer is none, but what was given has thresholds"},
	} {
		src, said := f.Source(t, "state_dict.pt"), *f.Facts
		said.Layers = slices.Clone(f.Facts.Layers)
		src.Facts = &said
		test.change(&said)
		_, err := Read(src, value(t, src))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
	src, said := f.Source(t, "model.pt"), *f.Facts
	src.Facts, said.Sum.RandPerm = &said, []int{0, 1}
	if _, err := Read(src, value(t, src)); err == nil || !strings.Contains(err.Error(), "group_sum.randperm is an order of the bits") {
		t.Error(err)
	}
}

// TestThresholds reads the network with thresholds that do not fit the network.
func TestThresholds(t *testing.T) {
	f := open(t, "dwn-n2-fixed")
	for name, test := range map[string]struct {
		rows [][]float32
		want string
	}{
		"few":    {f.Thresholds[:63], "thresholds of 63 features with 3 bits each, which are 189, where the first layer reads 192 bits"},
		"uneven": {append(slices.Clone(f.Thresholds[:63]), []float32{1}), "feature 63 has 1 thresholds, where feature 0 has 3"},
		"empty":  {[][]float32{}, "the thresholds are empty"},
	} {
		src, said := f.Source(t, "state_dict.pt"), *f.Facts
		src.Facts, src.Thresholds, said.Thermometer = &said, test.rows, given.Thermometer{}
		if _, err := Read(src, value(t, src)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}

// TestDamagedNumbers damages the last numbers of a file in the legacy format, which has no checksums. These numbers
// are elements of the tables of the last layer. If the storages are in reverse order, the last numbers belong to
// another tensor.
func TestDamagedNumbers(t *testing.T) {
	f := open(t, "dwn-n2-fixed")
	data := f.Text(t, "state_dict_legacy.pt").Data
	seen := map[string]bool{}
	// 0x7fc00000 is NaN as an element of a table. As an integer, it exceeds the number of every bit of a layer.
	for at := len(data) - 4; at > len(data)-6000; at -= 4 {
		damaged := slices.Clone(data)
		copy(damaged[at:], []byte{0, 0, 0xc0, 0x7f})
		src := f.Source(t, "state_dict_legacy.pt")
		src.File = bytes.NewReader(damaged)
		v, err := torchfile.Read(src.File, src.Size)
		if err != nil {
			continue
		}
		if _, err := Read(src, v); err != nil {
			name, _, _ := strings.Cut(err.Error(), ":")
			seen[name] = true
		}
	}
	for _, want := range []string{"0.luts", "0.mapping", "1.luts", "1.mapping"} {
		if !seen[want] {
			t.Errorf("no error names %s, only %v", want, seen)
		}
	}
}

func TestRecognise(t *testing.T) {
	tensor := &torchfile.Tensor{Shape: []int{5, 16}}
	for key, want := range map[string]bool{"0.luts": true, "luts": true, "a.b.luts": true, "0.weights": false, "0.lut": false} {
		if got := Recognise(&torchfile.Dict{Keys: []any{key}, Values: []any{tensor}}); got != want {
			t.Errorf("%s: %v", key, got)
		}
	}
	if Recognise(nil) || Recognise(&torchfile.Object{Class: "torch.nn.modules.linear.Linear"}) ||
		!Recognise(&torchfile.Object{Class: layerClass}) {
		t.Error("Recognise gives the wrong result for whole objects")
	}
}
