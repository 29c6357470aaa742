package learned_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ialgn/internal/encoding"
	"ialgn/internal/engine"
	"ialgn/internal/kernel"
	"ialgn/internal/model"
	"ialgn/internal/netgen"
	"ialgn/internal/topology"
	"ialgn/trainer/internal/learned"
)

// samples holds the samples of a batch, both as feature words and as bits.
type samples struct {
	words  *encoding.Packed
	index  []int32
	values [][]uint16 // [sample][feature]
	batch  engine.Batch
}

// drawSamples draws n samples for a model. The order of the samples in the batch differs from the order in the set.
func drawSamples(r *rand.Rand, m *model.Model, e engine.Engine, n int) samples {
	s := samples{words: encoding.NewPacked(m.Encoder.Features(), m.Encoder.BitsIn)}
	for i := range n {
		row := make([]uint16, m.Encoder.Features())
		for f := range row {
			row[f] = uint16(r.IntN(int(m.Encoder.Max) + 1))
		}
		s.words.Append(row, r.IntN(len(m.Classes)))
		s.index = append(s.index, int32(n-1-i))
	}
	s.batch = engine.Batch{X: make([]uint64, m.Encoder.Inputs()*e.Words()), Step: 1}
	encoding.NewWordBatcher(&m.Encoder, s.words, e.Words(), e.Crew()).Batch(s.batch.X, s.index)
	for _, i := range s.index {
		row := make([]uint16, m.Encoder.Features())
		s.words.Values(row, int(i))
		s.values, s.batch.Labels = append(s.values, row), append(s.batch.Labels, s.words.Labels[i])
	}
	return s
}

// TestSums compares the sums of every form of network and engine with a slow backward pass in float64. The forms
// include pins without a choice and words of more than 8 bits. Pins that read nodes have no sums.
func TestSums(t *testing.T) {
	forms := netgen.Unshared()
	for _, wide := range []netgen.ModelOptions{
		{BitsIn: 12, Bits: 6, Seed: 31},
		{BitsIn: 16, Bits: 3, Inputs: 6, Depth: 2, Seed: 32},
		{BitsIn: 5, Bits: 9, Inputs: 2, Topology: "layered", Widths: "30,21", Anchors: 1, Seed: 33},
	} {
		forms = append(forms, netgen.Form{Name: fmt.Sprintf("words-of-%d", wide.BitsIn), Options: wide})
	}
	for _, form := range forms {
		for _, change := range []func(m *model.Model) string{
			func(*model.Model) string { return "float32" },
			func(m *model.Model) string { m.Config.Train.Gradients = "int8"; return "int8" },
		} {
			m := form.Model()
			t.Run(form.Name+"-"+change(m), func(t *testing.T) {
				e, err := engine.New(m, 100, 2)
				if err != nil {
					t.Fatal(err)
				}
				s := drawSamples(rand.New(rand.NewPCG(1, 1)), m, e, 77)
				want := slowSums(m, s)
				sums := learned.NewSums(m, 100)
				e.Tell(sums)
				sums.Begin(s.words, s.index)
				e.Step(s.batch, kernel.NewAdam(0.01, 0.9, 0.999, 1e-8, 1))
				compareSums(t, m, sums.State(), want)
				e.Tell(nil)
				e.Step(s.batch, kernel.NewAdam(0.01, 0.9, 0.999, 1e-8, 2))
				compareSums(t, m, sums.State(), want) // nothing was added
			})
		}
	}
}

// compareSums compares a state of a network's sums with the wanted sums, by input bit and bin.
func compareSums(t *testing.T, m *model.Model, state learned.State, want map[uint32]*[256]float64) {
	t.Helper()
	if len(state.Bits) != len(want) || len(want) == 0 {
		t.Fatalf("sums of %d bits, want %d", len(state.Bits), len(want))
	}
	unit, tolerance := m.Config.Model.Tau*(1<<24), 1e-4
	if m.Config.Train.Gradients == "int8" && choosing(m) {
		tolerance = 0.012 // the gradients of nodes are rounded, with a dither
	}
	for n, i := range state.Bits {
		for v := range 256 {
			got := float64(state.H[256*n+v]) / unit
			if want[i] == nil || math.Abs(got-want[i][v]) > tolerance*(1/m.Config.Model.Tau+math.Abs(got)) {
				t.Fatalf("bit %d, bin %d: %v, want %v", i, v, got, want[i])
			}
		}
	}
}

// choosing reports whether pins choose among nodes.
func choosing(m *model.Model) bool {
	return slices.ContainsFunc(m.Sections, func(s model.Section) bool {
		return slices.ContainsFunc(s.Pins, func(p model.Pin) bool { return p.Source == topology.Previous && p.K > 1 })
	})
}

