package metrics

import (
	"math"
	"sort"

	"ialgn/internal/detmath"
)

// Calibration collects the probabilities of samples. It measures how well the probabilities agree with the labels. The
// zero value has no samples.
type Calibration struct {
	samples int
	loss    float64 // sum over the samples
	bins    [confidenceBins]struct {
		correct    int
		confidence float64 // sum over the samples in the bin
	}
}

// confidenceBins is the number of bins of equal width for the expected calibration error. Guo et al. also use 15.
const confidenceBins = 15

// Add adds a sample with the given label. The predicted class is the first class with the largest probability.
func (c *Calibration) Add(probabilities []float64, label int) {
	class := 0
	for i, p := range probabilities {
		if p > probabilities[class] {
			class = i
		}
	}
	confidence := probabilities[class]
	bin := &c.bins[binOf(confidence)]
	bin.confidence += confidence
	if class == label {
		bin.correct++
	}
	c.samples++
	c.loss -= detmath.Log(min(max(probabilities[label], epsilon), 1-epsilon))
}

// epsilon is the smallest probability in the log loss, as in scikit-learn. It is the distance from 1 to the next
// larger float64.
const epsilon = 0x1p-52

// binOf returns the number of the bin for a confidence. Bin k contains the confidences above k / 15, up to and
// including (k + 1) / 15.
func binOf(confidence float64) int {
	return sort.Search(confidenceBins-1, func(k int) bool { return confidence <= float64(k+1)/confidenceBins })
}

// ExpectedError returns the expected calibration error of the predicted class (Guo et al. 2017, "On calibration of
// modern neural networks"). It is the mean over the samples of the distance between the accuracy and the mean
// confidence in the sample's bin. The confidence is the probability of the predicted class. The value is 0 without
// samples.
func (c *Calibration) ExpectedError() float64 {
	total := 0.0
	for _, bin := range c.bins {
		total += math.Abs(float64(bin.correct) - bin.confidence)
	}
	return total / float64(max(1, c.samples))
}

// LogLoss returns the mean negative natural logarithm of the probability of the label. The value is 0 without samples.
func (c *Calibration) LogLoss() float64 { return c.loss / float64(max(1, c.samples)) }
