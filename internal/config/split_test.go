package config_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/config"
	"ialgn/internal/message"
)

// TestInFold checks that the configuration of a fold is valid and has no test part, and that the original configuration
// stays the same.
func TestInFold(t *testing.T) {
	samples := &config.Samples{
		Features: [][]float64{{1}, {2}, {3}}, Labels: []int{0, 1, 0}, TestFeatures: [][]float64{{4}}, TestLabels: []int{1},
	}
	ofMemory, err := config.Config{}.ForRun(nil, samples)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]config.Config{"samples in memory": ofMemory}
	for _, data := range []string{
		"set: csv, train: a.csv, test: b.csv",
		"set: csv, train: a.csv, test_share: 0.4, split_seed: 2",
		"set: csv, train: a.csv, folds: 5, fold: 2, group: person",
		"set: arrays, train: a.npy, train_labels: b.npy, test: c.npy, test_labels: d.npy",
	} {
		text := "data: {" + data + "}\nencoder: {bits: 4}\nmodel: {tau: 2}"
		if all[data], err = config.Parse("f.yaml", []byte(text), nil); err != nil {
			t.Fatalf("%s: %v", data, err)
		}
	}
	for name, c := range all {
		before := c.Data
		in := c.InFold(3, 4).Complete()
		if err := in.CheckData(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		d := in.Data
		if d.Fold != 3 || d.Folds != 4 || d.TestShare != 0 || d.Test+d.TestLabels != "" || d.SplitSeed != before.SplitSeed {
			t.Errorf("%s: %+v", name, d)
		}
		if m := d.Memory; m != nil && (m.TestFeatures != nil || m.TestLabels != nil || len(m.Features) != 3) {
			t.Errorf("%s: %+v", name, m)
		}
		if diff := cmp.Diff(before, c.Data); diff != "" || len(samples.TestLabels) != 1 {
			t.Errorf("%s: the original configuration changed (-before +after):\n%s", name, diff)
		}
	}
}

// TestInFoldKeepsPlaces checks that errors in the original configuration still name its file, and that errors in the
// configuration of a fold name the option.
func TestInFoldKeepsPlaces(t *testing.T) {
	text := "data: {set: csv, train: a.csv, folds: 5, fold: 2}\nencoder: {bits: 4}\nmodel: {tau: 2}"
	c, err := config.Parse("f.yaml", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	err = c.InFold(1, 1).CheckData()
	if want := "--folds data.folds: 1 is outside 2 to 1000"; err == nil || message.In(err, message.Flags) != want {
		t.Errorf("error %v, want %s", err, want)
	}
	c.Data.Folds = 1
	if err, want := c.CheckData(), "f.yaml:1:39: data.folds: 1 is outside 2 to 1000"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// TestFoldKeys checks the errors for keys of a cross-validation that cannot be used.
func TestFoldKeys(t *testing.T) {
	for data, want := range map[string]string{
		"fold: 1":           "f.yaml:1:38: data.fold: there are no folds, because data.folds is not set",
		"folds: 0, fold: 1": "f.yaml:1:39: data.folds: 0 is outside 2 to 1000",
		"folds: 3":          "f.yaml:1:1: data.fold: 0 is none of the folds 1 to 3",
		"folds: 3, fold: 4": "f.yaml:1:48: data.fold: 4 is none of the folds 1 to 3",
		"folds: 3, fold: 1, test: b.csv": "f.yaml:1:39: data.folds: there is nothing to split, because data.test names a " +
			"test file",
	} {
		text := "data: {set: csv, train: a.csv, " + data + "}\nencoder: {bits: 4}\nmodel: {tau: 2}"
		if _, err := config.Parse("f.yaml", []byte(text), nil); err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %s", data, err, want)
		}
	}
}
