package interchange

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ialgn/internal/encoding"
	"ialgn/internal/interchange/given"
	"ialgn/internal/interchange/graph"
	"ialgn/internal/model"
)

// evaluate computes the class counts of a sample in a slow and obvious way.
func evaluate(n *graph.Network, sample []float32) []int {
	in := make([]bool, n.Input.Bits())
	for i := range in {
		switch b := n.Input.Bit(i); {
		case n.Input.Thresholds != nil:
			in[i] = sample[b.Feature] > n.Input.Thresholds[b.Feature][b.Index]
		default:
			in[i] = int(sample[b.Feature])>>b.Index&1 == 1
		}
	}
	var last []bool
	look := func(table uint64, pins []bool) bool {
		line := 0
		for _, p := range pins {
			line *= 2
			if p {
				line++
			}
		}
		return table>>line&1 == 1
	}
	if n.Dense != nil {
		last = in
		for l := range n.Dense {
			d := &n.Dense[l]
			next := make([]bool, d.Width)
			for i := range next {
				var pins []bool
				for k := range d.Pins {
					pins = append(pins, last[d.Wire(i, k)])
				}
				next[i] = look(d.Table(i), pins)
			}
			last = next
		}
	} else {
		last = in
		for node := range n.Circuit.Nodes() {
			var pins []bool
			for _, p := range n.Circuit.NodePins(node) {
				pins = append(pins, p == graph.True || p >= 0 && last[p])
			}
			last = append(last, look(n.Circuit.Tables[node], pins))
		}
	}
	counts := make([]int, len(n.Sum.Groups))
	for c, group := range n.Sum.Groups {
		for _, r := range group {
			if r == graph.True || r >= 0 && last[r] {
				counts[c]++
			}
		}
	}
	return counts
}

// check compares the class counts of a network and its model on random samples. The counts must be equal, apart from
// the differences between the betas of the classes.
func check(t *testing.T, name string, n *graph.Network, words given.InputNumbers, sample func(r *rand.Rand) []float64) {
	t.Helper()
	m, err := Model(n, Options{Name: "m", Words: words, Files: []model.Start{{Name: "f", SHA256: "0"}}})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	f := m.Freeze()
	const samples = 100
	r, levels := rand.New(rand.NewPCG(1, 2)), encoding.NewPacked(f.Encoder.Features(), f.Encoder.LevelBits())
	var want [][]int
	for range samples {
		x := sample(r)
		row, seen := make([]uint16, len(x)), make([]float32, len(x))
		for i, v := range x {
			row[i], seen[i] = uint16(v), float32(v)
			if q := f.Encoder.Quantiser; q != nil {
				row[i] = q.Apply(i, v, f.Encoder.Max)
			}
			if words.Divisor != 0 {
				seen[i] /= float32(words.Divisor)
			}
			if words.Bits > 0 && n.Input.Thresholds == nil {
				seen[i] = float32(math.RoundToEven(float64(seen[i])))
			}
		}
		f.Encoder.Levels(row, row)
		levels.Append(row, 0)
		want = append(want, evaluate(n, seen))
	}
	s, err := f.Evaluate(t.Context(), levels, 1)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	classes := len(want[0])
	for i, counts := range want {
		for c, count := range counts {
			got := float64(s.Counts[i*classes+c]) + m.Record.Origin.Beta
			if want := float64(count) + n.Sum.BetaOf(c); math.Abs(got-want) > 1e-9 {
				t.Fatalf("%s: sample %d: count and beta of class %d are %v, want %v", name, i, c, got, want)
			}
		}
	}
}

// randomDense returns a network of layers.
func randomDense(r *rand.Rand, inputs, classes int, pins []int, softmax, candidates int) *graph.Network {
	n := &graph.Network{Format: "test", Input: graph.Input{Shape: []int{inputs}, Digits: 1}, Sum: graph.Sum{Tau: 1}}
	before := inputs
	for l, k := range pins {
		d := graph.Dense{Width: 20 + r.IntN(30), Pins: k, Softmax16: softmax>>l&1 == 1 && k == 2, Candidates: candidates}
		for range d.Width * d.Arity() {
			d.Logits = append(d.Logits, float32(r.IntN(5)-2))
		}
		for range k {
			var wires []uint32
			var choice []float32
			for range d.Width * candidates {
				wires, choice = append(wires, uint32(r.IntN(before))), append(choice, float32(r.IntN(4)))
			}
			d.Wires = append(d.Wires, wires)
			if candidates > 1 {
				d.Choice = append(d.Choice, choice)
			}
		}
		n.Dense, before = append(n.Dense, d), d.Width
	}
	n.Sum.Groups = graph.Contiguous(before, classes)
	return n
}

