package dwn

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"ialgn/internal/interchange/given"
	"ialgn/internal/interchange/graph"
	"ialgn/internal/interchange/torchfile"
	"ialgn/internal/interchange/torchfile/torchtest"
)

// small returns a state dict. It has the entries of a network of two features with two thresholds each, and after
// these the given entries.
func small(further ...any) torchtest.Dict {
	return append(torchtest.Dict{
		"0.luts",
		torchtest.Tensor{Shape: []int{2, 4}, Elements: []float32{-1, 1, 1, -1, -1, -1, -1, 1}},
		"0.mapping",
		torchtest.Tensor{Shape: []int{2, 2}, Elements: []int32{0, 3, 1, 2}},
	}, further...)
}

// readFile saves a value as torch.save does, and reads the file with facts about the group sum.
func readFile(t *testing.T, value any, said given.Facts, thresholds [][]float32) (*graph.Network, error) {
	t.Helper()
	k, tau := 2, 1.0
	said.Sum.K, said.Sum.Tau = &k, &tau
	file := torchtest.Archive(t, value)
	src := &given.Source{
		Name: "x.pt", File: bytes.NewReader(file), Size: int64(len(file)), Facts: &said, Thresholds: thresholds,
	}
	v, err := torchfile.Read(src.File, src.Size)
	if err != nil {
		t.Fatal(err)
	}
	if !Recognise(v) {
		t.Error("Recognise is false for the file")
	}
	return Read(src, v)
}

// TestThresholdsOfTheFile reads the forms in which scripts save a thermometer together with the layers.
func TestThresholdsOfTheFile(t *testing.T) {
	rows := torchtest.Tensor{Shape: []int{2, 2}, Elements: []float32{0.25, 0.5, -1, 2}}
	wide := torchtest.Tensor{Shape: []int{2, 2}, Elements: []float64{0.25, 0.5, -1, 2}}
	image := torchtest.Tensor{Shape: []int{1, 1, 2, 2}, Elements: []float32{0.25, 0.5, -1, 2}}
	lists := []any{[]any{0.25, 0.5}, []any{-1, 2}}
	d := func(entries ...any) torchtest.Dict { return entries }
	for _, test := range []struct {
		name  string
		value any
	}{
		{"in a dictionary", d("state_dict", small(), "thermometer", d("num_bits", 2, "thresholds", rows))},
		{"by themselves", d("state_dict", small(), "thresholds", rows)},
		{"by a longer name", d("state_dict", small(), "thermometer_thresholds", rows)},
		{"a buffer of the model", d("state_dict", small("thermometer.thresholds", rows))},
		{"a buffer in a module", d("model_state_dict", small("net.encoder.thresholds", rows))},
		{"in a flat dictionary", small("thresholds", rows, "epoch", 3, "args", torchtest.Instance("argparse", "Namespace", nil))},
		{"of 64 bits", d("state_dict", small(), "thresholds", wide)},
		{"of an image", d("state_dict", small(), "thresholds", image)},
		{"lists", d("state_dict", small(), "thresholds", lists)},
		{"the object", d("model", small(), "thermometer", torchtest.Instance("torch_dwn.binarization",
			"DistributiveThermometer", d("num_bits", 2, "thresholds", lists)))},
		{"deep", d("state_dict", small(), "data", d("encoder", d("thermometer", d("thresholds", rows))))},
		{"twice the same", d("state_dict", small("thermometer.thresholds", rows), "thermometer", d("thresholds", lists))},
		{"next to thresholds of something else", d("state_dict", small(), "thresholds", rows, "alarm", d("thresholds",
			torchtest.Tensor{Shape: []int{3}, Elements: []float32{1, 2, 3}}))},
	} {
		t.Run(test.name, func(t *testing.T) {
			n, err := readFile(t, test.value, given.Facts{InDim: 4}, nil)
			if err != nil {
				t.Fatal(err)
			}
			want := [][]float32{{0.25, 0.5}, {-1, 2}}
			if !slices.EqualFunc(n.Input.Thresholds, want, slices.Equal) {
				t.Errorf("thresholds %v, want %v", n.Input.Thresholds, want)
			}
		})
	}
}

// TestOneRowOfThresholds checks that a single row of thresholds is used for all features.
func TestOneRowOfThresholds(t *testing.T) {
	n, err := readFile(t, torchtest.Dict{"state_dict", small(), "thermometer", torchtest.Dict{"thresholds", []any{0.25, 0.5}}}, given.Facts{InDim: 4}, nil)
	if err != nil || len(n.Input.Thresholds) != 2 || n.Input.Thresholds[1][1] != 0.5 {
		t.Errorf("thresholds %v, error %v", n, err)
	}
}

