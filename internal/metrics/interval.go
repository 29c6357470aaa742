package metrics

import "math"

// z is the 97.5 % quantile of the normal distribution.
const z = 1.959963984540054

// Wilson returns the lower and the upper limit of the 95 % interval of a probability, if k of n independent samples
// are successes (Wilson 1927, "Probable inference, the law of succession, and statistical inference"). The limits are
// 0 and 1 if n is 0.
func Wilson(k, n int) [2]float64 {
	if n == 0 {
		return [2]float64{0, 1}
	}
	p, all := ratio(k, n), float64(n)
	middle := p + z*z/(2*all)
	half := z * math.Sqrt(p*(1-p)/all+z*z/(4*all*all))
	low, high := (middle-half)/(1+z*z/all), (middle+half)/(1+z*z/all)
	if k == 0 {
		low = 0 // exactly
	}
	if k == n {
		high = 1
	}
	return [2]float64{low, high}
}

// AccuracyInterval returns Wilson's interval of [Accuracy].
func AccuracyInterval(confusion [][]int) [2]float64 { return Wilson(correct(confusion)) }

// BalancedAccuracyInterval returns the lower and the upper limit of the 95 % interval of [BalancedAccuracy]. The
// classes' recalls are independent, so the distance of each limit from the mean is the root of the summed squares of
// the distances in Wilson's intervals of the recalls, divided by the number of classes (Zou and Donner 2008,
// "Construction of confidence limits about effect measures"). Unlike the limits of a normal distribution, the limits
// are between 0 and 1, and differ if all recalls are 0 or 1.
func BalancedAccuracyInterval(confusion [][]int) [2]float64 {
	below, above, classes := 0.0, 0.0, 0
	for y, c := range Classes(confusion) {
		if c.Support > 0 {
			limits := Wilson(confusion[y][y], c.Support)
			below = math.Hypot(below, c.Recall-limits[0])
			above = math.Hypot(above, limits[1]-c.Recall)
			classes++
		}
	}
	if classes == 0 {
		return [2]float64{0, 1}
	}
	middle := BalancedAccuracy(confusion)
	return [2]float64{middle - below/float64(classes), middle + above/float64(classes)}
}
