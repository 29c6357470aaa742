package engine

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ialgn/internal/config"
	"ialgn/internal/kernel"
	"ialgn/internal/model"
)

// golden is a file with three Adam steps that PyTorch's autograd computed in float64. golden.py of the reference
// implementation writes it. testdata/golden_weights.py writes the files with class weights. Arrays over layers and
// gates are [layer][gate].
type golden struct {
	Config struct {
		Inputs, Width, Depth, Classes, Batch, KX, KH int
		Tau, LR                                      float64
		STE                                          bool
		Topology, Parametrization                    string
		FirstPin                                     string    `json:"first_pin"`
		Weights                                      []float32 `json:"class_weights"` // weights of classes; nil: 1
	}
	First            []uint32      // pin A of layer 1, when fixed
	FirstCandidates  [][]uint32    `json:"first_candidates"`
	AnchorCandidates [][][]uint32  `json:"anchor_candidates"`
	HiddenCandidates [][][]uint32  `json:"hidden_candidates"` // nil for a layer with a private spine
	Wires            [][2][]uint32 // pins A and B of the random-wired topologies, [layer][pin][gate]
	Start            params
	Steps            []goldenStep

	make func(t *testing.T, m *model.Model) Engine // the engine under test
}

type goldenStep struct {
	X           []string
	Y           []uint8
	Logits      [][]float64
	Loss        float64
	Grad, After params
}

// params holds the logits of a network, or other numbers in the same shape.
type params struct {
	First  [][]float64   // selection of layer 1's pin A; nil when fixed
	Ops    [][][]float64 // [layer][gate][16 or 4]
	Anchor [][][]float64 // [layer][gate][kx]; nil for the random-wired topologies
	Spine  [][][]float64 // [layer][gate][kh]; nil for a layer with a private spine
}

func readGolden(t *testing.T, path string) *golden {
	t.Helper()
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var g golden
	if err := json.Unmarshal(src, &g); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	if len(g.Steps) == 0 {
		t.Fatalf("%s: no steps", path)
	}
	return &g
}

// TestGolden compares the engine and the slow float64 oracle with autograd. It reads the files in $IALGN_GOLDEN or,
// if this variable is not set, in testdata/golden.
func TestGolden(t *testing.T) {
	dir := os.Getenv("IALGN_GOLDEN")
	if dir == "" {
		dir = filepath.Join("testdata", "golden")
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: no golden files: %v", dir, err)
	}
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".json"), func(t *testing.T) {
			g := readGolden(t, path)
			onPaths(t, func(t *testing.T) {
				g.make = chosenEngine
				t.Run("engine", g.testEngine)
				t.Run("engine-chained", g.testChained)
				g.make = nodesOnly
				t.Run("nodes", g.testEngine)
				t.Run("nodes-chained", g.testChained)
			})
			t.Run("oracle", g.testOracle)
		})
	}
}

// testEngine starts each step from the file's own parameters and moments.
func (g *golden) testEngine(t *testing.T) {
	start := g.Start
	var m, v params
	for n, s := range g.Steps {
		e := g.engine(t, start, m, v)
		before := g.momentsOf(e)
		r := e.Step(g.batch(e, s), g.adam(n+1))
		g.checkLogits(t, n, s, e, r)
		g.checkGradients(t, n, s.Grad, before, g.momentsOf(e))
		start, m, v = s.After, blend(m, s.Grad, 0.9, 1), blend(v, s.Grad, 0.999, 2)
		tol := zip(g.slack(n, s.Grad, v), v, func(slack, _ float64) float64 { return 1e-4 + slack })
		compare(t, fmt.Sprintf("step %d: parameter", n+1), paramsOf(e), s.After, tol)
	}
}

// testChained makes the three steps in sequence. Only the first step starts from the file's parameters and moments.
func (g *golden) testChained(t *testing.T) {
	e, tol := g.engine(t, g.Start, params{}, params{}), uniform(&g.Start, 1e-3)
	var v params
	for n, s := range g.Steps {
		e.Step(g.batch(e, s), g.adam(n+1))
		v = blend(v, s.Grad, 0.999, 2)
		tol = zip(tol, g.slack(n, s.Grad, v), func(t, slack float64) float64 { return t + slack })
		compare(t, fmt.Sprintf("step %d: parameter", n+1), paramsOf(e), s.After, tol)
	}
}

