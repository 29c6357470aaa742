package engine

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ialgn/trainer/config"
	"ialgn/trainer/kernel"
	"ialgn/trainer/model"
)

// golden is a file of three Adam steps by PyTorch's autograd in float64, written by
// the reference's golden.py. Arrays over layers and gates are [layer][gate].
type golden struct {
	Config struct {
		Inputs, Width, Depth, Classes, Batch, KX, KH int
		Tau, LR                                      float64
		STE                                          bool
		Topology, Parametrization                    string
		FirstPin                                     string `json:"first_pin"`
	}
	First            []uint32     // pin A of layer 1, when fixed
	FirstCandidates  [][]uint32   `json:"first_candidates"`
	AnchorCandidates [][][]uint32 `json:"anchor_candidates"`
	Start            params
	Steps            []goldenStep
}

type goldenStep struct {
	X           []string
	Y           []uint8
	Logits      [][]float64
	Loss        float64
	Grad, After params
}

// params holds the logits of a network, or anything of the same shape.
type params struct {
	First  [][]float64   // selection of layer 1's pin A; nil when fixed
	Ops    [][][]float64 // [layer][gate][16]
	Anchor [][][]float64 // [layer][gate][kx]
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

// TestGolden holds the engine and the slow float64 oracle to autograd. It reads every
// file of $IALGN_GOLDEN when that is set, else those of testdata/golden.
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
			c := g.Config
			if c.Topology != "ialgn" || c.KH != 1 || c.Parametrization != "softmax16" || !c.STE {
				t.Skipf("training of %s with k_h = %d, %s, ste = %v is not in this version", c.Topology, c.KH, c.Parametrization, c.STE)
			}
			onPaths(t, func(t *testing.T) {
				t.Run("engine", g.testEngine)
				t.Run("engine-chained", g.testChained)
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
		compare(t, fmt.Sprintf("step %d: parameter", n+1), paramsOf(e), s.After, func(...float64) float64 { return 1e-4 })
		start, m, v = s.After, blend(m, s.Grad, 0.9, 1), blend(v, s.Grad, 0.999, 2)
	}
}

// testChained runs the three steps without help from the file.
func (g *golden) testChained(t *testing.T) {
	e := g.engine(t, g.Start, params{}, params{})
	for n, s := range g.Steps {
		e.Step(g.batch(e, s), g.adam(n+1))
		compare(t, fmt.Sprintf("step %d: parameter", n+1), paramsOf(e), s.After, func(...float64) float64 { return 1e-3 })
	}
}

func (g *golden) checkLogits(t *testing.T, n int, s goldenStep, e *Engine, r Result) {
	t.Helper()
	logits := make([]float32, e.classes)
	for i, want := range s.Logits {
		e.logits(i, logits)
		for c, z := range want {
			if count, w := e.counts[c*e.words*64+i], int32(math.Round(z*g.Config.Tau)); count != w {
				t.Errorf("step %d, sample %d, class %d: count %d, want %d", n+1, i, c, count, w)
			}
			if got := float64(logits[c]); math.Abs(got-z) > 1e-5 {
				t.Errorf("step %d, sample %d, class %d: logit %v, want %v", n+1, i, c, got, z)
			}
		}
	}
	if math.Abs(r.Loss-s.Loss) > 1e-5 {
		t.Errorf("step %d: loss %v, want %v", n+1, r.Loss, s.Loss)
	}
}

// checkGradients recovers the gradients from the first moments before and after.
func (g *golden) checkGradients(t *testing.T, n int, want, before, after params) {
	t.Helper()
	got := zip(before, after, func(b, a float64) float64 {
		return (a - float64(float32(0.9))*b) / float64(float32(1-0.9))
	})
	compare(t, fmt.Sprintf("step %d: gradient", n+1), got, want, func(gate ...float64) float64 {
		largest := 0.0
		for _, x := range gate {
			largest = max(largest, math.Abs(x))
		}
		return 1e-7 + 1e-4*largest
	})
}

// compare holds each value to the wanted one, within a tolerance that may depend on
// all wanted values of the gate.
func compare(t *testing.T, what string, got, want params, tolerance func(gate ...float64) float64) {
	t.Helper()
	for l := range want.Ops {
		for i := range want.Ops[l] {
			all := append([]float64(nil), want.Ops[l][i]...)
			if len(want.Anchor[l][i]) > 1 {
				all = append(all, want.Anchor[l][i]...)
			}
			if l == 0 && want.First != nil {
				all = append(all, want.First[i]...)
			}
			tol := tolerance(all...)
			row := func(name string, got, want []float64) {
				if len(got) == 0 && len(want) == 1 {
					return // a fixed pin
				}
				for k := range want {
					if !(math.Abs(got[k]-want[k]) <= tol) {
						t.Errorf("%s: layer %d, gate %d, %s[%d] = %v, want %v within %v", what, l+1, i, name, k, got[k], want[k], tol)
					}
				}
			}
			row("op", got.Ops[l][i], want.Ops[l][i])
			row("anchor", got.Anchor[l][i], want.Anchor[l][i])
			if l == 0 && want.First != nil {
				row("first", got.First[i], want.First[i])
			}
		}
	}
}

// blend returns beta old + (1-beta) grad^power: a moment of Adam. A nil old is zero.
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
	return params{rows(a.First, b.First), layers(a.Ops, b.Ops), layers(a.Anchor, b.Anchor)}
}

