package ialgn

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ialgn/internal/metrics"
	"ialgn/internal/model"
	"ialgn/internal/softmax"
	"ialgn/trainer"
)

// TestEvaluation checks an evaluation that can be computed by hand. One class has no samples.
func TestEvaluation(t *testing.T) {
	labels := []uint8{0, 0, 0, 0, 1, 1, 1}
	r := newEvaluation([]string{"setosa", "b", "none"}, &model.Scores{Classes: 3, Predicted: []uint8{0, 0, 0, 1, 1, 2, 0}},
		labels)
	want := &Evaluation{
		Samples: 7, Correct: 4, Accuracy: 4.0 / 7, AccuracyInterval: [2]float64{0.2505, 0.8418},
		BalancedAccuracy: (3.0/4 + 1.0/3) / 2, BalancedAccuracyInterval: [2]float64{0.2791, 0.7929},
		MacroF1: (3.0/4 + 2.0/5 + 0) / 3, MatthewsCorrcoef: (4.0*7 - 4*4 - 3*2) / math.Sqrt((49-16-9)*(49-16-4-1)),
		Classes: []string{"setosa", "b", "none"}, Confusion: [][]int{{3, 1, 0}, {1, 1, 1}, {0, 0, 0}},
		PerClass:  []*float64{new(0.75), new(1.0 / 3), nil},
		Precision: []float64{3.0 / 4, 1.0 / 2, 0}, Recall: []float64{3.0 / 4, 1.0 / 3, 0},
		RecallInterval: [][2]float64{{0.3006, 0.9544}, {0.0615, 0.7923}, {0, 1}},
		F1:             []float64{3.0 / 4, 2.0 / 5, 0}, Support: []int{4, 3, 0},
	}
	if diff := cmp.Diff(want, r, cmpopts.EquateApprox(0, 0.0001)); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
}

// TestEvaluationOfTwoClasses checks that two classes are ranked by their count difference, and not ranked if one class
// has no samples.
func TestEvaluationOfTwoClasses(t *testing.T) {
	s := &model.Scores{
		Classes: 2, Predicted: []uint8{0, 1, 0, 1}, // differences -3, 2, -1, 1
		Counts: []int32{5, 2, 1, 3, 3, 2, 0, 1},
	}
	classes := []string{"no", "yes"}
	r := newEvaluation(classes, s, []uint8{0, 0, 1, 1}) // the pairs of samples 0 and 2, 0 and 3 are in order
	if r.ROCAUC == nil || *r.ROCAUC != 0.5 {
		t.Errorf("ROC AUC %v, want 0.5", r.ROCAUC)
	}
	if want := (1.0/2 + 2.0/3) / 2; r.AveragePrecision == nil || math.Abs(*r.AveragePrecision-want) > 1e-12 {
		t.Errorf("average precision %v, want %v", r.AveragePrecision, want)
	}
	if r = newEvaluation(classes, s, []uint8{1, 1, 1, 1}); r.ROCAUC != nil || r.AveragePrecision != nil {
		t.Errorf("one class is ranked: ROC AUC %v, average precision %v", r.ROCAUC, r.AveragePrecision)
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

// TestEvaluationOfProbabilities checks the metrics of probabilities and of rejection that can be computed by hand. The
// counts differ by ln 3 temperatures, so that the probabilities are 1/4 and 3/4.
func TestEvaluationOfProbabilities(t *testing.T) {
	s := &model.Scores{Classes: 2, Predicted: []uint8{0, 1, 0, 0}, Counts: []int32{2, 1, 3, 4, 1, 0, 5, 5}}
	labels := []uint8{0, 1, 1, 0}
	e := newEvaluation([]string{"a", "b"}, s, labels)
	e.addProbabilities(softmax.New(1/math.Log(3), 10), s, labels)
	e.addRejection(metrics.Rejection(labels, s.Predicted, s.Counts, 2))
	wantError := (3*(0.75-2.0/3) + 1*(1-0.5)) / 4
	wantLoss := -(2*math.Log(0.75) + math.Log(0.25) + math.Log(0.5)) / 4
	if math.Abs(e.ExpectedCalibrationError-wantError) > 1e-12 || math.Abs(e.LogLoss-wantLoss) > 1e-12 {
		t.Errorf("calibration error %v and log loss %v, want %v and %v", e.ExpectedCalibrationError, e.LogLoss, wantError,
			wantLoss)
	}
	want := Rejection{
		{Margin: 0, Answered: 1, Samples: 4, Correct: 3, Accuracy: 0.75, BalancedAccuracy: 0.75},
		{Margin: 1, Answered: 0.75, Samples: 3, Correct: 2, Accuracy: 2.0 / 3, BalancedAccuracy: 0.75},
	}
	if diff := cmp.Diff(want, e.Rejection); diff != "" {
		t.Errorf("rejection (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]Answered(want), e.Rejection.Answering()); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

// TestAnswering checks that a share of exactly 95, 90, 80 or 50 % is enough for a row.
func TestAnswering(t *testing.T) {
	var r Rejection
	for m, share := range []float64{1, 0.95, 0.949, 0.9, 0.8, 0.79, 0.5, 0.49} {
		r = append(r, Answered{Margin: m, Answered: share})
	}
	var margins []int
	for _, a := range r.Answering() {
		margins = append(margins, a.Margin)
	}
	if diff := cmp.Diff([]int{0, 1, 3, 4, 6}, margins); diff != "" {
		t.Errorf("margins (-want +got):\n%s", diff)
	}
}

// TestManyMargins checks that an evaluation lists a limited number of margins, from 0 on.
func TestManyMargins(t *testing.T) {
	for _, c := range []struct{ largest, step, rows int }{{0, 1, 1}, {999, 1, 1000}, {1000, 2, 501}, {123456, 124, 996}} {
		e := &Evaluation{Samples: 2}
		e.addRejection(metrics.Rejection([]uint8{0, 1}, []uint8{0, 1}, []int32{int32(c.largest), 0, 0, int32(c.largest)}, 2))
		if last := e.Rejection[len(e.Rejection)-1]; len(e.Rejection) != c.rows || last.Margin != c.step*(c.rows-1) {
			t.Errorf("largest lead %d: %d rows up to margin %d, want %d rows in steps of %d", c.largest, len(e.Rejection),
				last.Margin, c.rows, c.step)
		}
	}
}
