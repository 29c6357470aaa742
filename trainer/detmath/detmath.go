// Package detmath holds the elementary functions of the training path, written so
// that every processor gives the same bits.
//
// Go may contract x*y + z into one fused operation, and its math package chooses
// assembly by processor, so neither gives the same trained model on every machine.
// Here every product that is added to something is rounded by an explicit conversion,
// and only IEEE 754 addition, multiplication, division, square root and integer
// operations are used. Vector kernels repeat these sequences lane by lane.
package detmath

import "math"

// ExpMin is the argument below which [Exp] stops falling: Exp(x) = Exp(ExpMin), about
// 1.8e-35, so that no probability becomes subnormal.
const ExpMin = -80

// The constants of Exp: 16/ln 2, ln 2/16 and the number whose addition rounds a
// float32 of magnitude below 2^22 to an integer and leaves it in the low bits.
const (
	expScale = float32(23.083120654223414)
	expStep  = float32(0.04332169878499658)
	expMagic = float32(3 << 22)
)

// expTable holds 2^(i/16).
var expTable = [16]float32{
	1, 1.0442737824274138, 1.0905077326652577, 1.1387886347566916,
	1.189207115002721, 1.241857812073484, 1.2968395546510096, 1.3542555469368927,
	1.4142135623730951, 1.4768261459394993, 1.5422108254079407, 1.6104903319492543,
	1.681792830507429, 1.7562521603732995, 1.8340080864093424, 1.9152065613971474,
}

// Exp returns e**x for x <= 0 with a relative error below 2e-7 near zero and 6e-6 at
// [ExpMin]. Arguments below ExpMin give Exp(ExpMin); arguments above 88 and NaN are
// not supported.
func Exp(x float32) float32 {
	e := [1]float32{x}
	ExpAll(e[:], e[:], 0)
	return e[0]
}

// ExpAll writes Exp(x[i] - shift) to dst[i]. dst and x have the same length and may be
// the same slice.
//
// x is split into n ln 2/16 + r with |r| <= ln 2/32; 2^(n/16) comes from a table of
// 16 and an addition to the exponent, e^r from a cubic.
func ExpAll(dst, x []float32, shift float32) {
	x = x[:len(dst)]
	for i := range dst {
		v := x[i] - shift
		if v < ExpMin {
			v = ExpMin
		}
		t := float32(v * expScale)
		y := t + expMagic
		n := int32(math.Float32bits(y))
		r := float32((t - (y - expMagic)) * expStep)
		p := float32(r*(1.0/6)) + 0.5
		p = float32(p*r) + 1
		p = float32(p * r)
		e := math.Float32frombits(uint32(int32(math.Float32bits(expTable[n&15])) + n>>4<<23))
		dst[i] = e + float32(e*p)
	}
}

// Log returns the natural logarithm of a finite x > 0 with a relative error below
// 1e-15; it gives -Inf at 0 and NaN below.
//
// x is split into 2^k (1+f) with sqrt(2)/2 < 1+f < sqrt(2), and log(1+f) is computed
// from the series of 2 artanh(f/(2+f)), summed from its smallest term.
func Log(x float64) float64 {
	switch {
	case x == 0:
		return math.Inf(-1)
	case !(x > 0):
		return math.NaN()
	}
	m, k := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, k = m*2, k-1
	}
	s := (m - 1) / (m + 1) // |s| < 0.1716
	z := float64(s * s)
	sum := 0.0
	for i := 21; i >= 1; i -= 2 { // z^11/23 is below 1e-18
		sum = float64(sum*z) + 1/float64(i)
	}
	const ln2Hi, ln2Lo = 6.93147180369123816490e-01, 1.90821492927058770002e-10
	kf := float64(k)
	return float64(kf*ln2Hi) + (float64(2*float64(s*sum)) + float64(kf*ln2Lo))
}

// Pow returns x**n for n >= 0 by repeated squaring.
func Pow(x float64, n int) float64 {
	p := 1.0
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			p = float64(p * x)
		}
		x = float64(x * x)
	}
	return p
}
