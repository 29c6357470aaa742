package config_test

import (
	"encoding/json"
	"strings"
	"testing"

	"ialgn/internal/config"
	"ialgn/internal/message"
	"ialgn/internal/topology"
)

// TestNodeDefaults checks the defaults for nodes that do not have two pins. It also checks that given values are
// kept.
func TestNodeDefaults(t *testing.T) {
	const data = "data: {set: mnist}\n"
	c := parse(t, data+"model: {inputs: 6}")
	if m := c.Model; m.Parametrization != topology.Light || m.SkipLogit != 2 || m.InitNoise != 1 {
		t.Errorf("six pins: %+v", m)
	}
	c = parse(t, data+"model: {inputs: 4, skip_logit: 5, init_noise: 0}")
	if m := c.Model; m.SkipLogit != 5 || m.InitNoise != 0 {
		t.Errorf("given: %+v", m)
	}
	c = parse(t, data+"model: {topology: layered, widths: \"200, 100\", inputs: 4}")
	if m := c.Model; m.Width != 100 || m.Depth != 2 || c.FitWidth(7).Model.Width != 100 {
		t.Errorf("widths: %+v", m)
	}
	c = parse(t, data+"train: {candidates: {kind: gradient}, estimator: gumbel}")
	want := config.Candidates{Kind: "gradient", Every: 1, Replace: 4, Until: 0.6, Batches: 8, Gap: 0.5}
	if c.Train.Candidates != want || c.Train.Temperature != 1 {
		t.Errorf("candidates %+v, temperature %v", c.Train.Candidates, c.Train.Temperature)
	}
	c = parse(t, data+"train: {candidates: {kind: random}}")
	if want.Kind, want.Batches = "random", 0; c.Train.Candidates != want {
		t.Errorf("candidates %+v, want %+v", c.Train.Candidates, want)
	}
}

// TestLaterKeys checks that a network without the later keys has the same JSON as before these keys existed. Such
// JSON must be read with the defaults of these keys.
func TestLaterKeys(t *testing.T) {
	b, err := json.Marshal(parse(t, "data: {set: mnist}"))
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"inputs", "leaves", "widths", "candidates", "gradients", "temperature"} {
		if strings.Contains(string(b), `"`+key+`"`) {
			t.Errorf("the key %s is in %s", key, b)
		}
	}
	var c config.Config
	if err := json.Unmarshal(b, &c); err != nil {
		t.Fatal(err)
	}
	if c.Model.Inputs != 2 || c.Train.Gradients != "float32" || c.Train.Candidates.Kind != "fixed" {
		t.Errorf("read as %+v", c)
	}
	if err := json.Unmarshal([]byte(`{"model":{"inptus":3}}`), &c); err == nil || !strings.Contains(err.Error(),
		"inptus") {
		t.Errorf("an unknown key: error %v", err)
	}
}

// TestLearned checks which kinds of thresholds are learned.
func TestLearned(t *testing.T) {
	for _, kind := range []string{"uniform", "quantile", "learned"} {
		c := parse(t, "data: {set: mnist}\nencoder: {thresholds: "+kind+"}")
		if got := c.Encoder.Learned(); got != (kind == "learned") {
			t.Errorf("%s: learned is %v", kind, got)
		}
	}
}

// TestNodeErrors checks the place and hint of errors about nodes.
func TestNodeErrors(t *testing.T) {
	for _, c := range []struct{ keys, want, hint string }{
		{
			"model: {inputs: 7}", "m.yaml:2:17: model.inputs: 7 is outside 1 to 6", "the default is 2",
		},
		{
			"model: {topology: rwlgn, inputs: 3}",
			"m.yaml:2:34: model.inputs: 3 pins per node, but nodes of topology rwlgn have two",
			"use 2, or topology: ialgn, tree, layered, conv or recurrent",
		},
		{
			"model: {inputs: 3, parametrization: softmax16}",
			"m.yaml:2:37: model.parametrization: softmax16 is for nodes with two pins, but these nodes have 3",
			"use light, or model.inputs: 2",
		},
		{
			"model: {topology: tree}", "m.yaml:2:1: model.leaves: 0 leaves of a node with 2 pins",
			"give 1 to 2, the number of pins that read a node of the level below",
		},
		{
			"model: {topology: layered, widths: 3;4}", `m.yaml:2:36: model.widths: "3;4" is not a width, want a whole number from 1 to 16777216`,
			"give the nodes of each layer, for example 2000,1000",
		},
		{
			"train: {temperature: 2}", "m.yaml:2:22: train.temperature: has no meaning for the estimator ste",
			"omit it, or use train.estimator: gumbel",
		},
		{
			"train: {candidates: {every: 2}}", "m.yaml:2:29: train.candidates.every: has no meaning for the candidates fixed",
			"omit it, or use train.candidates.kind: random or gradient",
		},
		{
			"train: {candidates: {kind: random, batches: 4}}",
			"m.yaml:2:45: train.candidates.batches: has no meaning for the candidates random",
			"omit it, or use train.candidates.kind: gradient",
		},
		{
			"train: {candidates: {kind: gradient, until: 0}}", "m.yaml:2:45: train.candidates.until: 0 is outside 0.001 to 1",
			"use a number within that range",
		},
	} {
		_, err := config.Parse("m.yaml", []byte("data: {set: mnist}\n"+c.keys), nil)
		if err == nil || err.Error() != c.want || message.Hint(err) != c.hint {
			t.Errorf("%s: error %v, hint %q, want %s, %q", c.keys, err, message.Hint(err), c.want, c.hint)
		}
	}
}
