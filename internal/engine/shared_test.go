package engine_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/config"
	"ialgn/internal/engine"
	"ialgn/internal/kernel"
	"ialgn/internal/model"
	"ialgn/internal/netgen"
	"ialgn/internal/topology"
	"ialgn/trainer"
)

// slowNetwork evaluates a network in the slow, obvious way in float64, with relaxed or hard values. It computes every
// node at every position by the definitions in docs/reference/maths.md.
type slowNetwork struct {
	m    *model.Model
	hard bool

	weights []float32 // weights of the classes in the loss; nil: 1

	outs  [][]float64            // the sample's input bits, followed by the outputs of each section
	known map[*float32][]float64 // probabilities already computed for this loss, by the address of their logits
}

// probabilities returns the softmax of logits. With hard values, it returns 1 for the largest logit and 0 for the
// others.
func (n *slowNetwork) probabilities(w []float32) []float64 {
	if p := n.known[&w[0]]; p != nil {
		return p
	}
	p, sum := make([]float64, len(w)), 0.0
	n.known[&w[0]] = p
	best := 0
	for i, x := range w {
		p[i] = math.Exp(float64(x))
		sum += p[i]
		if x > w[best] {
			best = i
		}
	}
	for i := range p {
		if p[i] /= sum; n.hard {
			p[i] = 0
		}
	}
	if n.hard {
		p[best] = 1
	}
	return p
}

// truth returns the truth values of the lines of node g.
func (n *slowNetwork) truth(s *model.Section, g int) []float64 {
	w := s.Ops[g*s.Arity:][:s.Arity]
	lines := 1 << len(s.Pins)
	t := make([]float64, lines)
	if s.Arity == model.Operations && len(s.Pins) == 2 {
		for op, p := range n.probabilities(w) {
			for line := range t {
				t[line] += p * float64(op>>(lines-1-line)&1)
			}
		}
		return t
	}
	for line, x := range w {
		if t[line] = 1 / (1 + math.Exp(-float64(x))); n.hard {
			t[line] = 0
			if x > 0 {
				t[line] = 1
			}
		}
	}
	return t
}

// output returns the mean of the table's lines t, weighted as if the pins were independent.
func output(t, pins []float64) (y float64) {
	for line, v := range t {
		for k, x := range pins {
			if line>>(len(pins)-1-k)&1 == 0 {
				x = 1 - x
			}
			v *= x
		}
		y += v
	}
	return y
}

// bits returns the output bits of section i for a sample. The slice before holds the bits of the previous section or,
// for the first section, the input bits.
func (n *slowNetwork) bits(i int, before []float64) []float64 {
	s := &n.m.Sections[i]
	grid := s.Grid
	if grid == nil {
		grid = &topology.Grid{Planes: len(before), Rows: 1, Columns: 1, Side: 1, Stride: 1, Pool: 1}
	}
	rows, columns := grid.Size()
	all := make([]float64, s.Width*rows*columns)
	for g := range s.Width {
		t := n.truth(s, g)
		for y := range rows {
			for x := range columns {
				pins := make([]float64, len(s.Pins))
				for k := range pins {
					pins[k] = n.read(i, k, grid, g, y, x, before)
				}
				all[(g*rows+y)*columns+x] = output(t, pins)
			}
		}
	}
	if grid.Pool == 1 {
		return all
	}
	pooled := make([]float64, 0, s.Outputs())
	for g := range s.Width {
		for y := range rows / 2 {
			for x := range columns / 2 {
				at := (g*rows+2*y)*columns + 2*x
				pooled = append(pooled, max(all[at], all[at+1], all[at+columns], all[at+columns+1]))
			}
		}
	}
	return pooled
}

// read returns the value of pin k of node g of section i at a position.
func (n *slowNetwork) read(i, k int, grid *topology.Grid, g, y, x int, before []float64) float64 {
	s := &n.m.Sections[i]
	p := &s.Pins[k]
	switch p.Source {
	case model.Spine:
		return before[g]
	case model.Input:
		return n.pin(p, grid.Of(p.Source), g, y, x, n.outs[0])
	case model.Base:
		from := n.outs[n.m.Base(i)+1]
		if s.Grid == nil {
			grid = &topology.Grid{Planes: len(from), Rows: 1, Columns: 1, Side: 1, Stride: 1, Pool: 1}
		}
		return n.pin(p, grid.Of(p.Source), g, y, x, from)
	default:
		return n.pin(p, grid, g, y, x, before)
	}
}

