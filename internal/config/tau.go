package config

import (
	"math"
	"strconv"
)

// These constants give the default of model.tau for data sets that the paper does not mention. The default is
// tauFactor times n to the power of tauExponent, where n is the number of chains of a class. The table "The divisor
// of the class counts" in docs/evidence/results.md has the measurements. The factor is a geometric mean over data
// sets.
const (
	tauFactor   = 0.34
	tauExponent = 0.57
)

// DefaultTau returns the default divisor of the class counts for a last layer of the given width, rounded to two
// digits.
func DefaultTau(width, classes int) float64 {
	tau := tauFactor * math.Pow(float64(width)/float64(classes), tauExponent)
	// Rounding makes the result the same on all machines.
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(tau, 'g', 2, 64), 64)
	if err != nil {
		panic("config: " + err.Error())
	}
	return rounded
}

// ownSets lists the data sets of the user's own files or samples. For these sets, encoder.bits and model.tau have
// defaults that are not from the paper.
var ownSets = map[string]bool{setCSV: true, setArrays: true, setMemory: true}

// fitted reports whether the default of model.tau depends on the number of classes.
func (c *Config) fitted() bool {
	return ownSets[c.Data.Set] || c.Data.Set == setParity || c.Data.Set == setCopy
}

// TauGiven reports whether model.tau has its final value. Otherwise [Config.FitClasses] computes it from the width
// and the classes of the data.
func (c Config) TauGiven() bool {
	return c.Model.Tau != 0 || c.isSet("model.tau") || !c.fitted()
}

// FitClasses returns the configuration with values for the keys that follow from the number of classes, unless they
// are given. These keys are the width ([Config.FitWidth]) and model.tau.
func (c Config) FitClasses(classes int) Config {
	c = c.FitWidth(classes)
	if !c.TauGiven() && classes > 0 {
		c.Model.Tau = DefaultTau(c.Model.Width, classes)
	}
	return c
}
