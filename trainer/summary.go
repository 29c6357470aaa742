package trainer

import (
	"ialgn/internal/config"
	"ialgn/internal/dataset"
	"ialgn/internal/metrics"
	"ialgn/internal/model"
)

// Summary is the result of a finished run. It has accuracies of three epochs:
//
//   - the kept epoch, whose parameters are in the model file. It is the last epoch or, with a validation set, the
//     best epoch on the validation set;
//   - the last epoch;
//   - the best epoch on the test set. Publications often report the accuracy of this epoch, although it is chosen by
//     means of the test set.
type Summary struct {
	Model         string   `json:"model"`
	Epochs        int      `json:"epochs"`
	Stopped       bool     `json:"stopped_early,omitempty"` // patience ran out before the last epoch
	KeptEpoch     int      `json:"kept_epoch"`              // epoch whose parameters are in the model, from 1
	TrainAccuracy float64  `json:"train_accuracy"`          // the fields from here to TestAccuracy describe the kept epoch
	Loss          float64  `json:"loss"`
	Validation    *float64 `json:"validation_accuracy,omitempty"` // nil without a validation set
	Metric        *float64 `json:"validation_metric,omitempty"`   // nil if the metric is the accuracy
	TestAccuracy  float64  `json:"test_accuracy"`
	LastAccuracy  float64  `json:"last_test_accuracy"`
	BestEpoch     int      `json:"best_epoch"`
	BestAccuracy  float64  `json:"best_test_accuracy"`

	// Offsets are the class offsets, or nil if no class has one. Ties is the tie order, or nil. Validation, Metric,
	// TestAccuracy and Values are results with offsets and order. All other results are without them.
	Offsets     []int    `json:"offsets,omitempty"`
	Ties        []int    `json:"ties,omitempty"`
	Temperature *float64 `json:"temperature,omitempty"` // see [model.Calibration]; nil without a validation set

	// Values are of the kept epoch on the test set. They are nil if an earlier version of the program evaluated this
	// epoch, and for a run of [Seeds] that an earlier call finished.
	*metrics.Values
	*Speed
	*Seen
	SHA256 string `json:"model_sha256"`

	// With estimator soft, these are the test accuracy of the relaxed network and the accuracy lost by freezing the
	// network.
	RelaxedAccuracy *float64 `json:"relaxed_test_accuracy,omitempty"`
	Gap             *float64 `json:"discretisation_gap,omitempty"`
}

// Seen describes the data that a call trained on. It is nil if the call did not train.
type Seen struct {
	Majority Majority          `json:"majority"`          // most frequent class of the test part
	Clipped  []dataset.Clipped `json:"clipped,omitempty"` // features with training values outside the encoder's ranges
	Unknown  []dataset.Unknown `json:"unknown,omitempty"` // columns with words that are no features
	Samples  int               `json:"-"`                 // number of training samples
}

// Speed is the training speed of this call, measured in its optimiser steps. It is nil if the call did not train.
type Speed struct {
	Seconds   float64 `json:"seconds"` // from the first batch to the end of the last epoch
	GateSteps float64 `json:"gate_steps_per_second"`
}

// summarise returns the summary of a finished run, without speed and checksum. The model may lack its arrays.
func summarise(path string, cfg config.Config, m *model.Model) *Summary {
	r := &m.Record
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
	if cfg.Train.Validation.Metric != "" {
		s.Metric = &kept.ValidationMetric
	}
	if relaxed := relaxedAccuracy(&cfg, &kept); relaxed != nil {
		gap := *relaxed - s.TestAccuracy
		s.RelaxedAccuracy, s.Gap = relaxed, &gap
	}
	s.addCalibrated(m, kept)
	s.BestAccuracy = -1
	for i, e := range r.Epochs {
		if a := testAccuracy(e); a > s.BestAccuracy {
			s.BestEpoch, s.BestAccuracy = i+1, a
		}
	}
	return s
}

// addCalibrated adds the class offsets, the tie order and the temperature of a model.
func (s *Summary) addCalibrated(m *model.Model, kept model.Epoch) {
	if c := m.Calibration; c != nil {
		s.Temperature = &c.Temperature
	}
	with := m.Record.Shifted()
	if with == nil {
		return
	}
	s.Offsets, s.Ties = m.Offsets, m.Ties
	s.TestAccuracy = share(with.TestCorrect, kept.TestSamples)
	if s.Validation != nil {
		v := share(with.ValidationCorrect, kept.ValidationSamples)
		s.Validation = &v
	}
	if s.Metric != nil {
		s.Metric = &with.ValidationMetric
	}
}

func testAccuracy(e model.Epoch) float64 { return share(e.TestCorrect, e.TestSamples) }

// relaxedAccuracy returns the test accuracy of the relaxed network after an epoch, or nil if no relaxed network is
// trained.
func relaxedAccuracy(cfg *config.Config, e *model.Epoch) *float64 {
	if cfg.Train.Estimator != "soft" {
		return nil
	}
	relaxed := share(e.RelaxedCorrect, e.TestSamples)
	return &relaxed
}

func share(part, all int) float64 { return float64(part) / float64(all) }
