package calibrate

import (
	"slices"
	"strconv"

	"ialgn/internal/detmath"
	"ialgn/internal/model"
)

// These are the least and the largest temperature. If all samples are classified correctly, the likelihood grows as
// the temperature falls, and the result is the least temperature. If the counts say nothing about the classes, the
// result is the largest temperature.
const (
	LeastTemperature   = 1.0 / 16
	LargestTemperature = 1e6
)

// bisections is enough for the result to be exact to more digits than are kept.
const bisections = 64

// Temperature returns the temperature T with which the softmax of counts/T gives the labels the largest likelihood
// (Guo et al., "On Calibration of Modern Neural Networks", ICML 2017), rounded to six significant digits.
//
// The negative log-likelihood is a convex function of 1/T. Its derivative is the sum, over the samples, of the mean of
// the counts under the softmax minus the count of the label. Temperature finds the zero of this sum by bisection. The
// cost is 64 additions of a table's element for each count.
func Temperature(s *model.Scores, labels []uint8) float64 {
	behind, largest := differences(s)
	power := make([]float64, largest+1)
	low, high := 1.0/LargestTemperature, 1.0/LeastTemperature
	for range bisections {
		middle := (low + high) / 2
		for d := range power {
			power[d] = detmath.Exp64(float64(-middle * float64(d)))
		}
		if slope(behind, power, s.Classes, labels) < 0 {
			low = middle
		} else {
			high = middle
		}
	}
	return rounded(2 / (low + high))
}

// differences returns how much each count is less than the largest count of its sample, and the largest difference.
func differences(s *model.Scores) (behind []int32, largest int32) {
	behind = make([]int32, len(s.Counts))
	for i := 0; i < len(behind); i += s.Classes {
		counts := s.Counts[i:][:s.Classes]
		most := slices.Max(counts)
		for k, n := range counts {
			behind[i+k] = most - n
			largest = max(largest, most-n)
		}
	}
	return behind, largest
}

// slope returns the derivative of the negative log-likelihood with respect to 1/T. power[d] is exp(-d/T).
func slope(behind []int32, power []float64, classes int, labels []uint8) float64 {
	total := 0.0
	for i, label := range labels {
		row, sum, weighted := behind[i*classes:][:classes], 0.0, 0.0
		for _, d := range row {
			sum += power[d]
			weighted += float64(float64(d) * power[d])
		}
		total += float64(row[label]) - weighted/sum
	}
	return total
}

// rounded returns x rounded to six significant digits.
func rounded(x float64) float64 {
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 6, 64), 64)
	if err != nil {
		panic("calibrate: " + err.Error())
	}
	return y
}
