package config

import (
	"slices"
	"strings"
)

// These are the estimators, the kinds of gradients and candidates, and the value for learned thresholds.
const (
	estimatorGumbel    = "gumbel"
	gradientsFloat32   = "float32"
	candidatesFixed    = "fixed"
	candidatesRandom   = "random"
	candidatesGradient = "gradient"
	thresholdsLearned  = "learned"
)

// These are the ranges of real values that are scaled to words, and the choices of the epoch that the model gets.
const (
	rangesRobust = "robust"
	rangesFull   = "full"
	rangesModel  = "model"
	keepBest     = "best"
	keepLast     = "last"
)

// Learned reports whether training moves the thresholds.
func (e Encoder) Learned() bool { return e.Thresholds == thresholdsLearned }

// Robust reports whether the ranges omit extreme values.
func (e Encoder) Robust() bool { return e.Ranges == rangesRobust }

// Kept reports whether the run keeps the encoder of the model that it starts from.
func (e Encoder) Kept() bool { return e.Ranges == rangesModel }

// KeepsBest reports whether the model gets the parameters of the best epoch.
func (v Validation) KeepsBest() bool { return v.Share > 0 && v.Keep != keepLast }

// kindKey is a key that applies only to some choices of another key. For all other choices, the key must be zero.
type kindKey struct {
	limit
	of       string   // the other key, which has a choice as its value
	kinds    []string // the choices for which the key applies
	what     string   // name of the chosen thing, for errors
	standard float64  // the default; 0 if the default is zero or there is no default
}

var kindKeys = []kindKey{
	{limit{"train.schedule.final", 0, 1}, "train.schedule.kind", []string{scheduleCosine}, "schedule", 0},
	{limit{"train.schedule.every", 1, 1e6}, "train.schedule.kind", []string{scheduleStep}, "schedule", 0},
	{limit{"train.schedule.factor", 0.001, 1}, "train.schedule.kind", []string{scheduleStep}, "schedule", 0.1},
	{limit{"data.length", MinLength, MaxLength}, "data.set", []string{setParity, setCopy}, "data set", StandardLength},
	{limit{"train.temperature", 0.01, 100}, "train.estimator", []string{estimatorGumbel}, "estimator", 1},
	{limit{"train.candidates.every", 1, 1e6}, "train.candidates.kind", replacing, "candidates", 1},
	{limit{"train.candidates.replace", 1, 255}, "train.candidates.kind", replacing, "candidates", 4},
	{limit{"train.candidates.until", 0.001, 1}, "train.candidates.kind", replacing, "candidates", 0.6},
	{limit{"train.candidates.batches", 1, 1e6}, "train.candidates.kind", []string{candidatesGradient}, "candidates", 8},
	{limit{"train.candidates.share", 0, 1}, "train.candidates.kind", []string{candidatesGradient}, "candidates", 0},
	{limit{"train.candidates.gap", 0, 100}, "train.candidates.kind", replacing, "candidates", 0.5},
	{limit{"train.freeze.from", 0.001, 1}, "train.freeze.kind", []string{freezeLayerwise}, "freeze", 0.5},
	{limit{"train.freeze.until", 0.001, 1}, "train.freeze.kind", []string{freezeLayerwise}, "freeze", 0.9},
}

// replacing lists the kinds of candidates that are replaced.
var replacing = []string{candidatesRandom, candidatesGradient}

// has reports whether the key applies to the configuration.
func (k *kindKey) has(c *Config) bool { return slices.Contains(k.kinds, c.value(k.of).String()) }

// checkKinds checks the keys that depend on a choice. It also checks that keys for other choices are absent.
func (c *Config) checkKinds() error {
	for i := range kindKeys {
		switch k := &kindKeys[i]; {
		case k.has(c):
			if err := c.checkLimit(k.limit); err != nil {
				return err
			}
		case c.isSet(k.key) || !c.value(k.key).IsZero():
			return c.wrong(k.key, "omit it, or use "+k.of+": "+strings.Join(k.kinds, " or "),
				"has no meaning for the %s %s", k.what, c.value(k.of).String())
		}
	}
	return nil
}
