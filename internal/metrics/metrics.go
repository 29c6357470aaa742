// Package metrics computes how well a classifier does on labelled samples. Its input is a confusion matrix, whose
// element [i][j] is the number of samples of class i that were predicted as class j. Metrics of two classes that rank
// samples have [Scores] as input. [Calibration] reads probabilities, and [Rejection] reads class counts.
//
// The metrics have the names and values of scikit-learn 1.2. A quotient with denominator 0 is 0 (zero_division=0). A
// class without samples has no influence on [BalancedAccuracy]. A class without samples and without predictions has no
// influence on [MacroF1].
package metrics

import "math"

// Class holds the figures of one class.
type Class struct {
	Support   int     // samples of the class
	Predicted int     // samples that were predicted as the class
	Precision float64 // share of the predicted samples that belong to the class
	Recall    float64 // share of the class's samples that were predicted as the class
	F1        float64 // harmonic mean of precision and recall
}

// Classes returns the figures of each class.
func Classes(confusion [][]int) []Class {
	all := make([]Class, len(confusion))
	for y, row := range confusion {
		for x, n := range row {
			all[y].Support += n
			all[x].Predicted += n
		}
	}
	for y := range all {
		c := &all[y]
		c.Precision = ratio(confusion[y][y], c.Predicted)
		c.Recall = ratio(confusion[y][y], c.Support)
		c.F1 = ratio(2*confusion[y][y], c.Predicted+c.Support)
	}
	return all
}

// Accuracy returns the share of the samples that were predicted as their class.
func Accuracy(confusion [][]int) float64 { return ratio(correct(confusion)) }

// correct returns the number of samples that were predicted as their class, and the number of all samples.
func correct(confusion [][]int) (right, all int) {
	for y, row := range confusion {
		right += row[y]
		for _, n := range row {
			all += n
		}
	}
	return right, all
}

// BalancedAccuracy returns the mean recall of the classes that have samples.
func BalancedAccuracy(confusion [][]int) float64 {
	right, support := make([]int, len(confusion)), make([]int, len(confusion))
	for y, row := range confusion {
		right[y] = row[y]
		for _, n := range row {
			support[y] += n
		}
	}
	return meanRecall(right, support)
}

// meanRecall returns the mean recall of the classes that have samples. A class has support samples, of which right were
// predicted as the class.
func meanRecall(right, support []int) float64 {
	total, classes := 0.0, 0
	for y, n := range support {
		if n > 0 {
			total, classes = total+ratio(right[y], n), classes+1
		}
	}
	return total / float64(max(1, classes))
}

// MacroF1 returns the mean F1 of the classes that have samples or predictions.
func MacroF1(confusion [][]int) float64 {
	total, classes := 0.0, 0
	for _, c := range Classes(confusion) {
		if c.Support+c.Predicted > 0 {
			total, classes = total+c.F1, classes+1
		}
	}
	return total / float64(max(1, classes))
}

// MatthewsCorrcoef returns the correlation of the predicted class with the true class (Gorodkin 2004, "Comparing two
// K-category assignments by a K-category correlation coefficient"). It is between -1 and 1. It is 0 if all samples
// have one class or were predicted as one class.
func MatthewsCorrcoef(confusion [][]int) float64 {
	right, all := correct(confusion)
	squared := int64(all) * int64(all)
	both, labels, predictions := int64(right)*int64(all), squared, squared
	for _, c := range Classes(confusion) {
		support, predicted := int64(c.Support), int64(c.Predicted)
		both -= support * predicted
		labels -= support * support
		predictions -= predicted * predicted
	}
	if labels == 0 || predictions == 0 {
		return 0
	}
	return float64(both) / math.Sqrt(float64(labels)*float64(predictions))
}

// ratio returns part divided by whole, or 0 if whole is 0.
func ratio(part, whole int) float64 { return float64(part) / float64(max(1, whole)) }
