package config_test

import (
	"testing"

	"ialgn/internal/hint"
	"ialgn/trainer/config"
)

// TestPrune has the time of a removal by default, and what is refused with place and remedy.
func TestPrune(t *testing.T) {
	for keys, want := range map[string]float64{
		"":                                       0,
		"train: {prune: {bits: 0.1}}":            0.75,
		"train: {prune: {nodes: 0.1}}":           0.75,
		"train: {prune: {bits: 0}}":              0,
		"train: {prune: {bits: 0.1, at: 0.5}}":   0.5,
		"train: {prune: {bits: -0.0}}":           0,
		"train: {refill: true}":                  0,
		"train: {prune: {nodes: 0.9, at: 0.25}}": 0.25,
	} {
		c, err := config.Parse("m.yaml", []byte("data: {set: mnist}\n"+keys), nil)
		if err != nil || c.Train.Prune.At != want {
			t.Errorf("%s: at %v, want %v, error %v", keys, c.Train.Prune.At, want, err)
		}
	}
	for _, c := range []struct{ train, want, hint string }{
		{"prune: {bits: 0.91}", "m.yaml:2:23: train.prune.bits: 0.91 is outside 0 to 0.9", "use a number within that range"},
		{"prune: {nodes: -0.1}", "m.yaml:2:24: train.prune.nodes: -0.1 is outside 0 to 0.9", "use a number within that range"},
		{
			"prune: {at: 0.5}", "m.yaml:2:21: train.prune.at: there is nothing to remove at that time",
			"leave it out, or give bits or nodes",
		},
		{
			"prune: {bits: 0.1, at: 0}", "m.yaml:2:32: train.prune.at: 0 is outside 0.001 to 1",
			"use a number within that range",
		},
		{
			"prune: {nodes: 0.1}, epochs: 1",
			"m.yaml:2:24: train.prune.nodes: what is left after the removal is trained on for an epoch at least, and " +
				"train.epochs = 1 leaves none",
			"leave it out, or use train.epochs: 2 or more",
		},
		{"refill: 1", `m.yaml:2:17: train.refill: "1" is not true or false`, ""},
	} {
		text := "data: {set: mnist}\ntrain: {" + c.train + "}"
		_, err := config.Parse("m.yaml", []byte(text), nil)
		if err == nil || err.Error() != c.want || hint.Of(err) != c.hint {
			t.Errorf("%s: error %v, hint %q, want %s, %q", text, err, hint.Of(err), c.want, c.hint)
		}
	}
	text := "data: {set: mnist}\nmodel: {depth: 1}\ntrain: {prune: {nodes: 0.1}}"
	_, err := config.Parse("m.yaml", []byte(text), nil)
	const want = "m.yaml:3:24: train.prune.nodes: all nodes of a single layer are counted bits"
	if err == nil || err.Error() != want || hint.Of(err) != "use train.prune.bits" {
		t.Errorf("%s: error %v, hint %q, want %s", text, err, hint.Of(err), want)
	}
}

// TestPruneEpoch has the number of epochs before a removal: the share, rounded, between the first epoch and the last.
func TestPruneEpoch(t *testing.T) {
	for _, c := range []struct {
		prune        config.Prune
		epochs, want int
	}{
		{config.Prune{At: 0.5}, 10, 0},
		{config.Prune{Bits: 0.1, At: 0.5}, 10, 5},
		{config.Prune{Nodes: 0.1, At: 0.75}, 6, 5},
		{config.Prune{Bits: 0.1, At: 0.75}, 5, 4},
		{config.Prune{Bits: 0.1, At: 0.74}, 5, 4},
		{config.Prune{Bits: 0.1, At: 0.69}, 5, 3},
		{config.Prune{Bits: 0.1, At: 1}, 10, 9},
		{config.Prune{Bits: 0.1, At: 0.001}, 10, 1},
		{config.Prune{Bits: 0.1, At: 0.001}, 2, 1},
	} {
		if got := c.prune.Epoch(c.epochs); got != c.want {
			t.Errorf("%+v of %d epochs: after %d, want %d", c.prune, c.epochs, got, c.want)
		}
	}
}
