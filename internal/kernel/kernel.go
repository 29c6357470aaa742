// Package kernel holds the training arithmetic of one gate and one batch. It computes softmaxes and truth values, the
// four-bin sums of the upstream gradient, the sums for the candidates of a relaxed pin, and Adam steps. Engines
// decide the order in which gates are handled. This package alone decides how a gate is computed.
//
// With hard forward values, a gate needs no floating-point arithmetic per sample except sums (docs/reference/maths.md
// derives this). Let delta_s be the upstream gradient of sample s, and let a_s and b_s be the pins' values. Let p_k
// be the operation probabilities and q_j the selection probabilities. T_xy = sum_k p_k f_k(x,y) are the truth values.
// Then:
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
// Every SIMD path (plain Go, AVX2, AVX-512) adds in the same order, so training gives the same bits on every machine.
// All arithmetic is float32, every product is rounded before it is added, and no operation is contracted.
//
//   - A lane sum adds values v_0, v_1, ... in sixteen lanes. Each lane starts at +0, and lane i adds v_i, v_16+i,
//     v_32+i, ... in order. A masked-out value is skipped. This has the same result as adding +0, because a lane is
//     never -0. Then [reduce] adds the lanes in 8 pairs (i, i+8), then 4 pairs (i, i+4), 2 pairs (i, i+2) and 1 pair.
//     S_xy, the softmax sum, sum_j q_j R_j and the four T_xy (before division by the sum) are lane sums.
//   - A group sum gives R_j. Samples form groups of five, numbered from 0. The value of a group is ((v_0 + v_1) +
//     (v_2 + v_3)) + v_4 over its samples, where a sample whose bit is 0 contributes +0. One sum adds the even groups
//     in order, and another sum adds the odd groups. Both start from +0. R_j is the even sum plus the odd sum.
//   - If gradients are rounded to 8 bits ([Rounding]), R_j is a sum of integers, which is exact in any order.
//   - sum_xy S_xy T_xy and sum_xy S_xy f_k add their four terms as (00 + 01) + (10 + 11).
//
// lab/avo/kernel generates two kinds of vector code. Fused kernels update whole gates or pins for rows of two words.
// Fused kernels exist for gates and pins with 4, 8, 16 or 32 candidates, and for layers without relaxed pins. All
// other shapes use functions that do one step of one gate (see [Steps]). The steps of relaxed values add in a
// different order, which relaxed_steps.go describes. Vector code may add with a fused multiply-add whose factor is
// one, because this product is exact. Neither vector code nor plain Go flushes subnormals. IALGN_SIMD forces a path
// (see [Path]).
//
// A sum that begins with +0 is never -0. Therefore the sign of a zero in a group does not matter. Zeros after the
// last sample do not change a sum either.
package kernel

import (
	"math"

	"ialgn/internal/detmath"
)

// Ops is the number of Boolean functions of two inputs.
const Ops = 16

// Lanes is the number of lanes of a lane sum. Slices of samples are padded with zeros to a multiple of Lanes.
const Lanes = 16

// Quad holds one value for each pair of pin values, in the order 00, 01, 10, 11.
type Quad [4]float32

// reduce folds the lanes of a lane sum in the order that the package comment fixes.
func reduce(l *[Lanes]float32) float32 {
	a0, a1, a2, a3 := l[0]+l[8], l[1]+l[9], l[2]+l[10], l[3]+l[11]
	a4, a5, a6, a7 := l[4]+l[12], l[5]+l[13], l[6]+l[14], l[7]+l[15]
	return ((a0 + a4) + (a2 + a6)) + ((a1 + a5) + (a3 + a7))
}

