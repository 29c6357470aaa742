package metrics

import (
	"math"
	"slices"
)

// Scores counts the samples of two classes by score. Element [k][i] is the number of samples of class i with the k-th
// score, in ascending order. Class 1 is the positive class: a higher score speaks for it.
type Scores [][2]int

// Differences returns the scores of samples of two classes. The score of a sample is the class count of class 1 minus
// the class count of class 0. The counts of sample i are elements 2 i and 2 i + 1 of counts. Memory is proportional to
// the range of the differences.
func Differences(labels []uint8, counts []int32) Scores {
	if len(labels) == 0 {
		return nil
	}
	least, most := int32(math.MaxInt32), int32(math.MinInt32)
	for i := range labels {
		d := counts[2*i+1] - counts[2*i]
		least, most = min(least, d), max(most, d)
	}
	s := make(Scores, most-least+1)
	for i, label := range labels {
		s[counts[2*i+1]-counts[2*i]-least][label]++
	}
	return s
}

// totals returns the number of samples of each class.
func (s Scores) totals() (n [2]int) {
	for _, at := range s {
		n[0], n[1] = n[0]+at[0], n[1]+at[1]
	}
	return n
}

// ROCAUC returns the area under the curve of the true positive rate against the false positive rate. It is the share
// of the pairs of a positive and a negative sample in which the positive sample has the higher score. Pairs with equal
// scores count half. It is NaN if one class has no samples.
func ROCAUC(s Scores) float64 {
	n := s.totals()
	if n[0] == 0 || n[1] == 0 {
		return math.NaN()
	}
	var below, twice int64
	for _, at := range s {
		negative, positive := int64(at[0]), int64(at[1])
		twice += positive * (2*below + negative)
		below += negative
	}
	return float64(twice) / 2 / float64(n[0]) / float64(n[1])
}

// AveragePrecision returns the mean over the positive samples of the precision at the sample's score, which is the
// share of positive samples among all samples with this score or a higher one. It is 0 without positive samples.
func AveragePrecision(s Scores) float64 {
	total, positive, all := 0.0, 0, 0
	for _, at := range slices.Backward(s) {
		positive, all = positive+at[1], all+at[0]+at[1]
		total += float64(float64(at[1]) * ratio(positive, all)) // rounded, for the same bits on every processor
	}
	return total / float64(max(1, positive))
}
