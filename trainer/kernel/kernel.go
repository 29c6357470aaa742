// Package kernel holds the arithmetic of one gate and one batch: softmax and truth
// values, the four-bin sums of the upstream gradient, the sums for the candidates of a
// relaxed pin, and Adam. Engines decide the order of gates; what happens to a gate is
// decided here, once.
//
// With hard forward values a gate needs no per-sample float arithmetic but sums
// (derivation: docs/MATHS.md). For the upstream gradient delta_s of sample s, pins
// a_s, b_s, operation probabilities p_k, selection probabilities q_j and truth values
// T_xy = sum_k p_k f_k(x,y):
//
//	S_xy     = sum of delta_s over the samples with a_s = x, b_s = y
//	dL/dw_k  = p_k (sum_xy S_xy f_k(x,y) - sum_xy S_xy T_xy)
//	spine    : delta_s (T_1b - T_0b), b = b_s
//	anchor   : beta_s = delta_s (T_a1 - T_a0), a = a_s
//	R_j      = sum of beta_s over the samples whose candidate j is 1
//	dL/du_j  = q_j (R_j - sum_i q_i R_i)
//
// # The summation tree
//
// Every path (plain Go, AVX2, AVX-512) adds in this one order, so that
// every machine trains the same bits. All arithmetic is float32, every product is
// rounded before it is added, and no operation is contracted.
//
//   - A lane sum of values v_0, v_1, ...: sixteen lanes start at +0, and lane i adds
//     v_i, v_16+i, v_32+i, ... in order. A masked-out value is skipped, which equals
//     adding +0, for a lane is never -0. Then [reduce] folds the lanes: 8 pairs
//     (i, i+8), 4 pairs (i, i+4), 2 pairs (i, i+2), 1 pair. S_xy, the softmax sum,
//     sum_j q_j R_j and the four T_xy (before division by the sum) are lane sums.
//   - A group sum for R_j: samples in groups of five, g = 0, 1, ...; the value of a
//     group is ((v_0 + v_1) + (v_2 + v_3)) + v_4 over its samples, +0 in place of one
//     whose bit is 0; one sum adds the even groups in order, one the odd groups, both
//     from +0; R_j is even + odd.
//
// The sign of a zero in a group and samples of value zero beyond the last change
// nothing: a sum that begins with +0 is never -0.
//   - sum_xy S_xy T_xy and sum_xy S_xy f_k are (00 + 01) + (10 + 11).
package kernel

import (
	"math"

	"ialgn/trainer/detmath"
)

// Ops is the number of Boolean functions of two inputs.
const Ops = 16

// Lanes is the number of lanes of a lane sum. Slices of samples are padded with zeros
// to a multiple of it.
const Lanes = 16

// Quad holds one value for each pair of pin values, in the order 00, 01, 10, 11.
type Quad [4]float32

// reduce folds the lanes of a lane sum in the fixed order of the package comment.
func reduce(l *[Lanes]float32) float32 {
	a0, a1, a2, a3 := l[0]+l[8], l[1]+l[9], l[2]+l[10], l[3]+l[11]
	a4, a5, a6, a7 := l[4]+l[12], l[5]+l[13], l[6]+l[14], l[7]+l[15]
	return ((a0 + a4) + (a2 + a6)) + ((a1 + a5) + (a3 + a7))
}

// Operations writes the softmax of the 16 operation logits w, whose largest is top,
// to p and returns the truth values T.
func Operations(p *[Ops]float32, w *[Ops]float32, top float32) Quad {
	detmath.ExpAll(p[:], w[:], top)
	// Folding p and its masked forms shares the first fold of each half: f_k(0,0) is
	// bit 3 of k, f_k(0,1) bit 2, f_k(1,0) bit 1, f_k(1,1) bit 0.
	a0, a1, a2, a3 := p[0]+p[8], p[1]+p[9], p[2]+p[10], p[3]+p[11]
	a4, a5, a6, a7 := p[4]+p[12], p[5]+p[13], p[6]+p[14], p[7]+p[15]
	b0, b1, b2, b3 := a0+a4, a1+a5, a2+a6, a3+a7
	inv := 1 / ((b0 + b2) + (b1 + b3))
	t := Quad{
		((p[8] + p[12]) + (p[10] + p[14])) + ((p[9] + p[13]) + (p[11] + p[15])),
		(a4 + a6) + (a5 + a7),
		b2 + b3,
		b1 + b3,
	}
	for i := range t {
		t[i] = float32(t[i] * inv)
	}
	for k := range p {
		p[k] = float32(p[k] * inv)
	}
	return t
}

