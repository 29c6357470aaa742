package trainer

import (
	"math"
	"path/filepath"
	"testing"

	"ialgn/internal/encoding"
	"ialgn/internal/model"
	"ialgn/internal/topology"
)

// TestEpochAccuracies compares the recorded test accuracies of the frozen and the relaxed network with an evaluation
// of the model file. This evaluation shares no code with the engines.
func TestEpochAccuracies(t *testing.T) {
	few := fewDigits(t)
	for _, n := range distinct() {
		t.Run(n.name, func(t *testing.T) {
			cfg := parse(t, append(few(n.sets...), "train.epochs=2")...)
			path := filepath.Join(t.TempDir(), "m")
			train(t, Run{Config: cfg, Model: path, Threads: 2})
			data, err := LoadData(t.Context(), cfg, nil)
			if err != nil {
				t.Fatal(err)
			}
			m := loadModel(t, path)
			if cfg.Encoder.Learned() {
				if err := data.Use(&m.Encoder); err != nil {
					t.Fatal(err)
				}
			}
			last := m.Record.Epochs[1]
			scores, err := m.Freeze().Evaluate(t.Context(), data.Test, 1)
			if err != nil {
				t.Fatal(err)
			}
			if want := scores.Correct(data.Test.Labels); last.TestCorrect != want {
				t.Errorf("frozen: %d of %d correct, the model file's network has %d", last.TestCorrect, last.TestSamples, want)
			}
			if cfg.Train.Estimator != "soft" || cfg.Model.Topology == topology.Conv || cfg.Model.Topology == topology.Recurrent {
				return // a slow evaluation of convolutions exists only in the tests of package engine
			}
			// Two class sums may be so close that their order differs between float32 and float64.
			if want := relaxedCorrect(m, data.Test); math.Abs(float64(last.RelaxedCorrect-want)) > 2 {
				t.Errorf("relaxed: %d of %d correct, want %d", last.RelaxedCorrect, last.TestSamples, want)
			}
		})
	}
}

// relaxedCorrect returns the number of samples that the relaxed network of a model classifies correctly. It computes
// in float64.
func relaxedCorrect(m *model.Model, p *encoding.Packed) (correct int) {
	levels, bits := make([]uint16, p.Features), m.Encoder.Bits-1
	nodes := relaxedNodes(m)
	for i := range p.Len() {
		p.Values(levels, i)
		x := make([]float64, m.Encoder.Inputs())
		for j := range x {
			if int(levels[j/bits]) > j%bits {
				x[j] = 1
			}
		}
		h := relaxedOutputs(m, nodes, x)
		sums, best := make([]float64, len(m.Classes)), 0
		for g, v := range h {
			sums[g*len(sums)/len(h)] += v
		}
		for c, s := range sums {
			if s > sums[best] {
				best = c
			}
		}
		if best == int(p.Labels[i]) {
			correct++
		}
	}
	return correct
}

// relaxedNode holds a node's mean truth table, and for each pin the softmax share of each candidate.
type relaxedNode struct {
	truth  []float64
	shares [][]float64
}

// relaxedNodes returns the nodes of each section, in the order of their logits.
func relaxedNodes(m *model.Model) (all [][]relaxedNode) {
	for i := range m.Sections {
		s := &m.Sections[i]
		nodes := make([]relaxedNode, s.Width*s.Layers)
		for at := range nodes {
			nodes[at].truth = truth(s.Ops[at*s.Arity:][:s.Arity], len(s.Pins))
			for k := range s.Pins {
				var of []float64
				if p := &s.Pins[k]; p.K > 1 && p.Source != model.Spine {
					of = shares(p.Logits[at*p.K:][:p.K])
				}
				nodes[at].shares = append(nodes[at].shares, of)
			}
		}
		all = append(all, nodes)
	}
	return all
}

// shares returns the softmax of logits.
func shares(logits []float32) []float64 {
	sum, all := 0.0, make([]float64, len(logits))
	for j, l := range logits {
		all[j] = math.Exp(float64(l))
		sum += all[j]
	}
	for j := range all {
		all[j] /= sum
	}
	return all
}

// relaxedOutputs returns the values of the last layer.
func relaxedOutputs(m *model.Model, nodes [][]relaxedNode, x []float64) (h []float64) {
	for i := range m.Sections {
		s := &m.Sections[i]
		for l := range s.Layers {
			out := make([]float64, s.Width)
			for g := range out {
				at := g*s.Layers + l
				for line, t := range nodes[i][at].truth {
					for k := range s.Pins {
						if v := relaxedPin(&s.Pins[k], nodes[i][at].shares[k], at, g, x, h); line>>(len(s.Pins)-1-k)&1 == 1 {
							t *= v
						} else {
							t *= 1 - v
						}
					}
					out[g] += t
				}
			}
			h = out
		}
	}
	return h
}

// relaxedPin returns the value of a pin, which is the mean of the candidates' values weighted with the candidates'
// shares.
func relaxedPin(p *model.Pin, shares []float64, at, gate int, x, h []float64) float64 {
	from := x
	switch p.Source {
	case model.Spine:
		return h[gate]
	case model.Previous:
		from = h
	}
	if p.K == 1 {
		return from[p.Wires.At(at)]
	}
	mean := 0.0
	for j, share := range shares {
		mean += share * from[p.Wires.At(at*p.K+j)]
	}
	return mean
}

// truth returns the mean truth table of a node, line by line (for a gate: 00, 01, 10 and 11).
func truth(w []float32, pins int) []float64 {
	t := make([]float64, 1<<pins)
	if len(w) == len(t) {
		for i, v := range w {
			t[i] = 1 / (1 + math.Exp(-float64(v)))
		}
		return t
	}
	for op, share := range shares(w) {
		for i := range t {
			t[i] += share * float64(op>>(3-i)&1)
		}
	}
	return t
}
