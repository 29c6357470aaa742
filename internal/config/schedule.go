package config

import "fmt"

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

// checkValidation returns an error for keys that need a validation set if there is none.
func (c *Config) checkValidation() error {
	if v := c.Train.Validation; v.Patience > 0 && v.Share == 0 {
		return c.wrong("train.validation.patience", "give train.validation.share, too, for example 0.1, or omit this key",
			"there is no validation set to measure progress on")
	}
	return nil
}
