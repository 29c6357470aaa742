package kernel

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// onePinOf describes a pin of a layer. It holds the source of the pin's candidates and the number of candidates.
type onePinOf struct {
	source string // spine, hidden or input
	k      int
	wide   bool
}

// layerShape describes a random layer.
type layerShape struct {
	a, b    onePinOf
	light   bool
	layers  int // number of layers in the section; the tested layer is in the middle
	words   int
	samples int
}

func (sh layerShape) String() string {
	return fmt.Sprintf("a=%v b=%v light=%v layers=%d words=%d samples=%d", sh.a, sh.b, sh.light, sh.layers, sh.words,
		sh.samples)
}

// layerState is a layer with a batch, the bits of the previous layer, and the trace that the layer's readers have left.
type layerState struct {
	layerShape
	width    int
	gates    *Gates
	x, below []uint64
	next     *Trace
	uses     *Uses
	parts    []int // the first gate of each goroutine's part
}

func (sh layerShape) pin(r *rand.Rand, p onePinOf, width int) *Pin {
	if p.source == "spine" {
		return nil
	}
	n := width * sh.layers * p.k
	pin := &Pin{K: p.k, Hidden: p.source == "hidden", Bit: make([]uint32, width*sh.layers)}
	if p.k > 1 {
		pin.Logits = shape{}.logits(r, width*sh.layers, p.k)
	}
	rows := testInputs
	if pin.Hidden {
		rows = width
	}
	for range n {
		if w := min(r.IntN(rows+10), rows-1); p.wide { // often selects the last row
			pin.Wide = append(pin.Wide, uint32(w))
		} else {
			pin.Narrow = append(pin.Narrow, uint16(w))
		}
	}
	return pin
}

func (sh layerShape) draw(r *rand.Rand) *layerState {
	t := &layerState{layerShape: sh, width: 1 + r.IntN(3*blockGates)}
	n := t.width * sh.layers
	t.gates = &Gates{
		Layers: sh.layers, Light: sh.light, Op: make([]uint8, n), A: sh.pin(r, sh.a, t.width),
		B: sh.pin(r, sh.b, t.width),
	}
	t.gates.Logits = shape{}.logits(r, n, t.gates.Arity())
	t.gates.Refresh()
	rows := func(n int) []uint64 {
		x := make([]uint64, n*sh.words)
		for i := range x {
			x[i] = r.Uint64()
		}
		return x
	}
	t.x, t.below = rows(testInputs), rows(t.width)
	numbers := make([]int, t.width)
	for i := range numbers {
		numbers[i] = []int{0, 0, 1, 1, 2, 2, 3, 5, 40}[r.IntN(9)]
	}
	t.next, t.uses = drawTrace(r, 1+r.IntN(100), sh.words, sh.samples, numbers)
	for at := 0; at < t.width; at += 1 + r.IntN(t.width) {
		t.parts = append(t.parts, at)
	}
	t.parts = append(t.parts, t.width)
	return t
}

// places holds functions that copy the arrays of a pass to other places in memory.
type places struct {
	floats func([]float32) []float32
	words  func([]uint64) []uint64
	bits   func([]uint32) []uint32
	ops    func([]uint8) []uint8
	edges  func([]Edge) []Edge // the copy includes the padding after the last edge
}

// clones copies arrays without choosing their addresses.
var clones = places{
	slices.Clone[[]float32], slices.Clone[[]uint64], slices.Clone[[]uint32], slices.Clone[[]uint8],
	func(e []Edge) []Edge { return slices.Clone(e[:len(e)+edgesAhead])[:len(e)] },
}

func (c *places) logits(l Logits) Logits {
	return Logits{c.floats(l.W), c.floats(l.M), c.floats(l.V), c.floats(l.Top)}
}

// gates copies the arrays that an update changes.
func (c *places) gates(s *Gates) *Gates {
	n := *s
	n.Logits, n.Op, n.A, n.B = c.logits(s.Logits), c.ops(s.Op), c.pin(s.A), c.pin(s.B)
	return &n
}

func (c *places) pin(p *Pin) *Pin {
	if p == nil {
		return nil
	}
	n := *p
	n.Bit = c.bits(p.Bit)
	if p.K > 1 {
		n.Logits = c.logits(p.Logits)
	}
	return &n
}

