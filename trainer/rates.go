package trainer

import (
	"ialgn/internal/config"
	"ialgn/internal/model"
)

// Rates returns the learning rate in the last step of each epoch of a training record.
func Rates(cfg config.Config, epochs []model.Epoch) []float64 {
	rates := make([]float64, len(epochs))
	for i, e := range epochs {
		batches := batchesOf(e.TrainSamples, cfg.Train.Batch)
		s := newSchedule(&cfg.Train, batches)
		rates[i] = s.rate((i + 1) * batches)
	}
	return rates
}

// batchesOf returns the number of batches in an epoch. The last batch may be smaller.
func batchesOf(samples, batch int) int { return (samples + batch - 1) / batch }