// slowSums returns the sums of a batch by input bit. A bit that no pin reads has no sums.
func slowSums(m *model.Model, s samples) map[uint32]*[256]float64 {
	sums, bits := map[uint32]*[256]float64{}, m.Encoder.Bits-1
	for n, values := range s.values {
		x := make([]int, m.Encoder.Inputs())
		for i := range x {
			if values[i/bits] > m.Encoder.Thresholds[i/bits][i%bits] {
				x[i] = 1
			}
		}
		slowSample(m, x, int(s.batch.Labels[n]), func(input uint32, beta float64) {
			if sums[input] == nil {
				sums[input] = new([256]float64)
			}
			sums[input][values[int(input)/bits]>>max(0, m.Encoder.BitsIn-8)] += beta
		})
	}
	return sums
}

// slowSample calls read for each pin that reads an input bit. It passes the gradient of one sample's loss with
// respect to the pin.
func slowSample(m *model.Model, x []int, label int, read func(input uint32, beta float64)) {
	var layers []slowLayer
	below := []int(nil)
	for i := range m.Sections {
		for l := range m.Sections[i].Layers {
			layer := slowLayer{s: &m.Sections[i], index: l, x: x, below: below}
			below = layer.forward()
			layers = append(layers, layer)
		}
	}
	delta := topGradient(m, below, label)
	for i := len(layers) - 1; i >= 0; i-- {
		delta = layers[i].backward(delta, read)
	}
}

// topGradient returns the gradient of the loss with respect to each output of the last layer.
func topGradient(m *model.Model, h []int, label int) (delta []float64) {
	counts, sum := make([]float64, len(m.Classes)), 0.0
	for g, v := range h {
		counts[g*len(counts)/len(h)] += float64(v)
	}
	for _, n := range counts {
		sum += math.Exp(n / m.Config.Model.Tau)
	}
	for g := range h {
		c := g * len(counts) / len(h)
		d := math.Exp(counts[c]/m.Config.Model.Tau) / sum
		if c == label {
			d--
		}
		delta = append(delta, d/m.Config.Model.Tau)
	}
	return delta
}

// slowLayer is a layer and the values that the layer reads.
type slowLayer struct {
	s        *model.Section
	index    int
	x, below []int
}

// choice returns the candidates of pin k of node i, their probabilities, and the index of the candidate that the pin
// reads.
func (l *slowLayer) choice(k, i int) (wires []uint32, q []float64, at int) {
	p := &l.s.Pins[k]
	if p.Source == topology.Spine {
		return []uint32{uint32(i)}, []float64{1}, 0
	}
	first, sum := (i*l.s.Layers+l.index)*p.K, 0.0
	for j := range p.K {
		logit := float32(0)
		if p.K > 1 {
			logit = p.Logits[first+j]
			if logit > p.Logits[first+at] {
				at = j
			}
		}
		wires, q = append(wires, p.Wires.At(first+j)), append(q, math.Exp(float64(logit)))
		sum += q[j]
	}
	for j := range q {
		q[j] /= sum
	}
	return wires, q, at
}

// line returns the index of the truth-table line that node i's pins select.
func (l *slowLayer) line(i int) (line int) {
	for k := range l.s.Pins {
		wires, _, at := l.choice(k, i)
		from := l.below
		if l.s.Pins[k].Source == topology.Input {
			from = l.x
		}
		line = 2*line + from[wires[at]]
	}
	return line
}

// logits returns the logits of the function of node i.
func (l *slowLayer) logits(i int) []float32 {
	return l.s.Ops[(i*l.s.Layers+l.index)*l.s.Arity:][:l.s.Arity]
}

// operations reports whether the logits select among the 16 operations.
func (l *slowLayer) operations() bool { return len(l.s.Pins) == 2 && l.s.Arity == 16 }

// forward returns the bits of the nodes.
func (l *slowLayer) forward() (out []int) {
	for i := range l.s.Width {
		w, line, bit := l.logits(i), l.line(i), 0
		if l.operations() {
			op := 0
			for j := range w {
				if w[j] > w[op] {
					op = j
				}
			}
			bit = op >> (3 - line) & 1
		} else if w[line] > 0 {
			bit = 1
		}
		out = append(out, bit)
	}
	return out
}

// truth returns the mean value of node i at a line.
func (l *slowLayer) truth(i, line int) (mean float64) {
	w := l.logits(i)
	if !l.operations() {
		return 1 / (1 + math.Exp(-float64(w[line])))
	}
	sum := 0.0
	for op, x := range w {
		sum += math.Exp(float64(x))
		mean += math.Exp(float64(x)) * float64(op>>(3-line)&1)
	}
	return mean / sum
}

// backward returns the gradient with respect to each node of the previous layer.
func (l *slowLayer) backward(delta []float64, read func(input uint32, beta float64)) []float64 {
	out := make([]float64, len(l.below))
	for i, d := range delta {
		line := l.line(i)
		for k := range l.s.Pins {
			bit := 1 << (len(l.s.Pins) - 1 - k)
			beta := d * (l.truth(i, line|bit) - l.truth(i, line&^bit))
			wires, q, at := l.choice(k, i)
			if l.s.Pins[k].Source == topology.Input {
				read(wires[at], beta)
				continue
			}
			for j, w := range wires {
				out[w] += q[j] * beta
			}
		}
	}
	return out
}

