package config

import "fmt"

// CheckTrainable reports the first key whose value is known but not yet trained by
// this version. The configuration has passed [Config.Check].
func (c Config) CheckTrainable() error {
	for _, ch := range choices {
		if ch.trained == 0 {
			continue
		}
		if err := c.checkTrained(ch); err != nil {
			return err
		}
	}
	if c.Model.Hidden != 1 {
		return c.wrong("model.hidden", "use 1: the spine", "%d hidden candidates cannot be trained by this version", c.Model.Hidden)
	}
	return nil
}

func (c *Config) checkTrained(ch choice) error {
	got, values := c.value(ch.key).String(), ch.values[:ch.trained]
	for _, v := range values {
		if got == v {
			return nil
		}
	}
	return c.wrong(ch.key, "use "+oneOf(values), "%s cannot be trained by this version", got)
}

// CheckClasses reports what does not fit the data: the chains must split evenly into
// the classes, and a gate cannot have more different anchors than there are input bits.
// The trainer calls it once the data set is known.
func (c Config) CheckClasses(classes, inputs int) error {
	if classes < 1 || inputs < 1 {
		return c.wrong("data.set", "use a data set with samples and features", "%d classes and %d input bits", classes, inputs)
	}
	if w := c.Model.Width; w%classes != 0 {
		return c.wrong("model.width", fmt.Sprintf("use a multiple of %d, for example %d", classes, multiple(w, classes)),
			"%d chains cannot be split into %d classes", w, classes)
	}
	if k := c.Model.Anchors; k > inputs {
		return c.wrong("model.anchors", fmt.Sprintf("use at most %d, or a larger encoder.bits", inputs),
			"%d different candidates cannot be drawn from %d input bits", k, inputs)
	}
	return nil
}

// multiple returns the positive multiple of n that is nearest to w.
func multiple(w, n int) int { return max((w+n/2)/n, 1) * n }
