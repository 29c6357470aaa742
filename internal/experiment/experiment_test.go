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

	"ialgn/internal/config"
	"ialgn/internal/experiment/grid"
	"ialgn/internal/message"
)

var update = flag.Bool("update", false, "accept the golden files as they are now")

// golden compares a text with a golden file in testdata.
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

// TestGrids compares the runs of every experiment with the golden lists, including all keys of their configurations.
func TestGrids(t *testing.T) {
	for _, scale := range []Scale{Paper, Quick} {
		var text strings.Builder
		for _, e := range listed() { // the entries of tables are in files, which are lists already
			for _, n := range e.At(scale) {
				seeds := e.PaperSeeds
				if n.Paper != nil {
					seeds = publishedSeeds
				}
				fmt.Fprintf(&text, "%s: %s, the paper has %s over %d seeds\n", e.Name, n.Network, grid.Points(n.Paper, "no number"),
					seeds)
				text.WriteString(keys(t, mustConfig(t, &e, &n, scale)))
			}
		}
		golden(t, string(scale)+".golden", text.String())
	}
}

// keys returns all keys of a configuration that are stored in a model file.
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

// TestSound checks the conditions that tables depend on. The accuracy of a model must be its accuracy after the last
// epoch, unless the caption names another epoch. Runs with the same name must have the same configuration. It must be
// possible to name the changes of the scale quick in the caption.
func TestSound(t *testing.T) {
	named := map[string]config.Config{}
	enter := func(cfg config.Config) {
		if other, ok := named[cfg.Name]; ok && !cfg.Equal(other) {
			t.Errorf("%s: two runs with this name differ in %v", cfg.Name, cfg.Diff(other))
		}
		named[cfg.Name] = cfg
	}
	for _, e := range All() {
		if e.Summary == "" || e.PaperSeeds < 1 || len(e.Entries) == 0 || len(e.Quick.Keys) == 0 {
			t.Errorf("experiment %s is incomplete: %+v", e.Name, e)
		}
		fallback, err := mnistConfigs(e)
		if err != nil {
			t.Error(err)
		}
		for _, cfg := range fallback {
			enter(cfg)
		}
		for _, scale := range []Scale{Paper, Quick} {
			for _, n := range e.At(scale) {
				cfg := mustConfig(t, &e, &n, scale)
				if cfg.Train.Validation.Share != 0 && e.Kept == "" {
					t.Errorf("%s: with a validation set the model may not come from the last epoch", cfg.Name)
				}
				enter(cfg)
				if p := n.Paper; p != nil && (p.Mean <= 0 || p.Mean >= 1 || p.Std == nil) {
					t.Errorf("%s, %s: the paper's value %v is no share", e.Name, n.Network, p)
				}
			}
		}
		for _, less := range e.changes(Quick, e.At(Quick)) {
			if strings.Contains(less, "default") {
				t.Errorf("experiment %s: %s: name the key in the grid", e.Name, less)
			}
		}
	}
}

// mnistConfigs returns the configurations of an experiment at the scale quick on MNIST. An experiment on several data
// sets has none.
func mnistConfigs(e Experiment) (all []config.Config, err error) {
	other, any := e.onMNIST()
	if e.Sets != nil && !any {
		return nil, nil
	}
	for _, n := range other.At(Quick) {
		cfg, err := other.Config(&n, Quick)
		if err != nil || cfg.Data.Set != "mnist" {
			return nil, fmt.Errorf("%s, %s: on %s: %w", e.Name, n.Network, cfg.Data.Set, err)
		}
		all = append(all, cfg)
	}
	return all, nil
}

// TestShared checks that a network in several grids is listed once, under one name.
func TestShared(t *testing.T) {
	named := map[string][]string{}
	for _, e := range All() {
		for _, n := range e.At(Paper) {
			cfg := mustConfig(t, &e, &n, Paper)
			name := cfg.Name
			cfg.Name = ""
			if key := keys(t, cfg); !slices.Contains(named[key], name) {
				named[key] = append(named[key], name)
			}
		}
	}
	for _, names := range named {
		if len(names) > 1 {
			t.Errorf("one network has the names %v", names)
		}
	}
}

