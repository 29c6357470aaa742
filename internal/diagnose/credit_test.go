package diagnose

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ialgn/internal/crew"
	"ialgn/internal/draw"
	"ialgn/internal/engine"
	"ialgn/internal/kernel"
	"ialgn/internal/model"
	"ialgn/internal/netgen"
	"ialgn/internal/testkit"
	"ialgn/trainer"
)

// testCase is a model and the size of its batch.
type testCase struct {
	name  string
	m     *model.Model
	batch int
}

// cases returns random networks of unusual sizes. They cover every form of network for which credit is defined, and
// every topology with the starts for which the documents report results. Cases with the two parametrizations
// alternate.
func cases() []testCase {
	var all []testCase
	for i, f := range netgen.Forms() {
		if Gates(&f.Model().Config.Model) != nil {
			continue
		}
		all = append(all, testCase{f.Name, f.Model(), []int{1, 7, 64, 65, 100}[i%5]})
	}
	for i, topology := range CreditTopologies {
		for j, noise := range []float64{0, 0.1, 1} {
			for k, light := range []bool{false, true} {
				if (i+j+k)%2 == 1 && !testkit.Whole() {
					continue
				}
				base := netgen.Model(netgen.ModelOptions{Topology: topology, Width: 39, Depth: 7, Light: light})
				base.Config.Model.Init, base.Config.Model.SkipLogit, base.Config.Model.InitNoise = "skip", 5, noise
				base.Config.Train.Seed = uint64(100*i + 10*j + k)
				if j == 1 && topology != "ialgn" {
					base.Config.Model.Wiring = "balanced"
				}
				m := trainer.Initial(base.Config, &base.Encoder, base.Classes, 1)
				all = append(all, testCase{fmt.Sprintf("%s-%v-%v", topology, noise, light), m, 9})
			}
		}
	}
	return all
}

// measured measures one random batch of a case. It returns the meter and the brute force for this batch.
func (c testCase) measured(t *testing.T, sampled []int, threads int) (*meter, *brute) {
	t.Helper()
	members := crew.New(threads)
	meter := newMeter(c.m, sampled, c.batch, members)
	b := &brute{m: c.m, sampled: sampled}
	r := rand.New(rand.NewPCG(uint64(len(c.name)), 1))
	rows := meter.pass.n.inputs()
	for i := range rows {
		rows[i] = r.Uint64()
	}
	for s := range c.batch {
		x := make([]float64, c.m.Encoder.Inputs())
		for i := range x {
			x[i] = float64(rows[i*meter.pass.n.words+s/64] >> (s % 64) & 1)
		}
		b.x, b.y = append(b.x, x), append(b.y, uint8(r.IntN(len(c.m.Classes))))
	}
	meter.batch(t.Context(), b.y, func(int) {})
	return meter, b
}

// TestBrute compares the contributions and all three diagnostics with the brute force, for a third of the gates.
func TestBrute(t *testing.T) {
	for _, c := range cases() {
		t.Run(c.name, func(t *testing.T) {
			sampled := SampleGates(5, c.m.Width, len(c.m.Classes), c.m.Width/3)
			got, b := c.measured(t, sampled, 2)
			want := b.contributions()
			for l := range c.m.Depth() {
				compareContributions(t, got, want, l)
				compareLayer(t, got, b.layer(want, l), l)
			}
		})
	}
}

// compareContributions compares each contribution with the wanted contribution. The tolerance is the rounding error
// of the gate's largest contribution.
func compareContributions(t *testing.T, m *meter, want [][][][]float64, l int) {
	t.Helper()
	for k, i := range m.pass.sampled {
		largest := 0.0
		for o := range want {
			largest = max(largest, norm(want[o][l][i]))
		}
		for o, got := range m.contributions(l, k) {
			for j, x := range got {
				if math.Abs(x-want[o][l][i][j]) > 1e-12*largest+1e-18 {
					t.Fatalf("layer %d, gate %d, output %d, logit %d: %v, want %v", l+1, i, m.pass.sampled[o], j, x, want[o][l][i][j])
				}
			}
		}
	}
}

