package ialgn_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn"
	"ialgn/internal/config"
	"ialgn/internal/encoding"
)

// TestInit writes a configuration for a table, trains with it, and classifies a row. The model must know the table's
// columns.
func TestInit(t *testing.T) {
	var b strings.Builder
	b.WriteString("nr;size;colour;state\n")
	for i := range 40 {
		fmt.Fprintf(&b, "%d;%s;%s;%s\n", i, []string{"-1,5", "?", "2,5"}[i%3], []string{"red", "blue"}[i%2],
			[]string{"up", "down"}[i%2])
	}
	dir := t.TempDir()
	data := filepath.Join(dir, "table.csv")
	if err := os.WriteFile(data, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	o := ialgn.InitOptions{Data: data, Path: filepath.Join(dir, "t.yaml")}
	r, err := ialgn.Init(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Rows != 40 || r.Features != 3 || r.Inputs != 21 || len(r.Columns) != 4 || len(r.Classes) != 2 {
		t.Errorf("%+v", r)
	}
	if _, err := ialgn.Init(t.Context(), o); err == nil || !strings.Contains(err.Error(), "exists and would be overwritten") {
		t.Errorf("written again: %v", err)
	}
	cfg, err := ialgn.LoadConfig(ialgn.TrainOptions{}, r.Config, "train.epochs=10")
	if err != nil {
		t.Fatal(err)
	}
	m, err := ialgn.Train(t.Context(), cfg, ialgn.Data{}, ialgn.TrainOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	want := []ialgn.Column{
		{Name: "nr", Kind: encoding.DroppedColumn},
		{Name: "size", Kind: encoding.NumberColumn, Missing: true, Fill: m.Columns()[1].Fill},
		{Name: "colour", Kind: encoding.CategoryColumn, Categories: []string{"blue", "red"}, Missing: true},
		{Name: "state", Kind: encoding.LabelColumn},
	}
	if diff := cmp.Diff(want, m.Columns()); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
	row := filepath.Join(dir, "row.csv")
	if err := os.WriteFile(row, []byte("colour,size\nblue,NA\nred,9.5\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	c, err := m.Classifier(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	in, err := c.OpenFile(t.Context(), row)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	var classes []string
	err = in.Classify(t.Context(), func(_ int, block []uint16, _ []int32) error {
		for _, class := range block {
			classes = append(classes, m.Classes()[class])
		}
		return nil
	})
	if diff := cmp.Diff([]string{"down", "up"}, classes); diff != "" || err != nil {
		t.Errorf("error %v, classes (-want +got):\n%s", err, diff)
	}
}

// TestColumnsOfNumbers checks the columns of a model that was not trained on a table. There must be one column of
// numbers for each feature.
func TestColumnsOfNumbers(t *testing.T) {
	m, err := ialgn.Train(t.Context(), ialgn.Config{
		Model: config.Model{Width: 4, Depth: 1, Anchors: 2}, Train: config.Train{Epochs: 1},
	}, ialgn.Data{
		Features: [][]float64{{0, 1}, {1, 0}, {0, 2}, {2, 0}}, Labels: []int{0, 1, 0, 1},
		TestFeatures: [][]float64{{0, 1}}, TestLabels: []int{0}, FeatureNames: []string{"a", "b"},
	}, ialgn.TrainOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	want := []ialgn.Column{{Name: "a", Kind: encoding.NumberColumn}, {Name: "b", Kind: encoding.NumberColumn}}
	if diff := cmp.Diff(want, m.Columns()); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
	if cfg := m.Config(); cfg.Encoder.Bits != 8 || cfg.Model.Tau != 0.5 {
		t.Errorf("n_b %d and tau %v, want the defaults 8 and 0.5", cfg.Encoder.Bits, cfg.Model.Tau)
	}
}

// TestInitTest checks that Init sets data.missing if only the test file has missing values, even if all test samples
// have the same class.
func TestInitTest(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	var train strings.Builder
	train.WriteString("x,y,state\n")
	for i := range 40 {
		fmt.Fprintf(&train, "%d,%d,%s\n", i*i%7, i%3, []string{"up", "down"}[i%2])
	}
	o := ialgn.InitOptions{
		Data: write("train.csv", train.String()), Test: write("test.csv", "x,y,state\n1,?,up\n"),
		Path: filepath.Join(dir, "t.yaml"),
	}
	if _, err := ialgn.Init(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	cfg, err := ialgn.LoadConfig(ialgn.TrainOptions{}, o.Path)
	if err != nil || cfg.Data.Missing != "median" {
		t.Errorf("data.missing %q, error %v", cfg.Data.Missing, err)
	}
}

// TestInitMany writes a configuration for a table with more columns than fit into a configuration. Some columns must
// be listed. If they do not fit, Init must return an error.
func TestInitMany(t *testing.T) {
	const columns = 600
	for _, test := range []struct{ values, want string }{{",", ""}, {",yes,no", "more than the 16384 bytes"}} {
		var b strings.Builder
		b.WriteString("x")
		for i := range columns {
			fmt.Fprintf(&b, ",the answer to question %d", i)
		}
		b.WriteString(",state\n")
		for row := range 12 {
			values := strings.Split(test.values, ",")
			fmt.Fprintf(&b, "%d%s,%d\n", row*row%7, strings.Repeat(","+values[row%len(values)], columns), row%2)
		}
		dir := t.TempDir()
		o := ialgn.InitOptions{Data: filepath.Join(dir, "many.csv"), Path: filepath.Join(dir, "t.yaml")}
		if err := os.WriteFile(o.Data, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := ialgn.Init(t.Context(), o)
		if test.want != "" {
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q in it", err, test.want)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if cfg, err := ialgn.LoadConfig(ialgn.TrainOptions{}, o.Path); err != nil || cfg.Data.Columns != "x" || cfg.Data.Drop != "" {
			t.Errorf("data %+v, error %v", cfg.Data, err)
		}
	}
}
