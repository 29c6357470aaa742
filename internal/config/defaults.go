package config

import (
	"path/filepath"
	"strings"

	"ialgn/internal/topology"
)

// Default returns a configuration with the defaults that apply to every data set. Only data.set is missing. Set it
// and then call [Config.Complete].
func Default() Config {
	return Config{
		source: &source{},

		Encoder: Encoder{Kind: "thermometer", Thresholds: "uniform", Ranges: rangesRobust},
		Model:   topology.Default(),
		Train: Train{
			Estimator: "ste", Gradients: gradientsFloat32, Candidates: Candidates{Kind: candidatesFixed},
			Freeze:    Freeze{Kind: freezeNone},
			Optimizer: Optimizer{Kind: "adam", LR: 0.01, Beta1: 0.9, Beta2: 0.999, Eps: 1e-8},
			Epochs:    200, Batch: 100, Seed: 1,
			Schedule:   Schedule{Kind: "constant"},
			Validation: Validation{Keep: keepBest},
			Checkpoint: Checkpoint{Minutes: 5},
		},
	}
}

// DefaultBitsIn is the default of encoder.bits_in. With encoder.raw, it is the least width of features that are
// scaled.
const DefaultBitsIn = 8

// These are the defaults of keys that apply only to the user's own data.
const (
	defaultHeader    = "auto"
	defaultTestShare = 0.2
	defaultBits      = 8 // for sets that the paper does not mention
)

// Complete fills in keys that depend on other keys and returns the result. It fills in a key only if its value is
// zero and was not given as zero. These keys are:
//
//   - name;
//   - for csv, data.header;
//   - for the user's own files, data.test_share (without a test file) and encoder.bits_in (without encoder.raw);
//   - for the user's own data with train.validation.share, train.validation.stratified (without data.group and
//     data.order);
//   - for the schedule step, train.schedule.factor;
//   - encoder.bits and model.tau, if the paper has values for the data set and width. For the user's own data,
//     encoder.bits has a default and model.tau follows from the classes ([Config.FitClasses]). For other data, the
//     two keys remain zero, and [Config.Check] reports this.
//
// Complete also resets model.anchors and model.first_pin to their defaults if they do not apply to the network. Equal
// networks then have equal configurations.
func (c Config) Complete() Config {
	if c.Name == "" && !c.isSet("name") {
		c.Name = c.baseName()
	}
	switch c.Data.Set {
	case setCSV:
		c.completeTable()
		c.completeFiles()
	case setArrays:
		c.completeFiles()
	case setMemory:
		c.completeMemory()
	}
	c.completeSplit()
	if c.Train.ClassWeights == weightsNone {
		c.Train.ClassWeights = "" // models without weights keep their bytes
	}
	if c.Train.Offsets == offsetsChoice.values[0] {
		c.Train.Offsets = ""
	}
	if c.Train.Validation.Metric == metricAccuracy {
		c.Train.Validation.Metric = ""
	}
	c.completeSchedule()
	c.completeKinds()
	c.completeAugment()
	c.completeConv()
	c.completeSteps()
	c.Model.Complete(func(key string) bool { return c.isSet("model." + key) })
	bits, tau := c.paper()
	if c.Encoder.Bits == 0 && !c.isSet("encoder.bits") {
		c.Encoder.Bits = bits
	}
	if c.Model.Tau == 0 && !c.isSet("model.tau") {
		c.Model.Tau = tau
	}
	c.dropIdle()
	return c
}

// dropIdle resets keys that do not apply to the network to their defaults. It does nothing if some value is wrong,
// because [Config.Check] reports the value.
func (c *Config) dropIdle() {
	if c.checkChoices() == nil && c.checkLimits() == nil {
		c.Model.DropIdle()
	}
}

// completeFiles fills in the keys that both csv and arrays have.
func (c *Config) completeFiles() {
	if c.Data.TestShare == 0 && c.Data.Test == "" && !c.isSet("data.test_share") {
		c.Data.TestShare = defaultTestShare
	}
	c.completeBitsIn()
}

// completeBitsIn fills in encoder.bits_in. With encoder.raw, it remains 0, because the values determine the width of
// the words.
func (c *Config) completeBitsIn() {
	if c.Encoder.BitsIn == 0 && !c.Encoder.Raw && !c.isSet(bitsInLimit.key) {
		c.Encoder.BitsIn = DefaultBitsIn
	}
}

// completeKinds fills in the defaults of keys that apply only to one choice of another key.
func (c *Config) completeKinds() {
	for i := range kindKeys {
		k := &kindKeys[i]
		if v := c.value(k.key); k.has(c) && v.IsZero() && !c.isSet(k.key) && k.standard != 0 {
			if v.CanInt() {
				v.SetInt(int64(k.standard))
			} else {
				v.SetFloat(k.standard)
			}
		}
	}
}

// completeSchedule replaces -0 with +0, because the JSON of a model file omits both.
func (c *Config) completeSchedule() {
	s := &c.Train.Schedule
	for _, v := range []*float64{&s.Warmup, &s.Final, &s.Factor} {
		if *v == 0 {
			*v = 0
		}
	}
}

// baseName returns the name of the configuration file without folder and ending, or the name of the data set if
// there is no file.
func (c *Config) baseName() string {
	if !c.inText() {
		return c.Data.Set
	}
	base := filepath.Base(c.source.file)
	return strings.TrimSuffix(strings.TrimSuffix(base, ".yaml"), ".yml")
}

// paper returns the paper's n_b ("Experimental Setup") and tau (supplement, table "Dataset-specific logit scaling")
// for the data set and width. It returns 0 if the paper has no value. Fashion-MNIST, which the paper does not use,
// gets the values of MNIST. For the user's own data, which the paper does not use, it returns our default number of
// bits.
func (c *Config) paper() (bits int, tau float64) {
	switch c.Data.Set {
	case "mnist", "fashion-mnist":
		return 4, 10
	case "cifar10":
		if c.Model.Width >= 128_000 {
			return 16, 100
		}
		return 16, 30
	case "cifar100":
		return 16, 30
	case setParity, setCopy:
		return 2, 0 // each feature has one bit
	}
	if ownSets[c.Data.Set] {
		return defaultBits, 0
	}
	return 0, 0
}