func (g *golden) checkLogits(t *testing.T, n int, s goldenStep, e Engine, r Result) {
	t.Helper()
	top := readoutOf(e)
	logits := make([]float32, top.classes)
	for i, want := range s.Logits {
		top.scores(i, logits)
		for c, z := range want {
			if count, w := top.counts[c*top.words*64+i], math.Round(z*g.Config.Tau); g.Config.STE && count != w {
				t.Errorf("step %d, sample %d, class %d: count %v, want %v", n+1, i, c, count, w)
			}
			if got := float64(logits[c]); !(math.Abs(got-z) <= 1e-5) {
				t.Errorf("step %d, sample %d, class %d: logit %v, want %v", n+1, i, c, got, z)
			}
		}
	}
	if !(math.Abs(r.Loss-s.Loss) <= 1e-5) {
		t.Errorf("step %d: loss %v, want %v", n+1, r.Loss, s.Loss)
	}
}

func networkOf(e Engine) *network {
	switch e := e.(type) {
	case *chainEngine:
		return e.network
	case *layerEngine:
		return e.network
	case *relaxedEngine:
		return e.network
	}
	panic("an unknown engine")
}

// baseOf returns the part that all engines have in common.
func baseOf(e Engine) *base {
	switch e := e.(type) {
	case *nodeEngine:
		return e.base
	case *relaxedNodes:
		return e.base
	case *sharedEngine:
		return e.base
	}
	return networkOf(e).base
}

func readoutOf(e Engine) *readout { return baseOf(e).readout }

// checkGradients computes the gradients from the first moments before and after a step, and compares them with the
// gradients in the file.
func (g *golden) checkGradients(t *testing.T, n int, want, before, after params) {
	t.Helper()
	got := zip(before, after, func(b, a float64) float64 {
		return (a - float64(float32(0.9))*b) / float64(float32(1-0.9))
	})
	compare(t, fmt.Sprintf("step %d: gradient", n+1), got, want, gradientTolerance(&want))
}

// gradientTolerance returns the tolerance of each gradient. All gradients of a gate have the same tolerance.
func gradientTolerance(want *params) params {
	tol := uniform(want, 1e-7)
	for l := range want.Ops {
		for i := range want.Ops[l] {
			largest := 0.0
			for _, values := range want.gate(l, i) {
				for _, x := range values {
					largest = max(largest, math.Abs(x))
				}
			}
			for _, values := range tol.gate(l, i) {
				for k := range values {
					values[k] += 1e-4 * largest
				}
			}
		}
	}
	return tol
}

// slack returns the tolerance of each parameter after step n+1, given the tolerance of the gradients. The argument v
// holds the second moments after the step. Adam divides by their square root. Therefore it makes a whole step even
// for a tiny gradient whose sign depends on rounding.
func (g *golden) slack(n int, grad, v params) params {
	correction := 1 - math.Pow(0.999, float64(n+1))
	return zip(gradientTolerance(&grad), v, func(tol, v float64) float64 {
		return g.Config.LR * min(2, tol/(math.Sqrt(v/correction)+1e-8)) // 2 is a whole step in the wrong direction
	})
}

// uniform returns params in which every number is the given value.
func uniform(like *params, value float64) params {
	return zip(*like, *like, func(_, _ float64) float64 { return value })
}

// compare compares each value with the wanted value, within the value's tolerance.
func compare(t *testing.T, what string, got, want, tolerance params) {
	t.Helper()
	names := []string{"op", "anchor", "spine", "first"}
	for l := range want.Ops {
		for i := range want.Ops[l] {
			g, w, tol := got.gate(l, i), want.gate(l, i), tolerance.gate(l, i)
			for n, values := range w {
				if len(g[n]) != len(values) {
					t.Fatalf("%s: layer %d, gate %d: %d values of %s, want %d", what, l+1, i, len(g[n]), names[n], len(values))
				}
				for k := range values {
					if !(math.Abs(g[n][k]-values[k]) <= tol[n][k]) {
						t.Errorf("%s: layer %d, gate %d, %s[%d] = %v, want %v within %v", what, l+1, i, names[n], k, g[n][k], values[k],
							tol[n][k])
					}
				}
			}
		}
	}
}

