package config_test

import (
	"testing"

	"ialgn/internal/config"
	"ialgn/internal/message"
)

// TestSequences checks the defaults of recurrent networks and of their data sets.
func TestSequences(t *testing.T) {
	for _, c := range []struct {
		keys                 string
		steps, bits, anchors int
	}{
		{"data: {set: parity}\nmodel: {topology: recurrent, widths: 8}", 16, 2, 1},
		{"data: {set: copy, length: 5}\nmodel: {topology: recurrent, widths: '9,8', anchors: 2}", 5, 2, 2},
		{"data: {set: mnist}\nmodel: {topology: recurrent, widths: 8, anchors: 32}", 28, 4, 32},
		{"data: {set: cifar10}\nmodel: {topology: recurrent, widths: 8, steps: 96}", 96, 16, 1},
		{"data: {set: parity}\nmodel: {topology: layered, widths: 8}", 0, 2, 32},
	} {
		got, err := config.Parse("m.yaml", []byte(c.keys), nil)
		if err != nil {
			t.Errorf("%s: %v", c.keys, err)
		} else if got.Model.Steps != c.steps || got.Encoder.Bits != c.bits || got.Model.Anchors != c.anchors {
			t.Errorf("%s: %d steps, %d bits, %d anchors", c.keys, got.Model.Steps, got.Encoder.Bits, got.Model.Anchors)
		}
	}
}

// TestRecurrentErrors checks the place, the reason and the hint of errors about recurrent networks.
func TestRecurrentErrors(t *testing.T) {
	for _, c := range []struct{ keys, want, hint string }{
		{
			"data: {set: cifar10}\nmodel: {topology: recurrent, widths: 8}",
			"m.yaml:2:1: model.steps: missing, and this data set does not give the number of steps",
			"give the number of steps; each step reads an equal share of the features",
		},
		{
			"data: {set: mnist, length: 8}", "m.yaml:1:28: data.length: has no meaning for the data set mnist",
			"omit it, or use data.set: parity or copy",
		},
		{
			"data: {set: parity, length: 2}", "m.yaml:1:29: data.length: 2 is outside 4 to 256",
			"use a number within that range",
		},
		{
			"data: {set: mnist}\nmodel: {steps: 28}", "m.yaml:2:16: model.steps: 28, but topology ialgn does not have this key",
			"omit it, or use topology: recurrent",
		},
		{
			"data: {set: parity}\nmodel: {topology: recurrent}",
			"m.yaml:2:1: model.widths: missing, but topology recurrent needs it",
			"give the nodes of each layer, for example 100,100",
		},
		{
			"data: {set: parity}\nmodel: {topology: recurrent, widths: 8, inputs: 1}",
			"m.yaml:2:49: model.inputs: 1 pin per node, but a node reads state and input", "use 2 or more",
		},
		{
			"data: {set: parity}\nmodel: {topology: recurrent, widths: 8, wiring: structured}",
			"m.yaml:2:49: model.wiring: structured is not possible for pin A, which reads its own column",
			"use random or balanced",
		},
		{
			"data: {set: parity}\nmodel: {topology: recurrent, widths: 8, hidden: 2}",
			"m.yaml:2:49: model.hidden: 2, but in a single layer no pin reads other nodes", "use 1, or more layers",
		},
		{
			"data: {set: parity}\nmodel: {topology: recurrent, widths: 8}\ntrain: {gradients: int8}",
			"m.yaml:3:20: train.gradients: int8 is not possible for topology recurrent, whose nodes are shared by the steps of a sequence",
			"use float32, or another model.topology",
		},
	} {
		_, err := config.Parse("m.yaml", []byte(c.keys), nil)
		if err == nil || err.Error() != c.want || message.Hint(err) != c.hint {
			t.Errorf("%s: error %v, hint %q, want %s, %q", c.keys, err, message.Hint(err), c.want, c.hint)
		}
	}
}

// TestRecurrentInputs checks that the features must be divided evenly among the steps. It is not enough that the
// input bits can be divided.
func TestRecurrentInputs(t *testing.T) {
	c, err := config.Parse("m.yaml", []byte("data: {set: parity}\nmodel: {topology: recurrent, widths: 8}"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.FitClasses(2).CheckClasses(2, 16); err != nil {
		t.Error(err)
	}
	c.Encoder.Bits = 4 // now the input bits can be divided, but not the features
	want := "m.yaml:2:1: model.steps: the 24 features of a sample cannot be split into 16 steps"
	if err := c.FitClasses(2).CheckClasses(2, 3*24); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}
