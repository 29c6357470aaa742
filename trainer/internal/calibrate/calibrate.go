// Package calibrate chooses what a model stores about the class counts of its validation set: class offsets, which
// are added to the counts, and the calibration. All results have the same bits on every processor.
package calibrate

import (
	"ialgn/internal/metrics"
	"ialgn/internal/model"
)

// Calibration returns the calibration of the given scores and labels. There must be at least one sample and two
// classes.
func Calibration(s *model.Scores, labels []uint8) *model.Calibration {
	answered := metrics.Rejection(labels, s.Predicted, s.Counts, s.Classes)
	c := &model.Calibration{
		Samples: len(labels), Temperature: Temperature(s, labels),
		Leads: make([]int, len(answered)), Correct: make([]int, len(answered)),
	}
	samples, correct := 0, 0
	for lead := len(answered) - 1; lead >= 0; lead-- {
		a := answered[lead]
		c.Leads[lead], c.Correct[lead] = a.Samples-samples, a.Correct-correct
		samples, correct = a.Samples, a.Correct
	}
	return c
}

// Add adds class offsets to the counts of all samples, and classifies the samples again.
func Add(s *model.Scores, offsets []int) {
	for i := range s.Counts {
		s.Counts[i] += int32(offsets[i%s.Classes])
	}
	s.Classify(nil)
}
