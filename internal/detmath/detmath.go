// Package detmath holds the elementary functions of the training path, written so that every processor gives the same
// bits.
//
// Go may contract x*y + z into one fused operation, and its math package chooses assembly by processor, so neither
// gives the same trained model on every machine. Here every product that is added to something is rounded by an
// explicit conversion, and only IEEE 754 addition, multiplication, division, square root and integer operations are
// used. Vector kernels repeat these sequences lane by lane.
package detmath

import "math"

// ExpMin is the least argument of [Exp]: for x below ExpMin, Exp(x) = Exp(ExpMin), about 1.8e-35, so that no
// probability becomes subnormal.
const ExpMin = -80

// consts holds the constants of Exp: 16/ln 2, ln 2/16, a magic number, and the coefficients of the cubic. When the
// magic number is added to a float32 of magnitude below 2^22, the sum has that float32, rounded to an integer, in its
// low bits. The constants are variables because the compiler keeps variables in registers, but fetches constants from
// memory for each element.
var consts = struct{ scale, step, magic, sixth, half, one, lowest float32 }{
	23.083120654223414, 0.04332169878499658, 3 << 22, 1.0 / 6, 0.5, 1, ExpMin,
}

// expTable holds the bits of 2^(i/16) minus i<<19. Adding n<<19 gives the bits of 2^(n/16): the low four bits of n
// cancel, and the other bits are added to the exponent.
var expTable = func() (t [16]uint32) {
	for i, x := range [len(t)]float32{
		1, 1.0442737824274138, 1.0905077326652577, 1.1387886347566916,
		1.189207115002721, 1.241857812073484, 1.2968395546510096, 1.3542555469368927,
		1.4142135623730951, 1.4768261459394993, 1.5422108254079407, 1.6104903319492543,
		1.681792830507429, 1.7562521603732995, 1.8340080864093424, 1.9152065613971474,
	} {
		t[i] = math.Float32bits(x) - uint32(i)<<19
	}
	return t
}()

// Exp returns e**x for x <= 0, with a relative error below 2e-7 near zero and below 6e-6 at [ExpMin]. Arguments below
// ExpMin give Exp(ExpMin). Arguments above 88 and NaN are not supported.
func Exp(x float32) float32 {
	e := [1]float32{x}
	ExpAll(e[:], e[:], 0)
	return e[0]
}

// ExpAll writes Exp(x[i] - shift) to dst[i]. dst and x have the same length and may be the same slice.
//
// x is split into n ln 2/16 + r with |r| <= ln 2/32. 2^(n/16) comes from a table of 16 entries and an addition to the
// exponent. e^r comes from a cubic polynomial.
func ExpAll(dst, x []float32, shift float32) {
	x = x[:len(dst)]
	scale, step, magic := consts.scale, consts.step, consts.magic
	sixth, half, one, lowest := consts.sixth, consts.half, consts.one, consts.lowest
	for i, v := range x {
		t := v - shift
		if t < lowest {
			t = ExpMin
		}
		t = float32(t * scale)
		y := t + magic
		n := math.Float32bits(y)
		r := float32((t - (y - magic)) * step)
		p := float32(r*sixth) + half
		p = float32(p*r) + one
		p = float32(p * r)
		e := math.Float32frombits(expTable[n%16] + n<<19)
		dst[i] = e + float32(e*p)
	}
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
