package experiment

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/diagnose"
	"ialgn/internal/experiment/grid"
	"ialgn/internal/model"
)

// TestResults compares the result files next to the models with results from the packages trainer and netlist. It
// also checks that the result of another model is replaced.
func TestResults(t *testing.T) {
	r := Runner{Experiment: digits, Scale: Quick, Seeds: 2, Options: grid.Options{Dir: t.TempDir()}}
	r.Experiment.Columns, r.Experiment.Series = depthUse.Columns, depthUse.Series
	table, err := r.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	row := table.Rows[1]
	var binary, deepest float64
	for _, run := range row.Runs {
		var got grid.Result
		if err := json.Unmarshal([]byte(read(t, grid.ResultPath(run.Model))), &got); err != nil {
			t.Fatal(err)
		}
		f, err := model.ReadFrozen(run.Model)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(diagnose.EffectiveDepth(f), got.EffectiveDepth); diff != "" || got.Gates != 240 ||
			got.SHA256 != run.SHA256 {
			t.Errorf("%s: %+v (-want +got):\n%s", run.Model, got, diff)
		}
		if last := got.Epochs[len(got.Epochs)-1]; len(got.Epochs) != 2 || last.Test != run.TestAccuracy ||
			last.Loss != run.Loss || last.Relaxed != nil {
			t.Errorf("%s: epochs %+v, the run has %+v", run.Model, got.Epochs, run.Summary)
		}
		binary += diagnose.TakeCensus(f).Categories.Binary / 2
		deepest += float64(got.EffectiveDepth[3].Max) / 2
	}
	if v := row.Values; v[1].Name != "share_binary" || v[1].Mean != binary || v[5].Mean != deepest || v[1].Std == nil ||
		binary == 0 {
		t.Errorf("values %+v, want %v binary and a depth of %v", v, binary, deepest)
	}
	if lines := strings.Split(read(t, table.Files[2]), "\n"); len(lines) != 2+2*4 ||
		!strings.HasPrefix(lines[8], "digits-60x4-ialgn-quick,IALGN,digits,60,4,4,") {
		t.Errorf("by layer:\n%s", strings.Join(lines, "\n"))
	}
	whole := files(t, table)
	for what, text := range map[string]string{
		"damaged":          read(t, grid.ResultPath(row.Runs[0].Model))[:200],
		"without a layer":  strings.Replace(read(t, grid.ResultPath(row.Runs[0].Model)), `"effective_depth"`, `"depths"`, 1),
		"without an epoch": strings.Replace(read(t, grid.ResultPath(row.Runs[0].Model)), `"epochs": [`, `"courses": [`, 1),
		"of another model": strings.Replace(read(t, grid.ResultPath(row.Runs[0].Model)), "seed1", "seed2", 1),
		"of former bytes": strings.Replace(read(t, grid.ResultPath(row.Runs[0].Model)), `"model_sha256": "`,
			`"model_sha256": "0`, 1),
	} {
		want := read(t, grid.ResultPath(row.Runs[0].Model))
		if err := os.WriteFile(grid.ResultPath(row.Runs[0].Model), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		again, err := r.Run(t.Context())
		if err != nil || cmp.Diff(whole, files(t, again)) != "" || read(t, grid.ResultPath(row.Runs[0].Model)) != want {
			t.Errorf("%s: not made again, error %v", what, err)
		}
	}
}

// TestRelaxedResult trains a network with relaxed values. Its result must also have the accuracy before freezing.
func TestRelaxedResult(t *testing.T) {
	r := Runner{Experiment: digits, Scale: Quick, Seeds: 1, Options: grid.Options{Dir: t.TempDir()}}
	r.Experiment.Quick.Keys = append(soft, r.Experiment.Quick.Keys...)
	r.Experiment.Entries, r.Experiment.Series = digits.Entries[1:], byEpoch
	table, err := r.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if e := table.Rows[0].results[0].Epochs; e[1].Relaxed == nil ||
		*e[1].Relaxed != *table.Rows[0].Runs[0].RelaxedAccuracy {
		t.Errorf("epochs %+v", e)
	}
	if filepath.Base(table.Files[2]) != "tiny-quick-epochs.csv" || strings.Count(read(t, table.Files[2]), "\n") != 3 {
		t.Errorf("by epoch:\n%s", read(t, table.Files[2]))
	}
}

// TestSideBySide trains the same runs first one after another and then at the same time. All files must have the same
// bytes, even if concurrent runs were interrupted.
func TestSideBySide(t *testing.T) {
	tree := func(dir string) map[string]string {
		all := map[string]string{}
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if !strings.HasSuffix(e.Name(), ".lock") {
				all[e.Name()] = read(t, filepath.Join(dir, e.Name()))
			}
		}
		return all
	}
	r := Runner{Experiment: digits, Scale: Quick, Seeds: 3, Options: grid.Options{Dir: t.TempDir(), Threads: 1}}
	r.Experiment.Picture = byNetwork
	if _, err := r.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := tree(r.Dir)
	rec := &recorder{}
	r.Dir, r.Threads, r.Jobs, r.Train = t.TempDir(), 4, 4, rec.train
	if _, err := r.Run(t.Context()); err != nil || len(rec.begun) != 6 {
		t.Fatalf("began %v, error %v", rec.begun, err)
	}
	if diff := cmp.Diff(want, tree(r.Dir)); diff != "" {
		t.Errorf("files (-one after the other +side by side):\n%s", diff)
	}
	if len(want) != 4+6*3 {
		t.Errorf("%d files", len(want))
	}
}
