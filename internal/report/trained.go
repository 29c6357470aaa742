package report

import (
	"fmt"
	"math"
	"strconv"

	"ialgn/internal/config"
	"ialgn/internal/diagnose"
	"ialgn/internal/model"
	"ialgn/internal/plot"
)

// configuration lists the configuration keys in the model file, in the order of the documentation.
func (b *builder) configuration() section {
	s := section{ID: "configuration", Title: "Configuration"}
	all, err := flatten(b.Info.Model.Config, -1)
	if err != nil && b.err == nil {
		b.err = err
	}
	texted := map[string]string{}
	for _, v := range all {
		texted[v.key] = v.text
	}
	t := table{Caption: "Configuration keys used by ialgn train", Head: []string{"key", "value"}}
	for _, key := range config.Keys() {
		if text, ok := texted[key]; ok {
			t.Rows = append(t.Rows, texts(key, text))
		}
	}
	m := b.Info.Model
	s.Tables = []table{t, pairs("The model", [][]cell{
		texts("file", b.ModelFile),
		texts("SHA-256", b.Output.Manifest.Model.SHA256),
		texts("input bits", count(m.Encoder.Inputs())),
		texts("classes", count(len(m.Classes))),
		texts("trained parameters", count(b.Info.Model.Parameters())),
	})}
	return s
}

// training shows the training record.
func (b *builder) training() section {
	s := section{ID: "training", Title: "Training"}
	r := &b.Info.Model.Record
	if r.Start != nil {
		s.Notes = append(s.Notes, fmt.Sprintf("Training started from the parameters of %s.", r.Start.Name))
	}
	if len(r.Epochs) == 0 {
		s.Notes = append(s.Notes, "The model has not been trained.")
		return s
	}
	s.Figures = append(s.Figures, b.draw(accuracyChart(r.Epochs)), b.draw(lossChart(r.Epochs)))
	last, best := len(r.Epochs)-1, 0
	for i, e := range r.Epochs {
		if e.TestCorrect > r.Epochs[best].TestCorrect {
			best = i
		}
	}
	rows := [][]cell{
		texts("data set", r.DataSet),
		texts("epochs", count(len(r.Epochs))),
		texts("last epoch: loss", strconv.FormatFloat(r.Epochs[last].Loss, 'f', 4, 64)),
		texts("last epoch: training accuracy, over its batches",
			percent(ratio(r.Epochs[last].TrainCorrect, r.Epochs[last].TrainSamples))),
		texts("last epoch: test accuracy", percent(ratio(r.Epochs[last].TestCorrect, r.Epochs[last].TestSamples))),
		texts("best test accuracy of an epoch (not used to choose)",
			fmt.Sprintf("%s after epoch %d", percent(ratio(r.Epochs[best].TestCorrect, r.Epochs[best].TestSamples)), best+1)),
	}
	if r.Kept > 0 {
		rows = append(rows, texts("epoch kept, chosen on the validation set", fmt.Sprintf("epoch %d", r.Kept)))
	}
	s.Tables = []table{pairs("The training record", rows)}
	return s
}

func accuracyChart(epochs []model.Epoch) *plot.Chart {
	c := &plot.Chart{Title: "Accuracy by epoch", X: plot.Axis{Label: "epoch"}, Y: plot.Axis{Label: "accuracy", Unit: "%"}}
	for _, curve := range []struct {
		name string
		of   func(e model.Epoch) (correct, samples int)
	}{
		{"training batches", func(e model.Epoch) (int, int) { return e.TrainCorrect, e.TrainSamples }},
		{"test", func(e model.Epoch) (int, int) { return e.TestCorrect, e.TestSamples }},
		{"validation", func(e model.Epoch) (int, int) { return e.ValidationCorrect, e.ValidationSamples }},
		{"test, relaxed network", func(e model.Epoch) (int, int) {
			if e.RelaxedCorrect == 0 {
				return 0, 0
			}
			return e.RelaxedCorrect, e.TestSamples
		}},
	} {
		y, measured := make([]float64, len(epochs)), false
		for i, e := range epochs {
			y[i] = math.NaN()
			if correct, samples := curve.of(e); samples > 0 {
				y[i], measured = 100*ratio(correct, samples), true
			}
		}
		if measured {
			c.Series = append(c.Series, plot.Series{Name: curve.name, X: plot.Upto(len(epochs)), Y: y})
		}
	}
	return c
}

func lossChart(epochs []model.Epoch) *plot.Chart {
	y := make([]float64, len(epochs))
	for i, e := range epochs {
		y[i] = e.Loss
	}
	return &plot.Chart{
		Title: "Training loss by epoch", X: plot.Axis{Label: "epoch"},
		Y:      plot.Axis{Label: "loss", Unit: "nats", Include: []float64{0}},
		Series: []plot.Series{{X: plot.Upto(len(epochs)), Y: y}},
	}
}

// census shows the shares of the operations, or of the kinds of tables.
func (b *builder) census() section {
	s := section{
		ID: "operations", Title: "Operations",
		Notes: []string{"The first layer is left out, as in the paper: both its pins are inputs."},
	}
	one := []diagnose.Statistics{b.Statistics}
	s.Figures = append(s.Figures, b.draw(diagnose.OperationsChart(one)), b.draw(diagnose.CategoriesChart(one)))
	if tables := b.Statistics.Tables; tables != nil {
		s.Title, s.Notes = "Tables", nil
		s.Tables = []table{
			shares("Shares of the kinds of tables", "kind", diagnose.KindNames, tables.Kinds.Shares()),
			shares("Pins that tables depend on", "pins", diagnose.SupportNames, tables.Support[:]),
		}
		return s
	}
	t := table{Caption: "Shares of the operations", Head: []string{"operation", "number", "share"}, Numbers: true}
	for op, share := range b.Statistics.Operations {
		t.Rows = append(t.Rows, texts(diagnose.OperationNames[op], strconv.Itoa(op), percent(share)))
	}
	k := b.Statistics.Categories
	u := table{Caption: "Shares of the categories", Head: []string{"category", "share"}, Numbers: true, Rows: [][]cell{
		texts("pass-through", percent(k.PassThrough)), texts("binary", percent(k.Binary)),
		texts("negation", percent(k.Negation)), texts("constants", percent(k.Constants)),
	}}
	s.Tables = []table{u, t}
	return s
}

// shares returns a table of names with their shares.
func shares(caption, what string, names []string, of []float64) table {
	t := table{Caption: caption, Head: []string{what, "share"}, Numbers: true}
	for i, share := range of {
		t.Rows = append(t.Rows, texts(names[i], percent(share)))
	}
	return t
}

// depth shows the effective depth.
func (b *builder) depth() section {
	s := section{ID: "depth", Title: "Effective depth", Notes: []string{
		"A constant has depth 0, a pass-through the depth of its input, and a negation or binary operation one more than " +
			"its deepest input.",
	}}
	s.Figures = append(s.Figures, b.draw(diagnose.DepthChart([]diagnose.Statistics{b.Statistics})))
	t := table{
		Caption: "Effective depth over the gates of each layer",
		Head:    []string{"layer", "mean", "10th percentile", "90th percentile", "maximum"}, Numbers: true,
	}
	for l, d := range b.Statistics.Depth {
		t.Rows = append(t.Rows, texts(strconv.Itoa(l+1), fmt.Sprintf("%.3f", d.Mean), fmt.Sprintf("%.1f", d.P10),
			fmt.Sprintf("%.1f", d.P90), fmt.Sprintf("%.1f", d.Max)))
	}
	s.Tables = []table{t}
	return s
}