// randomCircuit returns a network in which a node may read any input or earlier node.
func randomCircuit(r *rand.Rand, inputs, nodes, classes int) *graph.Network {
	c := graph.NewCircuit(inputs)
	any := func() graph.Ref { return graph.Ref(r.IntN(inputs+c.Nodes()+2) - 2) }
	for range nodes {
		var pins []graph.Ref
		for range r.IntN(graph.MaxPins + 1) {
			pins = append(pins, any())
		}
		table := r.Uint64() >> (64 - uint(1)<<len(pins))
		if r.IntN(4) == 0 {
			table = 0
		}
		c.Add(table, pins...)
	}
	n := &graph.Network{
		Format: "test", Input: graph.Input{Shape: []int{inputs}, Digits: 1}, Circuit: c, Sum: graph.Sum{Tau: 2},
	}
	for range classes {
		var group []graph.Ref
		for range r.IntN(9) {
			group = append(group, any())
		}
		n.Sum.Groups = append(n.Sum.Groups, group)
		n.Sum.Beta = append(n.Sum.Beta, 0.25+float64(r.IntN(4)))
	}
	return n
}

func bitsOf(features int) func(r *rand.Rand) []float64 { return wordsOf(features, 2) }

func wordsOf(features, below int) func(r *rand.Rand) []float64 {
	return func(r *rand.Rand) []float64 {
		x := make([]float64, features)
		for i := range x {
			x[i] = float64(r.IntN(below))
		}
		return x
	}
}

func TestDense(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 0))
		pins := [][]int{{2, 2, 2}, {6, 6}, {4}, {6, 4, 2}, {2, 3}}[seed%5]
		n := randomDense(r, 9, 2+r.IntN(4), pins, int(seed/5%4)*3, 1+int(seed%3))
		if seed%2 == 1 {
			last := graph.Ref(n.Dense[len(n.Dense)-1].Width)
			n.Sum.Groups[0] = append(n.Sum.Groups[0], graph.True, last-1, last-1, graph.False)
			n.Sum.Beta = []float64{-1.5}
		}
		check(t, fmt.Sprint("dense ", seed), n, given.InputNumbers{}, bitsOf(9))
		// The test also checks the same network in the form of a circuit.
		c, out, err := circuitOf(n, slices.Concat(n.Sum.Groups...))
		if err != nil {
			t.Fatal(err)
		}
		circuit := &graph.Network{Format: "test", Input: n.Input, Circuit: c, Sum: n.Sum}
		circuit.Sum.Groups = nil
		for _, group := range n.Sum.Groups {
			circuit.Sum.Groups, out = append(circuit.Sum.Groups, out[:len(group)]), out[len(group):]
		}
		check(t, fmt.Sprint("circuit of dense ", seed), circuit, given.InputNumbers{}, bitsOf(9))
	}
}

// TestManyCandidates reads a network whose pins have more candidates than a model can keep.
func TestManyCandidates(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	n := randomDense(r, 9, 3, []int{2, 4}, 1, 700)
	check(t, "700 candidates", n, given.InputNumbers{}, bitsOf(9))
	m, err := Model(n, Options{Name: "m"})
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Sections[1].Pins[2].K; got != maxCandidates {
		t.Errorf("%d candidates are kept, want the limit", got)
	}
}

func TestCircuits(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		inputs := 1 + r.IntN(7)
		check(t, fmt.Sprint("circuit ", seed), randomCircuit(r, inputs, r.IntN(60), 1+r.IntN(5)), given.InputNumbers{},
			bitsOf(inputs))
	}
}

// TestInputs checks every kind of input, with the input bits in random order.
func TestInputs(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 2))
		features, per := 2+r.IntN(4), 1+r.IntN(3)
		in := graph.Input{Shape: []int{features}}
		var words given.InputNumbers
		sample := wordsOf(features, 256)
		switch seed % 4 {
		case 0, 1:
			for range features {
				var row []float32
				for range per {
					row = append(row, []float32{0.1, 0.7, 0.3, 0.5, 1. / 3, -0.25, 2, float32(r.IntN(256)) / 255}[r.IntN(8)])
				}
				in.Thresholds = append(in.Thresholds, row)
			}
			if words = (given.InputNumbers{Bits: 8, Divisor: 255}); seed%4 == 1 {
				words = given.InputNumbers{}
				sample = func(r *rand.Rand) []float64 { return realsOf(r, features) }
			}
		case 2:
			in.Digits, per = 1, 1
			words = given.InputNumbers{Bits: 8, Divisor: 255}
		case 3:
			in.Digits = per
			sample = wordsOf(features, 1<<per)
		}
		for i := range features * per {
			in.Order = append(in.Order, graph.Bit{Feature: int32(i / per), Index: int32(i % per)})
		}
		r.Shuffle(len(in.Order), func(i, j int) { in.Order[i], in.Order[j] = in.Order[j], in.Order[i] })
		n := randomDense(r, features*per, 3, []int{2, 4}, 1, 1)
		n.Input = in
		check(t, fmt.Sprint("inputs ", seed), n, words, sample)
	}
}

