package ialgn

import "ialgn/internal/softmax"

// Temperature returns the number by which class counts are divided before the softmax that gives the probabilities of
// the classes. If the model was calibrated, it is the temperature that was fitted to the validation set. Otherwise it
// is the divisor of training, model.tau.
func (m *Model) Temperature() (temperature float64, calibrated bool) {
	t := m.info.Model.Temperature()
	return t.Value, t.Calibrated
}

// Probabilities returns the probability of each class for a sample with the given class counts, [class]. The
// probabilities are the softmax of count / [Model.Temperature]. Their sum is 1, up to rounding. Probabilities returns
// nil if there is not one count for each class.
func (c *Classifier) Probabilities(counts []int) []float64 {
	if len(counts) != len(c.frozen.Classes) {
		return nil
	}
	p := make([]float64, len(counts))
	softmax.Float(c.softmax, p, counts)
	return p
}

// FixedProbabilities is like [Classifier.Probabilities], but computes with integers. The probabilities are in units of
// 1/65536, rounded down; a probability of 1 becomes 65535. They have the same bits as the results of the C and Go code
// that [CompileOptions] with Probabilities gives. They differ from Probabilities by less than 2^-15.
func (c *Classifier) FixedProbabilities(counts []int) []uint16 {
	if len(counts) != len(c.frozen.Classes) {
		return nil
	}
	p := make([]uint16, len(counts))
	softmax.Fixed(c.softmax, p, counts)
	return p
}