// TestSumsOfBatches adds up several batches. The last batch is smaller than the others. Each sample must have the
// same weight. The test also continues from a state saved in the middle. The sums must be the same with any number of
// threads.
func TestSumsOfBatches(t *testing.T) {
	var states []learned.State
	for _, threads := range []int{1, 3, 2} {
		m := netgen.Model(netgen.ModelOptions{Inputs: 6, Depth: 2, Seed: 40})
		e, err := engine.New(m, 100, threads)
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(2, 2))
		sums, want := learned.NewSums(m, 100), map[uint32]*[256]float64{}
		counts := make([]uint32, 256*m.Encoder.Features())
		e.Tell(sums)
		for step, n := range []int{100, 100, 13} {
			s := drawSamples(r, m, e, n)
			for i, h := range slowSums(m, s) {
				if want[i] == nil {
					want[i] = new([256]float64)
				}
				for v := range h {
					want[i][v] += h[v]
				}
			}
			for _, values := range s.values {
				for f, v := range values {
					counts[256*f+int(v)]++
				}
			}
			sums.Begin(s.words, s.index)
			e.Step(s.batch, kernel.NewAdam(0.01, 0.9, 0.999, 1e-8, step+1))
			if threads == 2 {
				state := sums.State()
				sums = learned.NewSums(m, 100)
				if err := sums.Restore(state); err != nil {
					t.Fatal(err)
				}
				e.Tell(sums)
			}
		}
		compareSums(t, m, sums.State(), want)
		states = append(states, sums.State())
		if !slices.Equal(sums.State().Counts, counts) {
			t.Errorf("%d threads: other counts than of the values, one by one", threads)
		}
	}
	for _, s := range states[1:] {
		if !slices.Equal(s.Bits, states[0].Bits) || !slices.Equal(s.H, states[0].H) ||
			!slices.Equal(s.Counts, states[0].Counts) {
			t.Error("sums depend on threads, or on an interruption")
		}
	}
}

// TestRestoreRefuses checks that invalid states are refused.
func TestRestoreRefuses(t *testing.T) {
	m := netgen.Model(netgen.ModelOptions{})
	inputs := int64(m.Encoder.Inputs())
	for name, bits := range map[string][]uint32{
		"no bit": {uint32(inputs)}, "not ascending": {2, 1}, "twice": {2, 2}, "far beyond": {1 << 31},
	} {
		state := learned.NewState([]int64{int64(len(bits)), 256}, []int64{int64(m.Encoder.Features()), 256})
		copy(state.Bits, bits)
		err := learned.NewSums(m, 10).Restore(state)
		if err == nil || !strings.Contains(err.Error(), "in the sums for thresholds") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	few := learned.NewState([]int64{1, 256}, []int64{1, 256})
	if err := learned.NewSums(m, 10).Restore(few); err == nil || !strings.Contains(err.Error(), "are of 1 features, want 6") {
		t.Errorf("one feature: error %v", err)
	}
	for _, shape := range [][]int64{nil, {1 << 40}, {1 << 40, 1}, {3, 256, 1}} {
		for _, s := range []learned.State{learned.NewState(shape, []int64{2, 256}), learned.NewState([]int64{2, 256}, shape)} {
			if len(s.Bits) > 0 || len(s.H) > 0 || len(s.Counts) > 0 {
				t.Errorf("shape %v: room for %d bits", shape, len(s.Bits))
			}
		}
	}
}

// TestNoNumbers adds gradients that are NaN or too large. They must become the same integers on every processor.
func TestNoNumbers(t *testing.T) {
	m := netgen.Model(netgen.ModelOptions{})
	words := encoding.NewPacked(m.Encoder.Features(), m.Encoder.BitsIn)
	words.Append(make([]uint16, m.Encoder.Features()), 0)
	for beta, want := range map[float32]int64{
		float32(math.NaN()): -1 << 40, float32(math.Inf(1)): 1 << 40, float32(math.Inf(-1)): -1 << 40, 1e30: 1 << 40, 0: 0,
	} {
		s := learned.NewSums(m, 1)
		s.Begin(words, []int32{0})
		s.Take(1, 0, 0, 0, 0, []float32{beta})
		if got := s.State().H[0]; got != want {
			t.Errorf("%v: %d, want %d", beta, got, want)
		}
	}
}

// TestBytes checks the estimated memory for a network that reads all bits, and for a network with fewer pins than
// bits.
func TestBytes(t *testing.T) {
	for _, c := range []struct {
		o    netgen.ModelOptions
		rows int
	}{
		{netgen.ModelOptions{Features: 3, Bits: 3, Width: 99}, 6},
		{netgen.ModelOptions{Features: 300, Bits: 5, Width: 21, Depth: 2, Inputs: 6}, 21 * 11},
	} {
		m := netgen.Model(c.o)
		got, least := learned.Bytes(m.Sections, m.Encoder.Features(), m.Encoder.Inputs(), 100), uint64(c.rows*256*8)
		if got < least || got > least+uint64(8*m.Encoder.Inputs()+1124*m.Encoder.Features()) {
			t.Errorf("%+v: %d bytes, want %d and a little", c.o, got, least)
		}
	}
}
