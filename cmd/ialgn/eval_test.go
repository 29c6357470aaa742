package main

import (
	"strings"
	"testing"

	"ialgn"

	"github.com/google/go-cmp/cmp"
)

// TestEvalReport checks the text of an evaluation in which one class has no samples.
func TestEvalReport(t *testing.T) {
	r := evalReport{&ialgn.Evaluation{
		Samples: 7, Correct: 4, Accuracy: 4.0 / 7, AccuracyInterval: [2]float64{0.25, 0.84},
		BalancedAccuracy: 0.54, BalancedAccuracyInterval: [2]float64{0.21, 0.799}, MacroF1: 0.41, MatthewsCorrcoef: 0.05,
		ExpectedCalibrationError: 0.0321, LogLoss: 0.51234, Temperature: 3.14159, Calibrated: true,
		Rejection: ialgn.Rejection{
			{Margin: 0, Answered: 1, Accuracy: 4.0 / 7, BalancedAccuracy: 0.54},
			{Margin: 1, Answered: 6.0 / 7, Accuracy: 4.0 / 6, BalancedAccuracy: 0.6},
			{Margin: 2, Answered: 6.0 / 7, Accuracy: 4.0 / 6, BalancedAccuracy: 0.6},
			{Margin: 3, Answered: 2.0 / 7, Accuracy: 1, BalancedAccuracy: 1},
		},
		Classes: []string{"setosa", "b", "none"}, Confusion: [][]int{{3, 1, 0}, {1, 1, 0}, {0, 0, 0}},
		Batches: []ialgn.Batch{
			{Samples: 4, Correct: 3, Accuracy: 0.75},
			{First: 4, Samples: 3, Correct: 1, Accuracy: 1.0 / 3},
		},
	}}
	var text strings.Builder
	r.text(&text)
	const page = `4 of 7 correct, accuracy 57.14 %
balanced accuracy 54.00 %, macro F1 41.00 %, Matthews coefficient 0.0500
95 % intervals: accuracy 25.00 to 84.00 %, balanced accuracy 21.00 to 79.90 %
expected calibration error 3.21 %, log loss 0.5123 (probabilities: softmax of counts / 3.14159, calibrated)

class        precision    recall        F1  support  predicted as
                                                     setosa     b  none
setosa         75.00 %   75.00 %   75.00 %        4       3     1     0
b              50.00 %   50.00 %   50.00 %        2       1     1     0
none                 -         -         -        0       0     0     0

accuracy of the samples whose largest count leads the second largest by at least the margin:
margin  answered  accuracy  balanced accuracy
     0  100.00 %   57.14 %            54.00 %
     2   85.71 %   66.67 %            60.00 %

first sample   samples  accuracy
           0         4   75.00 %
           4         3   33.33 %
`
	if diff := cmp.Diff(page, text.String()); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
}
