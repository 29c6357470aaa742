package torchlogix_test

import (
	"fmt"
	"strings"
	"testing"

	"ialgn/internal/interchange/given"
	"ialgn/internal/interchange/torchlogix"
)

// These are parts of a small circuit.
const (
	twoGates = `{"gate_id": 4, "op": "AND_NOT_B", "in0": 0, "in1": 1, "node_idx": -1},
		{"gate_id": 7, "op": "NOT", "in0": 4, "in1": -1, "node_idx": -1}`
	twoSums = `{"node_id": 9, "input_ids": [7, 7, 3], "tau": 2.0, "beta": 1.5},
		{"node_id": 8, "input_ids": [4], "tau": 2.0, "beta": 0.0}`
)

// circuitOfParts returns the text of a circuit with four inputs.
func circuitOfParts(gates, sums, rest string) string {
	return fmt.Sprintf(`{"n_inputs": 4, "gates": [%s],
		"sum_nodes": [%s], %s}`, gates, sums, rest)
}

func TestReadCircuit(t *testing.T) {
	text := circuitOfParts(twoGates, twoSums, `"outputs": [9, 8], "output_shape": [2], "input_shape": [2, 2]`)
	n, err := torchlogix.ReadCircuit(circuitText(text))
	if err != nil {
		t.Fatal(err)
	}
	compare(t, scores(n, []float32{1, 0, 0, 1, 1, 1, 0, 0}), []float32{1.25, .5, 1.75, 0}, 0)
	if fmt.Sprint(n.Input.Shape) != "[2 2]" || n.Circuit.Nodes() != 2 {
		t.Errorf("shape %v, %d nodes", n.Input.Shape, n.Circuit.Nodes())
	}
	// The order of the keys in the file does not matter.
	turned := `{"outputs": [9, 8], "sum_nodes": [` + twoSums + `], "gates": [` + twoGates + `], "n_inputs": 4}`
	if _, err := torchlogix.ReadCircuit(circuitText(turned)); err != nil {
		t.Error(err)
	}
}

// TestSumOfCircuit compares facts with sums. The betas of the sums are either equal or different, as they are after
// torchlogix's method simplify.
func TestSumOfCircuit(t *testing.T) {
	one := strings.ReplaceAll(twoSums, "1.5", "0.0")
	folded := strings.ReplaceAll(strings.ReplaceAll(twoSums, "1.5", "3.5"), "0.0", "4.5")
	for _, c := range []struct {
		sums string
		said given.GroupSum
		want string
	}{
		{twoSums, given.GroupSum{K: ptr(2), Tau: ptr(2.0), Beta: ptr(1.5)}, ""},
		{twoSums, given.GroupSum{K: ptr(3)}, "the options: group_sum.k is 3, but the circuit has 2"},
		{twoSums, given.GroupSum{Tau: ptr(2.5)}, "group_sum.tau is 2.5, but the circuit has 2"},
		{twoSums, given.GroupSum{Beta: ptr(0.25)}, "group_sum.beta is 0.25, but the circuit has 0 to 1.5 for the classes"},
		{one, given.GroupSum{Beta: ptr(1.0)}, "group_sum.beta is 1, but the circuit has 0"},
		{one, given.GroupSum{Beta: ptr(-1.0)}, "group_sum.beta is -1, but the circuit has 0"},
		{folded, given.GroupSum{Beta: ptr(2.5)}, ""}, // the betas include constants, one for each class
		{folded, given.GroupSum{Beta: ptr(5.5)}, "group_sum.beta is 5.5"},
	} {
		src := circuitText(circuitOfParts(twoGates, c.sums, `"outputs": [9, 8]`))
		src.Facts.Sum = c.said
		_, err := torchlogix.ReadCircuit(src)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want %q", c.said, err, c.want)
		}
	}
}