// realsOf returns values that are equal to thresholds, and values next to thresholds.
func realsOf(r *rand.Rand, features int) []float64 {
	x := make([]float64, features)
	for i := range x {
		x[i] = []float64{0.1, 0.7, 0.3, 0.5, 1. / 3, -0.25, 2, r.Float64()}[r.IntN(8)]
		switch r.IntN(4) {
		case 0:
			x[i] = float64(float32(x[i]))
		case 1:
			x[i] = float64(math.Nextafter32(float32(x[i]), float32(r.IntN(3)-1)*9))
		}
	}
	return x
}

// TestCut checks that a comparison with the cut in double precision has the same result as the framework's comparison
// in single precision. It tests values at the cut, next to the cut and near the threshold.
func TestCut(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	thresholds := []float32{
		0, float32(math.Copysign(0, -1)), math.MaxFloat32, -math.MaxFloat32, math.SmallestNonzeroFloat32, 1, -1, 0.7,
		float32(math.Inf(1)), float32(math.Inf(-1)),
	}
	for range 20000 {
		if f := math.Float32frombits(r.Uint32()); f == f {
			thresholds = append(thresholds, f)
		}
	}
	for _, threshold := range thresholds {
		c := cut(threshold)
		values := []float64{c, math.Nextafter(c, math.Inf(1)), math.Nextafter(c, math.Inf(-1)), float64(threshold), 0, 1, -1}
		for range 4 {
			values = append(values, float64(threshold)*(1+r.Float64()*1e-7), r.NormFloat64())
		}
		for _, x := range values {
			if math.IsInf(x, 0) {
				continue
			}
			if got, want := x > c, float32(x) > threshold; got != want {
				t.Fatalf("%v > %v is %v by the cut %v, want %v", x, threshold, got, c, want)
			}
		}
	}
}

func TestModelRefusesBrokenGraphs(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for name, spoil := range map[string]func(n *graph.Network){
		"no shape":      func(n *graph.Network) { n.Input.Shape = nil },
		"no features":   func(n *graph.Network) { n.Input.Shape = []int{0} },
		"many features": func(n *graph.Network) { n.Input.Shape = []int{1 << 20, 1 << 20, 1 << 40} },
		"no digits":     func(n *graph.Network) { n.Input.Digits = 0 },
		"many digits":   func(n *graph.Network) { n.Input.Digits = 9 },
		"few rows":      func(n *graph.Network) { n.Input.Thresholds = [][]float32{{1}} },
		"ragged rows": func(n *graph.Network) {
			n.Input.Thresholds = slices.Repeat([][]float32{{1, 2}}, 9)
			n.Input.Thresholds[3] = nil
		},
		"no number": func(n *graph.Network) {
			n.Input.Thresholds = slices.Repeat([][]float32{{float32(math.NaN())}}, 9)
		},
		"order":       func(n *graph.Network) { n.Input.Order = []graph.Bit{{Feature: 9}} },
		"wire":        func(n *graph.Network) { n.Dense[1].Wires[0][3] = 9999 },
		"few inputs":  func(n *graph.Network) { n.Input.Shape = []int{8}; n.Dense[0].Wires[0][0] = 8 },
		"logits":      func(n *graph.Network) { n.Dense[1].Logits = n.Dense[1].Logits[1:] },
		"not finite":  func(n *graph.Network) { n.Dense[0].Logits[2] = float32(math.Inf(1)) },
		"pins":        func(n *graph.Network) { n.Dense[0].Pins = 7 },
		"no choice":   func(n *graph.Network) { n.Dense[0].Candidates = 2 },
		"nothing":     func(n *graph.Network) { n.Dense = nil },
		"no classes":  func(n *graph.Network) { n.Sum.Groups = nil },
		"tau":         func(n *graph.Network) { n.Sum.Tau = 0 },
		"betas":       func(n *graph.Network) { n.Sum.Beta = []float64{1, 2} },
		"half a beta": func(n *graph.Network) { n.Sum.Beta = []float64{1, 1.5, 2} },
		"large beta":  func(n *graph.Network) { n.Sum.Beta = []float64{1, 1e9, 2} },
		"no beta":     func(n *graph.Network) { n.Sum.Beta = []float64{math.NaN()} },
		"counted":     func(n *graph.Network) { n.Sum.Groups[1][0] = 9999 },
	} {
		n := randomDense(r, 9, 3, []int{2, 2}, 0, 1)
		spoil(n)
		if m, err := Model(n, Options{Name: "m"}); err == nil {
			t.Errorf("%s: no error, but a model of %d nodes", name, m.Nodes())
		} else {
			t.Logf("%s: %v", name, err)
		}
	}
	n := randomDense(r, 9, 3, []int{2, 2}, 0, 1)
	if _, err := Model(n, Options{Name: "m", Classes: []string{"a"}}); err == nil {
		t.Error("one name for three classes: no error")
	}
	n.Dense, n.Circuit = nil, &graph.Circuit{Inputs: 9, Tables: []uint64{4}, Start: []uint32{0, 1}, Pins: []graph.Ref{0}}
	n.Sum.Groups = graph.Contiguous(10, 3)
	if _, err := Model(n, Options{Name: "m"}); err == nil {
		t.Error("a table with too many lines: no error")
	}
}