// Operations writes the softmax of the 16 operation logits w to p and returns the truth values T. The argument top is
// the largest logit.
func Operations(p *[Ops]float32, w *[Ops]float32, top float32) Quad {
	detmath.ExpAll(p[:], w[:], top)
	// The sums of p and of its four masked forms share the first additions. The masks are the bits of k: bit 3 is
	// f_k(0,0), bit 2 is f_k(0,1), bit 1 is f_k(1,0) and bit 0 is f_k(1,1).
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

// Selection writes the softmax of the selection logits u to q. The argument top is the largest logit.
func Selection(q, u []float32, top float32) {
	detmath.ExpAll(q, u[:len(q)], top)
	inv := 1 / laneSum(q)
	for j, e := range q {
		q[j] = float32(e * inv)
	}
}

// laneSum returns the lane sum of x. No element may be -0. The usual case of 32 values needs no loop.
func laneSum(x []float32) float32 {
	if len(x) == 2*Lanes {
		x := (*[2 * Lanes]float32)(x)
		a0, a1 := (x[0]+x[16])+(x[8]+x[24]), (x[1]+x[17])+(x[9]+x[25])
		a2, a3 := (x[2]+x[18])+(x[10]+x[26]), (x[3]+x[19])+(x[11]+x[27])
		a4, a5 := (x[4]+x[20])+(x[12]+x[28]), (x[5]+x[21])+(x[13]+x[29])
		a6, a7 := (x[6]+x[22])+(x[14]+x[30]), (x[7]+x[23])+(x[15]+x[31])
		return ((a0 + a4) + (a2 + a6)) + ((a1 + a5) + (a3 + a7))
	}
	var l [Lanes]float32
	for i, v := range x {
		l[i%Lanes] += v
	}
	return reduce(&l)
}

// laneDot returns the lane sum of the products of x and y, which have the same length.
func laneDot(x, y []float32) float32 {
	if y = y[:len(x)]; len(x) == 2*Lanes {
		x, y := (*[2 * Lanes]float32)(x), (*[2 * Lanes]float32)(y)
		a0, a1 := lane(x, y, 0)+lane(x, y, 8), lane(x, y, 1)+lane(x, y, 9)
		a2, a3 := lane(x, y, 2)+lane(x, y, 10), lane(x, y, 3)+lane(x, y, 11)
		a4, a5 := lane(x, y, 4)+lane(x, y, 12), lane(x, y, 5)+lane(x, y, 13)
		a6, a7 := lane(x, y, 6)+lane(x, y, 14), lane(x, y, 7)+lane(x, y, 15)
		return ((a0 + a4) + (a2 + a6)) + ((a1 + a5) + (a3 + a7))
	}
	var l [Lanes]float32
	for i, v := range x {
		l[i%Lanes] += float32(v * y[i])
	}
	return reduce(&l)
}

// lane returns the sum in lane i of laneDot. The sum begins with +0, so the result is never -0.
func lane(x, y *[2 * Lanes]float32, i int) float32 {
	return 0 + float32(x[i]*y[i]) + float32(x[i+Lanes]*y[i+Lanes])
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

// SelectGradient writes dL/du of the selection logits to g, from the probabilities q and the sums r. The slices g and
// r may be the same.
func SelectGradient(g, q, r []float32) {
	q, g = q[:len(r)], g[:len(r)]
	mean := laneDot(q, r)
	for j, x := range r {
		g[j] = float32(q[j] * (x - mean))
	}
}

// Adam holds the constants of one step of Adam (Kingma and Ba, 2015). The bias-corrected update in this form is w -=
// Rate m / (sqrt(v) Root + Eps).
type Adam struct {
	Beta1, Rest1 float32 // beta1, 1 - beta1
	Beta2, Rest2 float32
	Rate         float32 // lr / (1 - beta1^t)
	Root         float32 // 1 / sqrt(1 - beta2^t)
	Eps          float32

	// Keep is the factor of decoupled weight decay, 1 - lr*decay. Logits are multiplied by Keep before the update. 0
	// means no decay. Only passes over nodes ([NodePass], [RelaxedNodePass]) support decay.
	Keep float32
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

// Update makes one Adam step on the logits w with the gradient g and the moments m and v. It returns the index and
// the value of the largest logit after the step. If several logits are equal, it returns the lowest index. If the
// largest value is a zero, Update returns +0.
//
// The running maximum compares integers without a branch. A branch would have to wait for a division, so a
// misprediction would be detected late. The bits of positive numbers, read as integers, have the order of the numbers
// and are above the bits of all other numbers. The low bits of each compared integer make the lowest index win among
// equal logits.
func (c *Adam) Update(w, m, v, g []float32) (arg int, top float32) {
	m, v, g = m[:len(w)], v[:len(w)], g[:len(w)]
	beta1, rest1, beta2, rest2 := c.Beta1, c.Rest1, c.Beta2, c.Rest2
	rate, root, eps := c.Rate, c.Root, c.Eps
	best := int64(math.MinInt64 / 2)
	for k, gk := range g {
		mk := float32(m[k]*beta1) + float32(gk*rest1)
		vk := float32(v[k]*beta2) + float32(float32(gk*gk)*rest2)
		m[k], v[k] = mk, vk
		wk := w[k] - float32(mk*rate)/(float32(float32(math.Sqrt(float64(vk)))*root)+eps)
		w[k] = wk
		more := (int64(uint64(math.Float32bits(wk))<<32)>>1 | int64(math.MaxInt32-k)) - best
		best += more &^ (more >> 63)
	}
	arg = math.MaxInt32 - int(best&math.MaxInt32)
	if top = w[arg]; top > 0 {
		return arg, top
	}
	return Largest(w)
}

// Largest returns the index and the value of the largest element of w. If several elements are equal, it returns the
// lowest index. If the largest value is a zero, Largest returns +0.
func Largest(w []float32) (arg int, top float32) {
	top = float32(math.Inf(-1))
	for k, x := range w {
		if x > top {
			arg, top = k, x
		}
	}
	return arg, top + 0
}