// run updates a copy of the layer three times and returns its outputs and all changed arrays. The second update uses
// only a part of the batch.
func (t *layerState) run(path string, c places) map[string][]uint32 {
	s := c.gates(t.gates)
	if err := Use(path); err != nil {
		panic(err)
	}
	bits := map[string][]uint32{}
	words := func(name string, v []uint64) {
		for _, x := range v {
			bits[name] = append(bits[name], uint32(x), uint32(x>>32))
		}
	}
	uses := &Uses{start: c.bits(t.uses.start), edges: c.edges(t.uses.edges)}
	l := &Layer{Gates: s, Index: t.layers / 2, Uses: uses}
	slotsA, slotsB := l.Slots()
	row := 64 * t.words
	own := &Trace{Delta: c.floats(make([]float32, t.width*row)), Bits: c.words(make([]uint64, t.width*2*t.words))}
	if slotsA+slotsB > 0 {
		own.Coef = c.floats(make([]float32, t.width*2*(slotsA+slotsB)))
	}
	out := c.words(make([]uint64, t.width*t.words))
	p := NewLayerPass(t.words, max(t.a.k, t.b.k))
	p.X, p.Below = c.words(t.x), c.words(t.below)
	next := &Trace{Bits: c.words(t.next.Bits), Coef: c.floats(t.next.Coef), Delta: c.floats(t.next.Delta)}
	for step, samples := range []int{t.samples, (t.samples + 1) / 2, t.samples} {
		p.Samples, p.Adam = samples, NewAdam(0.01, 0.9, 0.999, 1e-8, step+1)
		copy(next.Delta, t.next.Delta)
		for from := 0; from < len(next.Delta); from += row {
			clear(next.Delta[from+samples : from+row])
		}
		for i, from := range t.parts[:len(t.parts)-1] {
			p.Forward(l, out, from, t.parts[i+1])
			p.Update(l, own, next, from, t.parts[i+1])
		}
		words("out", out)
		if slotsA+slotsB == 0 { // no layer reads the trace
			continue
		}
		words("bits", own.Bits)
		add(bits, "coef", own.Coef)
		for i := range t.width {
			add(bits, "delta", own.Delta[i*row:][:(samples+Lanes-1)/Lanes*Lanes])
		}
	}
	for _, op := range s.Op {
		bits["op"] = append(bits["op"], uint32(op))
	}
	s.add(bits, "ops")
	for name, pin := range map[string]*Pin{"a": s.A, "b": s.B} {
		if pin != nil {
			bits[name] = pin.Bit
			pin.add(bits, name)
		}
	}
	return bits
}

// TestLayers compares each vector path with the plain path, to the bit, on random layers of every form.
func TestLayers(t *testing.T) {
	before, _ := Path()
	defer Use(before)
	r := rand.New(rand.NewPCG(13, 13))
	spine, wire, input := onePinOf{"spine", 1, false}, onePinOf{"hidden", 1, false}, onePinOf{"input", 1, false}
	for _, pins := range [][2]onePinOf{
		{wire, wire},
		{spine, wire},
		{input, input},
		{wire, input},
		{wire, {"hidden", 1, true}},
		{spine, {"input", 32, false}},
		{input, {"input", 9, true}},
		{{"hidden", 8, false}, {"input", 32, false}},
		{{"hidden", 32, true}, {"hidden", 3, false}},
	} {
		for _, samples := range []int{1, 16, 63, 64, 65, 99, 100, 101, 112, 113, 127, 128, 129, 200} {
			sh := layerShape{a: pins[0], b: pins[1], layers: 1, words: (samples+63)/64 + r.IntN(4)/3, samples: samples}
			if r.IntN(4) == 0 {
				sh.layers = 2
			}
			if sh.words == 1 && r.IntN(2) == 0 {
				sh.words = LeastWords
			}
			for _, sh.light = range []bool{false, true} {
				t.Run(sh.String(), func(t *testing.T) { sh.draw(r).compare(t, clones) })
			}
		}
	}
}

// compare compares all SIMD paths with the plain path.
func (t *layerState) compare(tt *testing.T, c places) {
	tt.Helper()
	want := t.run("none", clones)
	for _, path := range Paths() {
		got := t.run(path, c)
		for name, w := range want {
			if i := firstDifference(w, got[name]); i >= 0 {
				tt.Errorf("%s: width %d: %s[%d] = %x, want %x", path, t.width, name, i, got[name][i], w[i])
			}
		}
	}
}
