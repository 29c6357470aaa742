package engine

import (
	"fmt"
	"testing"

	"ialgn/internal/config"
	"ialgn/internal/netgen"
)

// TestChoice checks which engine trains a network.
func TestChoice(t *testing.T) {
	ste := func(*config.Train) {}
	rounded := func(t *config.Train) { t.Gradients = "int8" }
	soft := func(t *config.Train) { t.Estimator = "soft" }
	for _, c := range []struct {
		name    string
		options netgen.ModelOptions
		change  func(t *config.Train)
		want    string
	}{
		{"private chains", netgen.ModelOptions{}, ste, "chainEngine"},
		{"private chains of light gates", netgen.ModelOptions{Light: true}, ste, "chainEngine"},
		{"frozen layers", netgen.ModelOptions{}, func(t *config.Train) { t.Freeze.Kind = "layerwise" }, "layerEngine"},
		{"chains that read others", netgen.ModelOptions{Hidden: 4}, ste, "layerEngine"},
		{"random wires", netgen.ModelOptions{Topology: "rwlgn"}, ste, "layerEngine"},
		{"soft gates", netgen.ModelOptions{}, soft, "relaxedEngine"},
		{"noise", netgen.ModelOptions{}, func(t *config.Train) { t.Estimator = "gumbel" }, "nodeEngine"},
		{"rounded gradients", netgen.ModelOptions{}, rounded, "chainEngine"},
		{"rounded gradients of layers", netgen.ModelOptions{Hidden: 4}, rounded, "nodeEngine"},
		{"rounded gradients and frozen layers", netgen.ModelOptions{}, func(t *config.Train) {
			t.Freeze.Kind = "layerwise"
			rounded(t)
		}, "nodeEngine"},
		{"costs", netgen.ModelOptions{}, func(t *config.Train) { t.Cost = config.Cost{Target: "ice40", Pressure: 1} }, "nodeEngine"},
		{"six pins", netgen.ModelOptions{Inputs: 6}, ste, "nodeEngine"},
		{"several widths", netgen.ModelOptions{Topology: "layered", Widths: "40,30"}, ste, "nodeEngine"},
		{"soft nodes", netgen.ModelOptions{Inputs: 6}, soft, "relaxedNodes"},
		{"positions", netgen.ConvForms()[0].Options, ste, "sharedEngine"},
	} {
		m := netgen.Model(c.options)
		c.change(&m.Config.Train)
		e, err := New(m, 100, 1)
		if got := fmt.Sprintf("%T", e); err != nil || got != "*engine."+c.want {
			t.Errorf("%s: got %s, want %s, error %v", c.name, got, c.want, err)
		}
	}
}
