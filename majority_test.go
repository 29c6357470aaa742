package ialgn_test

import (
	"testing"

	"ialgn"
	"ialgn/trainer"
)

// TestEvaluationMajority counts the samples of each class, not how they are classified.
func TestEvaluationMajority(t *testing.T) {
	e := ialgn.Evaluation{Classes: []string{"a", "b"}, Confusion: [][]int{{0, 1}, {0, 3}}}
	if got, want := e.Majority(), (trainer.Majority{Class: "b", Share: 0.75}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