// pin returns the value of a pin of node g at a position.
func (n *slowNetwork) pin(p *model.Pin, grid *topology.Grid, g, y, x int, before []float64) (v float64) {
	q := []float64{1}
	if p.K > 1 {
		q = n.probabilities(p.Logits[g*p.K:][:p.K])
	}
	levels := len(before) / (grid.Rows * grid.Columns * grid.Planes)
	for j, share := range q {
		element := int(p.Wires.At(g*p.K + j))
		plane, dy, dx := element/(grid.Side*grid.Side), element/grid.Side%grid.Side, element%grid.Side
		py, px := y*grid.Stride+dy-grid.Padding, x*grid.Stride+dx-grid.Padding
		if py < 0 || py >= grid.Rows || px < 0 || px >= grid.Columns {
			continue
		}
		v += share * before[((plane/levels*grid.Rows+py)*grid.Columns+px)*levels+plane%levels]
	}
	return v
}

// loss returns the mean cross-entropy of samples, weighted by n.weights. Each sample is a row of input bits.
func (n *slowNetwork) loss(samples [][]float64, labels []uint8) float64 {
	sum, total := 0.0, 0.0
	classes := len(n.m.Classes)
	n.known = map[*float32][]float64{}
	for s, bits := range samples {
		if n.m.Steps > 0 {
			bits = n.lastState(bits)
		} else {
			n.outs = [][]float64{bits}
			for i := range n.m.Sections {
				bits = n.bits(i, bits)
				n.outs = append(n.outs, bits)
			}
		}
		z, all := make([]float64, classes), 0.0
		for i, v := range bits {
			z[i/(len(bits)/classes)] += v / n.m.Config.Model.Tau
		}
		for _, v := range z {
			all += math.Exp(v)
		}
		weight := 1.0
		if n.weights != nil {
			weight = float64(n.weights[labels[s]])
		}
		sum += weight * (math.Log(all) - z[labels[s]])
		total += weight
	}
	return sum / total
}

// sharedConfig returns the configuration of a network of convolutions.
func sharedConfig(change func(c *config.Config)) config.Config {
	c := config.Default()
	c.Data.Set = "memory"
	c.Name = "shared"
	c.Model.Topology, c.Model.Image, c.Model.Kernels, c.Model.Levels = "conv", "2,6,7", "3,4", "2"
	c.Model.Widths, c.Model.Tau = "12,6", 1.5
	c.Model.InitNoise, c.Model.SkipLogit = 1, 1
	c.Train.Batch, c.Train.Estimator = 40, "soft"
	change(&c)
	c.Model.Complete(func(string) bool { return false })
	return c
}

