package engine_test

import (
	"math"
	"testing"

	"ialgn/internal/config"
	"ialgn/internal/engine"
	"ialgn/internal/kernel"
	"ialgn/internal/model"
	"ialgn/internal/netgen"
	"ialgn/trainer"
)

// lastState returns the state of a recurrent network after the last step of a sample.
func (n *slowNetwork) lastState(sample []float64) []float64 {
	state := make([]float64, n.m.Width)
	inputs := len(sample) / n.m.Steps
	for step := range n.m.Steps {
		x := sample[step*inputs:][:inputs]
		for i := range n.m.Sections {
			s := &n.m.Sections[i]
			next := make([]float64, s.Width)
			for g := range next {
				pins := make([]float64, len(s.Pins))
				for k := range pins {
					from := map[model.Source][]float64{model.Input: x, model.Previous: state}
					pins[k] = n.mean(&s.Pins[k], g, from[s.Pins[k].Source])
				}
				next[g] = output(n.truth(s, g), pins)
			}
			state = next
		}
	}
	return state
}

// mean returns the value of a pin of node g that chooses among the values in the slice from.
func (n *slowNetwork) mean(p *model.Pin, g int, from []float64) (v float64) {
	q := []float64{1}
	if p.K > 1 {
		q = n.probabilities(p.Logits[g*p.K:][:p.K])
	}
	for j, share := range q {
		v += share * from[p.Wires.At(g*p.K+j)]
	}
	return v
}

// recurrentForms lists the forms of recurrent networks.
var recurrentForms = map[string]func(c *config.Config){
	"gates":       func(*config.Config) {},
	"light":       func(c *config.Config) { c.Model.Parametrization = "light" },
	"one layer":   func(c *config.Config) { c.Model.Widths = "12" },
	"one step":    func(c *config.Config) { c.Model.Steps = 1 },
	"narrow":      func(c *config.Config) { c.Model.Widths = "7,3,6" },
	"candidates":  func(c *config.Config) { c.Model.Hidden, c.Model.Anchors = 3, 4 },
	"anchors":     func(c *config.Config) { c.Model.Anchors = 2 },
	"balanced":    func(c *config.Config) { c.Model.Wiring = "balanced" },
	"three pins":  func(c *config.Config) { c.Model.Inputs = 3 },
	"four chosen": func(c *config.Config) { c.Model.Inputs, c.Model.Hidden, c.Model.Anchors = 4, 3, 2 },
	"six pins":    func(c *config.Config) { c.Model.Inputs = 6 },
}

// recurrentModel returns the configuration and the network of a form. A sample has six features of two bits.
func recurrentModel(t *testing.T, estimator string, change func(c *config.Config)) (config.Config, *model.Model) {
	t.Helper()
	c := config.Default()
	c.Data.Set, c.Name = "memory", "recurrent"
	c.Model.Topology, c.Model.Widths, c.Model.Steps = "recurrent", "14,10,12", 3
	c.Model.Tau, c.Model.InitNoise, c.Model.SkipLogit = 1.5, 1, 1
	c.Train.Batch, c.Train.Estimator = 40, estimator
	change(&c)
	c.Model.Complete(func(string) bool { return false })
	if fault := c.Model.Check(); fault != nil {
		t.Fatalf("%+v", fault)
	}
	enc := netgen.Encoder(6, 3, 8)
	m := trainer.Initial(c, &enc, []string{"a", "b", "c"}, 1)
	if err := m.Validate(); err != nil {
		t.Fatal(err)
	}
	return c, m
}

// TestRecurrentGradients compares loss and gradients of relaxed networks with central differences of the slow
// evaluation.
func TestRecurrentGradients(t *testing.T) {
	for name, change := range recurrentForms {
		t.Run(name, func(t *testing.T) {
			c, m := recurrentModel(t, "soft", change)
			e, err := engine.New(m, c.Train.Batch, 2)
			if err != nil {
				t.Fatal(err)
			}
			x, samples := randomBits(m.Encoder.Inputs(), e.Words(), 7)
			labels := labelsOf(len(samples), len(m.Classes))
			r := e.Step(engine.Batch{X: x, Labels: labels, Step: 1}, kernel.Adam{Rest1: 1, Rest2: 1, Eps: 1})
			slow := &slowNetwork{m: m}
			if want := slow.loss(samples, labels); math.Abs(r.Loss-want) > 1e-5*want {
				t.Errorf("loss %v, want %v", r.Loss, want)
			}
			checkGradients(t, m, e, func() float64 { return slow.loss(samples, labels) })
		})
	}
}

// TestRecurrentForward compares the loss of networks with hard values with the slow evaluation and with the unrolled
// network.
func TestRecurrentForward(t *testing.T) {
	for name, change := range recurrentForms {
		t.Run(name, func(t *testing.T) {
			c, m := recurrentModel(t, "ste", change)
			e, err := engine.New(m, c.Train.Batch, 2)
			if err != nil {
				t.Fatal(err)
			}
			x, samples := randomBits(m.Encoder.Inputs(), e.Words(), 37)
			labels := labelsOf(len(samples), len(m.Classes))
			r := e.Measure(engine.Batch{X: x, Labels: labels, Step: 1})
			slow := &slowNetwork{m: m, hard: true}
			if want := slow.loss(samples, labels); math.Abs(r.Loss-want) > 1e-6 {
				t.Errorf("loss %v, want %v", r.Loss, want)
			}
			f := e.Frozen(nil)
			if err := f.Validate(); err != nil {
				t.Fatal(err)
			}
			if n := f.Gates(); n != m.Nodes() || n != c.Model.Nodes() {
				t.Errorf("%d gates, the model says %d, the configuration %d", n, m.Nodes(), c.Model.Nodes())
			}
			if want := frozenLoss(f, c.Model.Tau, x, e.Words(), labels); math.Abs(r.Loss-want) > 1e-6 {
				t.Errorf("loss %v, the frozen network's is %v", r.Loss, want)
			}
		})
	}
}

// TestRecurrentFrozen checks that a network whose layers are all frozen has the values of the frozen network, with
// any estimator.
func TestRecurrentFrozen(t *testing.T) {
	for name, change := range recurrentForms {
		for _, estimator := range []string{"ste", "soft", "gumbel"} {
			c, m := recurrentModel(t, estimator, change)
			e, err := engine.New(m, c.Train.Batch, 2)
			if err != nil {
				t.Fatal(err)
			}
			x, samples := randomBits(m.Encoder.Inputs(), e.Words(), 37)
			labels := labelsOf(len(samples), len(m.Classes))
			r := e.Measure(engine.Batch{X: x, Labels: labels, Step: 1, Frozen: len(m.Sections)})
			if want := frozenLoss(e.Frozen(nil), c.Model.Tau, x, e.Words(), labels); math.Abs(r.Loss-want) > 1e-6 {
				t.Errorf("%s, %s: loss %v, the frozen network's is %v", name, estimator, r.Loss, want)
			}
		}
	}
}