// TestThresholdsOfTheFileRefused checks that unsuitable thresholds in a file are refused. It also checks that
// thresholds that contradict the user's thresholds are refused.
func TestThresholdsOfTheFileRefused(t *testing.T) {
	rows := torchtest.Tensor{Shape: []int{2, 2}, Elements: []float32{0.25, 0.5, -1, 2}}
	ints := func(n ...int32) torchtest.Tensor { return torchtest.Tensor{Shape: []int{2, 2}, Elements: n} }
	for _, test := range []struct {
		name, want string
		thresholds any
		given      [][]float32
		none       bool
	}{
		{name: "not there", thresholds: nil, want: "thresholds is not known: the file holds none of a thermometer"},
		{name: "words", thresholds: "a", want: "thresholds: neither a tensor nor lists of numbers"},
		{name: "rows of other lengths", thresholds: []any{[]any{1.0}, []any{1.0, 2.0, 3.0}}, want: "rows of numbers of the same length"},
		{name: "words in a list", thresholds: []any{"a"}, want: "a list with something else than numbers"},
		{name: "not of float32", thresholds: []any{0.1, 0.5}, want: "threshold 0 of row 0 is 0.1, which float32 does not have"},
		{name: "of another class", thresholds: torchtest.Instance("x", "Y", nil), want: "neither a tensor nor lists"},
		{name: "those of the user", thresholds: rows, given: [][]float32{{0.25, 0.5}, {-1, 2}}},
		{name: "others than the user's", thresholds: rows, given: [][]float32{{0.25, 0.5}, {-1, 3}}, want: `differ from "thresholds" of the file`},
		{name: "none, says the user", thresholds: rows, none: true},
		{name: "whole numbers", thresholds: ints(0, 1, 2, 3)},
	} {
		t.Run(test.name, func(t *testing.T) {
			said := given.Facts{InDim: 4, Thermometer: given.Thermometer{None: test.none}}
			_, err := readFile(t, torchtest.Dict{"state_dict", small(), "thresholds", test.thresholds}, said, test.given)
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("error %v, want %q", err, test.want)
			}
		})
	}
	for name, other := range map[string]torchtest.Dict{
		"one row of no thermometer":    {"state_dict", small(), "thresholds", []any{0.5}},
		"one row of something else":    {"state_dict", small(), "alarm", torchtest.Dict{"thresholds", []any{0.5}}},
		"thresholds of something else": {"state_dict", small(), "metrics", torchtest.Dict{"thresholds", rows}},
		"thresholds of another number": {"state_dict", small(), "thresholds", []any{[]any{1.0}, []any{2.0}}},
		"an encoder of something else": {"state_dict", small(), "encoder", torchtest.Dict{"classes", []any{"a"}}},
	} {
		_, err := readFile(t, other, given.Facts{InDim: 4}, nil)
		if err == nil || !strings.Contains(err.Error(), "thresholds is not known: the file holds none of a thermometer;") {
			t.Errorf("%s: error %v, want an error that the thresholds are missing", name, err)
		}
	}
	for want, other := range map[string]any{
		`none that fit: "encoder.thresholds" is of 1 row of 3, and the first layer reads 4 bits;`: torchtest.Dict{"thresholds", []any{1.0, 2.0, 3.0}},
		`none that fit: "encoder.thresholds" is of 2 rows of 1, and the`:                          torchtest.Dict{"thresholds", []any{[]any{1.0}, []any{2.0}}},
		`none that fit: "encoder" of the class x.Encoder was not read;`:                           torchtest.Instance("x", "Encoder", nil),
	} {
		_, err := readFile(t, torchtest.Dict{"state_dict", small(), "encoder", other}, given.Facts{InDim: 4}, nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	_, err := readFile(t, torchtest.Dict{
		"state_dict", small(), "encoder", torchtest.Dict{"thresholds", rows}, "old_encoder", torchtest.Dict{
			"thresholds", ints(0, 1, 2, 3),
		},
	}, given.Facts{InDim: 4}, nil)
	if err == nil || !strings.Contains(err.Error(), `two thermometers, "encoder.thresholds" and "old_encoder.thresholds"`) {
		t.Errorf("two thermometers: error %v", err)
	}
}
