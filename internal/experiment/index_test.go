package experiment

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/dataset"
	"ialgn/internal/experiment/grid"
	"ialgn/trainer"
)

// TestIndex trains a grid run by run, in any order. When all runs are trained, the gathered table must equal the
// table of a single call. Before that, there is no table.
func TestIndex(t *testing.T) {
	rec := &recorder{}
	r := Runner{Experiment: digits, Scale: Quick, Seeds: 2, Options: grid.Options{Dir: t.TempDir()}}
	whole, err := r.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r.Dir, r.Train = t.TempDir(), rec.train
	f, err := r.Forecast(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range []int{2, 0, 3, 1, 3} {
		all, err := r.RunIndex(t.Context(), i)
		if err != nil || all.Runs[0].Seed != f.Runs[i].Seed || !strings.Contains(all.Runs[0].Model, f.Runs[i].Name+".seed") {
			t.Fatalf("index %d: %+v, error %v", i, all, err)
		}
	}
	entries, err := os.ReadDir(r.Dir)
	for _, e := range entries {
		if err != nil || strings.HasPrefix(e.Name(), "tiny-") {
			t.Errorf("%s was written, error %v", e.Name(), err)
		}
	}
	table, err := r.Run(t.Context())
	if err != nil || len(rec.begun) != 4 || cmp.Diff(files(t, whole), files(t, table)) != "" {
		t.Errorf("began %v, error %v", rec.begun, err)
	}
	for _, i := range []int{-1, 4} {
		if _, err := r.RunIndex(t.Context(), i); err == nil || !strings.Contains(err.Error(), "want 0 to 3") {
			t.Errorf("index %d: error %v", i, err)
		}
	}
}

// TestIndexInstead has the data of MNIST but not the data of CIFAR-10. An index must mean the same run as on a
// machine with both data sets. The run must not be trained on MNIST instead.
func TestIndexInstead(t *testing.T) {
	sets := t.TempDir()
	writeMNIST(t, sets)
	r := Runner{Experiment: fixedAnchor, Scale: Quick, Seeds: 1}
	r.Dir, r.Folders = t.TempDir(), []string{sets}
	r.Train = func(_ context.Context, s trainer.Seeds) (*trainer.SeedsSummary, error) {
		return nil, fmt.Errorf("trains %s", s.Config.Name)
	}
	var missing *dataset.MissingError
	if _, err := r.RunIndex(t.Context(), 0); !errors.As(err, &missing) {
		t.Errorf("error %v, want one of CIFAR-10", err)
	}
	if _, err := r.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "trains mnist-") {
		t.Errorf("the whole experiment: error %v, want MNIST instead", err)
	}
}

// TestIndexAbsent has no data. The grid must have the same indexes, and the error of a run must name the missing
// data.
func TestIndexAbsent(t *testing.T) {
	r := Runner{Experiment: baselines, Scale: Paper, Seeds: 2, Only: []string{"*-ldlgn"}}
	r.Dir = t.TempDir()
	f, err := r.Forecast(t.Context())
	if err != nil || len(f.Runs) != 2 || f.Runs[1].Name != "mnist-8000x6-ldlgn" || *f.Runs[1].Hours == 0 {
		t.Fatalf("%+v, error %v", f, err)
	}
	var missing *dataset.MissingError
	if _, err := r.RunIndex(t.Context(), 1); !errors.As(err, &missing) {
		t.Errorf("error %v", err)
	}
}
