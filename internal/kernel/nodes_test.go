package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// randomRows returns rows of two words.
func randomRows(r *rand.Rand, n int) [][]uint64 {
	rows := make([][]uint64, n)
	for i := range rows {
		rows[i] = []uint64{r.Uint64(), r.Uint64()}
	}
	return rows
}

// TestLines compares the lines that pins select, and the values of tables at these lines, with a computation bit by
// bit.
func TestLines(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for pins := 1; pins <= MaxPins; pins++ {
		rows, table := randomRows(r, pins), r.Uint64()
		line, out := make([]uint8, 128), make([]uint64, 2)
		lines(line, rows)
		look(out, table, rows)
		for s := range line {
			want := 0
			for _, row := range rows {
				want = 2*want + int(row[s/64]>>(s%64)&1)
			}
			if int(line[s]) != want || out[s/64]>>(s%64)&1 != table>>want&1 {
				t.Fatalf("%d pins, sample %d: line %d, want %d; value %d", pins, s, line[s], want, out[s/64]>>(s%64)&1)
			}
		}
	}
}

// TestNumber compares the two numberings of tables with the paper's operations.
func TestNumber(t *testing.T) {
	for op := range Ops {
		for line := range 4 {
			if got := operationTable(op) >> line & 1; got != uint64(op>>(3-line)&1) {
				t.Errorf("operation %d, line %d: %d", op, line, got)
			}
		}
		if got := Number(operationTable(op), 2); got != uint64(op) {
			t.Errorf("operation %d has the number %d", op, got)
		}
	}
	for pins := 1; pins <= MaxPins; pins++ {
		if got := Number(1, pins); got != 1<<(1<<pins-1) {
			t.Errorf("%d pins: the table of the line of zeros has the number %#x", pins, got)
		}
	}
}

// TestQuantise checks that a rounded value differs from the value by at most half a step of dither plus half a step
// of rounding. It also checks that the mean of the rounded values over many dithers is the value.
func TestQuantise(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	values, q := make([]float32, 128), make([]int8, 128)
	for _, size := range []float32{0, 1e-35, 1e-3, 1, 1e20} {
		for i := range values {
			values[i] = size * float32(r.NormFloat64())
		}
		values[7] = -size * 6
		sums := make([]float64, len(values))
		const rounds = 256
		for n := range rounds {
			step := quantise(q, values, ditherRow(n, 3, 5, 2, len(values)), largestSize(values))
			for i, x := range values {
				if off := math.Abs(float64(x)/float64(step) - float64(q[fourth(i)])); off > 1.001 {
					t.Fatalf("size %v: %v is %d steps of %v", size, x, q[fourth(i)], step)
				}
				sums[i] += float64(q[fourth(i)]) * float64(step)
			}
			if size == 0 && slices.ContainsFunc(q, func(x int8) bool { return x != 0 }) {
				t.Fatalf("zeros became %v", q)
			}
		}
		for i, x := range values {
			if size > 1e-30 && math.Abs(sums[i]/rounds-float64(x)) > float64(size)*6/126.5*0.12 {
				t.Errorf("size %v: the mean of %v is %v", size, x, sums[i]/rounds)
			}
		}
	}
}

// TestIntegerSums compares the sums for candidates, and the sums for all sources, with a simple computation.
func TestIntegerSums(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for _, words := range []int{1, 2, 3, 16} {
		const sources = 70
		x := make([]uint64, sources*words)
		for i := range x {
			x[i] = r.Uint64()
		}
		g := Gradients{Samples: 64 * words, Q: make([]int8, 3*64*words), Step: []float32{0.5, 3, 0.1}}
		for i := range g.Q {
			g.Q[i] = int8(r.IntN(255) - 127)
		}
		plain := func(pin, source int) float32 {
			sum := 0
			for s := range g.Samples {
				if x[source*words+s/64]>>(s%64)&1 == 1 {
					sum += int(g.Q[pin*g.Samples+fourth(s)])
				}
			}
			return g.Step[pin] * float32(sum)
		}
		var s Sources
		s.Set(x, words, sources)
		stride := len(columns(sources))
		sums := make([]float32, 3*stride)
		for i := range sums {
			sums[i] = 7
		}
		last := Gradients{g.Samples, g.Q[g.Samples:], g.Step[1:]}
		last.AddProducts(sums[stride:], &s, 16, 66)
		for pin := range 3 {
			for source := range sources {
				want := float32(7)
				if pin > 0 && source >= 16 && source < 66 {
					want += plain(pin, source)
				}
				if got := sums[pin*stride+source]; got != want && source < 66 {
					t.Fatalf("%s, %d words: pin %d, source %d: %v, want %v", simd, words, pin, source, got, want)
				}
			}
		}
	}
}

