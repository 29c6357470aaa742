package ialgn_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn"
	"ialgn/internal/config"
)

// TestOpenReader classifies samples from a reader. Errors must contain the name that was given for the reader.
func TestOpenReader(t *testing.T) {
	m, err := ialgn.Train(t.Context(), ialgn.Config{
		Model: config.Model{Width: 4, Depth: 1, Anchors: 2}, Train: config.Train{Epochs: 1},
	}, ialgn.Data{
		Features: [][]float64{{0, 1}, {1, 0}, {0, 2}, {2, 0}}, Labels: []int{0, 1, 0, 1}, TestFeatures: [][]float64{{0, 1}}, TestLabels: []int{0},
	}, ialgn.TrainOptions{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := m.Classifier(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	in, err := c.OpenReader(t.Context(), "request", strings.NewReader("0,2\n2,0\n"))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	var got []uint16
	err = in.Classify(t.Context(), func(_ int, classes []uint16, _ []int32) error {
		got = append(got, classes...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []uint16{uint16(mustClass(t, c, 0, 2)), uint16(mustClass(t, c, 2, 0))}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("classes (-want +got):\n%s", diff)
	}
	if _, err := c.OpenReader(t.Context(), "request", strings.NewReader("")); err == nil ||
		err.Error() != "request: the file is empty" {
		t.Errorf("an empty reader: %v", err)
	}
}