var sharedForms = map[string]func(c *config.Config){
	"gates":         func(*config.Config) {},
	"light":         func(c *config.Config) { c.Model.Parametrization = "light" },
	"three levels":  func(c *config.Config) { c.Model.Levels = "3,1" },
	"no pooling":    func(c *config.Config) { c.Model.Pool = "1,2" },
	"no padding":    func(c *config.Config) { c.Model.Padding, c.Model.Pool = "0", "1" },
	"large patches": func(c *config.Config) { c.Model.Patch, c.Model.Padding = "5,3", "2,1" },
	"strides":       func(c *config.Config) { c.Model.Stride, c.Model.Pool = "2,1", "1,2" },
	"candidates":    func(c *config.Config) { c.Model.Hidden = 3 },
	"four pins":     func(c *config.Config) { c.Model.Inputs, c.Model.Levels = 4, "1,2" },
	"three, chosen": func(c *config.Config) { c.Model.Inputs, c.Model.Levels, c.Model.Hidden = 3, "2,1", 4 },
	"anchored": func(c *config.Config) {
		c.Model.Anchored, c.Model.Anchors, c.Model.Stride, c.Model.Pool = 1, 3, "1,1", "2,1"
	},
	"anchored, strides": func(c *config.Config) {
		c.Model.Kernels, c.Model.Levels, c.Model.Padding, c.Model.Pool = "3,4,5", "1,2,1", "1,1,0", "1"
		c.Model.Image, c.Model.Inputs, c.Model.Anchored, c.Model.Anchors, c.Model.Stride = "1,9,8", 3, 2, 4, "2,1,2"
	},
	"anchored, fixed": func(c *config.Config) { c.Model.Anchored, c.Model.Anchors = 1, 1 },
	"chains":          func(c *config.Config) { c.Model.Chains, c.Model.Widths, c.Model.Anchors = 3, "12", 4 },
	"fixed chains, four pins": func(c *config.Config) {
		c.Model.Chains, c.Model.Widths, c.Model.Anchors, c.Model.Inputs, c.Model.Levels = 2, "6", 1, 4, "1"
	},
	"kernels are chains": func(c *config.Config) { c.Model.Leaves, c.Model.Levels = 1, "3,2" },
	"kernels are chains, of a pixel": func(c *config.Config) {
		c.Model.Kernels, c.Model.Leaves, c.Model.Levels, c.Model.Patch, c.Model.Padding = "3,3", 1, "1,3", "3,1", "1,0"
	},
	"kernels with two leaves": func(c *config.Config) {
		c.Model.Inputs, c.Model.Leaves, c.Model.Levels, c.Model.Hidden, c.Model.Pool = 3, 2, "2,3", 2, "2,1"
	},
	"all": func(c *config.Config) {
		c.Model.Inputs, c.Model.Leaves, c.Model.Levels, c.Model.Anchored, c.Model.Anchors = 3, 2, "2", 1, 3
		c.Model.Stride, c.Model.Pool, c.Model.Padding, c.Model.Chains, c.Model.Widths = "1,2", "2,1", "1,2", 2, "12"
	},
	"convolved only": func(c *config.Config) { c.Model.Widths = "" },
	"one by one":     func(c *config.Config) { c.Model.Patch, c.Model.Padding, c.Model.Channels = "3,1", "1,0", 0 },
}

// sharedModel returns a network of convolutions. The width of the last layer is a multiple of the number of classes.
func sharedModel(t *testing.T, c config.Config) *model.Model {
	t.Helper()
	if fault := c.Model.Check(); fault != nil {
		t.Fatalf("%+v", fault)
	}
	size, _ := c.Model.ImageSize()
	enc := netgen.Encoder(size[0]*size[1]*size[2], 3, 8)
	classes := []string{"a", "b", "c"}
	if c.Model.Width%3 != 0 {
		classes = classes[:2]
	}
	m := trainer.Initial(c, &enc, classes, 1)
	if err := m.Validate(); err != nil {
		t.Fatal(err)
	}
	return m
}

// randomBits returns n samples both as rows of bits and as rows of values.
func randomBits(inputs, words, n int) (x []uint64, samples [][]float64) {
	r := rand.New(rand.NewPCG(3, 4))
	x = make([]uint64, inputs*words)
	for i := range x {
		x[i] = r.Uint64()
	}
	for s := range n {
		row := make([]float64, inputs)
		for i := range row {
			row[i] = float64(x[i*words+s/64] >> (s % 64) & 1)
		}
		samples = append(samples, row)
	}
	return x, samples
}

// labelsOf returns labels of n samples, one class after another.
func labelsOf(n, classes int) []uint8 {
	labels := make([]uint8, n)
	for i := range labels {
		labels[i] = uint8(i % classes)
	}
	return labels
}

// weightsOf returns a weight for each class.
func weightsOf(classes int) []float32 {
	weights := make([]float32, classes)
	for i := range weights {
		weights[i] = 0.5 + 1.5*float32(i)
	}
	return weights
}

// TestSharedGradients compares the loss and the gradients of relaxed networks with central differences of the slow
// evaluation. The classes have different weights.
func TestSharedGradients(t *testing.T) {
	for name, change := range sharedForms {
		t.Run(name, func(t *testing.T) {
			c := sharedConfig(change)
			m := sharedModel(t, c)
			e, err := engine.New(m, c.Train.Batch, 2)
			if err != nil {
				t.Fatal(err)
			}
			const n = 7 // few samples, because the slow evaluation takes most of the time
			x, samples := randomBits(m.Encoder.Inputs(), e.Words(), n)
			labels := labelsOf(len(samples), len(m.Classes))
			// These constants make the first moment equal to the gradient and leave all parameters unchanged.
			weights := weightsOf(len(m.Classes))
			batch := engine.Batch{X: x, Labels: labels, Weights: weights, Step: 1}
			r := e.Step(batch, kernel.Adam{Rest1: 1, Rest2: 1, Eps: 1})
			slow := &slowNetwork{m: m, weights: weights}
			if want := slow.loss(samples, labels); math.Abs(r.Loss-want) > 1e-5*want {
				t.Errorf("loss %v, want %v", r.Loss, want)
			}
			checkGradients(t, m, e, func() float64 { return slow.loss(samples, labels) })
		})
	}
}

