package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/diagnose/census"
	"ialgn/trainer/config"
)

// TestAverage: the maximum of several seeds is the mean of their maxima, not the greatest
// ("Aggregation across seeds" of the paper's supplement), and so with each statistic.
func TestAverage(t *testing.T) {
	one := func(x float64) analysis {
		a := analysis{
			Width: 2, Depth: 1, Gates: 2, EffectiveDepth: []layerDepth{{x, x + 1, x + 2, 3 * x}},
			Categories: census.Categories{Constants: x, PassThrough: 2 * x, Negation: 3 * x, Binary: 4 * x},
		}
		a.Operations[3] = x
		return a
	}
	want := one(2)
	want.Model, want.EffectiveDepth[0].Max = "mean of 2 models", 6
	if diff := cmp.Diff(want, average([]analysis{one(1), one(3)})); diff != "" {
		t.Errorf("mean (-want +got):\n%s", diff)
	}
}

// TestPlace: seeds of one network come together wherever its models and data lie.
func TestPlace(t *testing.T) {
	cfg := func(set func(*config.Config)) config.Config {
		var c config.Config
		c.Model.Topology, c.Model.Depth = "ialgn", 4
		set(&c)
		return c
	}
	networks, err := place(nil, "a", cfg(func(*config.Config) {}))
	if err != nil {
		t.Fatal(err)
	}
	if networks, err = place(networks, "b", cfg(func(c *config.Config) { c.Name, c.Data.Dir, c.Train.Seed = "b", "there", 9 })); err != nil || len(networks) != 1 {
		t.Errorf("a seed: %d networks, error %v", len(networks), err)
	}
	if _, err := place(networks, "b2", cfg(func(c *config.Config) { c.Train.Seed = 9 })); err == nil || !strings.Contains(err.Error(), "b2 has the seed 9, as b has") {
		t.Errorf("a seed twice: error %v", err)
	}
	if networks, err = place(networks, "c", cfg(func(c *config.Config) { c.Model.Topology, c.Model.Depth = "rwlgn", 9 })); err != nil || len(networks) != 2 {
		t.Errorf("another topology: %d networks, error %v", len(networks), err)
	}
	if _, err := place(networks, "d", cfg(func(c *config.Config) { c.Train.Epochs = 3 })); err == nil {
		t.Error("another number of epochs was averaged")
	}
}
