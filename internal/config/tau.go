package config

import (
	"math"
	"strconv"
)

// The default of model.tau for data sets that the paper says nothing of: a constant times a power of the chains of a
// class. The exponent and the constant, the geometric mean over data sets, are those of the table "The divisor of the
// class counts" in docs/evidence/results.md.
const (
	tauFactor   = 0.34
	tauExponent = 0.57
)

// DefaultTau returns the divisor of the class counts for a last layer of that width, with two digits.
func DefaultTau(width, classes int) float64 {
	tau := tauFactor * math.Pow(float64(width)/float64(classes), tauExponent)
	// Rounded, it is the same on all machines.
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(tau, 'g', 2, 64), 64)
	if err != nil {
		panic("config: " + err.Error())
	}
	return rounded
}

// ownSets are the data sets whose files, or samples, are the user's own. They have defaults of encoder.bits and
// model.tau, which the paper has not.
var ownSets = map[string]bool{setCSV: true, setArrays: true, setMemory: true}

// fitted reports whether the default of model.tau follows from the classes.
func (c *Config) fitted() bool {
	return ownSets[c.Data.Set] || c.Data.Set == setParity || c.Data.Set == setCopy
}

// TauGiven reports whether model.tau is settled. One that is not follows from the width and the classes of the data:
// [Config.FitClasses].
func (c Config) TauGiven() bool {
	return c.Model.Tau != 0 || c.isSet("model.tau") || !c.fitted()
}

// FitClasses returns the configuration with what follows from the number of classes, where it is not given: the width
// ([Config.FitWidth]) and model.tau.
func (c Config) FitClasses(classes int) Config {
	c = c.FitWidth(classes)
	if !c.TauGiven() && classes > 0 {
		c.Model.Tau = DefaultTau(c.Model.Width, classes)
	}
	return c
}
