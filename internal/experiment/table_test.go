package experiment

import (
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/dataset"
	"ialgn/internal/experiment/grid"
	"ialgn/internal/message"
	"ialgn/trainer"
)

func mean(x float64) trainer.Spread        { return trainer.Spread{Mean: x} }
func spread(x, std float64) trainer.Spread { return trainer.Spread{Mean: x, Std: &std} }

// TestTable renders made-up summaries of runs. The table has means above and below the paper's, a row with a single
// seed, and a row without data.
func TestTable(t *testing.T) {
	summaries := map[string]*trainer.SeedsSummary{
		"digits-60x4-rwlgn": {
			TestAccuracy: spread(0.97249, 0.00123), BestAccuracy: spread(0.9731, 0.0011),
			Runs: make([]trainer.SeedSummary, 3),
		},
		"digits-60x4-ldlgn": {TestAccuracy: spread(0.97544, 0), BestAccuracy: spread(0.97544, 0)},
		"digits-60x4-ialgn": {TestAccuracy: mean(0.99), BestAccuracy: mean(1)},
	}
	e := digits
	e.Entries = []Entry{
		{Network: "RWLGN", Keys: digits.Entries[0].Keys, Paper: published(0.9729, 0.0006)},
		{Network: "LDLGN", Keys: digits.Entries[0].Keys, Paper: published(0.97545, 0.0003)},
		{Network: "IALGN", Keys: digits.Entries[1].Keys, Paper: published(0.9822, 0.0002)},
		{
			Network: "IALGN", Keys: append(slices.Clone(digits.Entries[1].Keys), "data.set=mnist"),
			Paper: published(0.9822, 0.0002),
		},
	}
	e.Columns = []Column{
		{"share_a", "A, %", 100, func(r *grid.Result) float64 { return r.Operations[3] }},
		{"depth", "depth", 1, func(r *grid.Result) float64 { return float64(len(r.Epochs)) }},
	}
	e.Series = byEpoch
	e.Entries[1].Said = map[string]string{"share_a": "under 0.2"}
	p, err := Runner{Experiment: e, Scale: Paper, Seeds: 3, Options: grid.Options{Dir: t.TempDir()}}.plan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	results := []*grid.Result{
		{Commit: "c0ffee", Epochs: []grid.EpochResult{{Test: 0.5}, {Test: 0.75}}},
		{Commit: "ab5e+", Epochs: []grid.EpochResult{{Test: 0.25}, {Test: 0.25}, {Test: 1}}},
	}
	results[0].Operations[3], results[1].Operations[3] = 0.25, 0.75
	table := p.table
	for i := range p.entries[:3] {
		table.Rows[i].fill(summaries[table.Rows[i].Name], e.values(p.entries[i].entry, results[:1+i%2]), results[:1+i%2])
	}
	if err := table.write(); err != nil {
		t.Fatal(err)
	}
	var differences []float64
	for _, row := range table.Rows[:3] {
		differences = append(differences, *row.Difference)
	}
	near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-9 })
	if diff := cmp.Diff([]float64{-0.041, -0.001, 0.78}, differences, near); diff != "" {
		t.Errorf("differences (-want +got):\n%s", diff)
	}
	if len(table.Rows[0].Runs) != 3 || table.Rows[3].Test != nil || table.Rows[3].Difference != nil {
		t.Errorf("rows %+v", table.Rows)
	}
	for i, form := range []string{"table.md", "table.csv", "table-epochs.csv"} {
		golden(t, form, read(t, table.Files[i]))
	}
}

// TestCaption checks that the caption says where a table departs from the paper's protocol.
func TestCaption(t *testing.T) {
	for _, test := range []struct {
		scale Scale
		seeds int
		want  []string
	}{
		{Paper, 5, []string{"(n - 1) over 5 seeds.", "The paper's protocol.", "--scale paper --seeds 5`."}},
		{Paper, 1, []string{"over one seed.", "The paper's protocol, but for: one seed instead of 5."}},
		{Quick, 3, []string{
			"but for: train.epochs 2 instead of 4; 3 seeds instead of 5.",
			"Made by `ialgn experiment tiny --scale quick --seeds 3`.",
		}},
		{Quick, 5, []string{"but for: train.epochs 2 instead of 4."}},
	} {
		text := strings.Join(Runner{Experiment: digits, Scale: test.scale, Seeds: test.seeds}.caption(digits.At(test.scale),
			true), "\n")
		for _, want := range test.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s, %d seeds: no %q in\n%s", test.scale, test.seeds, want, text)
			}
		}
	}
}

