package kernel

import (
	"math"
	"math/rand/v2"
	"testing"

	"ialgn/internal/detmath"
)

// lanes returns the lane sum, as the package comment defines it, of the values v[i] for which in(i) is true.
func lanes(v []float32, in func(i int) bool) float32 {
	var l [16]float32
	for i, x := range v {
		if in == nil || in(i) {
			l[i%16] += x
		}
	}
	for n := 8; n >= 1; n /= 2 {
		for i := range n {
			l[i] += l[i+n]
		}
	}
	return l[0]
}

func normals(r *rand.Rand, n int, scale float32) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(r.NormFloat64()) * scale
	}
	return v
}

func operation(k, x, y int) bool { return k>>(3-(2*x+y))&1 == 1 }

// TestOperations compares softmax and truth values with their definitions. The results must equal the summation tree
// to the bit, and a computation in float64 within a tolerance.
func TestOperations(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		w := [16]float32(normals(r, 16, 3))
		_, top := Largest(w[:])
		var p [16]float32
		got := Operations(&p, &w, top)
		var e [16]float32
		Selection(e[:], w[:], top) // Selection computes the same softmax as Operations
		if e != p {
			t.Fatalf("Operations and Selection differ: %v, %v", p, e)
		}
		sum := 0.0
		for _, x := range w {
			sum += math.Exp(float64(x))
		}
		for xy, tv := range got {
			want := 0.0
			for k, x := range w {
				if operation(k, xy>>1, xy&1) {
					want += math.Exp(float64(x)) / sum
				}
			}
			if math.Abs(float64(tv)-want) > 1e-6 {
				t.Errorf("T[%02b] = %v, want %v", xy, tv, want)
			}
		}
	}
}

// TestBins compares sums and both gradients with their definitions, to the bit.
func TestBins(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for _, n := range []int{16, 48, 64, 112, 128, 1024} {
		delta, beta := normals(r, n, 1e-3), make([]float32, n)
		before := append([]float32(nil), delta...)
		a, b := make([]uint64, (n+63)/64), make([]uint64, (n+63)/64)
		for i := range a {
			a[i], b[i] = r.Uint64(), r.Uint64()
		}
		bit := func(w []uint64, s int) int { return int(w[s/64] >> (s % 64) & 1) }
		tv := Quad{0.1, 0.7, 0.4, 0.2}
		got := Bins(delta, beta, a, b, &tv)
		for xy, s := range got {
			want := lanes(before, func(i int) bool { return bit(a, i)<<1|bit(b, i) == xy })
			if s != want {
				t.Errorf("n=%d: S[%02b] = %v, want %v", n, xy, s, want)
			}
		}
		for s, d := range before {
			ca := tv[2+bit(b, s)] - tv[bit(b, s)]
			cb := tv[2*bit(a, s)+1] - tv[2*bit(a, s)]
			if delta[s] != d*ca || beta[s] != d*cb {
				t.Fatalf("n=%d sample %d: pins get %v, %v, want %v, %v", n, s, delta[s], beta[s], d*ca, d*cb)
			}
		}
		alone := append([]float32(nil), before...)
		if s := Bins(alone, nil, a, b, &tv); s != got || alone[n-1] != delta[n-1] {
			t.Errorf("n=%d: without beta: %v, want %v", n, s, got)
		}
	}
}

// TestCandidates compares group sums with their definition, to the bit, for both index types.
func TestCandidates(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for _, n := range []int{1, 4, 15, 16, 33, 64, 70, 80, 97, 100, 112, 128, 1000, 1024} {
		words := (n + 63) / 64
		beta := normals(r, (n+15)/16*16, 1e-2)
		clear(beta[n:])
		x := make([]uint64, 40*words)
		for i := range x {
			x[i] = r.Uint64()
		}
		wires := []uint16{3, 39, 0, 17, 3}
		wide := []uint32{3, 39, 0, 17, 3}
		var tab Tables
		tab.Fill(beta, n)
		got, gotWide := make([]float32, len(wires)), make([]float32, len(wires))
		Candidates(&tab, got, x, words, wires)
		Candidates(&tab, gotWide, x, words, wide)
		for j, w := range wires {
			var sums [2]float32
			for g := range (n + 4) / 5 {
				v := func(i int) float32 {
					s := 5*g + i
					if s < n && x[int(w)*words+s/64]>>(s%64)&1 == 1 {
						return beta[s]
					}
					return 0
				}
				sums[g%2] += ((v(0) + v(1)) + (v(2) + v(3))) + v(4)
			}
			if want := sums[0] + sums[1]; got[j] != want || gotWide[j] != want {
				t.Errorf("n=%d: R[%d] = %v, %v, want %v", n, j, got[j], gotWide[j], want)
			}
		}
	}
}

