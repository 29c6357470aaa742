package engine

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ialgn/internal/kernel"
	"ialgn/internal/model"
	"ialgn/internal/netgen"
	"ialgn/internal/topology"
)

// TestScores compares the scores of every form of network with the gradients of its selection logits. [TestGolden]
// compares these gradients with autograd. If du_j is the gradient of logit j and q_j its probability, du_j/q_j is the
// change of the loss if the pin read candidate j, plus a constant for each pin. Rounding to 8 bits causes an error
// that is a fraction of the largest score.
//
// With relaxed values, the bits of the previous layer are rounded, so only the scores of input bits are compared.
func TestScores(t *testing.T) {
	forms := append(netgen.Unshared(), netgen.ConvForms()...)
	for _, form := range netgen.ConvForms() {
		forms = append(forms, netgen.Form{Name: form.Name + "-soft", Options: form.Options})
	}
	for _, form := range forms {
		t.Run(form.Name, func(t *testing.T) {
			m := form.Model()
			soft := strings.HasSuffix(form.Name, "-soft")
			if soft {
				m.Config.Train.Estimator = "soft"
			}
			e, err := New(m, 100, 2)
			if err != nil {
				t.Fatal(err)
			}
			before := slices.Clone(m.Sections)
			for i := range before { // the gradients were computed with the logits before the step
				before[i].Pins = slices.Clone(before[i].Pins)
				for k := range before[i].Pins {
					before[i].Pins[k].Logits = slices.Clone(before[i].Pins[k].Logits)
				}
			}
			scores := e.NewScores(Window{Windows: 1})
			e.Score(scores)
			b := batchFor(e, m)
			adam := kernel.NewAdam(0.01, 0.9, 0.999, 1e-8, 1)
			e.Step(b, adam)
			moments := map[string][]float32{}
			for _, mo := range e.Moments() {
				moments[mo.Name] = mo.Data
			}
			checkScores(t, scores, before, moments, float64(adam.Rest1), soft)
		})
	}
}

// checkScores compares the differences between the scores of each pin's candidates. If onlyInputs is true, it leaves
// out pins that do not read input bits.
func checkScores(t *testing.T, scores *Scores, sections []model.Section, moments map[string][]float32, rest float64,
	onlyInputs bool,
) {
	t.Helper()
	compared, first := 0, 0 // first is the number of the section's first layer in the network
	for i := range sections {
		s := &sections[i]
		for _, of := range scores.rows {
			if of.layer < first || of.layer >= first+s.Layers {
				continue
			}
			k := scores.c.all[of.layer].pins[of.pin].number
			p := &s.Pins[k]
			if onlyInputs && p.Source != model.Input {
				continue
			}
			grads := moments[fmt.Sprintf("section%d.%s.logits.m", i, strings.ToLower(model.PinName(k)))]
			for node := range s.Width {
				g := node*s.Layers + of.layer - first
				sums := of.row(node)
				q := probabilities(p.Logits[g*p.K:][:p.K])
				scale := 0.0
				for _, x := range sums {
					scale = max(scale, math.Abs(float64(x)))
				}
				for j := 1; j < p.K; j++ {
					want := float64(grads[g*p.K+j])/rest/q[j] - float64(grads[g*p.K])/rest/q[0]
					got := float64(sums[p.Wires.At(g*p.K+j)] - sums[p.Wires.At(g*p.K)])
					if math.Abs(got-want) > 0.15*scale+1e-6 {
						t.Fatalf("section %d, node %d, pin %d: candidate %d is worth %v more than candidate 0, want %v (scale %v)", i,
							node, k, j, got, want, scale)
					}
					compared++
				}
			}
		}
		first += s.Layers
	}
	choosing := false
	for i := range sections {
		for k := range sections[i].Pins {
			p := &sections[i].Pins[k]
			choosing = choosing || p.K > 1 && (!onlyInputs || p.Source == model.Input)
		}
	}
	if (compared > 0) != choosing {
		t.Errorf("%d candidates compared", compared)
	}
}