// TestEntitled checks the title of a table. The title must name the rows and the data sets if they differ from the
// paper's. It must name only changes that affect the rows in the table.
func TestEntitled(t *testing.T) {
	const all = "RWLGN, LDLGN and IALGN by depth on three data sets (table 1, figure 1 c)"
	fashion := []string{"data.set=fashion-mnist"}
	for _, test := range []struct {
		name     string
		scale    Scale
		only     []string
		set      []string
		title    string
		has, not []string
	}{
		{"the paper's", Paper, nil, nil, all, []string{"The paper's values"}, nil},
		{
			"some rows", Paper,
			[]string{"mnist-8000x6-*"},
			nil, all + "; here RWLGN, LDLGN, IALGN on mnist, 8000 x 6",
			[]string{"The paper's values"},
			nil,
		},
		{
			"one row on other data", Paper,
			[]string{"fashion-mnist-8000x6-ialgn"},
			fashion, all + "; here IALGN on fashion-mnist, 8000 x 6",
			[]string{"data.set fashion-mnist instead of mnist"},
			[]string{"cifar", "The paper's values"},
		},
		{
			"quick on other data", Quick,
			[]string{"*x4-rwlgn"},
			append(fashion, "model.tau=10", "encoder.bits=4"), all + "; here RWLGN on fashion-mnist, 2000 x 4",
			[]string{"fashion-mnist with one width instead of three data sets"},
			[]string{"CIFAR-10", "The paper's values"},
		},
		{
			"quick", Quick, nil, nil, all + "; here RWLGN, LDLGN, IALGN, RWLGN-independent, LDLGN-independent on cifar10, 2000 x 4, 2000 x 20, 2000 x 50",
			[]string{"CIFAR-10 with one width instead of"},
			nil,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := Runner{Experiment: depthScaling, Scale: test.scale, Seeds: 1, Only: test.only}
			r.Dir = t.TempDir()
			r.Experiment.Set = test.set
			p, err := r.planned(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if p.table.Title != test.title {
				t.Errorf("title %q, want %q", p.table.Title, test.title)
			}
			text := strings.Join(p.table.Caption, "\n")
			for _, want := range test.has {
				if !strings.Contains(text, want) {
					t.Errorf("no %q in\n%s", want, text)
				}
			}
			for _, word := range test.not {
				if strings.Contains(strings.ReplaceAll(text, "--only", ""), word) {
					t.Errorf("%q in\n%s", word, text)
				}
			}
		})
	}
}

// TestCaptionOfFewerSeeds tests the caption of the only grid that the paper trains with fewer seeds than its table 1,
// although the paper's value in this grid comes from table 1.
func TestCaptionOfFewerSeeds(t *testing.T) {
	text := strings.Join(Runner{Experiment: binarisation, Scale: Paper, Seeds: 3}.caption(binarisation.Entries, true),
		"\n")
	for _, want := range []string{"where it has a number, are over 5 seeds;", "\nThe paper's protocol.\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// TestNotRun checks that rows without a result are grouped by the reason, in the order of the table.
func TestNotRun(t *testing.T) {
	table := &Table{Rows: []Row{
		{Name: "a", NotRun: "no x", Get: "fetch x"},
		{Name: "b"},
		{Name: "c", NotRun: notYet},
		{Name: "d", NotRun: "no x", Get: "fetch x"},
	}}
	want := []string{"Not run: a, d: no x: fetch x.", "Not run: c: its turn has not come yet."}
	if diff := cmp.Diff(want, table.notRun()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestNothing runs an experiment whose entries all lack data. Both the table and the error must say that the data are
// missing.
func TestNothing(t *testing.T) {
	r := Runner{
		Experiment: baselines, Scale: Quick, Seeds: 3,
		Options: grid.Options{Dir: filepath.Join(t.TempDir(), "new"), Folders: []string{t.TempDir()}},
	}
	table, err := r.Run(t.Context())
	var missing *dataset.MissingError
	if !errors.As(err, &missing) || missing.Set != "mnist" || table == nil {
		t.Fatalf("table %v, error %v", table, err)
	}
	for _, row := range table.Rows {
		if row.NotRun != missing.Error() || row.Get != missing.HintIn(message.Flags) || row.Test != nil {
			t.Errorf("row %+v", row)
		}
	}
	if text := read(t, table.Files[0]); strings.Count(text, "| not run ") != 2*len(baselines.Entries) ||
		strings.Count(text, missing.HintIn(message.Flags)) != 1 {
		t.Errorf("table:\n%s", text)
	}
}
