package diagnose

import (
	"strings"
	"testing"

	"ialgn/internal/config"
)

// TestPlace checks that seeds of one network are grouped together. It must not matter where their models and data are
// stored.
func TestPlace(t *testing.T) {
	cfg := func(set func(*config.Config)) config.Config {
		var c config.Config
		c.Model.Topology, c.Model.Depth = "ialgn", 4
		set(&c)
		return c
	}
	groups, err := Place(nil, "a", cfg(func(*config.Config) {}))
	if err != nil {
		t.Fatal(err)
	}
	if groups, err = Place(groups, "b", cfg(func(c *config.Config) {
		c.Name, c.Data.Dir, c.Train.Seed = "b", "there",
			9
	})); err != nil || len(groups) != 1 {
		t.Errorf("a seed: %d groups, error %v", len(groups), err)
	}
	if _, err := Place(groups, "b2", cfg(func(c *config.Config) { c.Train.Seed = 9 })); err == nil ||
		!strings.Contains(err.Error(), "b2 has seed 9, as b has") {
		t.Errorf("a seed twice: error %v", err)
	}
	if groups, err = Place(groups, "c", cfg(func(c *config.Config) {
		c.Model.Topology, c.Model.Depth = "rwlgn",
			9
	})); err != nil || len(groups) != 2 {
		t.Errorf("another topology: %d groups, error %v", len(groups), err)
	}
	if _, err := Place(groups, "d", cfg(func(c *config.Config) { c.Train.Epochs = 3 })); err == nil {
		t.Error("another number of epochs was averaged")
	}
}