func probabilities(w []float32) []float64 {
	p, sum := make([]float64, len(w)), 0.0
	for j, x := range w {
		p[j] = math.Exp(float64(x))
		sum += p[j]
	}
	for j := range p {
		p[j] /= sum
	}
	return p
}

// TestWindows checks that the windows of an epoch cover each node once.
func TestWindows(t *testing.T) {
	for _, form := range append(netgen.Unshared(), netgen.ConvForms()...) {
		e, err := New(form.Model(), 100, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, windows := range []int{1, 3, 50} {
			seen := map[[2]int]int{}
			for w := range windows {
				s := e.NewScores(Window{Number: w, Windows: windows})
				for l := range s.from {
					for node := s.from[l]; node < s.to[l]; node++ {
						seen[[2]int{l, node}]++
					}
				}
			}
			for _, l := range baseOf(e).all {
				for node := range l.width {
					if seen[[2]int{l.layer, node}] != 1 {
						t.Fatalf("%s, %d windows: layer %d, node %d is in %d", form.Name, windows, l.layer, node,
							seen[[2]int{l.layer, node}])
					}
				}
			}
		}
	}
}

// TestDrawnSources scores a share of the sources. Each score must be the score of the same source if all sources are
// scored, and only scored sources become candidates. Other windows and epochs must score other sources.
func TestDrawnSources(t *testing.T) {
	for name, o := range map[string]netgen.ModelOptions{
		"inputs":  {Features: 200, Bits: 4},
		"patches": {Topology: "conv", Bits: 3, Image: "20,4,4", Kernels: "4", Levels: "1", Hidden: 4, Widths: "300,60"},
	} {
		score := func(w Window) (*model.Model, *Scores) {
			m := netgen.Model(o)
			e, err := New(m, 100, 2)
			if err != nil {
				t.Fatal(err)
			}
			s := e.NewScores(w)
			e.Score(s)
			e.Step(batchFor(e, m), kernel.NewAdam(0, 0.9, 0.999, 1e-8, 1))
			return m, s
		}
		_, all := score(Window{Windows: 1})
		m, some := score(Window{Windows: 1, Share: 0.4, Seed: 3, Epoch: 5})
		few := 0
		for i := range some.rows {
			of := &some.rows[i]
			if of.from.drawn != nil {
				few++
			}
			for node := range some.to[of.layer] {
				for j, x := range of.row(node) {
					if want := all.rows[i].row(node)[of.from.at(uint32(j))]; x != want {
						t.Fatalf("%s: layer %d, node %d, source %d: %v, want %v", name, of.layer, node, of.from.at(uint32(j)), x, want)
					}
				}
			}
		}
		before := slices.Clone(m.Sections[0].Pins[1].Wires.Narrow)
		some.Replace(Replacement{Count: 2, Gap: 0.5})
		changed := 0
		for i, wire := range m.Sections[0].Pins[1].Wires.Narrow {
			if wire == before[i] {
				continue
			}
			changed++
			if _, scored := slices.BinarySearch(some.rows[0].from.drawn, uint32(wire)); !scored {
				t.Errorf("%s: source %d became a candidate", name, wire)
			}
		}
		if few == 0 || changed == 0 {
			t.Errorf("%s: %d pins have drawn sources, %d candidates changed", name, few, changed)
		}
		for _, w := range []Window{{Windows: 1, Share: 0.4, Seed: 3, Epoch: 6}, {Windows: 1, Share: 0.4, Seed: 4, Epoch: 5}} {
			if _, other := score(w); slices.Equal(other.rows[0].from.drawn, some.rows[0].from.drawn) {
				t.Errorf("%s: %+v has the same sources", name, w)
			}
		}
	}
}

// TestScoresOfFewSamples adds a full batch and a batch of few samples to the scores of convolutions. The result must be
// the sum of the scores of each batch alone, so nothing may remain of the larger batch.
func TestScoresOfFewSamples(t *testing.T) {
	for _, form := range netgen.ConvForms() {
		for _, estimator := range []string{"ste", "soft"} {
			score := func(all ...bool) []float32 {
				m := form.Model()
				m.Config.Train.Estimator = estimator
				e, err := New(m, 100, 2)
				if err != nil {
					t.Fatal(err)
				}
				s := e.NewScores(Window{Windows: 1})
				e.Score(s)
				for _, whole := range all {
					b := batchFor(e, m)
					if b.Step = 1; !whole {
						b.Labels, b.Step = b.Labels[:10], 2
					}
					e.Step(b, kernel.NewAdam(0, 0.9, 0.999, 1e-8, b.Step))
				}
				return s.sums
			}
			both, whole, few := score(true, false), score(true), score(false)
			for i, x := range both {
				if x != whole[i]+few[i] {
					t.Fatalf("%s, %s: sum %d is %v, want %v + %v", form.Name, estimator, i, x, whole[i], few[i])
				}
			}
		}
	}
}

// TestTooManyPositions checks the error for images whose sums would not be exact.
func TestTooManyPositions(t *testing.T) {
	m := netgen.Model(netgen.ModelOptions{Topology: "conv", Bits: 3, Image: "1,4,4", Kernels: "4", Widths: "60"})
	m.Sections[0].Grid = &topology.Grid{Planes: 1, Rows: 512, Columns: 256, Side: 1, Stride: 1, Pool: 1}
	m.Config.Train.Candidates.Kind = "gradient"
	if err := checkScored(m, 128); err != nil {
		t.Error(err)
	}
	if err := checkScored(m, 192); err == nil ||
		!strings.Contains(err.Error(), "gradient sums over 192 samples at 131072 positions, and can sum over 16777216") {
		t.Errorf("error %v", err)
	}
}

// TestReplace replaces candidates by scores and at random. Selected candidates must stay, sources must stay distinct,
// and new candidates must have the prescribed logit. A new engine for the changed model must give the same bits as
// the old engine.
func TestReplace(t *testing.T) {
	for _, form := range append(netgen.Unshared(), netgen.ConvForms()...) {
		for _, random := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s-%v", form.Name, random), func(t *testing.T) {
				m := form.Model()
				e, err := New(m, 100, 2)
				if err != nil {
					t.Fatal(err)
				}
				r, b := rand.New(rand.NewPCG(4, 4)), batchFor(e, m)
				before := e.Frozen(nil)
				if replace := (Replacement{Count: 2, Gap: 0.5}); random {
					e.ReplaceRandom(1, 1, replace)
				} else {
					s := e.NewScores(Window{Windows: 1})
					for i := range s.sums {
						s.sums[i] = float32(r.NormFloat64())
					}
					s.Replace(replace)
				}
				if diff := differ(before.Layers, e.Frozen(nil).Layers); diff != "" {
					t.Errorf("what is selected changed (-before +after):\n%s", diff)
				}
				path := filepath.Join(t.TempDir(), "m")
				if _, err := m.Save(path); err != nil {
					t.Fatal(err)
				}
				other, err := model.Load(path)
				if err != nil {
					t.Fatal(err)
				}
				again, err := New(other, 100, 1)
				if err != nil {
					t.Fatal(err)
				}
				adam := kernel.NewAdam(0.01, 0.9, 0.999, 1e-8, 1)
				if got, want := e.Step(b, adam), again.Step(b, adam); got != want {
					t.Errorf("a batch gives %v, and %v by a new engine", got, want)
				}
				if diff := differ(other.Sections, m.Sections); diff != "" {
					t.Errorf("after a step (-new engine +engine):\n%s", diff)
				}
			})
		}
	}
}

// TestLeastFirst compares the result of leastFirst with a sort.
func TestLeastFirst(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		sums := make([]float32, 1+r.IntN(40))
		for i := range sums {
			sums[i] = float32(r.IntN(8))
		}
		n := 1 + r.IntN(12)
		want := make([]uint32, len(sums))
		for i := range want {
			want[i] = uint32(i)
		}
		slices.SortStableFunc(want, func(a, b uint32) int { return int(sums[a]) - int(sums[b]) })
		if got := leastFirst(sums, n); !slices.Equal(got, want[:min(n, len(want))]) {
			t.Fatalf("%v: the %d least are %v, want %v", sums, n, got, want)
		}
	}
}