func TestReadCircuitOfBits(t *testing.T) {
	src := circuitText(circuitOfParts(twoGates, "", `"outputs": [7, 4, 0, 3]`))
	_, err := torchlogix.ReadCircuit(src)
	wantMissing(t, err, "group_sum.k")
	src.Facts.Sum.K = ptr(2)
	_, err = torchlogix.ReadCircuit(src)
	wantMissing(t, err, "group_sum.tau")
	src.Facts.Sum.Tau = ptr(1.0)
	n, err := torchlogix.ReadCircuit(src)
	if err != nil {
		t.Fatal(err)
	}
	compare(t, scores(n, []float32{1, 0, 0, 1}), []float32{1, 2}, 0)
}

func TestThermometerOfCircuit(t *testing.T) {
	flat := circuitOfParts(twoGates, twoSums, `"outputs": [9, 8]`)
	image := circuitOfParts(twoGates, twoSums, `"outputs": [9, 8], "input_shape": [2, 1, 2]`)
	for _, c := range []struct {
		name, text string
		rows       [][]float32
		facts      given.Facts
		order      string
		fails      string
	}{
		{"a row for each feature", flat, [][]float32{{1, 2}, {3, 4}}, given.Facts{}, "[]", ""},
		{"a row for all", flat, [][]float32{{1, 2}}, given.Facts{}, "[]", ""},
		{"an image", image, [][]float32{{1, 2}}, given.Facts{}, "[{0 0} {1 0} {0 1} {1 1}]", ""},
		{
			"a flat image", flat,
			[][]float32{{1, 2}},
			given.Facts{Input: given.InputNumbers{Shape: []int{1, 1, 2}}, LayersInOrder: []given.TorchLayer{{FeatureDim: ptr(1)}}},
			"[{0 0} {1 0} {0 1} {1 1}]", "",
		},
		{
			"a flat image of which dimension", flat,
			[][]float32{{1, 2}},
			given.Facts{Input: given.InputNumbers{Shape: []int{1, 1, 2}}},
			"", "layers_in_order[0].feature_dim",
		},
		{
			"another dimension", image,
			[][]float32{{1, 2}},
			given.Facts{Input: given.InputNumbers{Shape: []int{1, 1, 2}}, LayersInOrder: []given.TorchLayer{{FeatureDim: ptr(3)}}},
			"", "input_shape",
		},
		{"another shape", flat, [][]float32{{1, 2}}, given.Facts{Input: given.InputNumbers{Shape: []int{3}}}, "", "n_inputs 4"},
		{"three bits", flat, [][]float32{{1, 2, 3}}, given.Facts{}, "", "do not divide"},
		{"three rows", flat, [][]float32{{1, 2}, {3, 4}, {5, 6}}, given.Facts{}, "", "do not fit"},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := circuitText(c.text)
			src.Facts, src.Thresholds = &c.facts, c.rows
			n, err := torchlogix.ReadCircuit(src)
			if c.fails != "" {
				if err == nil || !strings.Contains(err.Error(), c.fails) {
					t.Errorf("error %v, want %q in it", err, c.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(n.Input.Order); got != c.order {
				t.Errorf("order %v, want %v", got, c.order)
			}
			if n.Input.Bits() != 4 || n.Input.Features() != 2 {
				t.Errorf("input %+v", n.Input)
			}
		})
	}
}

func TestReadCircuitRefuses(t *testing.T) {
	good := circuitOfParts(twoGates, twoSums, `"outputs": [9, 8]`)
	for _, c := range []struct{ name, old, replacement, want string }{
		{"a forward reference", `"in0": 0`, `"in0": 7`, "line 1, column 95: gate 4: AND_NOT_B: in0 is 7"},
		{"itself", `"in0": 4`, `"in0": 7`, "gate 7: NOT: in0 is 7"},
		{"no operand", `"in1": 1`, `"in1": -1`, "gate 4: AND_NOT_B: in1 is -1"},
		{"a gap", `"in0": 4`, `"in0": 6`, "in0 is 6"},
		{"an unknown operation", `"NOT"`, `"MAJ"`, "MAJ"},
		{"a gate twice", `"gate_id": 7`, `"gate_id": 4`, "gate_id 4 occurs twice"},
		{"a gate that is an input", `"gate_id": 7`, `"gate_id": 3`, "gate_id 3"},
		{"a large id", `"gate_id": 7`, `"gate_id": 4294967296`, "gate_id 4294967296"},
		{"a sum of a sum", `[4]`, `[9]`, "counts 9"},
		{"a sum that is a gate", `"node_id": 8`, `"node_id": 7`, "node_id 7"},
		{"a sum that is no output", `[9, 8]`, `[9]`, "sum 8 is not among the outputs"},
		{"an output that is no sum", `[9, 8]`, `[9, 8, 7]`, "of 3 outputs 2 are sums"},
		{"an output twice", `[9, 8]`, `[9, 8, 9]`, "9 occurs twice"},
		{"no outputs", `[9, 8]`, `[]`, "there are none"},
		{"unequal taus", `"tau": 2.0, "beta": 0.0`, `"tau": 3.0, "beta": 0.0`, "tau of class 1 is 3"},
		{"a tau of 0", `"tau": 2.0, "beta": 0.0`, `"tau": 0, "beta": 0.0`, "tau is 0"},
		{"a number too large", `1.5`, `1e999`, "1e999"},
		{"not a number", `1.5`, `NaN`, "line 3, column 75: 'N'"},
		{"a text", `1.5`, `"1.5"`, "want a number"},
		{"half an input", `"in0": 0`, `"in0": 0.5`, "want a whole number"},
		{"a key twice", `"in0": 0`, `"in0": 0, "in0": 0`, `key "in0" occurs twice`},
		{"a key too many", `"in0": 0`, `"in2": 0`, `key "in2"`},
		{"a circuit's key twice", `"n_inputs": 4`, `"n_inputs": 4, "n_inputs": 4`, `"n_inputs" occurs twice`},
		{"a key missing", `"tau": 2.0, "beta": 1.5`, `"tau": 2.0`, "a sum lacks one of the keys"},
		{"no operation", `"op": "NOT", `, ``, "a gate without"},
		{"no inputs", `"n_inputs": 4`, `"n_inputs": 0`, "n_inputs: 0"},
		{"many inputs", `"n_inputs": 4`, `"n_inputs": 4000000000`, "n_inputs: 4000000000"},
		{"no key of inputs", `"n_inputs": 4, `, ``, `"n_inputs" is missing`},
		{"a shape", `"n_inputs": 4`, `"n_inputs": 4, "input_shape": [2, 3]`, "input_shape: [2 3]"},
		{"a shape of outputs", `"n_inputs": 4`, `"n_inputs": 4, "output_shape": [3]`, "output_shape: [3]"},
		{"a large shape", `"n_inputs": 4`, `"n_inputs": 4, "input_shape": [1000000, 1000000]`, "input_shape"},
		{"a comma too many", `[9, 8]`, `[9, 8,]`, "line 4, column"},
		{"an end in the middle", `, "outputs": [9, 8]}`, ``, "the file ends"},
		{"something behind", `[9, 8]}`, `[9, 8]} 1`, "unexpected text after the circuit"},
		{"deep", `[9, 8]`, strings.Repeat("[", 100) + strings.Repeat("]", 100), "nested deeper"},
		{"no object", `{"n_inputs"`, `["n_inputs"`, "line 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := strings.Replace(good, c.old, c.replacement, 1)
			if text == good {
				t.Fatal("the text to replace is not in the circuit")
			}
			_, err := torchlogix.ReadCircuit(circuitText(text))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q in it", err, c.want)
			}
		})
	}
	src := circuitText(good)
	src.Facts.Sum.K = ptr(3)
	if _, err := torchlogix.ReadCircuit(src); err == nil || !strings.Contains(err.Error(), "group_sum.k is 3") {
		t.Errorf("another k: error %v", err)
	}
	src.Facts.Sum = given.GroupSum{Tau: ptr(3.0)}
	if _, err := torchlogix.ReadCircuit(src); err == nil || !strings.Contains(err.Error(), "group_sum.tau is 3") {
		t.Errorf("another tau: error %v", err)
	}
}