// TestFill compares each subset sum with its definition. The tables still hold sums from an earlier use. The sign of
// a zero does not matter.
func TestFill(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	var tab Tables
	for _, n := range []int{112, 1, 4, 5, 16, 33, 80, 81, 97, 100, 128, 1024} {
		beta := odds(r, (n+15)/16*16, 1e-2)
		clear(beta[n:])
		tab.Fill(beta, n)
		if len(tab.sums)*groupSize < n || len(tab.sums)%4 != 0 {
			t.Fatalf("n=%d: %d groups", n, len(tab.sums))
		}
		for g := range tab.sums {
			for set, got := range tab.sums[g] {
				v := func(i int) float32 {
					if s := groupSize*g + i; s < n && set>>i&1 == 1 {
						return beta[s]
					}
					return 0
				}
				if want := ((v(0) + v(1)) + (v(2) + v(3))) + v(4); got != want {
					t.Fatalf("n=%d: group %d, subset %05b: %v, want %v", n, g, set, got, want)
				}
			}
		}
	}
}

// TestSelection compares softmaxes of all sizes with the summation tree, to the bit.
func TestSelection(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for _, k := range []int{1, 3, 16, 31, 32, 33, 100, 256} {
		for range 200 { // many trials, since an error in the order of one lane changes few sums
			u, e, q := normals(r, k, 1), make([]float32, k), make([]float32, k)
			_, top := Largest(u)
			for j := range e {
				e[j] = detmath.Exp(u[j] - top)
			}
			inv := 1 / lanes(e, nil)
			Selection(q, u, top)
			for j := range q {
				if want := e[j] * inv; q[j] != want {
					t.Fatalf("k=%d: q[%d] = %v, want %v", k, j, q[j], want)
				}
			}
		}
	}
}

func TestGradients(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	p, s, tv := [16]float32(normals(r, 16, 1)), Quad(normals(r, 4, 1)), Quad(normals(r, 4, 1))
	var g [16]float32
	OpGradient(&g, &p, &s, &tv)
	for k := range g {
		f := Quad{}
		for xy := range f {
			if operation(k, xy>>1, xy&1) {
				f[xy] = s[xy]
			}
		}
		st := (s[0]*tv[0] + s[1]*tv[1]) + (s[2]*tv[2] + s[3]*tv[3])
		if want := p[k] * (((f[0] + f[1]) + (f[2] + f[3])) - st); g[k] != want {
			t.Errorf("dw[%d] = %v, want %v", k, g[k], want)
		}
	}
	for _, k := range []int{1, 3, 31, 32, 33, 100, 256} {
		for range 20 {
			q, sums, got, prod := odds(r, k, 1), odds(r, k, 1), make([]float32, k), make([]float32, k)
			if r.IntN(4) == 0 { // with a mean of zero, the result shows the sign of the zero
				for j := range q {
					q[j], sums[j] = 1, float32(math.Copysign(0, -1))
				}
			}
			SelectGradient(got, q, sums)
			for j := range prod {
				prod[j] = q[j] * sums[j]
			}
			mean := lanes(prod, nil)
			for j := range got {
				if want := q[j] * (sums[j] - mean); math.Float32bits(got[j]) != math.Float32bits(want) {
					t.Fatalf("k=%d: du[%d] = %v, want %v", k, j, got[j], want)
				}
			}
		}
	}
}

// TestAdam compares several steps with the textbook form in float64.
func TestAdam(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	w, m, v := normals(r, 48, 1), make([]float32, 48), make([]float32, 48)
	type state struct{ w, m, v float64 }
	want := make([]state, 48)
	for i := range want {
		want[i].w = float64(w[i])
	}
	for step := 1; step <= 5; step++ {
		g := normals(r, 48, 1e-3)
		c := NewAdam(0.01, 0.9, 0.999, 1e-8, step)
		arg, top := c.Update(w, m, v, g)
		for i := range want {
			x, gi := &want[i], float64(g[i])
			x.m = 0.9*x.m + 0.1*gi
			x.v = 0.999*x.v + 0.001*gi*gi
			mh, vh := x.m/(1-math.Pow(0.9, float64(step))), x.v/(1-math.Pow(0.999, float64(step)))
			x.w -= 0.01 * mh / (math.Sqrt(vh) + 1e-8)
			if math.Abs(x.w-float64(w[i])) > 1e-5 {
				t.Fatalf("step %d, logit %d: %v, want %v", step, i, w[i], x.w)
			}
		}
		if a, b := Largest(w); a != arg || b != top {
			t.Errorf("step %d: Update says the largest is %d (%v), want %d (%v)", step, arg, top, a, b)
		}
	}
	if arg, _ := Largest([]float32{1, 2, 2, 0}); arg != 1 {
		t.Errorf("tie goes to %d, want the lowest index 1", arg)
	}
}