// TestPaper compares some values that were copied from the paper by hand with the values in the rows.
func TestPaper(t *testing.T) {
	want := map[string]string{
		"depth-scaling cifar10-12000x150-ldlgn":  "22.72 +- 1.31",
		"depth-scaling cifar10-128000x12-rwlgn":  "56.12 +- 0.20",
		"depth-scaling cifar100-128000x80-ialgn": "30.60 +- 0.06",
		"depth-scaling mnist-8000x100-ldlgn":     "94.31 +- 0.08",
		"hidden-k cifar10-12000x4-ialgn-h16":     "54.11 +- 0.29",
		"hidden-k cifar10-12000x50-ialgn-h32":    "55.11 +- 0.14",
		"hidden-k cifar10-12000x50-rwlgn":        "50.16 +- 0.33",
		"init-variants cifar10-12000x100-ialgn":  "56.41 +- 0.17",
		"init-variants cifar10-12000x4-rwlgn":    "50.56 +- 0.58",
		"binarisation cifar10-12000x4-ialgn":     "53.59 +- 0.04",
		"fixed-anchor cifar10-12000x10-ialgn":    "54.25 +- 0.06",
		"gate-count cifar10-128000x80-ialgn":     "59.61 +- 0.19",
		"fixed-anchor cifar10-12000x4-rwlgn-b4":  "",

		"depth-scaling cifar10-12000x150-ldlgn-independent": "22.72 +- 1.31",
		"rwlgn-variants mnist-8000x6-ldlgn-skip2":           "97.54 +- 0.03",

		"init-variants cifar10-12000x4-ialgn-soft": "",
	}
	got, runs := map[string]string{}, map[string]int{}
	for _, e := range listed() {
		if e.Load != nil {
			continue
		}
		runs[e.Name] = len(e.Entries) * e.PaperSeeds
		for _, n := range e.Entries {
			if name := e.Name + " " + mustConfig(t, &e, &n, Paper).Name; want[name] != "" || n.Paper == nil {
				got[name] = grid.Points(n.Paper, "")
			}
		}
	}
	for name, value := range want {
		if got[name] != value {
			t.Errorf("%s: %q, want %q", name, got[name], value)
		}
	}
	counts := map[string]int{
		"depth-scaling": 275, "hidden-k": 60, "depth-use": 20, "init-variants": 100, "fixed-anchor": 75, "binarisation": 48,
		"gate-count": 195, "baselines": 25, "rwlgn-variants": 90, "frontier": 75, "levers": 54, "related": 54,
		"convolutions": 25,
	}
	if diff := cmp.Diff(counts, runs); diff != "" {
		t.Errorf("runs (-want +got):\n%s", diff)
	}
}

// TestSet checks the names of runs with replaced keys. A name must contain exactly the keys that differ from the
// grid.
func TestSet(t *testing.T) {
	for _, test := range []struct {
		experiment string
		entry      int
		scale      Scale
		set        []string
		want       string
	}{
		{"binarisation", 11, Paper, nil, "cifar10-12000x4-ialgn"},
		{"binarisation", 11, Paper, []string{"train.epochs=50"}, "cifar10-12000x4-ialgn-b16-k32-e50"},
		{"binarisation", 0, Paper, []string{"train.epochs=50"}, "cifar10-12000x4-ialgn-b4-k4-e50"},
		{
			"binarisation", 11, Paper,
			[]string{"train.epochs=200", "train.seed=4", "train.checkpoint.minutes=1"},
			"cifar10-12000x4-ialgn",
		},
		{"depth-scaling", 0, Paper, []string{"model.anchors=8"}, "cifar10-12000x4-rwlgn"}, // RWLGN has no anchors
		{
			"depth-scaling", 2, Paper,
			[]string{"model.init_noise=0.5", "model.anchors=4", "model.anchors=8"},
			"cifar10-12000x4-ialgn-k8-model.init_noise-0.5",
		},
		{"depth-scaling", 2, Quick, []string{"train.epochs=3", "model.width=500"}, "cifar10-500x4-ialgn-quick-w500-e3"},
	} {
		e, err := Find(test.experiment)
		if err != nil {
			t.Fatal(err)
		}
		e.Set = test.set
		if got := mustConfig(t, &e, &e.At(test.scale)[test.entry], test.scale).Name; got != test.want {
			t.Errorf("%s %v: %s, want %s", test.experiment, test.set, got, test.want)
		}
	}
	for set, want := range map[string]string{
		"name=other":                 "--set name: not possible in an experiment",
		"train.validation.share=0.1": "--set train.validation.share: not possible in an experiment",
		"data.dir=/else/where":       "--set data.dir=/else/where: cannot be part of the names of files",
		"train.epoch=1":              "experiment depth-scaling, RWLGN: --set ",
		"train.epochs=0":             "experiment depth-scaling, RWLGN: --set train.epochs",
		"model.wiring":               "want KEY=VALUE",
	} {
		e := depthScaling
		e.Set = []string{set}
		if _, err := e.Config(&e.Entries[0], Paper); err == nil || !strings.Contains(message.In(err, message.Flags), want) {
			t.Errorf("%s: error %v, want one with %q", set, err, want)
		}
	}
}

