package experiment

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ialgn/internal/experiment/grid"
	"ialgn/trainer"
)

// TestRunRefusesForeignFolders checks that folders with other files are refused, and that invalid calls are refused.
func TestRunRefusesForeignFolders(t *testing.T) {
	done := t.TempDir()
	r := Runner{Experiment: digits, Scale: Quick, Seeds: 2, Options: grid.Options{Dir: done}}
	if _, err := r.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	second := filepath.Join(done, "digits-60x4-ialgn-quick.seed2.safetensors")
	for _, test := range []struct {
		name   string
		change func(*Runner)
		want   string
	}{
		{"another configuration", func(r *Runner) {
			r.Experiment.Quick.Keys = []string{"train.epochs=3"}
		}, "digits-60x4-rwlgn-quick.seed1.safetensors: has another train.epochs than this run of the experiment; choose " +
			"another folder"},
		{"another checkpoint", func(r *Runner) {
			if err := errors.Join(os.Remove(second), os.Rename(strings.Replace(second, "seed2", "seed1", 1)+".checkpoint",
				second+".checkpoint")); err != nil {
				t.Fatal(err)
			}
		}, "digits-60x4-ialgn-quick.seed2.safetensors.checkpoint: has another train.seed than this run"},
		{"a damaged model", func(*Runner) {
			if err := os.WriteFile(second, []byte("no model"), 0o666); err != nil {
				t.Fatal(err)
			}
		}, second + ": "},
		{"a file for a folder", func(r *Runner) { r.Dir = second }, second},
		{"no seeds", func(r *Runner) { r.Seeds = 0 }, "experiment tiny: 2 entries with 0 seeds"},
		{"no entries", func(r *Runner) { r.Experiment.Entries = nil }, "experiment tiny: 0 entries"},
		{
			"a key that is none", func(r *Runner) { r.Experiment.Quick.Keys = []string{"train.epoch=1"} },
			"experiment tiny, RWLGN: ",
		},
	} {
		rec := &recorder{}
		r := r
		r.Train = rec.train
		test.change(&r)
		table, err := r.Run(t.Context())
		if err == nil || !strings.Contains(err.Error(), test.want) || table != nil || rec.begun != nil {
			t.Errorf("%s: trained %v, error %v, want one with %q", test.name, rec.begun, err, test.want)
		}
	}
}

