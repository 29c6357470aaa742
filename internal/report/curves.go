package report

import (
	"ialgn/internal/model"
	"ialgn/internal/plot"
	"ialgn/trainer"
)

// CurveNames are names for the files of the charts of [Curves], in their order.
var CurveNames = []string{"accuracy", "loss", "learning-rate"}

// Curves returns the charts of a training record by epoch, earlier calls included, nil if nothing was trained.
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
