package ialgn

import "ialgn/trainer"

// Majority returns the most frequent class of the samples.
func (e *Evaluation) Majority() trainer.Majority {
	counts := make([]int, len(e.Classes))
	for label, row := range e.Confusion {
		for _, n := range row {
			counts[label] += n
		}
	}
	return trainer.MajorityOf(e.Classes, counts)
}
