package ialgn_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn"
)

// TestOpenReader classifies what a reader has, and finds it called by its name in an error.
func TestOpenReader(t *testing.T) {
	m, err := ialgn.Train(t.Context(), ialgn.Config{
		Model: ialgn.ModelConfig{Width: 4, Depth: 1, Anchors: 2}, Train: ialgn.RunConfig{Epochs: 1},
	}, ialgn.Data{
		Features: [][]float64{{0, 1}, {1, 0}, {0, 2}, {2, 0}}, Labels: []int{0, 1, 0, 1}, TestFeatures: [][]float64{{0, 1}}, TestLabels: []int{0},
	}, ialgn.TrainOptions{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := m.Classifier()
	if err != nil {
		t.Fatal(err)
	}
	in, err := c.OpenReader(t.Context(), "request", strings.NewReader("0,2\n2,0\n"))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	var got []int
	if err := in.Classify(t.Context(), func(_, class int, _ []int32) error { got = append(got, class); return nil }); err != nil {
		t.Fatal(err)
	}
	want, _ := c.ClassifyAll([][]float64{{0, 2}, {2, 0}})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("classes (-want +got):\n%s", diff)
	}
	if _, err := c.OpenReader(t.Context(), "request", strings.NewReader("")); err == nil ||
		err.Error() != "request: the file is empty" {
		t.Errorf("an empty reader: %v", err)
	}
}
