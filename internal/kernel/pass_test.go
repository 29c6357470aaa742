package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// state is a section of chains and a batch, of a random shape.
type state struct {
	s       *Gates
	words   int
	samples int
	chains  int
	rounded bool
	x       []uint64
	a, b    []uint64  // [maxGroup][layers][words]
	delta   []float32 // [chains][64*words]
}

// shape describes the form of a section whose contents are random.
type shape struct {
	k, samples, words, layers int
	wide                      bool // wires of 32 bits
	first                     int  // candidates of pin A; 0 means the pin is on the spine
	rounded                   bool // gradients of pins are rounded to 8 bits
}

func (sh shape) String() string {
	return fmt.Sprintf("k=%d samples=%d words=%d layers=%d wide=%v first=%d rounded=%v", sh.k, sh.samples, sh.words,
		sh.layers, sh.wide, sh.first, sh.rounded)
}

const testInputs = 200

// fusedCandidates lists the numbers of candidates of a pin for which there are fused kernels.
var fusedCandidates = []int{fusedK, 16, 8, 4}

// chains returns a number of chains. If a fused kernel works in groups, the chains fill more than one group.
func (sh shape) chains() int {
	if slices.Contains(fusedCandidates, sh.k) && sh.words == fusedWords {
		return maxGroup + 1
	}
	return 25
}

// odd returns a random value. Sometimes this is a value that kernels may get wrong (a zero, a subnormal, a tie or a
// large number), and otherwise an ordinary value of the given scale.
func odd(r *rand.Rand, scale float64) float32 {
	switch r.IntN(12) {
	case 0:
		return 0
	case 1:
		return float32(math.Copysign(0, -1))
	case 2:
		return math.Float32frombits(r.Uint32()&0x807fffff) * 1
	case 3:
		return float32(scale) // often equal to other values, to get ties
	case 4:
		return float32(-100 * scale)
	}
	return float32(r.NormFloat64() * scale)
}

func odds(r *rand.Rand, n int, scale float64) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = odd(r, scale)
	}
	return v
}

func (sh shape) logits(r *rand.Rand, gates, k int) Logits {
	l := Logits{W: odds(r, gates*k, 3), M: odds(r, gates*k, 1e-4), V: odds(r, gates*k, 1e-8), Top: make([]float32, gates)}
	for i, x := range l.V {
		l.V[i] = max(x, -x)
	}
	return l
}

func (sh shape) pin(r *rand.Rand, gates, k int) *Pin {
	p := &Pin{K: k, Bit: make([]uint32, gates)}
	if k > 1 {
		p.Logits = sh.logits(r, gates, k)
	}
	for range gates * k {
		p.Narrow = append(p.Narrow, uint16(min(r.IntN(testInputs+20), testInputs-1))) // often selects the last row
	}
	if sh.wide {
		for _, w := range p.Narrow {
			p.Wide = append(p.Wide, uint32(w))
		}
		p.Narrow = nil
	}
	return p
}

func (sh shape) draw(r *rand.Rand) *state {
	gates := sh.chains() * sh.layers
	t := &state{words: sh.words, samples: sh.samples, chains: sh.chains(), rounded: sh.rounded, s: &Gates{
		Layers: sh.layers, Logits: sh.logits(r, gates, Ops), Op: make([]uint8, gates), B: sh.pin(r, gates, sh.k),
	}}
	if sh.first > 0 {
		t.s.A = sh.pin(r, gates, sh.first)
	}
	t.s.Refresh()
	rows := func(n int) []uint64 {
		x := make([]uint64, n*sh.words)
		for i := range x {
			x[i] = r.Uint64()
		}
		return x
	}
	t.x, t.a, t.b = rows(testInputs), rows(maxGroup*sh.layers), rows(maxGroup*sh.layers)
	for range sh.chains() {
		t.delta = append(t.delta, odds(r, sh.samples, []float64{1e-3, 1e-30, 1e-42}[r.IntN(3)])...)
		t.delta = append(t.delta, make([]float32, 64*sh.words-sh.samples)...)
	}
	return t
}

func (p Pin) clone() *Pin {
	p.Logits, p.Bit = p.Logits.clone(), slices.Clone(p.Bit)
	return &p
}

func (l Logits) clone() Logits {
	return Logits{slices.Clone(l.W), slices.Clone(l.M), slices.Clone(l.V), slices.Clone(l.Top)}
}

