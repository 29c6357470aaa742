package engine

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ialgn/internal/config"
	"ialgn/internal/encoding"
	"ialgn/internal/kernel"
	"ialgn/internal/model"
	"ialgn/internal/netgen"
)

// pressed returns a copy of a form's model in which the argument pressure is the weight of train.cost.
func pressed(form netgen.Form, pressure float64) *model.Model {
	m := form.Model()
	m.Config.Train.Cost = config.Cost{Target: "ice40", Pressure: pressure}
	return m
}

// batchFor returns a batch of 100 random samples.
func batchFor(e Engine, m *model.Model) Batch {
	r := rand.New(rand.NewPCG(3, 3))
	b := Batch{X: make([]uint64, m.Encoder.Inputs()*e.Words()), Labels: make([]uint8, 100), Step: 1}
	for i := range b.X {
		b.X[i] = r.Uint64()
	}
	for i := range b.Labels {
		b.Labels[i] = uint8(r.IntN(len(m.Classes)))
	}
	return b
}

// shares returns the number of look-up tables that each input bit costs each of its readers. This is the number of
// tables of the bit's comparison divided by the number of readers. The function counts the readers pin by pin in the
// frozen network. A pin counts if its value can change the node's value.
func shares(m *model.Model, f *model.Frozen) []float64 {
	readers := make([]int, m.Encoder.Inputs())
	layer := 0
	for i := range m.Sections {
		s := &m.Sections[i]
		for l := range s.Layers {
			of := &f.Layers[layer+l]
			for node := range s.Width {
				for k := range s.Pins {
					if s.Pins[k].Source == model.Input && turns(of.Op.At(node), len(s.Pins), k) {
						readers[of.Pins[k].Index[node]]++
					}
				}
			}
		}
		layer += s.Layers
	}
	all := make([]float64, len(readers))
	for i, n := range readers {
		t := m.Encoder.Thresholds[i/(m.Encoder.Bits-1)][i%(m.Encoder.Bits-1)]
		all[i] = float64(encoding.ComparisonLUTs(m.Encoder.BitsIn, t, 4)) / float64(max(1, n))
	}
	return all
}

// turns reports whether a change of one pin can change the value of a table. The table is in the paper's numbering.
func turns(table uint64, pins, pin int) bool {
	value := func(line int) uint64 { return table >> (1<<pins - 1 - line) & 1 }
	for line := range 1 << pins {
		if value(line) != value(line^1<<(pins-1-pin)) {
			return true
		}
	}
	return false
}

// TestCostGradient trains with and without costs. The gradients of selection logits must differ by the gradient of
// the expected costs, which is du_j = q_j (c_j - sum q_i c_i). Here c_j is the pressure times the share from
// [shares].
func TestCostGradient(t *testing.T) {
	const pressure = 0.25
	for _, form := range netgen.Unshared() {
		t.Run(form.Name, func(t *testing.T) {
			var moments [2]map[string][]float32
			for i, with := range []float64{1e-30, pressure} { // 1e-30 is lost in rounding
				m := pressed(form, with)
				e, err := New(m, 100, 2)
				if err != nil {
					t.Fatal(err)
				}
				e.Step(batchFor(e, m), kernel.NewAdam(0.01, 0.9, 0.999, 1e-8, 1))
				moments[i] = map[string][]float32{}
				for _, mo := range e.Moments() {
					moments[i][mo.Name] = mo.Data
				}
			}
			m := pressed(form, pressure)
			e, err := New(m, 100, 1)
			if err != nil {
				t.Fatal(err)
			}
			frozen := e.Frozen(nil)
			cost, layer := shares(m, frozen), 0
			for i := range m.Sections {
				s := &m.Sections[i]
				for k := range s.Pins {
					p := &s.Pins[k]
					if p.Source == model.Spine || p.K == 1 {
						continue
					}
					name := fmt.Sprintf("section%d.%s.logits.m", i, strings.ToLower(model.PinName(k)))
					for g := range s.Width * s.Layers {
						q, mean := probabilities(p.Logits[g*p.K:][:p.K]), 0.0
						table := frozen.Layers[layer+g%s.Layers].Op.At(g / s.Layers)
						of := func(j int) float64 { // the pins of a constant node have no price
							if p.Source != model.Input || table == 0 || table == model.LastTable(len(s.Pins)) {
								return 0
							}
							return pressure * cost[p.Wires.At(g*p.K+j)]
						}
						for j := range q {
							mean += q[j] * of(j)
						}
						for j := range q {
							at := g*p.K + j
							got := float64(moments[1][name][at]-moments[0][name][at]) / (1 - 0.9)
							if want := q[j] * (of(j) - mean); math.Abs(got-want) > 1e-5 {
								t.Fatalf("%s, node %d, candidate %d: the pressure adds %v, want %v", name, g, j, got, want)
							}
						}
					}
				}
				layer += s.Layers
			}
		})
	}
}

// TestCostScores checks that the scores include the costs, added up over a window's batches.
func TestCostScores(t *testing.T) {
	c := &costs{price: []float32{0.5, 0, 2}}
	sums := []float32{1, 1, -7}
	c.add(sums, &sources{}, 3)
	if want := []float32{2.5, 1, -1}; !slices.Equal(sums, want) {
		t.Errorf("sums %v, want %v", sums, want)
	}
	drawn := []float32{1, 1}
	if c.add(drawn, &sources{drawn: []uint32{1, 2}}, 3); !slices.Equal(drawn, []float32{1, 7}) {
		t.Errorf("sums of drawn sources %v, want 1 and 7", drawn)
	}
	(*costs)(nil).add(sums, &sources{}, 3)
	if want := []float32{2.5, 1, -1}; !slices.Equal(sums, want) {
		t.Errorf("without costs %v", sums)
	}
}
