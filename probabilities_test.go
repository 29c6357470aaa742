package ialgn_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"ialgn"
	"ialgn/internal/netgen"
	"ialgn/internal/testkit"
)

// TestProbabilities compares the probabilities of a model with and of a model without a calibration with the softmax
// of its counts. The integers must be close to them, and have the same class in front. The log loss of an evaluation
// must be the mean for these probabilities.
func TestProbabilities(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, calibrated := range []bool{false, true} {
		made := netgen.Model(netgen.ModelOptions{Offsets: calibrated, Seed: 24})
		for i := range made.Classes {
			made.Classes[i] = fmt.Sprint(i) // as in an array of labels
		}
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
		var samples, labels []byte
		loss := 0.0
		for range 50 {
			features := make([]float64, m.Features())
			for f := range features {
				word := r.IntN(1 << made.Encoder.BitsIn)
				features[f] = float64(word)
				samples = binary.LittleEndian.AppendUint16(samples, uint16(word))
			}
			p := mustClassify(t, c, features)
			checkProbabilities(t, c, p, want)
			label := r.IntN(len(made.Classes))
			labels = append(labels, byte(label))
			loss -= math.Log(c.Probabilities(p.Counts)[label]) / 50
		}
		e := evaluateArrays(t, m, samples, labels)
		if math.Abs(e.LogLoss-loss) > 1e-9 || e.Temperature != want || e.Calibrated != calibrated {
			t.Errorf("log loss %v with temperature %v, calibrated %v, want %v", e.LogLoss, e.Temperature, e.Calibrated, loss)
		}
		none := make([]int, len(made.Classes)+1)
		if c.Probabilities(none) != nil || c.FixedProbabilities(nil) != nil {
			t.Error("probabilities of the wrong number of counts")
		}
	}
}

// evaluateArrays evaluates the model on files with the words of the samples' features and with their labels.
func evaluateArrays(t *testing.T, m *ialgn.Model, samples, labels []byte) *ialgn.Evaluation {
	t.Helper()
	dir := t.TempDir()
	o := ialgn.EvalOptions{File: filepath.Join(dir, "x.npy"), Labels: filepath.Join(dir, "y.npy")}
	for path, array := range map[string][]byte{
		o.File:   testkit.NPY("<u2", fmt.Sprintf("%d, %d", len(labels), m.Features()), samples),
		o.Labels: testkit.NPY("|u1", fmt.Sprintf("%d,", len(labels)), labels),
	} {
		if err := os.WriteFile(path, array, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	e, err := m.Evaluate(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return e
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
