package report

import (
	"ialgn/internal/model"
	"ialgn/internal/plot"
	"ialgn/trainer"
)

// CurveNames holds the file names for the charts that [Curves] returns, in the order of the charts.
var CurveNames = []string{"accuracy", "loss", "learning-rate"}

// Curves returns charts of a model's training record by epoch. The record includes earlier calls that trained the
// model. Curves returns nil if the model was not trained.
func Curves(m *model.Model) []*plot.Chart {
	epochs := m.Record.Epochs
	if len(epochs) == 0 {
		return nil
	}
	rate := &plot.Chart{
		Title: "Learning rate by epoch", X: plot.Axis{Label: "epoch"},
		Y:      plot.Axis{Label: "learning rate", Include: []float64{0}},
		Series: []plot.Series{{X: plot.Upto(len(epochs)), Y: trainer.Rates(m.Config, epochs)}},
	}
	return []*plot.Chart{accuracyChart(epochs), lossChart(epochs), rate}
}
