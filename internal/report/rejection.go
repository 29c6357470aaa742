package report

import (
	"strconv"

	"ialgn/internal/plot"
)

// rejection shows the accuracy if samples with a small lead of the largest class count are not answered. It returns a
// section without ID if there are no test results.
func (b *builder) rejection() section {
	if b.Test == nil || len(b.Test.Rejection) == 0 {
		return section{}
	}
	s := section{ID: "rejection", Title: "Accuracy against the share answered", Notes: []string{
		"The lead of a sample is its largest class count minus its second largest. A sample is uncertain if its lead " +
			"is less than the margin. The other samples are answered.",
	}}
	t := table{
		Caption: "Results for the samples that are answered",
		Head:    []string{"margin", "answered", "accuracy", "balanced accuracy"}, Numbers: true,
	}
	for _, a := range b.Test.Rejection.Answering() {
		t.Rows = append(t.Rows, texts(strconv.Itoa(a.Margin), percent(a.Answered), percent(a.Accuracy),
			percent(a.BalancedAccuracy)))
	}
	s.Tables = []table{t}
	accuracy, balanced := plot.Series{Name: "accuracy"}, plot.Series{Name: "balanced accuracy"}
	for _, a := range b.Test.Rejection {
		accuracy.X, accuracy.Y = append(accuracy.X, 100*a.Answered), append(accuracy.Y, 100*a.Accuracy)
		balanced.X, balanced.Y = append(balanced.X, 100*a.Answered), append(balanced.Y, 100*a.BalancedAccuracy)
	}
	s.Figures = append(s.Figures, b.draw(&plot.Chart{
		Title:  "Accuracy against the share of samples answered",
		X:      plot.Axis{Label: "samples answered", Unit: "%", Include: []float64{0, 100}},
		Y:      plot.Axis{Label: "accuracy of the answered", Unit: "%"},
		Series: []plot.Series{accuracy, balanced},
	}))
	return s
}
