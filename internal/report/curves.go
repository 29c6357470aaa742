package report

import (
	"ialgn/internal/model"
	"ialgn/internal/plot"
	"ialgn/trainer"
)

// CurveNames are file names for the charts of [Curves], in the same order.
var CurveNames = []string{"accuracy", "loss", "learning-rate"}

// Curves returns the charts of a training record by epoch, including earlier training calls. It returns nil if
// the model was not trained.
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
