package config

import "fmt"

// The schedules with keys of their own.
const (
	scheduleCosine = "cosine"
	scheduleStep   = "step"
)

// scheduleLimits holds the ranges of the keys that one schedule alone has.
var scheduleLimits = []struct {
	kind string
	limit
}{
	{scheduleCosine, limit{"train.schedule.final", 0, 1}},
	{scheduleStep, limit{"train.schedule.every", 1, 1e6}},
	{scheduleStep, limit{"train.schedule.factor", 0.001, 1}},
}

// checkSchedule checks the keys of the schedule, or their absence, and that a warm-up
// leaves a run to it.
func (c *Config) checkSchedule() error {
	s := &c.Train.Schedule
	for _, l := range scheduleLimits {
		switch {
		case l.kind == s.Kind:
			if err := c.checkLimit(l.limit); err != nil {
				return err
			}
		case c.isSet(l.key) || !c.value(l.key).IsZero():
			return c.wrong(l.key, "leave it out, or use train.schedule.kind: "+l.kind, "has no meaning for the schedule %s",
				s.Kind)
		}
	}
	if s.Warmup >= float64(c.Train.Epochs) {
		return c.wrong("train.schedule.warmup", fmt.Sprintf("use fewer than %d, or a larger train.epochs", c.Train.Epochs),
			"the warm-up takes %s of train.epochs = %d", format(s.Warmup), c.Train.Epochs)
	}
	return nil
}

// checkValidation refuses keys that need a validation set if there is none.
func (c *Config) checkValidation() error {
	if v := c.Train.Validation; v.Patience > 0 && v.Share == 0 {
		return c.wrong("train.validation.patience", "give train.validation.share too, for example 0.1, or leave this key out",
			"there is no validation set to lose patience with")
	}
	return nil
}
