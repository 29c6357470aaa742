package ialgn

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/model"
	"ialgn/trainer"
)

// TestEvaluation checks an evaluation that can be computed by hand. One class has no samples.
func TestEvaluation(t *testing.T) {
	labels := []uint8{0, 0, 0, 0, 1, 1, 1}
	r := newEvaluation([]string{"setosa", "b", "none"}, &model.Scores{Classes: 3, Predicted: []uint8{0, 0, 0, 1, 1, 2, 0}},
		labels)
	recall := func(v float64) *float64 { return &v }
	want := &Evaluation{
		Samples: 7, Correct: 4, Accuracy: 4.0 / 7, Classes: []string{"setosa", "b", "none"},
		Confusion: [][]int{{3, 1, 0}, {1, 1, 1}, {0, 0, 0}},
		PerClass:  []*float64{recall(0.75), recall(1.0 / 3), nil},
	}
	if diff := cmp.Diff(want, r); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
}

// TestEvaluationMajority checks that the largest class is determined by the labels of the samples, not by the
// predicted classes.
func TestEvaluationMajority(t *testing.T) {
	e := Evaluation{Classes: []string{"a", "b"}, Confusion: [][]int{{0, 1}, {0, 3}}}
	if got, want := e.Majority(), (trainer.Majority{Class: "b", Share: 0.75}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
