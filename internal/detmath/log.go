package detmath

import "math"

// logSeries holds the coefficients of the series of artanh(s)/s in s*s, the highest power first. The first omitted
// term is below 1e-18 for s below 0.1716.
var logSeries = [...]float64{
	1. / 21, 1. / 19, 1. / 17, 1. / 15, 1. / 13, 1. / 11, 1. / 9, 1. / 7, 1. / 5, 1. / 3, 1,
}

// least is the smallest positive normal number.
const least = 0x1p-1022

// Log returns the natural logarithm of a finite x > 0, with a relative error below 1e-15. It returns -Inf for 0 and
// NaN for negative x.
//
// x is split into 2^k (1+f) with sqrt(2)/2 < 1+f < sqrt(2). log(1+f) is computed from the series of 2
// artanh(f/(2+f)), which is summed from its smallest term.
func Log(x float64) float64 {
	switch {
	case x == 0:
		return math.Inf(-1)
	case !(x > 0):
		return math.NaN()
	}
	shift := 0.0
	if x < least {
		x, shift = x*0x1p54, 54
	}
	s, power := logSplit(x)
	power -= shift
	z := float64(s * s)
	sum := 0.0
	for _, c := range &logSeries {
		sum = float64(sum*z) + c
	}
	return logJoin(s, sum, power)
}

// LogAll writes Log(x[i]) to dst[i]. All x[i] must be positive normal numbers; for other numbers the result is
// undefined. dst and x have the same length and may be the same slice. Four sums are computed at the same time,
// because each step of a sum must wait for the previous step.
func LogAll(dst, x []float64) {
	x = x[:len(dst)]
	for len(x) >= 4 {
		s0, k0 := logSplit(x[0])
		s1, k1 := logSplit(x[1])
		s2, k2 := logSplit(x[2])
		s3, k3 := logSplit(x[3])
		z0, z1, z2, z3 := float64(s0*s0), float64(s1*s1), float64(s2*s2), float64(s3*s3)
		sum0, sum1, sum2, sum3 := 0.0, 0.0, 0.0, 0.0
		for _, c := range &logSeries {
			sum0 = float64(sum0*z0) + c
			sum1 = float64(sum1*z1) + c
			sum2 = float64(sum2*z2) + c
			sum3 = float64(sum3*z3) + c
		}
		dst[0], dst[1] = logJoin(s0, sum0, k0), logJoin(s1, sum1, k1)
		dst[2], dst[3] = logJoin(s2, sum2, k2), logJoin(s3, sum3, k3)
		dst, x = dst[4:], x[4:]
	}
	for i, v := range x {
		dst[i] = Log(v)
	}
}

// logSplit returns s and power such that x = 2^power (1+s)/(1-s), where sqrt(2)/2 <= (1+s)/(1-s) < sqrt(2). x must be
// a positive normal number. The exponent in the bits of x changes at powers of two. Adding a constant to the bits
// moves the change to sqrt(2) times powers of two, without a branch that random numbers would mispredict.
func logSplit(x float64) (s, power float64) {
	const exponent, bias, rest = 52, 1023, 1<<52 - 1
	low := math.Float64bits(math.Sqrt2 / 2)
	b := math.Float64bits(x) + (bias<<exponent - low)
	m := math.Float64frombits(b&rest + low)
	return (m - 1) / (m + 1), float64(int(b>>exponent) - bias)
}

// logJoin returns power ln 2 + 2 s sum.
func logJoin(s, sum, power float64) float64 {
	const ln2Hi, ln2Lo = 6.93147180369123816490e-01, 1.90821492927058770002e-10
	return float64(power*ln2Hi) + (float64(2*float64(s*sum)) + float64(power*ln2Lo))
}
