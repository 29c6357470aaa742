package main

import (
	"strings"
	"testing"

	"ialgn"

	"github.com/google/go-cmp/cmp"
)

// TestEvalReport checks the text of an evaluation in which one class has no samples.
func TestEvalReport(t *testing.T) {
	recall := func(v float64) *float64 { return &v }
	r := evalReport{&ialgn.Evaluation{
		Samples: 7, Correct: 4, Accuracy: 4.0 / 7, Classes: []string{"setosa", "b", "none"},
		Confusion: [][]int{{3, 1, 0}, {1, 1, 1}, {0, 0, 0}},
		PerClass:  []*float64{recall(0.75), recall(1.0 / 3), nil},
		Batches:   []ialgn.Batch{{Samples: 4, Correct: 3, Accuracy: 0.75}, {First: 4, Samples: 3, Correct: 1, Accuracy: 1.0 / 3}},
	}}
	var text strings.Builder
	r.text(&text)
	const page = `4 of 7 correct, accuracy 57.14 %

class          recall  predicted as
                        setosa     b  none
setosa         75.00 %       3     1     0
b              33.33 %       1     1     1
none                 -       0     0     0

first sample   samples  accuracy
           0         4   75.00 %
           4         3   33.33 %
`
	if diff := cmp.Diff(page, text.String()); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
}
