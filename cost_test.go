package ialgn_test

import (
	"testing"

	"ialgn"
	"ialgn/internal/config"
)

// TestCost trains with and without a cost for look-up tables. With the cost, the compiled encoder must have far fewer
// tables, and the accuracy must be nearly as high.
func TestCost(t *testing.T) {
	cfg := ialgn.Config{
		Data: config.Data{Set: "digits"}, Encoder: config.Encoder{Bits: 8},
		Model: config.Model{Width: 60, Depth: 1, Inputs: 6, Anchors: 16, Tau: 1.5},
		Train: config.Train{Epochs: 20},
	}
	cfg.Train.Candidates.Kind = "gradient"
	measure := func(pressure float64) (luts int, accuracy float64) {
		if cfg.Train.Cost.Pressure = pressure; pressure > 0 {
			cfg.Train.Cost.Target = "xilinx7"
		}
		m, err := ialgn.Train(t.Context(), cfg, ialgn.Data{}, ialgn.TrainOptions{})
		if err != nil {
			t.Fatal(err)
		}
		d, err := ialgn.Compile(t.Context(), m, ialgn.CompileOptions{Target: "xilinx7", Objective: "area"})
		if err != nil {
			t.Fatal(err)
		}
		r, err := d.Report()
		if err != nil {
			t.Fatal(err)
		}
		score, err := m.Evaluate(t.Context(), ialgn.EvalOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return r.LUTs.Encoder, score.Accuracy
	}
	free, right := measure(0)
	pressed, nearly := measure(0.0003)
	t.Logf("encoder of %d LUTs at %.3f, with a pressure %d at %.3f", free, right, pressed, nearly)
	if 10*pressed > 7*free || nearly < right-0.02 {
		t.Errorf("encoder of %d LUTs at %.3f, with a pressure %d at %.3f", free, right, pressed, nearly)
	}
}
