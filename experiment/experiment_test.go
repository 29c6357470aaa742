package experiment

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/hint"
	"ialgn/trainer/config"
)

var update = flag.Bool("update", false, "accept the golden files as they are now")

// golden compares a text with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got); if it shall be so: go test ./experiment -update\n%s", path, diff)
	}
}

// TestGrids holds every run of every experiment, with each key of its configuration, to
// the golden lists.
func TestGrids(t *testing.T) {
	for _, scale := range []Scale{Paper, Quick} {
		var text strings.Builder
		for _, e := range All() {
			for i := range e.Entries {
				n := &e.Entries[i]
				fmt.Fprintf(&text, "%s: %s, the paper has %s over %d seeds\n", e.Name, n.Network, points(&n.Paper), e.PaperSeeds)
				text.WriteString(keys(t, mustConfig(t, &e, n, scale)))
			}
		}
		golden(t, string(scale)+".golden", text.String())
	}
}

// keys returns all keys of a configuration but those that are not stored in a model file.
func keys(t *testing.T, cfg config.Config) string {
	t.Helper()
	b, err := json.Marshal(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return "  " + string(b) + "\n"
}

func mustConfig(t *testing.T, e *Experiment, n *Entry, scale Scale) config.Config {
	t.Helper()
	cfg, err := e.Config(n, scale)
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// TestSound checks what tables rely on: the accuracy of a model is that of its last
// epoch, files of one name are of one configuration, and the caption can name what the
// scale quick replaces.
func TestSound(t *testing.T) {
	named := map[string]config.Config{}
	for _, e := range All() {
		if e.Summary == "" || e.PaperSeeds < 1 || len(e.Entries) == 0 || len(e.Quick) == 0 {
			t.Errorf("experiment %s is not whole: %+v", e.Name, e)
		}
		for i := range e.Entries {
			n := &e.Entries[i]
			for _, scale := range []Scale{Paper, Quick} {
				cfg := mustConfig(t, &e, n, scale)
				if cfg.Train.Validation.Share != 0 {
					t.Errorf("%s: with a validation set the model is not that of the last epoch", cfg.Name)
				}
				if other, ok := named[cfg.Name]; ok && !cfg.Equal(other) {
					t.Errorf("%s: two runs with this name differ in %v", cfg.Name, cfg.Diff(other))
				}
				named[cfg.Name] = cfg
			}
			if p := n.Paper; p.Mean <= 0 || p.Mean >= 1 || p.Std == nil {
				t.Errorf("%s, %s: the paper's value %v is no share", e.Name, n.Network, p)
			}
		}
		for _, less := range e.reductions() {
			if strings.Contains(less, "default") {
				t.Errorf("experiment %s: %s: name the key in the grid", e.Name, less)
			}
		}
	}
}

func TestReductions(t *testing.T) {
	e := Experiment{
		Entries: []Entry{{Keys: []string{"a=1", "b=2", "a=3"}}, {Keys: []string{"a=3", "b=4"}}, {Keys: []string{"b=4"}}},
		Quick:   []string{"b=1", "a=0"},
	}
	want := []string{"a 0 instead of 3", "a 0 instead of its default", "b 1 instead of 2", "b 1 instead of 4"}
	if diff := cmp.Diff(want, e.reductions()); diff != "" {
		t.Errorf("reductions (-want +got):\n%s", diff)
	}
}

func TestFind(t *testing.T) {
	for _, e := range All() {
		if got, err := Find(e.Name); err != nil || got.Name != e.Name {
			t.Errorf("%s: %v, error %v", e.Name, got.Name, err)
		}
		if !strings.Contains(List(), fmt.Sprintf("  %-14s %s", e.Name, e.Summary)) {
			t.Errorf("%s is not on the list:\n%s", e.Name, List())
		}
	}
	_, err := Find("baseline")
	if err == nil || err.Error() != `there is no experiment "baseline"` || !strings.HasSuffix(hint.Of(err), List()) {
		t.Errorf("error %v, hint %q", err, hint.Of(err))
	}
}

func TestParseScale(t *testing.T) {
	for _, s := range []Scale{Quick, Paper} {
		if got, err := ParseScale(string(s)); got != s || err != nil {
			t.Errorf("%s: %s, error %v", s, got, err)
		}
	}
	for _, name := range []string{"", "Quick", "full"} {
		if s, err := ParseScale(name); err == nil {
			t.Errorf("%q is %s", name, s)
		}
	}
}

// TestConfigRefuses has grids that are wrong, which say where.
func TestConfigRefuses(t *testing.T) {
	e := Experiment{Name: "odd", Quick: []string{"train.epochs=0"}}
	for scale, n := range map[Scale]Entry{
		Paper: {Network: "RWLGN", Keys: []string{"data.set=mnist", "model.widht=10"}},
		Quick: {Network: "RWLGN", Keys: slices.Concat(mnist, size8kx6)},
	} {
		if _, err := e.Config(&n, scale); err == nil || !strings.HasPrefix(err.Error(), "experiment odd, RWLGN: ") {
			t.Errorf("%s: error %v", scale, err)
		}
	}
}