func (g *golden) adam(t int) kernel.Adam { return kernel.NewAdam(g.Config.LR, 0.9, 0.999, 1e-8, t) }

func (g *golden) batch(e *Engine, s goldenStep) Batch {
	x := make([]uint64, g.Config.Inputs*e.Words())
	for i, bits := range s.X {
		for f, bit := range bits {
			x[f*e.Words()+i/64] |= uint64(bit-'0') << (i % 64)
		}
	}
	return Batch{x, s.Y}
}

// engine returns an engine whose model, and whose moments unless m is empty, are the
// given values.
func (g *golden) engine(t *testing.T, start, m, v params) *Engine {
	t.Helper()
	net := g.model(start)
	e, err := New(net, g.Config.Batch, 1)
	if err != nil {
		t.Fatal(err)
	}
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

// arrays names a model's logit arrays as the model file does.
func arrays(m *model.Model) map[string][]float32 {
	a := map[string][]float32{}
	for i := range m.Sections {
		s := &m.Sections[i]
		a[fmt.Sprintf("section%d.ops", i)] = s.Ops
		a[fmt.Sprintf("section%d.a.logits", i)] = s.A.Logits
		a[fmt.Sprintf("section%d.b.logits", i)] = s.B.Logits
	}
	return a
}

// model returns a model with the file's wires and the given logits.
func (g *golden) model(p params) *model.Model {
	c := g.Config
	m := &model.Model{Config: config.Config{Model: config.Model{Tau: c.Tau, Parametrization: "softmax16"}}, Width: c.Width}
	for range c.Classes {
		m.Classes = append(m.Classes, fmt.Sprint(len(m.Classes)))
	}
	for range c.Inputs {
		m.Encoder.Thresholds = append(m.Encoder.Thresholds, []uint16{0})
	}
	m.Encoder.Bits, m.Encoder.BitsIn, m.Encoder.Max = 2, 1, 1
	a := model.Pin{Source: model.Input, K: 1, Wires: wiresOf([][][]uint32{columns(g.First)})}
	if p.First != nil {
		a = model.Pin{Source: model.Input, K: c.KX, Wires: wiresOf([][][]uint32{g.FirstCandidates}), Logits: flat([][][]float64{p.First})}
	}
	section := func(a model.Pin, from, to int) {
		s := model.Section{
			Layers: to - from, Ops: flat(p.Ops[from:to]), A: a,
			B: model.Pin{Source: model.Input, K: c.KX, Wires: wiresOf(g.AnchorCandidates[from:to])},
		}
		if c.KX > 1 {
			s.B.Logits = flat(p.Anchor[from:to])
		}
		m.Sections = append(m.Sections, s)
	}
	section(a, 0, 1)
	if c.Depth > 1 {
		section(model.Pin{Source: model.Spine, K: 1}, 1, c.Depth)
	}
	return m
}

func columns(v []uint32) [][]uint32 {
	out := make([][]uint32, len(v))
	for i, x := range v {
		out[i] = []uint32{x}
	}
	return out
}

// flat lays [layer][gate][k] out chain-major.
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

func paramsOf(e *Engine) params { return paramsFrom(e, arrays(e.m)) }

func (g *golden) momentsOf(e *Engine) params {
	a := map[string][]float32{}
	for _, m := range e.Moments() {
		if name, ok := strings.CutSuffix(m.Name, ".m"); ok {
			a[name] = m.Data
		}
	}
	return paramsFrom(e, a)
}

func paramsFrom(e *Engine, a map[string][]float32) params {
	var p params
	for l := range e.depth {
		s, local := 0, l
		if l > 0 {
			s, local = 1, l-1
		}
		layers, k := e.m.Sections[s].Layers, e.m.Sections[s].B.K
		var ops, anchors [][]float64
		for i := range e.m.Width {
			g := i*layers + local
			ops = append(ops, wide(a[fmt.Sprintf("section%d.ops", s)], g, 16))
			anchors = append(anchors, wide(a[fmt.Sprintf("section%d.b.logits", s)], g, k))
			if first := a["section0.a.logits"]; l == 0 && first != nil {
				p.First = append(p.First, wide(first, g, e.m.Sections[0].A.K))
			}
		}
		p.Ops, p.Anchor = append(p.Ops, ops), append(p.Anchor, anchors)
	}
	return p
}

// wide returns row g of k values, or nil where there are none: the engine keeps no
// logit for a pin with one candidate.
func wide(v []float32, g, k int) []float64 {
	if v == nil {
		return nil
	}
	out := make([]float64, k)
	for i := range out {
		out[i] = float64(v[g*k+i])
	}
	return out
}
