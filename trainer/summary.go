package trainer

import (
	"ialgn/internal/config"
	"ialgn/internal/dataset"
	"ialgn/internal/model"
)

// Summary is the outcome of a finished run. Its accuracies are of three epochs: the one
// whose parameters the model file has, which is the last or, with a validation set, the
// best on that; the last; and the best on the test set, which published figures often
// give, though it is chosen by the test set itself.
type Summary struct {
	Model         string   `json:"model"`
	Epochs        int      `json:"epochs"`
	Stopped       bool     `json:"stopped_early,omitempty"` // patience ran out before the last epoch
	KeptEpoch     int      `json:"kept_epoch"`              // epoch whose parameters the model has, from 1
	TrainAccuracy float64  `json:"train_accuracy"`          // accuracies up to Last are those of the kept epoch
	Loss          float64  `json:"loss"`
	Validation    *float64 `json:"validation_accuracy,omitempty"` // nil without a validation set
	TestAccuracy  float64  `json:"test_accuracy"`
	LastAccuracy  float64  `json:"last_test_accuracy"`
	BestEpoch     int      `json:"best_epoch"`
	BestAccuracy  float64  `json:"best_test_accuracy"`

	*Speed
	*Seen
	SHA256 string `json:"model_sha256"`

	// With estimator soft: the test accuracy of the relaxed network that was trained, and
	// what is lost of it by freezing.
	RelaxedAccuracy *float64 `json:"relaxed_test_accuracy,omitempty"`
	Gap             *float64 `json:"discretisation_gap,omitempty"`
}

// Seen is what a call saw of its data: nil if it did not train.
type Seen struct {
	Majority Majority          `json:"majority"`          // of the test part
	Clipped  []dataset.Clipped `json:"clipped,omitempty"` // features of which training values are beyond the ranges
	Unknown  []dataset.Unknown `json:"unknown,omitempty"` // columns with words that the model to start from does not know
	Samples  int               `json:"-"`                 // of the training part
}

// Speed is what a call measured of its training, optimiser steps of this call alone: nil
// if it did not train.
type Speed struct {
	Seconds   float64 `json:"seconds"` // from the first batch to the end of the last epoch
	GateSteps float64 `json:"gate_steps_per_second"`
}

// summarise returns the summary of a finished run's record but for speed and checksum.
func summarise(path string, cfg config.Config, r *model.Record) *Summary {
	n := len(r.Epochs)
	s := &Summary{Model: path, Epochs: n, KeptEpoch: n}
	if r.Kept > 0 {
		s.KeptEpoch = r.Kept
	}
	s.Stopped = n < cfg.Train.Epochs
	kept := r.Epochs[s.KeptEpoch-1]
	s.TrainAccuracy, s.Loss = share(kept.TrainCorrect, kept.TrainSamples), kept.Loss
	s.TestAccuracy, s.LastAccuracy = testAccuracy(kept), testAccuracy(r.Epochs[n-1])
	if kept.ValidationSamples > 0 {
		v := share(kept.ValidationCorrect, kept.ValidationSamples)
		s.Validation = &v
	}
	if relaxed := relaxedAccuracy(&cfg, &kept); relaxed != nil {
		gap := *relaxed - s.TestAccuracy
		s.RelaxedAccuracy, s.Gap = relaxed, &gap
	}
	s.BestAccuracy = -1
	for i, e := range r.Epochs {
		if a := testAccuracy(e); a > s.BestAccuracy {
			s.BestEpoch, s.BestAccuracy = i+1, a
		}
	}
	return s
}

func testAccuracy(e model.Epoch) float64 { return share(e.TestCorrect, e.TestSamples) }

// relaxedAccuracy returns the test accuracy of the relaxed network after an epoch, nil if it
// is not that which is trained.
func relaxedAccuracy(cfg *config.Config, e *model.Epoch) *float64 {
	if cfg.Train.Estimator != "soft" {
		return nil
	}
	relaxed := share(e.RelaxedCorrect, e.TestSamples)
	return &relaxed
}

func share(part, all int) float64 { return float64(part) / float64(all) }
