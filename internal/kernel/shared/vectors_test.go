package shared

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"ialgn/internal/kernel"
)

// onPaths runs a test on each SIMD path except the plain one.
func onPaths(t *testing.T, test func(t *testing.T, path string)) {
	before, err := kernel.Path()
	if err != nil {
		t.Fatal(err)
	}
	defer kernel.Use(before)
	for _, path := range kernel.Paths() {
		if path != "none" {
			t.Run("path="+path, func(t *testing.T) { test(t, path) })
		}
	}
}

// on calls a function while the given SIMD path is in use.
func on(t testing.TB, path string, do func()) {
	if err := kernel.Use(path); err != nil {
		t.Fatal(err)
	}
	do()
}

// arrays holds all arrays that a call reads or writes.
type arrays struct {
	x, g, tables, sums []float32
	list               List
	to                 []uint32
	positions          int
	shift              Shift
}

// copied returns a copy whose arrays are made by the given functions.
func (a *arrays) copied(floats func([]float32) []float32, words func([]uint32) []uint32) *arrays {
	c := *a
	c.x, c.g, c.tables, c.sums = floats(a.x), floats(a.g), floats(a.tables), floats(a.sums)
	c.list.Wires, c.list.Out, c.to = words(a.list.Wires), words(a.list.Out), words(a.to)
	return &c
}

func inHeap[T any](v []T) []T { return append([]T{}, v...) }

// values draws numbers. Some or all numbers are 0 or 1, or near 0 or 1.
func values(r *rand.Rand, n int) []float32 {
	v := make([]float32, n)
	hard := r.IntN(3)
	for i := range v {
		switch {
		case hard == 0 || hard == 1 && r.IntN(2) == 0:
			v[i] = float32(r.IntN(2))
		default:
			v[i] = r.Float32()
		}
	}
	return v
}

// gradients draws numbers of both signs. Some are zeros of both signs.
func gradients(r *rand.Rand, n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		switch r.IntN(8) {
		case 0:
		case 1:
			v[i] = float32(math.Copysign(0, -1))
		default:
			v[i] = float32(r.NormFloat64())
		}
	}
	return v
}

// draw draws a list. There are few rows, so that many pins share a row. The outputs come after these rows. The
// gradient of a pin goes to a random place among the gradients of the rows. The shift of the wires may be negative,
// by one row.
func draw(r *rand.Rand, pins, nodes, positions int) *arrays {
	rows := 1 + r.IntN(6)
	span := (rows + positions - 1) * Lanes
	a := &arrays{list: List{Pins: pins}, positions: positions}
	a.shift = Shift{uint32(r.IntN(3)-1) * Lanes, uint32(r.IntN(2)) * Lanes}
	all := span + nodes*positions*Lanes
	order := r.Perm(nodes)
	for i := range nodes {
		for range pins {
			a.list.Wires = append(a.list.Wires, uint32(r.IntN(rows))*Lanes-a.shift.In)
			a.to = append(a.to, uint32(r.IntN(rows))*Lanes-a.shift.In)
		}
		a.list.Out = append(a.list.Out, uint32(span+order[i]*positions*Lanes)-a.shift.Out)
	}
	a.x, a.g = values(r, all), gradients(r, all)
	a.tables, a.sums = values(r, nodes<<pins), gradients(r, nodes<<pins)
	if r.IntN(4) == 0 {
		clear(a.g)
		for i := range a.g {
			a.g[i] = float32(math.Copysign(0, -1))
		}
	}
	return a
}

// check compares two sets of arrays to the bit.
func (a *arrays) check(t *testing.T, want *arrays) {
	t.Helper()
	same(t, "x", a.x, want.x)
	same(t, "g", a.g, want.g)
	same(t, "tables", a.tables, want.tables)
	same(t, "sums", a.sums, want.sums)
}

func same(t *testing.T, name string, got, want []float32) {
	t.Helper()
	for i := range want {
		if math.Float32bits(got[i]) != math.Float32bits(want[i]) {
			t.Fatalf("%s[%d] = %v, want %v", name, i, got[i], want[i])
		}
	}
}

// calls lists the functions that work on a list of nodes, with their names.
var calls = []struct {
	name string
	do   func(a *arrays)
}{
	{"forward", func(a *arrays) { Forward(a.x, &a.list, a.tables, a.positions, a.shift) }},
	{"dropped", func(a *arrays) { a.backward(Dropped) }},
	{"stored", func(a *arrays) { a.backward(Stored) }},
	{"added", func(a *arrays) { a.backward(Added) }},
}

func (a *arrays) backward(do Gradients) {
	Backward(a.x, a.g, &a.list, a.to, a.tables, a.sums, a.positions, a.shift, do)
}

