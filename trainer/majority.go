package trainer

import "fmt"

// Majority is the most frequent class of some samples. Its share is the accuracy of naming it for all of them.
type Majority struct {
	Class string  `json:"class"`
	Share float64 `json:"share"`
}

// MajorityOf returns the most frequent class, the first of equals, by the number of samples of each class.
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

// Warning returns what is to be said of an accuracy on the samples: nil if it is above the share of the majority.
func (m Majority) Warning(accuracy float64) error {
	if accuracy > m.Share {
		return nil
	}
	return fmt.Errorf("the accuracy of %.2f %% is not above the %.2f %% of naming the class %q for every sample; look "+
		"for extreme values and wrong columns with `ialgn init`, or train longer", 100*accuracy, 100*m.Share, m.Class)
}

// majority returns that of the test part.
func (d *Data) majority() Majority {
	counts := make([]int, len(d.Classes))
	for _, label := range d.Test.Labels {
		counts[label]++
	}
	return MajorityOf(d.Classes, counts)
}
