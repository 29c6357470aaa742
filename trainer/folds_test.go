package trainer

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/config"
	"ialgn/internal/dataset"
)

// tableRows returns the rows of a table with a number, a number that may be missing, a word and one of two classes.
func tableRows() (rows []string) {
	for i := range 60 {
		missing := fmt.Sprint(i * 7 % 13)
		if i%5 == 0 {
			missing = ""
		}
		rows = append(rows, fmt.Sprintf("%d,%s,%c,%s", i*i%37, missing, 'p'+i%3, []string{"no", "yes"}[i*i%37/12%2]))
	}
	return rows
}

// writeTable writes rows to the file t.csv in a folder.
func writeTable(t *testing.T, dir string, rows []string) {
	t.Helper()
	text := "size,speed,colour,state\n" + strings.Join(rows, "\n") + "\n"
	if err := os.WriteFile(filepath.Join(dir, "t.csv"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// tableConfig returns a configuration for the table in which everything that depends on data is used.
func tableConfig(t *testing.T, dir string, sets ...string) config.Config {
	t.Helper()
	text := fmt.Sprintf(`
data: {set: csv, dir: %q, train: t.csv, categories: colour, missing: median}
encoder: {bits: 4, thresholds: quantile}
model: {width: 8, depth: 2, anchors: 4, tau: 1}
train: {epochs: 3, batch: 10, class_weights: balanced, validation: {share: 0.25, metric: f1_macro}}
`, dir)
	cfg, err := config.Parse("t.yaml", []byte(text), sets)
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// TestFolds cross-validates a table in three folds. It interrupts the second fold and resumes. Each model must have the
// same bytes as the model of a separate run with another number of threads, and each row must be tested once. Then a
// row changes, and the finished folds must be refused.
func TestFolds(t *testing.T) {
	dir := t.TempDir()
	writeTable(t, dir, tableRows())
	var begun []int
	ctx, cancel := context.WithCancel(t.Context())
	f := Folds{
		Run: Run{Config: tableConfig(t, dir, "data.test_share=0.5"), Model: filepath.Join(dir, "m.st"), Threads: 2}, N: 3,
		Begin: func(fold int) { begun = append(begun, fold) },
	}
	f.Progress = func(p Progress) {
		if len(begun) == 2 && p.Epoch == 2 && p.Batch == 1 {
			cancel()
		}
	}
	if _, err := f.Train(ctx); !errors.Is(err, ErrInterrupted) || !slices.Equal(begun, []int{1, 2}) {
		t.Fatalf("error %v after the folds %v, want interrupted in 2", err, begun)
	}
	begun, f.Resume, f.Progress = nil, true, nil
	all, err := f.Train(t.Context())
	if err != nil || !slices.Equal(begun, []int{2, 3}) || !all.Runs[0].Before {
		t.Fatalf("error %v after the folds %v, want 2 and 3", err, begun)
	}
	right, tested := 0, 0
	for i, one := range all.Runs {
		single := filepath.Join(dir, "single.st")
		alone := train(t, Run{
			Config: tableConfig(t, dir, "data.folds=3", fmt.Sprintf("data.fold=%d", i+1)), Model: single, Threads: 1,
		})
		if one.Model != filepath.Join(dir, fmt.Sprintf("m.fold%d.st", i+1)) {
			t.Errorf("fold %d: model %s", i+1, one.Model)
		}
		if string(read(t, single)) != string(read(t, one.Model)) {
			t.Errorf("fold %d: the model differs from the model of a separate run", i+1)
		}
		if one.Accuracy != one.TestAccuracy {
			t.Errorf("fold %d: accuracy %v, but %v in training", i+1, one.Accuracy, one.TestAccuracy)
		}
		if diff := cmp.Diff(alone.Values, one.Values); diff != "" {
			t.Errorf("fold %d: metrics (-separate run +fold):\n%s", i+1, diff)
		}
		for y, row := range one.Confusion {
			right += row[y]
		}
	}
	sum := 0
	for y, row := range all.Confusion {
		sum += row[y]
		for _, n := range row {
			tested += n
		}
	}
	if tested != 60 || sum != right {
		t.Errorf("%d rows were tested and %d of them are right, want 60 and %d", tested, sum, right)
	}
	over := func(of func(one *FoldSummary) float64) Spread {
		return SpreadOf([]float64{of(&all.Runs[0]), of(&all.Runs[1]), of(&all.Runs[2])})
	}
	want := &FoldsSummary{
		Runs: all.Runs, Classes: []string{"no", "yes"}, Confusion: all.Confusion,
		Accuracy:         over(func(one *FoldSummary) float64 { return one.Accuracy }),
		BalancedAccuracy: over(func(one *FoldSummary) float64 { return one.BalancedAccuracy }),
		MacroF1:          over(func(one *FoldSummary) float64 { return one.MacroF1 }),
		MatthewsCorrcoef: over(func(one *FoldSummary) float64 { return one.MatthewsCorrcoef }),
		ROCAUC:           new(over(func(one *FoldSummary) float64 { return *one.ROCAUC })),
		AveragePrecision: new(over(func(one *FoldSummary) float64 { return *one.AveragePrecision })),
	}
	if diff := cmp.Diff(want, all); diff != "" {
		t.Errorf("summary (-want +got):\n%s", diff)
	}
	rows := tableRows()
	rows[7] += " "
	rows[8] = strings.Replace(rows[8], ",p,", ",q,", 1)
	rows[8] = strings.Replace(rows[8], ",r,", ",q,", 1)
	writeTable(t, dir, rows)
	_, err = f.Train(t.Context())
	wantError(t, err, "fold ")
	wantError(t, err, "was trained on another version of data set t")
	wantError(t, err, "to train this fold anew, move ")
}

// TestFoldsDoNotLeak changes rows of the first fold to absurd values. The model that is tested on this fold must stay
// the same, except for the digest of its test part and its test results. If a row of another fold changes, the model
// must change, too.
func TestFoldsDoNotLeak(t *testing.T) {
	rows := tableRows()
	labels := make([]uint8, len(rows))
	for i, row := range rows {
		if strings.HasSuffix(row, "yes") {
			labels[i] = 1
		}
	}
	tested, _, err := dataset.Split{Folds: 4, Fold: 1, Classes: []string{"no", "yes"}}.Choose(labels)
	if err != nil {
		t.Fatal(err)
	}
	first := func(change func(row int) bool) string {
		dir, changed := t.TempDir(), slices.Clone(rows)
		for i := range changed {
			if change(i) {
				changed[i] = "1e9,-1e9,absurd," + []string{"no", "yes"}[labels[i]]
			}
		}
		writeTable(t, dir, changed)
		cfg := tableConfig(t, dir).InFold(1, 4)
		cfg.Data.Dir = ""
		path := filepath.Join(dir, "m.st")
		train(t, Run{Config: cfg, Model: path, Folders: []string{dir}})
		m := loadModel(t, path)
		m.Record.Test = ""
		for i := range m.Record.Epochs {
			m.Record.Epochs[i].TestCorrect = 0
		}
		if _, err := m.SaveBy(nil, path); err != nil {
			t.Fatal(err)
		}
		return string(read(t, path))
	}
	want := first(func(int) bool { return false })
	if first(func(row int) bool { return tested[row] }) != want {
		t.Error("the model depends on the rows on which it is tested")
	}
	other := slices.Index(tested, false)
	if first(func(row int) bool { return row == other }) == want {
		t.Error("the model does not depend on a row of its training part")
	}
}

// TestFoldsWarnOfUnseenClass has a class with a single row, which no training part of its own fold can have.
func TestFoldsWarnOfUnseenClass(t *testing.T) {
	dir := t.TempDir()
	writeTable(t, dir, append(tableRows(), "3,4,p,rare"))
	var warnings []string
	f := Folds{Run: Run{Config: tableConfig(t, dir, "train.epochs=1", "model.width=9"), Model: filepath.Join(dir, "m")}, N: 2}
	f.Warn = func(err error) { warnings = append(warnings, err.Error()) }
	all, err := f.Train(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, w := range warnings {
		if strings.Contains(w, `class "rare" has no training sample, because all samples of the class (1) are in this fold`) {
			n++
		}
	}
	if n != 1 || all.ROCAUC != nil {
		t.Errorf("%d warnings about the class in %q", n, warnings)
	}
}

func TestFoldsRefused(t *testing.T) {
	dir := t.TempDir()
	writeTable(t, dir, tableRows())
	for n, want := range map[int]string{
		0: "data.folds: 0 is outside 2 to 1000", 1: "1 is outside", 1001: "1001 is outside", 61: "60 samples cannot be divided",
	} {
		_, err := Folds{Run: Run{Config: tableConfig(t, dir), Model: filepath.Join(dir, "m")}, N: n}.Train(t.Context())
		wantError(t, err, want)
	}
	_, err := Folds{Run: Run{Config: tableConfig(t, dir)}, N: 2}.Train(t.Context())
	wantError(t, err, "give a path")
	_, err = Folds{Run: Run{Config: parse(t), Model: filepath.Join(dir, "m")}, N: 2}.Train(t.Context())
	wantError(t, err, "data.folds: has no meaning for the data set digits")
	ordered := tableConfig(t, dir, "data.order=time", "train.validation.share=0", "train.validation.metric=accuracy")
	_, err = Folds{Run: Run{Config: ordered, Model: filepath.Join(dir, "m")}, N: 2}.Train(t.Context())
	wantError(t, err, "data.folds: the rows are in the order of time")
}
