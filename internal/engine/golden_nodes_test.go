package engine

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ialgn/internal/kernel"
	"ialgn/internal/model"
	"ialgn/internal/topology"
)

// goldenNodes is a file with three Adam steps that PyTorch's autograd computed in float64. golden_nodes.py of the
// reference implementation writes such files for networks of look-up tables, and testdata/golden_positions.py writes
// them for networks of convolutions.
type goldenNodes struct {
	Config struct {
		Inputs, Classes, Batch int
		Tau, LR                float64
		STE                    bool
		Layers                 []struct {
			Width int
			Pins  []struct{ Source, Wire string }
		}

		// Only files of golden_positions.py have the following fields.
		Model              *topology.Keys // nil: the network has no convolutions
		Bits               int            // number of bits in a feature; 0 means 1
		Estimator          string         // "": the field STE decides
		Temperature, Decay float64
		Seed               uint64
	}
	Layers [][]struct { // [layer][pin]
		Wire       []uint32
		Candidates [][]uint32
	}
	Start nodeState
	Steps []struct {
		X           []string
		Y           []uint8
		Logits      [][]float64
		Counts      [][]float64 // nil if the counts are not whole numbers
		Loss        float64
		Grad, After nodeState
	}
}

// nodeState holds the logits of a network, layer by layer, or other numbers in the same shape.
type nodeState []struct {
	Table [][]float64   // [node][line]
	Pins  [][][]float64 // [pin][node][candidate]; nil for a fixed wire
}

// readGoldenNodes reads a file, compressed or not.
func readGoldenNodes(t *testing.T, path string) *goldenNodes {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var src io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		if src, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	var g goldenNodes
	if err := json.NewDecoder(src).Decode(&g); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	if g.Config.Model != nil {
		g.Config.Model.Complete(func(string) bool { return false })
	}
	if len(g.Steps) == 0 {
		t.Fatalf("%s: no steps", path)
	}
	return &g
}

// TestGoldenNodes compares the engines with autograd. It reads the files in $IALGN_GOLDEN_NODES or, if this variable
// is not set, in testdata/golden-nodes.
func TestGoldenNodes(t *testing.T) {
	dir := os.Getenv("IALGN_GOLDEN_NODES")
	if dir == "" {
		dir = filepath.Join("testdata", "golden-nodes")
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.json*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: no golden files: %v", dir, err)
	}
	for _, path := range files {
		name, _, _ := strings.Cut(filepath.Base(path), ".")
		t.Run(name, func(t *testing.T) {
			g := readGoldenNodes(t, path)
			onPaths(t, func(t *testing.T) {
				for _, e := range []struct {
					name string
					make func(t *testing.T, m *model.Model) Engine
				}{{"chosen", chosenEngine}, {"nodes", nodesOnly}} {
					t.Run(e.name, func(t *testing.T) { g.test(t, e.make) })
				}
			})
		})
	}
}