// TestGatherRounded compares the sums of rounded gradients with a simple computation.
func TestGatherRounded(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for _, words := range []int{1, 2, 3, 16} {
		const pins, slots = 9, 40
		row := 64 * words
		next := &Trace{Rounded: make([]int8, pins*row), Share: make([]float32, slots), Steps: make([]float32, pins)}
		for i := range next.Rounded {
			next.Rounded[i] = int8(r.IntN(255) - 127)
		}
		for _, factors := range [][]float32{next.Share, next.Steps} {
			for i := range factors {
				factors[i] = r.Float32()
			}
		}
		edges := newEdges(slots)
		for i := range edges {
			edges[i] = Edge{uint32(r.IntN(pins)), uint32(r.IntN(slots))}
		}
		for n := 32; n <= row; n += 32 {
			for count := range slots {
				got, plain := slices.Repeat([]float32{7}, n), make([]float32, n)
				next.gatherRoundedBy(nodeVectors(), got, edges[:count], row)
				next.gatherRounded(plain, edges[:count], row)
				for s := range got {
					want := float32(0)
					for _, e := range edges[:count] {
						factor := next.Share[e.Slot] * next.Steps[e.Pin]
						product := float32(next.Rounded[int(e.Pin)*row+fourth(s)]) * factor
						want += product
					}
					if got[s] != want || plain[s] != want {
						t.Fatalf("%d words: sample %d of %d, %d edges: %v (%s), %v (plain), want %v", words, s, n, count, got[s], simd,
							plain[s], want)
					}
				}
			}
		}
	}
}

// columns returns a row of sums with room for the given number of sources.
func columns(sources int) []float32 {
	return make([]float32, (sources+ProductColumns-1)/ProductColumns*ProductColumns)
}

// TestReplace checks which candidates are replaced, and by which sources. The selected candidate must never be
// replaced.
func TestReplace(t *testing.T) {
	p := &Pin{
		K: 5, Logits: Logits{W: []float32{1, -2, 3, 0, -2}, M: make([]float32, 5), V: make([]float32, 5), Top: []float32{3}},
		Narrow: []uint16{10, 11, 12, 13, 14}, Bit: []uint32{12},
	}
	for i := range p.M {
		p.M[i], p.V[i] = 1, 1
	}
	wanted := []uint32{13, 20, 10, 21, 22}
	next := func() (uint32, bool) {
		if len(wanted) == 0 {
			return 0, false
		}
		v := wanted[0]
		wanted = wanted[1:]
		return v, true
	}
	if !p.Replace(0, 2, 0.5, next) {
		t.Error("nothing changed")
	}
	if want := []uint16{10, 20, 12, 13, 21}; !slices.Equal(p.Narrow, want) {
		t.Errorf("candidates %v, want %v", p.Narrow, want)
	}
	if want := []float32{1, 2.5, 3, 0, 2.5}; !slices.Equal(p.W, want) {
		t.Errorf("logits %v, want %v", p.W, want)
	}
	if want := []float32{1, 0, 1, 1, 0}; !slices.Equal(p.M, want) || !slices.Equal(p.V, want) {
		t.Errorf("moments %v and %v, want %v", p.M, p.V, want)
	}
	wanted = []uint32{30, 31, 32, 33, 34, 35}
	p.Replace(0, 9, 0.5, next)
	if want := []uint16{31, 32, 12, 30, 33}; !slices.Equal(p.Narrow, want) || p.Bit[0] != 12 {
		t.Errorf("candidates %v, selected %d, want %v and 12", p.Narrow, p.Bit[0], want)
	}
	if p.Replace(0, 1, 0.5, func() (uint32, bool) { return 0, false }) {
		t.Error("changed by nothing")
	}
}
