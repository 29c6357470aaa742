package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/trainer/model"
)

// TestEvalReport has an answer that can be counted by hand, and a class without samples.
func TestEvalReport(t *testing.T) {
	labels := []uint8{0, 0, 0, 0, 1, 1, 1}
	r := newEvalReport([]string{"setosa", "b", "none"}, &model.Scores{Classes: 3, Predicted: []uint8{0, 0, 0, 1, 1, 2, 0}}, labels)
	recall := func(v float64) *float64 { return &v }
	want := evalReport{
		Samples: 7, Correct: 4, Accuracy: 4.0 / 7, Classes: []string{"setosa", "b", "none"},
		Confusion: [][]int{{3, 1, 0}, {1, 1, 1}, {0, 0, 0}},
		PerClass:  []*float64{recall(0.75), recall(1.0 / 3), nil},
	}
	if diff := cmp.Diff(want, r); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
	var text strings.Builder
	r.text(&text)
	const page = `4 of 7 correct, accuracy 57.14 %

class          recall  predicted as
                        setos     b  none
setosa         75.00 %      3     1     0
b              33.33 %      1     1     1
none                 -      0     0     0
`
	if diff := cmp.Diff(page, text.String()); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
}
