package trainer

import (
	"fmt"

	"ialgn/internal/config"
)

// Majority is the most frequent class in a set of samples. Share is the accuracy of predicting this class for every
// sample.
type Majority struct {
	Class string  `json:"class"`
	Share float64 `json:"share"`
}

// MajorityOf returns the most frequent class, given the number of samples of each class. If several classes are
// equally frequent, it returns the first.
func MajorityOf(classes []string, counts []int) (m Majority) {
	all, most := 0, 0
	for c, n := range counts {
		if all += n; n > most {
			m.Class, most = classes[c], n
		}
	}
	m.Share = share(most, max(1, all))
	return m
}

// Warning returns an error if the accuracy is not above the majority's share. Otherwise it returns nil. It also returns
// nil if training weighed the classes (train.class_weights) or chose offsets for a metric other than the accuracy
// (train.offsets), because both give up accuracy for rare classes.
func (m Majority) Warning(t *config.Train, accuracy float64) error {
	if accuracy > m.Share || t.ClassWeights != "" || t.Offsets != "" && t.Validation.Metric != "" {
		return nil
	}
	return fmt.Errorf("the accuracy of %.2f %% is not above %.2f %%, the share of the most frequent class %q; look "+
		"for extreme values and wrong columns with `ialgn init`, or train longer", 100*accuracy, 100*m.Share, m.Class)
}

// majority returns the most frequent class of the test part.
func (d *Data) majority() Majority {
	return MajorityOf(d.Classes, classCounts(len(d.Classes), d.Test.Labels))
}

// classCounts returns the number of samples of each class.
func classCounts(classes int, labels []uint8) []int {
	counts := make([]int, classes)
	for _, label := range labels {
		counts[label]++
	}
	return counts
}