// chosenEngine returns the engine that [New] chooses for the network. The function nodesOnly returns the engine of
// nodes, which can train every network.
func chosenEngine(t *testing.T, m *model.Model) Engine {
	t.Helper()
	e, err := New(m, 64, 1)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func nodesOnly(t *testing.T, m *model.Model) Engine {
	t.Helper()
	b, err := newBase(m, 64, 1)
	if err != nil {
		t.Fatal(err)
	}
	return newNodeEngine(b)
}

// test first makes each step from the parameters and moments in the file. It then makes all three steps in sequence.
func (g *goldenNodes) test(t *testing.T, newEngine func(t *testing.T, m *model.Model) Engine) {
	start := g.Start
	m, v := g.Start.zero(), g.Start.zero()
	chained := newEngine(t, g.model(g.Start))
	far := g.Start.each(func(float64) float64 { return 1e-3 })
	for n, s := range g.Steps {
		net := g.model(start)
		e := newEngine(t, net)
		g.setMoments(e, m, v)
		before := g.gather(e.Moments(), ".m")
		r := e.Step(g.batch(e, n), g.adam(n+1))
		g.checkLogits(t, n, e, r)
		got := before.with(g.gather(e.Moments(), ".m"), func(b, a float64) float64 {
			return (a - float64(float32(0.9))*b) / float64(float32(1-0.9))
		})
		g.compare(t, fmt.Sprintf("step %d: gradient", n+1), got, s.Grad, s.Grad.tolerance())
		m = m.with(s.Grad, func(o, d float64) float64 { return 0.9*o + (1-0.9)*d })
		v = v.with(s.Grad, func(o, d float64) float64 { return 0.999*o + (1-0.999)*d*d })
		slack := g.slack(n, s.Grad, v)
		near := slack.each(func(x float64) float64 { return 1e-4 + x })
		g.compare(t, fmt.Sprintf("step %d: parameter", n+1), g.parameters(net), s.After, near)
		start = s.After
		chained.Step(g.batch(chained, n), g.adam(n+1))
		far = far.with(slack, func(a, b float64) float64 { return a + b })
		g.compare(t, fmt.Sprintf("step %d of a run: parameter", n+1), g.parameters(modelOf(chained)), s.After, far)
	}
}

func (g *goldenNodes) adam(t int) kernel.Adam {
	a := kernel.NewAdam(g.Config.LR, 0.9, 0.999, 1e-8, t)
	if g.Config.Decay > 0 {
		a.Keep = float32(1 - g.Config.LR*g.Config.Decay)
	}
	return a
}

func (g *goldenNodes) batch(e Engine, step int) Batch {
	s := &g.Steps[step]
	x := make([]uint64, g.Config.Inputs*e.Words())
	for i, bits := range s.X {
		for f, bit := range bits {
			x[f*e.Words()+i/64] |= uint64(bit-'0') << (i % 64)
		}
	}
	return Batch{X: x, Labels: s.Y, Step: step + 1}
}

func (g *goldenNodes) checkLogits(t *testing.T, n int, e Engine, r Result) {
	t.Helper()
	s, top := &g.Steps[n], readoutOf(e)
	logits := make([]float32, top.classes)
	for i, want := range s.Logits {
		top.scores(i, logits)
		for c, z := range want {
			if got := float64(logits[c]); !(math.Abs(got-z) <= 1e-5) {
				t.Errorf("step %d, sample %d, class %d: logit %v, want %v", n+1, i, c, got, z)
			}
		}
	}
	for i, want := range s.Counts {
		for c, w := range want {
			if got := top.counts[c*top.words*64+i]; got != w {
				t.Errorf("step %d, sample %d, class %d: count %v, want %v", n+1, i, c, got, w)
			}
		}
	}
	if !(math.Abs(r.Loss-s.Loss) <= 1e-5) {
		t.Errorf("step %d: loss %v, want %v", n+1, r.Loss, s.Loss)
	}
}

// model returns a model with the file's wires and the given logits. Adjacent layers that are alike and read a spine
// form one section, so that the engine of private chains can train the network.
func (g *goldenNodes) model(s nodeState) *model.Model {
	c := &g.Config
	m := &model.Model{}
	g.configure(m)
	for range c.Classes {
		m.Classes = append(m.Classes, fmt.Sprint(len(m.Classes)))
	}
	bits := max(c.Bits, 1)
	for range c.Inputs / bits {
		m.Encoder.Thresholds = append(m.Encoder.Thresholds, make([]uint16, bits))
	}
	m.Encoder.Bits, m.Encoder.BitsIn, m.Encoder.Max = bits+1, 1, 1
	for _, layers := range g.sections() {
		from := layers[0]
		sec := model.Section{
			Layers: len(layers), Width: c.Layers[from].Width, Arity: len(s[from].Table[0]),
		}
		for k := range c.Layers[from].Pins {
			sec.Pins = append(sec.Pins, g.form(from, k))
		}
		if c.Model != nil {
			sec.Grid = c.Model.Layers()[from].Grid
		}
		m.Sections = append(m.Sections, sec)
	}
	m.Width = m.Sections[len(m.Sections)-1].Outputs()
	m.Allocate()
	for i, layers := range g.sections() {
		sec := &m.Sections[i]
		for l, layer := range layers {
			for node := range sec.Width {
				at := node*sec.Layers + l
				narrow(sec.Ops[at*sec.Arity:], s[layer].Table[node])
				for k := range sec.Pins {
					g.fill(&sec.Pins[k], at, layer, k, node, s)
				}
			}
		}
	}
	return m
}

// configure sets the training keys of the model's configuration from the file.
func (g *goldenNodes) configure(m *model.Model) {
	c := &g.Config
	if c.Model != nil {
		m.Config.Model = *c.Model
	}
	m.Config.Model.Tau = c.Tau
	t := &m.Config.Train
	if t.Estimator = c.Estimator; t.Estimator == "" {
		t.Estimator = map[bool]string{true: "ste", false: "soft"}[c.STE]
	}
	t.Temperature, t.Seed = c.Temperature, c.Seed
}

// fill copies the wires and logits of pin k of a node to the element of a section's pin with the index at.
func (g *goldenNodes) fill(p *model.Pin, at, layer, k, node int, s nodeState) {
	from := &g.Layers[layer][k]
	switch {
	case p.Source == model.Spine:
	case from.Candidates == nil:
		p.Wires.Set(at, from.Wire[node])
	default:
		for j, w := range from.Candidates[node] {
			p.Wires.Set(at*p.K+j, w)
		}
		if p.K > 1 {
			narrow(p.Logits[at*p.K:], s[layer].Pins[k][node])
		}
	}
}

func narrow(dst []float32, src []float64) {
	for i, x := range src {
		dst[i] = float32(x)
	}
}

// form returns the description of a layer's pin, without arrays.
func (g *goldenNodes) form(layer, k int) model.Pin {
	p, at := &g.Config.Layers[layer].Pins[k], model.Pin{K: 1}
	if c := g.Layers[layer][k].Candidates; c != nil {
		at.K = len(c[0])
	}
	switch {
	case p.Source == "previous" && p.Wire == "same" && k == 0 || p.Source == "spine":
		at.Source = topology.Spine
	case p.Source == "previous":
		at.Source = topology.Previous
	case p.Source == "base":
		at.Source = topology.Base
	}
	return at
}

// sections returns the numbers of the layers in each section.
func (g *goldenNodes) sections() (all [][]int) {
	for l := range g.Layers {
		if l > 1 && g.Config.Model == nil && g.form(l, 0).Source == model.Spine &&
			fmt.Sprint(g.Config.Layers[l]) == fmt.Sprint(g.Config.Layers[l-1]) {
			all[len(all)-1] = append(all[len(all)-1], l)
			continue
		}
		all = append(all, []int{l})
	}
	return all
}

// parameters returns the logits of a model in the form of the file.
func (g *goldenNodes) parameters(m *model.Model) nodeState {
	arrays := map[string][]float32{}
	for i := range m.Sections {
		s := &m.Sections[i]
		arrays[fmt.Sprintf("section%d.ops", i)] = s.Ops
		for k := range s.Pins {
			arrays[fmt.Sprintf("section%d.%s.logits", i, strings.ToLower(model.PinName(k)))] = s.Pins[k].Logits
		}
	}
	return g.named(arrays)
}

// gather returns the moments whose names end with a suffix.
func (g *goldenNodes) gather(all []Moment, suffix string) nodeState {
	arrays := map[string][]float32{}
	for _, m := range all {
		if name, ok := strings.CutSuffix(m.Name, suffix); ok {
			arrays[name] = m.Data
		}
	}
	return g.named(arrays)
}

// named converts named arrays to arrays by layer and node.
func (g *goldenNodes) named(arrays map[string][]float32) nodeState {
	out := g.Start.zero()
	for i, layers := range g.sections() {
		for l, layer := range layers {
			read := func(name string, rows [][]float64) {
				v := arrays[fmt.Sprintf("section%d.%s", i, name)]
				for node, row := range rows {
					for j := range row {
						row[j] = float64(v[(node*len(layers)+l)*len(row)+j])
					}
				}
			}
			read("ops", out[layer].Table)
			for k, rows := range out[layer].Pins {
				read(strings.ToLower(model.PinName(k))+".logits", rows)
			}
		}
	}
	return out
}

// setMoments gives an engine the file's moments.
func (g *goldenNodes) setMoments(e Engine, m, v nodeState) {
	first, second := g.model(m), g.model(v)
	for _, mo := range e.Moments() {
		name, from := strings.TrimSuffix(mo.Name, ".m"), first
		if strings.HasSuffix(mo.Name, ".v") {
			name, from = strings.TrimSuffix(mo.Name, ".v"), second
		}
		for i := range from.Sections {
			s := &from.Sections[i]
			if name == fmt.Sprintf("section%d.ops", i) {
				copy(mo.Data, s.Ops)
			}
			for k := range s.Pins {
				if name == fmt.Sprintf("section%d.%s.logits", i, strings.ToLower(model.PinName(k))) {
					copy(mo.Data, s.Pins[k].Logits)
				}
			}
		}
	}
}

// slack returns the tolerance of each parameter after step n+1, given the tolerance of the gradients; see
// [golden.slack].
func (g *goldenNodes) slack(n int, grad, v nodeState) nodeState {
	correction := 1 - math.Pow(0.999, float64(n+1))
	return grad.tolerance().with(v, func(tol, v float64) float64 {
		return g.Config.LR * min(2, tol/(math.Sqrt(v/correction)+1e-8))
	})
}

// compare compares each value with the wanted value, within the value's tolerance. It ignores the logits of a pin
// with one candidate.
func (g *goldenNodes) compare(t *testing.T, what string, got, want, tolerance nodeState) {
	t.Helper()
	got.with(want, func(a, b float64) float64 { return b - a }).with(tolerance, func(d, tol float64) float64 {
		if !(math.Abs(d) <= tol) {
			t.Errorf("%s: off by %v, within %v", what, d, tol)
		}
		return 0
	})
}

// zero returns zeros in the shape of s. It leaves out the logits of pins with a single candidate.
func (s nodeState) zero() nodeState { return s.each(func(float64) float64 { return 0 }) }

// each returns a state in which f has been applied to every value.
func (s nodeState) each(f func(x float64) float64) nodeState {
	return s.with(s, func(x, _ float64) float64 { return f(x) })
}

// with returns a state in which f has been applied to each pair of corresponding values of s and o.
func (s nodeState) with(o nodeState, f func(a, b float64) float64) nodeState {
	rows := func(a, b [][]float64) [][]float64 {
		var out [][]float64
		for i := range a {
			row := make([]float64, len(a[i]))
			for j := range row {
				row[j] = f(a[i][j], b[i][j])
			}
			out = append(out, row)
		}
		return out
	}
	out := make(nodeState, len(s))
	for l := range s {
		out[l].Table = rows(s[l].Table, o[l].Table)
		for k := range s[l].Pins {
			var pin [][]float64
			if p := s[l].Pins[k]; p != nil && len(p[0]) > 1 {
				pin = rows(p, o[l].Pins[k])
			}
			out[l].Pins = append(out[l].Pins, pin)
		}
	}
	return out
}

// tolerance returns the tolerance of each gradient. All gradients of a node have the same tolerance.
func (s nodeState) tolerance() nodeState {
	out := s.zero()
	for l := range s {
		for node, row := range s[l].Table {
			largest := 0.0
			all := [][]float64{row}
			own := [][]float64{out[l].Table[node]}
			for k, p := range s[l].Pins {
				if p != nil && out[l].Pins[k] != nil {
					all, own = append(all, p[node]), append(own, out[l].Pins[k][node])
				}
			}
			for _, values := range all {
				for _, x := range values {
					largest = max(largest, math.Abs(x))
				}
			}
			for _, values := range own {
				for j := range values {
					values[j] = 1e-7 + 1e-4*largest
				}
			}
		}
	}
	return out
}

// modelOf returns the model that an engine trains.
func modelOf(e Engine) *model.Model { return baseOf(e).m }
