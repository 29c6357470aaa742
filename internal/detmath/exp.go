package detmath

import "math"

// Exp64 returns e**x for x <= 0, with a relative error below 1e-13 for x >= -20. For lower x the error grows in
// proportion to x. Positive arguments and NaN are not supported.
//
// x is halved until it is above -1/8. Then the exponential comes from its Taylor series, which is summed from its
// smallest term, and is squared once for each halving. The package ialgn for Python repeats these steps
// (python/ialgn/softmax.py).
func Exp64(x float64) float64 {
	if math.IsInf(x, -1) { // no halving changes it
		return 0
	}
	halvings := 0
	for ; x < -0.125; halvings++ {
		x /= 2
	}
	e := 1.0
	for n := 12.0; n >= 1; n-- { // the next term is below 1e-21
		e = 1 + float64(float64(x*e)/n)
	}
	for range halvings {
		e = float64(e * e)
	}
	return e
}