// run updates all chains of a copy of the section twice and returns all changed arrays. The second update uses only a
// part of the batch.
func (t *state) run(path string) (bits map[string][]uint32) {
	s := *t.s
	s.Logits, s.Op, s.B = s.clone(), slices.Clone(s.Op), s.B.clone()
	if s.A != nil {
		s.A = s.A.clone()
	}
	if err := Use(path); err != nil {
		panic(err)
	}
	p := NewPass(s.Layers, t.words, s.B.K)
	p.X, p.Samples, p.Integer = t.x, t.samples, t.rounded
	bits = map[string][]uint32{}
	delta := slices.Clone(t.delta)
	for step := 1; step <= 2; step++ {
		p.Adam, p.Number = NewAdam(0.01, 0.9, 0.999, 1e-8, step), step
		if step == 2 {
			p.Samples = (t.samples + 1) / 2
			for row := range slices.Chunk(delta, 64*t.words) {
				clear(row[p.Samples:])
			}
		}
		for from := 0; from < t.chains; from += p.Group {
			n := min(p.Group, t.chains-from)
			copy(p.A, t.a) // all groups use the same rows
			copy(p.B, t.b)
			for c := range n {
				p.Delta[c] = delta[(from+c)*64*t.words:][:64*t.words]
			}
			p.Update(&s, 0, from, n)
			for c := range n {
				if s.A == nil || s.A.K > 1 { // otherwise Delta has no meaning
					add(bits, "delta", p.Delta[c][:p.Samples])
				}
			}
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

func (l *Logits) add(bits map[string][]uint32, name string) {
	add(bits, name+".w", l.W)
	add(bits, name+".m", l.M)
	add(bits, name+".v", l.V)
	add(bits, name+".top", l.Top)
}

func add(bits map[string][]uint32, name string, v []float32) {
	for _, x := range v {
		bits[name] = append(bits[name], math.Float32bits(x))
	}
}

// TestPaths compares each vector path with the plain path, to the bit, on random shapes.
func TestPaths(t *testing.T) {
	before, _ := Path()
	defer Use(before)
	r := rand.New(rand.NewPCG(7, 7))
	shapes := []shape{}
	for _, n := range []int{1, 5, 16, 64, 65, 99, 100, 101, 112, 113, 127, 128} {
		shapes = append(shapes, shape{32, n, 2, 1 + r.IntN(11), r.IntN(2) == 0, 0, false},
			shape{32, n, 2, 1, r.IntN(2) == 0, 1, false}, shape{32, n, 2, 1, r.IntN(2) == 0, 32, false})
	}
	for _, k := range fusedCandidates[1:] {
		for _, n := range []int{1, 64, 100, 101, 128} {
			for _, wide := range []bool{false, true} {
				shapes = append(shapes, shape{k, n, 2, 1 + r.IntN(11), wide, 0, false}, shape{k, n, 2, 1, wide, 1, false},
					shape{k, n, 2, 1, wide, k, false},
					shape{k, n, 2, 1, wide, fusedCandidates[r.IntN(len(fusedCandidates))], false})
			}
		}
	}
	for _, k := range []int{1, 2, 3, 5, 8, 15, 16, 17, 31, 32, 33, 48, 49, 64, 65, 100, 128, 255, 256} {
		for _, n := range []int{1 + r.IntN(64), 100, 129, 1 + r.IntN(1024), []int{1021, 1024}[r.IntN(2)]} {
			layers, first := 1+r.IntN(3), 0
			if layers == 1 {
				first = []int{0, 1, k}[r.IntN(3)]
			}
			shapes = append(shapes, shape{k, n, (n+63)/64 + r.IntN(2), layers, r.IntN(2) == 0, first, false})
		}
	}
	for _, sh := range shapes {
		for i := range 2 - sh.samples/512 {
			sh.rounded = i == 1 || sh.samples > 512 && r.IntN(2) == 0
			st := sh.draw(r)
			want := st.run("none")
			for _, path := range Paths()[:len(Paths())-1] {
				got := st.run(path)
				for name, w := range want {
					if i := firstDifference(w, got[name]); i >= 0 {
						t.Errorf("%s: %v: %s[%d] = %x, want %x", path, sh, name, i, got[name][i], w[i])
					}
				}
				if t.Failed() {
					return
				}
			}
		}
	}
}

// TestTouchesOwnChains checks that an update reads only the logits of its own chains. Another goroutine may be
// updating all other chains.
func TestTouchesOwnChains(t *testing.T) {
	before, _ := Path()
	defer Use(before)
	Use("none")
	st := shape{k: 3, samples: 100, words: 2, layers: 2}.draw(rand.New(rand.NewPCG(11, 11)))
	touched := func(logit float32) uint32 {
		s := *st.s
		s.Logits, s.Op, s.B = s.clone(), slices.Clone(s.Op), s.B.clone()
		const chain = 3
		s.W[chain*s.Layers*Ops], s.W[chain*s.Layers*Ops+Ops] = logit, logit
		p := NewPass(s.Layers, st.words, s.B.K)
		p.X, p.Samples, p.Adam = st.x, st.samples, NewAdam(0.01, 0.9, 0.999, 1e-8, 1)
		for c := range chain {
			p.Delta[c] = st.delta[c*64*st.words:][:64*st.words]
		}
		p.Update(&s, 0, 0, chain)
		return p.touched
	}
	if a, b := touched(1), touched(2); a != b || a == 0 {
		t.Errorf("an update of chains 0 to 2 read %x and %x, with other logits in chain 3", a, b)
	}
}

func firstDifference(a, b []uint32) int {
	for i := range a {
		if a[i] != b[i] {
			return i
		}
	}
	return -1
}