// TestSharedFrozen compares the loss of networks with hard values with the loss of the unrolled frozen network and of
// the slow evaluation.
func TestSharedFrozen(t *testing.T) {
	for name, change := range sharedForms {
		t.Run(name, func(t *testing.T) {
			c := sharedConfig(change)
			c.Train.Estimator = "ste"
			m := sharedModel(t, c)
			e, err := engine.New(m, c.Train.Batch, 2)
			if err != nil {
				t.Fatal(err)
			}
			const n = 37
			x, samples := randomBits(m.Encoder.Inputs(), e.Words(), n)
			labels := labelsOf(len(samples), len(m.Classes))
			r := e.Measure(engine.Batch{X: x, Labels: labels})
			f := m.Freeze()
			if err := f.Validate(); err != nil {
				t.Fatal(err)
			}
			if got, want := r.Loss, frozenLoss(f, m.Config.Model.Tau, x, e.Words(), labels); math.Abs(got-want) > 1e-6 {
				t.Errorf("loss %v, of the frozen network %v", got, want)
			}
			slow := &slowNetwork{m: m, hard: true}
			if want := slow.loss(samples, labels); math.Abs(r.Loss-want) > 1e-6 {
				t.Errorf("loss %v, want %v", r.Loss, want)
			}
			m.Config.Train.Estimator = "soft" // all layers are frozen
			if e, err = engine.New(m, c.Train.Batch, 2); err != nil {
				t.Fatal(err)
			}
			all := e.Measure(engine.Batch{X: x, Labels: labels, Step: 1, Frozen: len(m.Sections)})
			if math.Abs(all.Loss-r.Loss) > 1e-6 {
				t.Errorf("loss %v where all layers are frozen, %v where all values are hard", all.Loss, r.Loss)
			}
			unrolled, err := m.Compact().Unroll()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(f, unrolled); diff != "" {
				t.Errorf("unrolled from what is not (-frozen +unrolled):\n%s", diff)
			}
		})
	}
}

// frozenLoss returns the mean cross-entropy of a frozen network.
func frozenLoss(f *model.Frozen, tau float64, x []uint64, words int, labels []uint8) (sum float64) {
	e := model.NewEvaluator(f)
	e.Run(x, words, nil)
	n := len(labels)
	counts := make([]int32, len(f.Classes)*n)
	e.Counts(counts, n)
	for s, y := range labels {
		all := 0.0
		for c := range f.Classes {
			all += math.Exp(float64(counts[c*n+s]-counts[int(y)*n+s]) / tau)
		}
		sum += math.Log(all)
	}
	return sum / float64(n)
}

// checkGradients compares six elements of each array of first moments with central differences.
func checkGradients(t *testing.T, m *model.Model, e engine.Engine, loss func() float64) {
	t.Helper()
	r := rand.New(rand.NewPCG(5, 6))
	for _, moment := range e.Moments() {
		if moment.Name[len(moment.Name)-2:] != ".m" {
			continue
		}
		w := parameters(m, moment.Name[:len(moment.Name)-2])
		size := 0.0
		for _, g := range moment.Data {
			size = max(size, math.Abs(float64(g)))
		}
		for range 6 {
			i := r.IntN(len(w))
			was := w[i]
			const step = 1.0 / (1 << 14) // so small that the largest of four pooled values seldom changes
			w[i] = was + step
			up := loss()
			w[i] = was - step
			down := loss()
			w[i] = was
			want := (up - down) / (2 * step)
			if got := float64(moment.Data[i]); math.Abs(got-want) > 2e-3*size+1e-7 {
				t.Errorf("%s[%d]: gradient %v, want %v (largest %v)", moment.Name, i, got, want, size)
			}
		}
	}
}

// parameters returns the array of a model that belongs to the moment with the given name.
func parameters(m *model.Model, name string) []float32 {
	var section int
	var rest string
	fmt.Sscanf(name, "section%d.%s", &section, &rest)
	s := &m.Sections[section]
	if rest == "ops" {
		return s.Ops
	}
	return s.Pins[rest[0]-'a'].Logits
}
