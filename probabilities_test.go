package ialgn_test

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"ialgn"
	"ialgn/internal/netgen"
)

// TestProbabilities compares the probabilities of a model with and of a model without a calibration with the softmax
// of its counts. The integers must be close to them, and have the same class in front.
func TestProbabilities(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, calibrated := range []bool{false, true} {
		made := netgen.Model(netgen.ModelOptions{Offsets: calibrated, Seed: 24})
		path := filepath.Join(t.TempDir(), "m.safetensors")
		if _, err := made.Save(path); err != nil {
			t.Fatal(err)
		}
		m, err := ialgn.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		want := made.Config.Model.Tau
		if calibrated {
			want = made.Calibration.Temperature
		}
		if temperature, known := m.Temperature(); temperature != want || known != calibrated {
			t.Errorf("temperature %v, calibrated %v, want %v and %v", temperature, known, want, calibrated)
		}
		c, err := m.Classifier(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		for range 50 {
			features := make([]float64, m.Features())
			for f := range features {
				features[f] = float64(r.IntN(1 << made.Encoder.BitsIn))
			}
			checkProbabilities(t, c, mustClassify(t, c, features), want)
		}
		none := make([]int, len(made.Classes)+1)
		if c.Probabilities(none) != nil || c.FixedProbabilities(nil) != nil {
			t.Error("probabilities of the wrong number of counts")
		}
	}
}

func checkProbabilities(t *testing.T, c *ialgn.Classifier, p ialgn.Prediction, temperature float64) {
	t.Helper()
	float, fixed, sum := c.Probabilities(p.Counts), c.FixedProbabilities(p.Counts), 0.0
	for _, n := range p.Counts {
		sum += math.Exp(float64(n) / temperature)
	}
	for i, n := range p.Counts {
		if want := math.Exp(float64(n)/temperature) / sum; math.Abs(float[i]-want) > 1e-12 ||
			math.Abs(float64(fixed[i])/65536-want) >= 0x1p-15 {
			t.Errorf("counts %v, class %d: %v and %d / 65536, want %v", p.Counts, i, float[i], fixed[i], want)
		}
		if float[i] > float[p.Class] || fixed[i] > fixed[p.Class] {
			t.Errorf("counts %v: class %d is more probable than class %d", p.Counts, i, p.Class)
		}
	}
}
