package qonnx

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ialgn/internal/interchange/given"
	"ialgn/internal/interchange/graph/graphtest"
	"ialgn/internal/testkit"
)

// source returns the contents of a file as a source for a reader.
func source(data []byte, f *given.Facts) *given.Source {
	if f == nil {
		f = &given.Facts{}
	}
	return &given.Source{Name: "model.onnx", File: bytes.NewReader(data), Size: int64(len(data)), Facts: f}
}

// fixtures returns the folders with files that other programs made.
func fixtures(t testing.TB) []string {
	dirs, err := filepath.Glob("../../../../shared/reference/import/qonnx-*")
	if err != nil {
		t.Fatal(err)
	}
	if held := os.Getenv("IALGN_IMPORT"); held != "" {
		more, _ := filepath.Glob(filepath.Join(held, "qonnx-*"))
		dirs = append(dirs, more...)
	}
	if len(dirs) == 0 {
		t.Skip("no fixtures in ../shared/reference/import")
	}
	return dirs
}

// TestFixtures compares the scores of networks with the scores that the original programs computed.
func TestFixtures(t *testing.T) {
	dense := map[string]int{"qonnx-2layer": 2, "qonnx-thermometer": 2}
	for _, dir := range fixtures(t) {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			f, err := given.ReadFacts(filepath.Join(dir, "facts.json"), nil)
			if err != nil {
				t.Fatal(err)
			}
			data, err := os.ReadFile(filepath.Join(dir, "model.onnx"))
			if err != nil {
				t.Fatal(err)
			}
			n, err := Read(source(data, f))
			if err != nil {
				t.Fatal(err)
			}
			if got := len(n.Dense); got != dense[filepath.Base(dir)] {
				t.Errorf("%d layers are dense, want %d", got, dense[filepath.Base(dir)])
			}
			_, x := testkit.ReadNPY(t, filepath.Join(dir, "inputs.npy"))
			shape, want := testkit.ReadNPY(t, filepath.Join(dir, "scores.npy"))
			features := n.Input.Features()
			for i := range shape[0] {
				got := graphtest.Scores(n, x[i*features:(i+1)*features])
				wanted := make([]float32, shape[1])
				for k := range wanted {
					wanted[k] = float32(want[i*shape[1]+k])
				}
				if !slices.Equal(got, wanted) {
					t.Fatalf("sample %d: scores %v, want %v", i, got, wanted)
				}
			}
		})
	}
}

// TestMissing checks that a graph that ends in bits is not read without facts about the groups.
func TestMissing(t *testing.T) {
	for _, dir := range fixtures(t) {
		if filepath.Base(dir) != "qonnx-mixed-bool" {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, "model.onnx"))
		if err != nil {
			t.Fatal(err)
		}
		var missing *given.Missing
		if _, err := Read(source(data, nil)); !errors.As(err, &missing) || missing.What != "group_sum.k" {
			t.Errorf("error %v, want that the classes are missing", err)
		}
		k := 10
		if _, err := Read(source(data, &given.Facts{Sum: given.GroupSum{K: &k}})); !errors.As(err, &missing) ||
			missing.What != "group_sum.tau" {
			t.Errorf("error %v, want that tau is missing", err)
		}
		for text, want := range map[string]string{
			"group_sum: {k: 10, tau: 1, group_size: 2}":          "group_sum.group_size is 2, but a sum of",
			"group_sum: {k: 10, tau: 1, zero_padding_at_end: 1}": "group_sum.zero_padding_at_end is 1, but a sum of",
			"group_sum: {k: 7, tau: 1}":                          "not a multiple",
		} {
			f, err := given.ParseFacts([]byte(text), nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := Read(source(data, f)); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %v, want %q", text, err, want)
			}
		}
	}
}