// gate returns the logits of a gate in the order operations, anchor, spine and first. It leaves out the logits of a
// pin with a single candidate.
func (p *params) gate(l, i int) [4][]float64 {
	row := func(v [][][]float64) []float64 {
		if l >= len(v) || v[l] == nil || len(v[l][i]) == 1 {
			return nil
		}
		return v[l][i]
	}
	out := [4][]float64{p.Ops[l][i], row(p.Anchor), row(p.Spine)}
	if l == 0 && p.First != nil && len(p.First[i]) > 1 {
		out[3] = p.First[i]
	}
	return out
}

// blend returns beta old + (1-beta) grad^power, which is a moment of Adam. If old is nil, it counts as zero.
func blend(old, grad params, beta float64, power int) params {
	if old.Ops == nil {
		old = zip(grad, grad, func(float64, float64) float64 { return 0 })
	}
	return zip(old, grad, func(o, g float64) float64 {
		if power == 2 {
			g *= g
		}
		return beta*o + (1-beta)*g
	})
}

func zip(a, b params, f func(a, b float64) float64) params {
	rows := func(a, b [][]float64) [][]float64 {
		if a == nil {
			return nil
		}
		out := make([][]float64, len(a))
		for i := range a {
			out[i] = make([]float64, len(a[i]))
			for k := range a[i] {
				out[i][k] = f(a[i][k], b[i][k])
			}
		}
		return out
	}
	layers := func(a, b [][][]float64) [][][]float64 {
		out := make([][][]float64, len(a))
		for l := range a {
			out[l] = rows(a[l], b[l])
		}
		return out
	}
	return params{rows(a.First, b.First), layers(a.Ops, b.Ops), layers(a.Anchor, b.Anchor), layers(a.Spine, b.Spine)}
}

func (g *golden) adam(t int) kernel.Adam { return kernel.NewAdam(g.Config.LR, 0.9, 0.999, 1e-8, t) }

func (g *golden) batch(e Engine, s goldenStep) Batch {
	x := make([]uint64, g.Config.Inputs*e.Words())
	for i, bits := range s.X {
		for f, bit := range bits {
			x[f*e.Words()+i/64] |= uint64(bit-'0') << (i % 64)
		}
	}
	return Batch{X: x, Labels: s.Y, Weights: g.Config.Weights}
}

// engine returns an engine whose model has the given logits. Unless m is empty, m and v are the engine's first and
// second moments.
func (g *golden) engine(t *testing.T, start, m, v params) Engine {
	t.Helper()
	net := g.model(start)
	e := g.make(t, net)
	if m.Ops == nil {
		return e
	}
	first, anchors := g.model(m), g.model(v)
	for _, mo := range e.Moments() {
		src := first
		if strings.HasSuffix(mo.Name, ".v") {
			src = anchors
		}
		copy(mo.Data, arrays(src)[strings.TrimSuffix(strings.TrimSuffix(mo.Name, ".v"), ".m")])
	}
	return e
}

// arrays returns a model's logits by their names in the model file.
func arrays(m *model.Model) map[string][]float32 {
	a := map[string][]float32{}
	for i := range m.Sections {
		s := &m.Sections[i]
		a[fmt.Sprintf("section%d.ops", i)] = s.Ops
		a[fmt.Sprintf("section%d.a.logits", i)] = s.Pins[0].Logits
		a[fmt.Sprintf("section%d.b.logits", i)] = s.Pins[1].Logits
	}
	return a
}

// model returns a model with the file's wires and the given logits. A network of private chains has a section for the
// first layer and a section for all other layers. Any other network has a section for each layer.
func (g *golden) model(p params) *model.Model {
	c := g.Config
	m := &model.Model{Width: c.Width}
	m.Config.Model = config.Model{
		Tau: c.Tau, Parametrization: c.Parametrization, Topology: c.Topology, Width: c.Width,
		Depth: c.Depth,
	}
	m.Config.Train.Estimator = map[bool]string{true: "ste", false: "soft"}[c.STE]
	for range c.Classes {
		m.Classes = append(m.Classes, fmt.Sprint(len(m.Classes)))
	}
	for range c.Inputs {
		m.Encoder.Thresholds = append(m.Encoder.Thresholds, []uint16{0})
	}
	m.Encoder.Bits, m.Encoder.BitsIn, m.Encoder.Max = 2, 1, 1
	m.Sections = append(m.Sections, g.section(p, 0, 1))
	step := 1
	if c.Topology == "ialgn" && c.KH == 1 && c.Depth > 1 {
		step = c.Depth - 1
	}
	for l := 1; l < c.Depth; l += step {
		m.Sections = append(m.Sections, g.section(p, l, l+step))
	}
	return m
}