// TestAdamLargest compares the maximum that Update returns with the result of Largest and with the wanted value. The
// step is zero, so the logits stay unchanged.
func TestAdamLargest(t *testing.T) {
	inf, nan, zero := float32(math.Inf(1)), float32(math.NaN()), float32(math.Copysign(0, -1))
	for _, c := range []struct {
		name string
		w    []float32
		arg  int
		top  float32
	}{
		{"one", []float32{5}, 0, 5},
		{"one below zero", []float32{-5}, 0, -5},
		{"tie", []float32{1, 2, 2, 0, 2}, 1, 2},
		{"below zero", []float32{-3, -1, -2, -1}, 1, -1},
		{"zeros", []float32{-1, zero, 0, zero}, 1, 0},
		{"zero over negatives", []float32{-1, -2, zero}, 2, 0},
		{"subnormal", []float32{0, -1, 1e-45}, 2, 1e-45},
		{"last", []float32{-inf, -1, 0, 1, inf}, 4, inf},
		{"minus infinity", []float32{-inf, -3e38}, 1, -3e38},
		{"not a number", []float32{1, nan, 2}, 2, 2},
		{"minus not a number", []float32{-1, -nan, -2}, 0, -1},
	} {
		zeros := func() []float32 { return make([]float32, len(c.w)) }
		adam := NewAdam(0.01, 0.9, 0.999, 1e-8, 1)
		arg, top := adam.Update(append([]float32(nil), c.w...), zeros(), zeros(), zeros())
		if arg != c.arg || math.Float32bits(top) != math.Float32bits(c.top) {
			t.Errorf("%s: Update gives %d, %v, want %d, %v", c.name, arg, top, c.arg, c.top)
		}
		if a, v := Largest(c.w); a != arg || math.Float32bits(v) != math.Float32bits(top) {
			t.Errorf("%s: Largest gives %d, %v, Update %d, %v", c.name, a, v, arg, top)
		}
	}
}

// BenchmarkGate times the kernels of one gate as an engine calls them (k_x = 32,
// batch 100 padded to 112).
func BenchmarkGate(b *testing.B) {
	r := rand.New(rand.NewPCG(6, 6))
	const n, kx, inputs = 112, 32, 2352
	delta, beta := normals(r, n, 1e-3), make([]float32, n)
	x := make([]uint64, inputs*2)
	for i := range x {
		x[i] = r.Uint64()
	}
	wires := make([]uint16, kx)
	for j := range wires {
		wires[j] = uint16(r.IntN(inputs))
	}
	w, m, v := normals(r, 48, 1), make([]float32, 48), make([]float32, 48)
	p, q, sums, g := [16]float32{}, make([]float32, kx), make([]float32, kx), make([]float32, 48)
	tv, s := Quad{0.02, 0.03, 0.9, 0.95}, Quad{}
	var tab Tables
	adam := NewAdam(0.01, 0.9, 0.999, 1e-8, 3)
	b.Run("kernel=softmax", func(b *testing.B) {
		for b.Loop() {
			tv = Operations(&p, (*[16]float32)(w), 3)
			Selection(q, w[16:], 3)
		}
	})
	b.Run("kernel=bins", func(b *testing.B) {
		keep := append([]float32(nil), delta...)
		for b.Loop() {
			copy(delta, keep)
			s = Bins(delta, beta, x[:2], x[4:], &tv)
		}
	})
	b.Run("kernel=candidates", func(b *testing.B) {
		for b.Loop() {
			tab.Fill(beta, 100)
			Candidates(&tab, sums, x, 2, wires)
		}
	})
	b.Run("kernel=adam", func(b *testing.B) {
		for b.Loop() {
			OpGradient((*[16]float32)(g), &p, &s, &tv)
			SelectGradient(g[16:], q, sums)
			adam.Update(w[:16], m[:16], v[:16], g[:16])
			adam.Update(w[16:], m[16:], v[16:], g[16:])
		}
	})
}