// Selection writes the softmax of the selection logits u, whose largest is top, to q.
func Selection(q, u []float32, top float32) {
	detmath.ExpAll(q, u[:len(q)], top)
	var l [Lanes]float32
	rest := q
	for ; len(rest) >= Lanes; rest = rest[Lanes:] {
		block := (*[Lanes]float32)(rest)
		for i := range l {
			l[i] += block[i]
		}
	}
	for i, e := range rest {
		l[i] += e
	}
	inv := 1 / reduce(&l)
	for j := range q {
		q[j] = float32(q[j] * inv)
	}
}

// OpGradient writes dL/dw of the operation logits to g.
func OpGradient(g, p *[Ops]float32, s, t *Quad) {
	st := (float32(s[0]*t[0]) + float32(s[1]*t[1])) + (float32(s[2]*t[2]) + float32(s[3]*t[3]))
	var sf [Ops]float32
	subsets(&sf, s[3], s[2], s[1], s[0])
	for k := range g {
		g[k] = float32(p[k] * (sf[k] - st))
	}
}

// SelectGradient writes dL/du of the selection logits to g, from the probabilities q
// and the sums r. g may be r.
func SelectGradient(g, q, r []float32) {
	q, g = q[:len(r)], g[:len(r)]
	var l [Lanes]float32
	j := 0
	for ; j+Lanes <= len(r); j += Lanes {
		x, y := (*[Lanes]float32)(q[j:]), (*[Lanes]float32)(r[j:])
		for i := range l {
			l[i] += float32(x[i] * y[i])
		}
	}
	for i := range r[j:] {
		l[i] += float32(q[j+i] * r[j+i])
	}
	mean := reduce(&l)
	for j := range r {
		g[j] = float32(q[j] * (r[j] - mean))
	}
}

// Adam holds the constants of one step of Adam (Kingma and Ba, 2015) in the form of
// its bias-corrected update: w -= Rate m / (sqrt(v) Root + Eps).
type Adam struct {
	Beta1, Rest1 float32 // beta1, 1 - beta1
	Beta2, Rest2 float32
	Rate         float32 // lr / (1 - beta1^t)
	Root         float32 // 1 / sqrt(1 - beta2^t)
	Eps          float32
}

// NewAdam returns the constants of step t >= 1.
func NewAdam(lr, beta1, beta2, eps float64, t int) Adam {
	return Adam{
		Beta1: float32(beta1), Rest1: float32(1 - beta1),
		Beta2: float32(beta2), Rest2: float32(1 - beta2),
		Rate: float32(lr / (1 - detmath.Pow(beta1, t))),
		Root: float32(1 / math.Sqrt(1-detmath.Pow(beta2, t))),
		Eps:  float32(eps),
	}
}

// Update makes one step on the logits w with the gradient g and the moments m and v,
// and returns the index and the value of the largest logit afterwards, the lowest
// index where several are equal. A largest zero is returned as +0.
func (c *Adam) Update(w, m, v, g []float32) (arg int, top float32) {
	m, v, g = m[:len(w)], v[:len(w)], g[:len(w)]
	top = float32(math.Inf(-1))
	for k := range w {
		gk := g[k]
		mk := float32(m[k]*c.Beta1) + float32(gk*c.Rest1)
		vk := float32(v[k]*c.Beta2) + float32(float32(gk*gk)*c.Rest2)
		m[k], v[k] = mk, vk
		wk := w[k] - float32(mk*c.Rate)/(float32(float32(math.Sqrt(float64(vk)))*c.Root)+c.Eps)
		w[k] = wk
		if wk > top {
			arg, top = k, wk
		}
	}
	return arg, top + 0
}

// Largest returns the index and the value of the largest of w, the lowest index where
// several are equal. A largest zero is returned as +0.
func Largest(w []float32) (arg int, top float32) {
	top = float32(math.Inf(-1))
	for k, x := range w {
		if x > top {
			arg, top = k, x
		}
	}
	return arg, top + 0
}