// contributions returns the contributions of all sampled outputs to a gate. k is the gate's index among the sampled
// gates of layer l.
func (t *meter) contributions(l, k int) [][]float64 {
	s := t.scorers[0]
	s.take(t.pass, l, k, t.truths[l][k])
	all := make([][]float64, len(t.pass.sampled))
	for o := range all {
		all[o] = make([]float64, t.pass.n.m.Sections[0].Arity)
	}
	for i, o := range s.outputs {
		copy(all[o], s.gradients[i])
	}
	return all
}

// compareLayer compares the results of a meter for a layer, after one batch, with the wanted results.
func compareLayer(t *testing.T, m *meter, want bruteLayer, l int) {
	t.Helper()
	close := func(what string, got []*trainer.Spread, want []float64) {
		switch {
		case (got[l] == nil) != (len(want) == 0):
			t.Errorf("layer %d: %s %v, want the one of %v", l+1, what, got[l], want)
		case got[l] != nil && math.Abs(got[l].Mean-trainer.SpreadOf(want).Mean) > 1e-9:
			t.Errorf("layer %d: %s %v, want %v", l+1, what, got[l].Mean, trainer.SpreadOf(want).Mean)
		}
	}
	r := m.result()
	close("path sharing", r.PathSharing, want.sharing)
	close("purity", r.Purity, want.purity)
	if want.eligible > 0 {
		close("coverage", r.Coverage, []float64{float64(want.covered) / float64(want.eligible)})
	}
	if r.Eligible[l] != want.eligible {
		t.Errorf("layer %d: %d eligible, want %d", l+1, r.Eligible[l], want.eligible)
	}
}

// TestSumIsGradient samples all gates and adds up the contributions of all outputs. The sum must be the gradient that
// training computes. This gradient is visible in Adam's first moments after the first step.
func TestSumIsGradient(t *testing.T) {
	for _, c := range cases() {
		all := make([]int, c.m.Width)
		for i := range all {
			all[i] = i
		}
		m, b := c.measured(t, all, 3)
		gradient := trained(t, c.m, m.pass.n, b.y)
		for l := range c.m.Depth() {
			for i := range all {
				compareSum(t, fmt.Sprintf("%s: layer %d, gate %d", c.name, l+1, i), m.contributions(l, i), gradient(l, i))
			}
		}
	}
}

func compareSum(t *testing.T, where string, contributions [][]float64, want []float64) {
	t.Helper()
	scale := 0.0
	for _, g := range contributions {
		scale += norm(g)
	}
	for j := range want {
		sum := 0.0
		for _, g := range contributions {
			sum += g[j]
		}
		if math.Abs(sum-want[j]) > 1e-4*scale+1e-8 {
			t.Errorf("%s, logit %d: the contributions' sum is %v, the gradient %v", where, j, sum, want[j])
		}
	}
}

// trained makes a training step on a batch. It returns the gradient with respect to the operation logits of each
// gate.
func trained(t *testing.T, m *model.Model, n *network, labels []uint8) func(l, i int) []float64 {
	t.Helper()
	e, err := engine.New(m, len(labels), 1)
	if err != nil {
		t.Fatal(err)
	}
	x := make([]uint64, m.Encoder.Inputs()*e.Words())
	for i := range m.Encoder.Inputs() {
		copy(x[i*e.Words():], n.inputs()[i*n.words:][:n.words])
	}
	const beta = 0.5
	e.Step(engine.Batch{X: x, Labels: labels}, kernel.NewAdam(0, beta, 0.999, 1e-8, 1))
	var moments [][]float32
	for _, a := range e.Moments() {
		if ok, _ := fmt.Sscanf(a.Name, "section%d.ops.m", new(int)); ok == 1 && slices.Equal(a.Shape[2:], []int{m.Sections[0].Arity}) &&
			a.Name[len(a.Name)-5:] == "ops.m" {
			moments = append(moments, a.Data)
		}
	}
	return func(l, i int) []float64 {
		section := 0
		for l >= m.Sections[section].Layers {
			l -= m.Sections[section].Layers
			section++
		}
		var g []float64
		for _, v := range moments[section][(i*m.Sections[section].Layers+l)*m.Sections[0].Arity:][:m.Sections[0].Arity] {
			g = append(g, float64(v)/(1-beta))
		}
		return g
	}
}