// samples writes a table of n samples for the data set csv.
func samples(t *testing.T, path string, n int) {
	t.Helper()
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "%d,%d,%d,%d\n", i%7, i%11, i%13, i%10)
	}
	if err := os.WriteFile(path, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestOtherData trains networks of one experiment on different data. In one case, earlier calls trained both
// networks. In another case, an earlier call trained only one network. In a third case, the data change while the
// first network trains.
func TestOtherData(t *testing.T) {
	table := filepath.Join(t.TempDir(), "samples.csv")
	runner := func() (Runner, *recorder) {
		rec := &recorder{}
		r := Runner{Experiment: digits, Scale: Quick, Seeds: 1, Options: grid.Options{Dir: t.TempDir(), Train: rec.train}}
		r.Experiment.Entries = nil
		for _, e := range digits.Entries {
			e.Keys = slices.Concat(e.Keys, []string{"data.set=csv", "data.train=" + table})
			r.Experiment.Entries = append(r.Experiment.Entries, e)
		}
		return r, rec
	}
	refused := func(what string, r Runner, rec *recorder, begun int, want string) {
		t.Helper()
		rec.begun = nil
		if _, err := r.Run(t.Context()); err == nil || !strings.Contains(err.Error(), want) || len(rec.begun) != begun {
			t.Errorf("%s: trained %v, error %v, want one with %q", what, rec.begun, err, want)
		}
	}
	first, rec := runner()
	samples(t, table, 200)
	if _, err := first.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	other, _ := runner()
	samples(t, table, 210)
	if _, err := other.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	const name = "csv-60x4-ialgn-quick.seed1.safetensors"
	for _, end := range []string{"", ".checkpoint"} {
		if err := os.Rename(filepath.Join(other.Dir, name+end), filepath.Join(first.Dir, name+end)); err != nil {
			t.Fatal(err)
		}
	}
	refused("both before", first, rec, 0, name+": was trained on another version of data set samples than ")
	for _, end := range []string{"", ".checkpoint"} {
		if err := os.Remove(filepath.Join(first.Dir, name+end)); err != nil {
			t.Fatal(err)
		}
	}
	refused("one before", first, rec, 1, "csv-60x4-ialgn-quick: seed 1: "+first.Dir+
		"/csv-60x4-rwlgn-quick.seed1.safetensors: was trained on another version of data set samples; "+
		"restore the former files")
	changing, rec := runner()
	train := changing.Train
	changing.Train = func(ctx context.Context, s trainer.Seeds) (*trainer.SeedsSummary, error) {
		all, err := train(ctx, s)
		samples(t, table, 220)
		return all, err
	}
	refused("changed meanwhile", changing, rec, 2, "csv-60x4-ialgn-quick: seed 1: "+changing.Dir+
		"/csv-60x4-rwlgn-quick.seed1.safetensors: was trained on another version")
}

// TestTuned puts a model that was fine-tuned from another model in the place of one of the experiment's seeds.
func TestTuned(t *testing.T) {
	rec := &recorder{}
	r := Runner{Experiment: digits, Scale: Quick, Seeds: 1, Options: grid.Options{Dir: t.TempDir(), Train: rec.train}}
	if _, err := r.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	base := filepath.Join(r.Dir, "digits-60x4-ialgn-quick.seed1.safetensors")
	tuned := trainer.Run{
		Config: mustConfig(t, &r.Experiment, &r.Experiment.Entries[1], Quick),
		Model:  filepath.Join(t.TempDir(), "m"), Start: base,
	}
	if _, err := tuned.Train(t.Context()); err != nil {
		t.Fatal(err)
	}
	if rec.begun = nil; os.Remove(base) != nil {
		t.Fatal("the run left no model")
	}
	for _, end := range []string{".checkpoint", ""} {
		if err := os.Rename(tuned.Model+end, base+end); err != nil {
			t.Fatal(err)
		}
		_, err := r.Run(t.Context())
		want := base + end + ": was trained further from digits-60x4-ialgn-quick.seed1.safetensors, where this run of the " +
			"experiment draws its parameters; choose another folder; to train this seed anew, move "
		if err == nil || !strings.Contains(err.Error(), want) || rec.begun != nil {
			t.Errorf("trained %v, error %v, want one with %q", rec.begun, err, want)
		}
	}
}

// TestDamagedCheckpoint puts a damaged checkpoint next to a finished model. This must do no harm, because the
// checkpoint is no longer needed.
func TestDamagedCheckpoint(t *testing.T) {
	rec := &recorder{}
	r := Runner{Experiment: digits, Scale: Quick, Seeds: 1, Options: grid.Options{Dir: t.TempDir(), Train: rec.train}}
	if _, err := r.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(r.Dir, "digits-60x4-ialgn-quick.seed1.safetensors")
	if err := os.WriteFile(path+".checkpoint", []byte("damaged"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Run(t.Context()); err != nil || len(rec.begun) != 2 {
		t.Errorf("trained %v, error %v", rec.begun, err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Run(t.Context()); err == nil || !strings.Contains(err.Error(), path+".checkpoint: ") ||
		len(rec.begun) != 2 {
		t.Errorf("without its model: trained %v, error %v", rec.begun, err)
	}
}

// TestNoSpace runs an experiment whose table cannot be written.
func TestNoSpace(t *testing.T) {
	r := Runner{Experiment: digits, Scale: Quick, Seeds: 1, Options: grid.Options{Dir: t.TempDir()}}
	if err := os.Mkdir(filepath.Join(r.Dir, "tiny-quick.csv"), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "tiny-quick.csv: a folder") {
		t.Errorf("error %v", err)
	}
}
