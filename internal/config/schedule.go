package config

import (
	"fmt"

	"ialgn/internal/metrics"
)

// These are the schedules that have their own keys.
const (
	scheduleCosine = "cosine"
	scheduleStep   = "step"
)

// checkSchedule checks that the warm-up is shorter than the run.
func (c *Config) checkSchedule() error {
	s := &c.Train.Schedule
	if s.Warmup >= float64(c.Train.Epochs) {
		return c.wrong("train.schedule.warmup", fmt.Sprintf("use fewer than %d, or a larger train.epochs", c.Train.Epochs),
			"the warm-up takes %s of train.epochs = %d", format(s.Warmup), c.Train.Epochs)
	}
	return nil
}

// checkValidation checks the metric, and returns an error for keys that need a validation set if there is none.
func (c *Config) checkValidation() error {
	v := c.Train.Validation
	if v.Metric != "" {
		if err := c.checkChoice(choice{key: metricKey}, metrics.Names()); err != nil {
			return err
		}
	}
	if err := c.checkOffsets(); err != nil {
		return err
	}
	if v.Share > 0 {
		return nil
	}
	var key string
	switch {
	case c.Train.Offsets == OffsetsInteger:
		return c.wrong(offsetsChoice.key, "give train.validation.share, too, for example 0.1, or omit this key",
			"there is no validation set on which the offsets could be chosen")
	case v.Patience > 0:
		key = "train.validation.patience"
	case v.Metric != "":
		key = metricKey
	default:
		return nil
	}
	return c.wrong(key, "give train.validation.share, too, for example 0.1, or omit this key",
		"there is no validation set to measure progress on")
}

// These are the values of train.offsets that choose something for each class.
const (
	OffsetsTies    = "ties"    // an order in which classes win ties
	OffsetsInteger = "integer" // integers that are added to class counts
)

// offsetsChoice lists the values of train.offsets. The first value is stored as empty text.
var offsetsChoice = choice{"train.offsets", []string{"none", OffsetsTies, OffsetsInteger}}

// checkOffsets checks the value of train.offsets, and that the metric depends on offsets.
func (c *Config) checkOffsets() error {
	if c.Train.Offsets == "" {
		return nil
	}
	if err := c.checkChoice(offsetsChoice, offsetsChoice.values); err != nil {
		return err
	}
	if m := c.Train.Validation.Metric; metrics.Ranks(m) {
		return c.wrong(offsetsChoice.key, "omit this key, or use another "+metricKey+", such as balanced_accuracy",
			"%s depends only on the order of the samples by their count differences, which %s do not change", m,
			map[string]string{OffsetsTies: "ties", OffsetsInteger: "offsets"}[c.Train.Offsets])
	}
	return nil
}

// These are the key of the metric that compares epochs, and the default metric. The accuracy is stored as empty text,
// so that models of earlier versions keep their bytes.
const (
	metricKey      = "train.validation.metric"
	metricAccuracy = "accuracy"
)

// CheckMetric returns an error if the metric that compares epochs is not defined for a number of classes.
func (c *Config) CheckMetric(classes int) error {
	if c.Train.Validation.Metric == "" {
		return nil
	}
	_, err := metrics.Lookup(c.Train.Validation.Metric, classes)
	if err == nil {
		return nil
	}
	return c.wrong(metricKey, "use balanced_accuracy or f1_macro", "%s", err)
}