// TestPurity compares the purity with values for contributions that can be computed by hand.
func TestPurity(t *testing.T) {
	for _, test := range []struct {
		name          string
		contributions [][]float64
		want          float64
		active        bool
	}{
		{"none", [][]float64{{0, 0, 0, 0}, {0, 0, 0, 0}}, 0, false},
		{"at the threshold", [][]float64{{least, 0, 0, 0}}, 0, false},
		{"one", [][]float64{{0, 0, 0, 0}, {3, 0, 4, 0}}, 1, true},
		{"aligned", [][]float64{{3, 0, 4, 0}, {6, 0, 8, 0}}, 1, true},
		{"opposed", [][]float64{{3, 0, 4, 0}, {-3, 0, -4, 0}}, 0, true},
		{"across", [][]float64{{3, 0, 0, 0}, {0, 0, 4, 0}}, 5. / 7, true},
		{"too little of it", [][]float64{{3, 0, 4, 0}, {-3e-5, 0, -3e-5, 0}}, 1, true},
		{"just enough of it", [][]float64{{1, 0, 0, 0}, {-1.0001e-5, 0, 0, 0}}, (1 - 1.0001e-5) / (1 + 1.0001e-5), true},
	} {
		s := newScorer(0, patterns)
		s.gradients = test.contributions
		got, active := s.purity()
		if active != test.active || math.Abs(got-test.want) > 1e-11 {
			t.Errorf("%s: %v, %v, want %v, %v", test.name, got, active, test.want, test.active)
		}
	}
}

// TestMeasure compares the measurements of a configuration with the brute force on the batches of training. It covers
// two epochs, because the second epoch has another order of samples.
func TestMeasure(t *testing.T) {
	base := netgen.Model(netgen.ModelOptions{Width: 35, Depth: 5, Classes: 5, Topology: "rwlgn"})
	cfg := base.Config
	cfg.Model.Init, cfg.Model.SkipLogit, cfg.Model.InitNoise = "skip", 3, 0.5
	cfg.Train.Batch, cfg.Train.Seed = 10, 9
	data := &trainer.Data{Classes: base.Classes, Encoder: &base.Encoder, Train: netgen.Samples(&base.Encoder, 25, 5, 1)}
	o := CreditOptions{Config: cfg, Data: data, Sampled: 12, Batches: 3, Threads: 2}
	got, err := MeasureCredit(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	b := &brute{m: trainer.Initial(cfg, data.Encoder, data.Classes, 1), sampled: SampleGates(9, 35, 5, 12)}
	coverage, purity := make([][]float64, cfg.Model.Depth), make([][]float64, cfg.Model.Depth)
	order := make([]int32, 25)
	for batch := range o.Batches {
		draw.New(9, draw.Shuffle, batch/2, 0).Permutation(order)
		b.samples(data, order[batch%2*10:][:10])
		want := b.contributions()
		for l := range coverage {
			layer := b.layer(want, l)
			coverage[l] = append(coverage[l], float64(layer.covered)/float64(layer.eligible))
			purity[l] = append(purity[l], trainer.SpreadOf(layer.purity).Mean)
		}
	}
	for l := range coverage {
		for _, v := range []struct {
			name string
			got  *trainer.Spread
			want []float64
		}{{"coverage", got.Coverage[l], coverage[l]}, {"purity", got.Purity[l], purity[l]}} {
			want := trainer.SpreadOf(v.want)
			if math.Abs(v.got.Mean-want.Mean) > 1e-9 || math.Abs(*v.got.Std-*want.Std) > 1e-9 {
				t.Errorf("layer %d: %s %v +- %v, want %v +- %v", l+1, v.name, v.got.Mean, *v.got.Std, want.Mean, *want.Std)
			}
		}
	}
}

// samples sets the samples of the brute force to a batch of the training set.
func (b *brute) samples(data *trainer.Data, index []int32) {
	b.x, b.y = nil, nil
	for _, s := range index {
		var x []float64
		levels := make([]uint16, data.Encoder.Features())
		data.Train.Values(levels, int(s))
		for _, level := range levels {
			for j := 1; j < data.Encoder.Bits; j++ {
				bit := 0.0
				if int(level) >= j {
					bit = 1
				}
				x = append(x, bit)
			}
		}
		b.x, b.y = append(b.x, x), append(b.y, data.Train.Labels[s])
	}
}

// contributions returns the contributions of the sampled outputs.
func (b *brute) contributions() (all [][][][]float64) {
	for _, o := range b.sampled {
		all = append(all, b.output(o))
	}
	return all
}
