package config_test

import (
	"slices"
	"testing"

	"ialgn/internal/config"
	"ialgn/internal/message"
)

// TestFreeze checks the default times at which layers freeze, and the place and hint of errors.
func TestFreeze(t *testing.T) {
	for keys, want := range map[string]config.Freeze{
		"":                  {Kind: "none"},
		"{kind: none}":      {Kind: "none"},
		"{kind: layerwise}": {Kind: "layerwise", From: 0.5, Until: 0.9},
		"{kind: layerwise, from: 0.25, until: 1}": {Kind: "layerwise", From: 0.25, Until: 1},
	} {
		c, err := config.Parse("m.yaml", []byte("data: {set: mnist}\ntrain: {epochs: 9, freeze: "+keys+"}"), nil)
		if keys == "" {
			c, err = config.Parse("m.yaml", []byte("data: {set: mnist}"), nil)
		}
		if err != nil || c.Train.Freeze != want {
			t.Errorf("%s: %+v, want %+v, error %v", keys, c.Train.Freeze, want, err)
		}
	}
	for _, c := range []struct{ train, want, hint string }{
		{"freeze: {kind: layer}", `m.yaml:2:24: train.freeze.kind: "layer" is unknown`, "use none or layerwise"},
		{
			"freeze: {from: 0.5}", "m.yaml:2:24: train.freeze.from: has no meaning for the freeze none",
			"omit it, or use train.freeze.kind: layerwise",
		},
		{
			"freeze: {kind: layerwise, from: 0}", "m.yaml:2:41: train.freeze.from: 0 is outside 0.001 to 1",
			"use a number within that range",
		},
		{
			"freeze: {kind: layerwise, until: 0.4}",
			"m.yaml:2:42: train.freeze.until: 0.4 is smaller than train.freeze.from = 0.5", "use at least 0.5",
		},
		{
			"epochs: 10, candidates: {kind: random}, freeze: {kind: layerwise, from: 0.4}",
			"m.yaml:2:81: train.freeze.from: the first layer is frozen after epoch 4 of 10, and candidates are replaced until " +
				"0.6 of them",
			"use train.candidates.until: 0.4 or less, or train.candidates.kind: fixed",
		},
	} {
		text := "data: {set: mnist}\ntrain: {" + c.train + "}"
		_, err := config.Parse("m.yaml", []byte(text), nil)
		if err == nil || err.Error() != c.want || message.Hint(err) != c.hint {
			t.Errorf("%s: error %v, hint %q, want %s, %q", text, err, message.Hint(err), c.want, c.hint)
		}
	}
	text := "data: {set: mnist}\nencoder: {thresholds: learned}\ntrain: {freeze: {kind: layerwise}}"
	_, err := config.Parse("m.yaml", []byte(text), nil)
	const want = "m.yaml:3:24: train.freeze.kind: learning thresholds needs the gradients of all layers, but frozen " +
		"layers have none"
	if err == nil || err.Error() != want || message.Hint(err) != "use none, or encoder.thresholds: uniform or quantile" {
		t.Errorf("%s: error %v, hint %q, want %s", text, err, message.Hint(err), want)
	}
}

// TestFreezeLayers checks the number of frozen layers in each epoch.
func TestFreezeLayers(t *testing.T) {
	for _, c := range []struct {
		freeze config.Freeze
		depth  int
		want   []int // number of frozen layers in each epoch
	}{
		{config.Freeze{Kind: "none"}, 3, []int{0, 0, 0, 0}},
		{config.Freeze{Kind: "layerwise", From: 0.25, Until: 0.75}, 3, []int{0, 1, 2, 3}},
		{config.Freeze{Kind: "layerwise", From: 0.25, Until: 1}, 4, []int{0, 1, 2, 3}},
		{config.Freeze{Kind: "layerwise", From: 0.3, Until: 0.9}, 6, []int{0, 0, 0, 1, 2, 3, 3, 4, 5, 6}},
		{config.Freeze{Kind: "layerwise", From: 0.001, Until: 0.001}, 2, []int{0, 2, 2}},
		{config.Freeze{Kind: "layerwise", From: 0.5, Until: 0.9}, 1, []int{0, 1}},
		{config.Freeze{Kind: "layerwise", From: 0.5, Until: 0.9}, 2, []int{0, 0, 0, 0, 0, 1, 1, 1, 1, 2}},
		{config.Freeze{Kind: "layerwise", From: 0.5, Until: 0.9}, 6, []int{0}},
	} {
		var got []int
		for epoch := range c.want {
			got = append(got, c.freeze.Layers(epoch, len(c.want), c.depth))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%+v with %d layers: %v, want %v", c.freeze, c.depth, got, c.want)
		}
	}
}