func TestChanges(t *testing.T) {
	e := Experiment{
		Entries: []Entry{
			{Set: []string{"a=1", "b=2"}, Keys: []string{"a=3"}},
			{Keys: []string{"a=3", "b=4"}},
			{Keys: []string{"b=4"}},
		},
		Quick: Reduced{Keys: []string{"b=1", "a=0"}, Left: []string{"c instead of d"}},
	}
	want := []string{
		"a 0 instead of 3", "a 0 instead of its default", "b 1 instead of 2", "b 1 instead of 4",
		"c instead of d",
	}
	if diff := cmp.Diff(want, e.changes(Quick, e.At(Quick))); diff != "" {
		t.Errorf("scale quick (-want +got):\n%s", diff)
	}
	e.Set = []string{"b=7", "d=1", " b =4"}
	want = []string{
		"a 0 instead of 3", "a 0 instead of its default", "b 4 instead of 2", "d 1 instead of its default",
		"c instead of d",
	}
	if diff := cmp.Diff(want, e.changes(Quick, e.At(Quick))); diff != "" {
		t.Errorf("scale quick and set (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"b 4 instead of 2", "d 1 instead of its default"},
		e.changes(Paper, e.At(Paper))); diff != "" {
		t.Errorf("set (-want +got):\n%s", diff)
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
	if err == nil || err.Error() != `there is no experiment "baseline"` ||
		!strings.HasPrefix(message.Hint(err), "did you mean baselines; the experiments are depth-scaling, ") ||
		!strings.HasSuffix(message.Hint(err), ", "+tables.Name) {
		t.Errorf("error %v, hint %q", err, message.Hint(err))
	}
}

// TestUsualSeeds checks that the scale paper has the paper's five seeds in its tables 1 and 2.
func TestUsualSeeds(t *testing.T) {
	for _, e := range []*Experiment{&depthScaling, &baselines, &hiddenK} {
		if got := []int{e.UsualSeeds(Paper), e.UsualSeeds(Quick)}; !slices.Equal(got, []int{5, 3}) {
			t.Errorf("%s: %v seeds at the scales paper and quick, want 5 and 3", e.Name, got)
		}
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

// TestConfigRefuses checks that invalid grids are refused, and that the error names the invalid entry or key.
func TestConfigRefuses(t *testing.T) {
	e := Experiment{Name: "odd", Quick: Reduced{Keys: []string{"train.epochs=0"}}}
	for scale, n := range map[Scale]Entry{
		Paper: {Network: "RWLGN", Keys: []string{"data.set=mnist", "model.widht=10"}},
		Quick: {Network: "RWLGN", Keys: slices.Concat(mnist, size(8_000, 6))},
	} {
		if _, err := e.Config(&n, scale); err == nil || !strings.HasPrefix(err.Error(), "experiment odd, RWLGN: ") {
			t.Errorf("%s: error %v", scale, err)
		}
	}
}
