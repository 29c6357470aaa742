package detmath

// Exp64 returns e**x for x <= 0 with a relative error below 2e-15 (1 + |x|) where the result is above 1e-280, and 0
// below -800, where it is too small for a float64. NaN is not supported.
//
// It is the Taylor series of x/2^k, which is above -1/2, squared k times.
func Exp64(x float64) float64 {
	if x < -800 {
		return 0
	}
	k := 0
	for ; x < -0.5; k++ {
		x /= 2
	}
	sum := 1.0
	for n := 16; n >= 1; n-- { // the next term is below 1e-19
		sum = 1 + float64(float64(x*sum)/float64(n))
	}
	for range k {
		sum = float64(sum * sum)
	}
	return sum
}