// TestVectors compares each SIMD path with the plain path, to the bit.
func TestVectors(t *testing.T) {
	onPaths(t, func(t *testing.T, path string) {
		r := rand.New(rand.NewPCG(18, 18))
		for trial := range 800 {
			pins, nodes, positions := pinsOf(trial), 1+r.IntN(40), 1+r.IntN(70)
			if trial%3 == 0 {
				positions = 1
			}
			a := draw(r, pins, nodes, positions)
			for _, call := range calls {
				t.Run(fmt.Sprintf("%s/pins=%d/nodes=%d/positions=%d", call.name, pins, nodes, positions), func(t *testing.T) {
					want, got := a.copied(inHeap, inHeap), a.copied(inHeap, inHeap)
					on(t, "none", func() { call.do(want) })
					on(t, path, func() { call.do(got) })
					got.check(t, want)
				})
			}
		}
	})
}

// pinsOf returns the number of pins in a trial, most often two. There are kernels for each number of pins that it
// returns.
func pinsOf(trial int) int { return [...]int{2, 4, 2, 6, 2}[trial%5] }

// drawPool draws a pooling with few different values, so that there are many ties. Its arrays contain zeros of both
// signs, and unused rows in between.
func drawPool(r *rand.Rand) (p Pool, x, g, from []float32) {
	p.Width = 1 + r.IntN(35)
	gap := uint32(r.IntN(3)) * Lanes
	p.Pitch = uint32(2*p.Width*Lanes) + gap
	inputs := p.Pitch + uint32(2*p.Width*Lanes)
	p.In, p.Out = uint32(r.IntN(2)*Lanes), 0
	p.Out = p.In + inputs
	if r.IntN(2) == 0 { // place the output before the input
		p.In, p.Out = p.In+uint32(p.Width*Lanes), 0
	}
	all := max(p.In+inputs, p.Out+uint32(p.Width*Lanes))
	x, g, from = make([]float32, all), gradients(r, int(all)), gradients(r, int(p.Out)+p.Width*Lanes)
	for i := range x {
		x[i] = float32(r.IntN(3)) / 2
		if x[i] == 0 && r.IntN(2) == 0 {
			x[i] = float32(math.Copysign(0, -1))
		}
	}
	return p, x, g, from
}

// TestPoolVectors compares pooling on each SIMD path with the plain path, to the bit.
func TestPoolVectors(t *testing.T) {
	onPaths(t, func(t *testing.T, path string) {
		r := rand.New(rand.NewPCG(19, 19))
		for range 400 {
			p, x, g, from := drawPool(r)
			wantX, gotX, wantG, gotG := inHeap(x), inHeap(x), inHeap(g), inHeap(g)
			on(t, "none", func() { p.Forward(wantX); p.Backward(x, wantG, from) })
			on(t, path, func() { p.Forward(gotX); p.Backward(x, gotG, from) })
			same(t, "x", gotX, wantX)
			same(t, "g", gotG, wantG)
		}
	})
}

// choosing is a pin that chooses among candidates, together with all arrays that its functions use.
type choosing struct {
	Choice
	x, g, q, r []float32
	out, in    uint32
	positions  int
}

// drawChoice draws a pin whose candidates share rows, either at the same position or at different positions. Steps
// between positions may be negative.
func drawChoice(r *rand.Rand) *choosing {
	candidates, positions := 1+r.IntN(20), 1+r.IntN(12)
	step := r.IntN(4) - 1
	c := &choosing{positions: positions, in: uint32(r.IntN(3)-1) * Lanes}
	c.Step = uint32(step) * Lanes
	span, low := 1+abs(step)*(positions-1), max(0, -step)*(positions-1)
	few := 1 + r.IntN(5)
	for range candidates {
		c.Rows = append(c.Rows, uint32(low+r.IntN(few))*Lanes-c.in)
	}
	c.out = uint32(few+span-1) * Lanes
	all := int(c.out) + positions*Lanes
	c.x, c.g, c.q, c.r = values(r, all), gradients(r, all), values(r, candidates), gradients(r, candidates)
	return c
}

func abs(n int) int { return max(n, -n) }

// copied returns a copy whose arrays are made by the given functions.
func (c *choosing) copied(floats func([]float32) []float32, words func([]uint32) []uint32) *choosing {
	d := *c
	d.x, d.g, d.q, d.r, d.Rows = floats(c.x), floats(c.g), floats(c.q), floats(c.r), words(c.Rows)
	return &d
}

// run calls all functions, one after another.
func (c *choosing) run() {
	c.Mean(c.x, c.q, c.out, c.positions, c.in)
	c.Sums(c.r, c.x, c.g, c.out, c.positions, c.in)
	c.Spread(c.g, c.q, c.out, c.positions, c.in)
}

func (c *choosing) check(t *testing.T, want *choosing) {
	t.Helper()
	same(t, "x", c.x, want.x)
	same(t, "r", c.r, want.r)
	same(t, "g", c.g, want.g)
}

// TestChoiceVectors compares pins that choose on each SIMD path with the plain path, to the bit.
func TestChoiceVectors(t *testing.T) {
	onPaths(t, func(t *testing.T, path string) {
		r := rand.New(rand.NewPCG(28, 28))
		for range 400 {
			c := drawChoice(r)
			want, got := c.copied(inHeap, inHeap), c.copied(inHeap, inHeap)
			on(t, "none", want.run)
			on(t, path, got.run)
			got.check(t, want)
		}
	})
}
