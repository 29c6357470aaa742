package config

import (
	"slices"
	"strings"
)

// setMemory is the data set whose samples a program passes ([Data.Memory]). No configuration file can name it.
const setMemory = "memory"

// Samples are labelled samples in memory, those of the data set memory. A feature is any finite number; the range of
// each over the training part (encoder.ranges) becomes the integers of encoder.bits_in bits.
type Samples struct {
	Features [][]float64 // training part, [sample][feature]
	Labels   []int       // training part, [sample]; classes count from 0

	// The test part; without one, data.test_share of the training part is split off, by data.split_seed.
	TestFeatures [][]float64
	TestLabels   []int

	FeatureNames []string // one a feature; empty: none
	Classes      []string // names of the classes; empty: the numbers of the labels
}

// hasTest reports whether there is a test part.
func (s *Samples) hasTest() bool { return s != nil && len(s.TestFeatures)+len(s.TestLabels) > 0 }

// completeMemory fills in the keys that the data set memory has.
func (c *Config) completeMemory() {
	if c.Data.TestShare == 0 && c.Data.Memory != nil && !c.Data.Memory.hasTest() {
		c.Data.TestShare = defaultTestShare
	}
	c.completeBitsIn()
}

// checkMemory checks the keys that the data set memory has, or their absence.
func (c *Config) checkMemory() error {
	for _, k := range ownKeys {
		ours := slices.Contains([]string{"data.test_share", "data.split_seed"}, k.key) ||
			strings.HasPrefix(k.key, "encoder.")
		if key := k.key; !ours && !c.value(key).IsZero() {
			return c.wrong(key, "omit it, or use data.set: "+oneOf(k.sets), "has no meaning for samples in memory")
		}
	}
	if c.Data.Memory.hasTest() {
		for _, key := range []string{"data.test_share", "data.split_seed"} {
			if !c.value(key).IsZero() {
				return c.wrong(key, "omit this key or the test part", "there is nothing to split, because there are test samples")
			}
		}
	} else if c.Data.TestShare != 0 {
		if err := c.checkLimit(testShareLimit); err != nil {
			return err
		}
	}
	return c.checkBitsIn()
}

// ForRun returns the complete configuration of a run on samples in memory, nil for none, that goes on from a network
// that another program trained, whose configuration is base, nil for none ([Config.From]). Of a literal of Go, zeros
// become the defaults of [Default]; in any other configuration they are meant.
func (c Config) ForRun(base *Config, samples *Samples) (_ Config, err error) {
	if base != nil {
		if c, err = c.From(base); err != nil {
			return c, err
		}
	}
	c.fill()
	if samples != nil {
		c.Data.Set, c.Data.Memory = setMemory, samples
	}
	if samples != nil || c.Name == "" {
		c = c.Complete()
	}
	return c, nil
}

// fill gives a literal of Go the defaults.
func (c *Config) fill() {
	if c.source != nil {
		return
	}
	standard := Default()
	c.source = &source{noWidth: c.Model.Width == 0}
	own := fields(c)
	for i, f := range fields(&standard) {
		if own[i].value.IsZero() {
			own[i].value.Set(f.value)
		}
	}
}
