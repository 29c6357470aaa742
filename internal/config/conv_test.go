package config_test

import (
	"testing"

	"ialgn/internal/config"
	"ialgn/internal/message"
)

// TestConv checks the values that follow from the keys of a convolutional network and from the data set.
func TestConv(t *testing.T) {
	c := parse(t, "data: {set: cifar10}\nmodel: {topology: conv, kernels: \"8,16\", widths: \"100,50\"}\n")
	m := &c.Model
	if m.Image != "3,32,32" || m.Patch != "3" || m.Stride != "1" || m.Padding != "1" || m.Levels != "3" || m.Pool != "2" ||
		m.Channels != 2 || m.Leaves != 0 || m.Depth != 8 || m.Width != 50 {
		t.Errorf("%+v", *m)
	}
	if err := c.CheckClasses(10, 3072*15); err != nil {
		t.Error(err)
	}
	c = parse(t, "data: {set: mnist}\nmodel: {topology: conv, kernels: \"8\", channels: 0, leaves: 1, levels: 2}\n")
	if m := &c.Model; m.Image != "1,28,28" || m.Channels != 0 || m.Leaves != 1 || m.Width != 8*14*14 || m.Depth != 2 {
		t.Errorf("%+v", *m)
	}
}

// TestConvErrors checks the place and hint of errors about convolutional networks and their training.
func TestConvErrors(t *testing.T) {
	const network = "model: {topology: conv, kernels: \"8,16\"}"
	for _, c := range []struct{ text, want, hint string }{
		{
			"data: {set: csv, train: a.csv}\n" + network, "m.yaml:2:1: model.image: missing, and this data set does not give " +
				"the shape of its images", "give planes, rows and columns, for example 3,32,32",
		},
		{
			"data: {set: mnist}\nmodel: {topology: conv}",
			"m.yaml:2:1: model.kernels: missing, but topology conv needs it",
			"give the kernels of each convolution, for example 32,128",
		},
		{
			"data: {set: mnist}\nmodel: {topology: conv, kernels: \"8,16\", patch: \"5,3,3\"}",
			"m.yaml:2:49: model.patch: 3 numbers for the 2 convolutions of model.kernels",
			"give one number for all convolutions, or one for each",
		},
		{
			"data: {set: mnist}\nmodel: {kernels: \"8\"}",
			"m.yaml:2:18: model.kernels: \"8\", but topology ialgn does not have this key",
			"omit it, or use topology: conv",
		},
		{
			"data: {set: mnist}\ntrain: {optimizer: {weight_decay: 0.1}}",
			"m.yaml:2:35: train.optimizer.weight_decay: is not possible for topology ialgn with nodes of two inputs",
			"omit it, or use more model.inputs",
		},
		{
			"data: {set: mnist}\n" + network + "\ntrain: {gradients: int8}",
			"m.yaml:3:20: train.gradients: int8 is not possible for topology conv, whose nodes are shared by the positions " +
				"of an image",
			"use float32, or another model.topology",
		},
		{
			"data: {set: parity}\nmodel: {topology: recurrent, widths: \"40,40\"}\ntrain: {candidates: {kind: gradient}}",
			"m.yaml:3:28: train.candidates.kind: gradient is not possible for topology recurrent, whose nodes are shared " +
				"by the steps of a sequence", "use fixed, or another model.topology",
		},
	} {
		_, err := config.Parse("m.yaml", []byte(c.text), nil)
		if err == nil || err.Error() != c.want || message.Hint(err) != c.hint {
			t.Errorf("%s: error %v, hint %q, want %s, %q", c.text, err, message.Hint(err), c.want, c.hint)
		}
	}
}

// TestConvData checks that an image shape is refused if it does not fit the data.
func TestConvData(t *testing.T) {
	c := parse(t, "data: {set: mnist}\nmodel: {topology: conv, kernels: \"8\", image: \"1,27,28\"}\n")
	err := c.CheckClasses(2, 784*3)
	const want = "model.image: images of 1,27,28 have 756 values, and the data set has 784 features"
	if err == nil || err.Error() != "m.yaml:2:46: "+want {
		t.Errorf("%v, want %s", err, want)
	}
}
