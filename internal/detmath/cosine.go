package detmath

import "math"

// HalfCosine returns (1 + cos(pi x))/2, which falls from 1 at 0 to 0 at 1, for x in [0, 1]. The relative error is
// below 1e-15, also near 1, where 1 + cos would lose digits by cancellation. Arguments outside [0, 1] are clamped;
// NaN is not supported.
//
// The result is sin^2(pi (1-x)/2) or, in the first half, 1 - sin^2(pi x/2). So only sines of at most pi/4 are needed,
// and both ends and the middle are exact.
func HalfCosine(x float64) float64 {
	switch {
	case x <= 0:
		return 1
	case x >= 1:
		return 0
	case x <= 0.5:
		return 1 - squaredSine(x)
	}
	return squaredSine(1 - x)
}

// squaredSine returns sin^2(pi x/2) for x in [0, 1/2], from the Taylor series of the
// sine, summed from its smallest term.
func squaredSine(x float64) float64 {
	if x == 0.5 {
		return 0.5
	}
	x = float64(x * (math.Pi / 2))
	z := float64(x * x)
	sum := 1.0
	for n := 16; n >= 2; n -= 2 { // the next term is below 1e-18 of the sum
		sum = 1 - float64(float64(z*sum)/float64(n*(n+1)))
	}
	s := float64(x * sum)
	return float64(s * s)
}