// section returns the layers in the range [from, to) as a section.
func (g *golden) section(p params, from, to int) model.Section {
	s := model.Section{Layers: to - from, Width: g.Config.Width, Ops: flat(p.Ops[from:to])}
	s.Arity = len(s.Ops) / (s.Width * s.Layers)
	s.Pins = []model.Pin{g.pin(p, 0, from, to), g.pin(p, 1, from, to)}
	return s
}

func (g *golden) pin(p params, pin, from, to int) model.Pin {
	c, at := g.Config, model.Pin{K: 1}
	var wires [][][]uint32
	var logits [][][]float64
	switch {
	case c.Topology != "ialgn":
		for _, w := range g.Wires[from:to] {
			wires = append(wires, columns(w[pin]))
		}
		if from > 0 {
			at.Source = model.Previous
		}
	case pin == 1:
		at.K, wires, logits = c.KX, g.AnchorCandidates[from:to], p.Anchor
	case from == 0 && p.First != nil:
		at.K, wires, logits = c.KX, [][][]uint32{g.FirstCandidates}, [][][]float64{p.First}
	case from == 0:
		wires = [][][]uint32{columns(g.First)}
	case c.KH > 1:
		at.Source, at.K, wires, logits = model.Previous, c.KH, g.HiddenCandidates[from:to], p.Spine
	default:
		return model.Pin{Source: model.Spine, K: 1}
	}
	at.Wires = wiresOf(wires)
	if at.K > 1 {
		at.Logits = flat(logits[from:to])
	}
	return at
}

func columns(v []uint32) [][]uint32 {
	out := make([][]uint32, len(v))
	for i, x := range v {
		out[i] = []uint32{x}
	}
	return out
}

// flat flattens [layer][gate][k] chain by chain.
func flat(v [][][]float64) []float32 {
	var out []float32
	for i := range v[0] {
		for l := range v {
			for _, x := range v[l][i] {
				out = append(out, float32(x))
			}
		}
	}
	return out
}

func wiresOf(v [][][]uint32) model.Indices {
	var out model.Indices
	for i := range v[0] {
		for l := range v {
			for _, x := range v[l][i] {
				out.Narrow = append(out.Narrow, uint16(x))
			}
		}
	}
	return out
}

func paramsOf(e Engine) params {
	m := baseOf(e).m
	return paramsFrom(m, arrays(m))
}

func (g *golden) momentsOf(e Engine) params {
	a := map[string][]float32{}
	for _, m := range e.Moments() {
		if name, ok := strings.CutSuffix(m.Name, ".m"); ok {
			a[name] = m.Data
		}
	}
	return paramsFrom(baseOf(e).m, a)
}

// paramsFrom converts named arrays to arrays by layer and gate.
func paramsFrom(m *model.Model, a map[string][]float32) params {
	var p params
	for n := range m.Sections {
		s := &m.Sections[n]
		for local := range s.Layers {
			layer := func(name string, k int) (rows [][]float64) {
				v := a[fmt.Sprintf("section%d.%s", n, name)]
				for i := range m.Width {
					if v != nil {
						rows = append(rows, wide(v, i*s.Layers+local, k))
					}
				}
				return rows
			}
			p.Ops = append(p.Ops, layer("ops", m.Sections[0].Arity))
			p.Anchor = append(p.Anchor, layer("b.logits", s.Pins[1].K))
			if n == 0 {
				p.First, p.Spine = layer("a.logits", s.Pins[0].K), append(p.Spine, nil)
			} else {
				p.Spine = append(p.Spine, layer("a.logits", s.Pins[0].K))
			}
		}
	}
	return p
}

// wide returns the k values of row g as float64.
func wide(v []float32, g, k int) []float64 {
	out := make([]float64, k)
	for i := range out {
		out[i] = float64(v[g*k+i])
	}
	return out
}
