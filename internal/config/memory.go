package config

import (
	"slices"
	"strings"
)

// setMemory is the data set of samples that a program passes in memory ([Data.Memory]). No configuration file can
// name this set.
const setMemory = "memory"

// Samples holds labelled samples in memory, for the data set memory. A feature is any finite number. The range of
// each feature over the training part (see encoder.ranges) is mapped to integers of encoder.bits_in bits.
type Samples struct {
	Features [][]float64 // training part, [sample][feature]
	Labels   []int       // training part, [sample]; class numbers start at 0

	// TestFeatures and the labels below are the test part. If there is no test part, the share data.test_share of the
	// training part is split off at random. The choice depends on data.split_seed.
	TestFeatures [][]float64
	TestLabels   []int

	FeatureNames []string // one name for each feature; if empty, features have no names
	Classes      []string // names of the classes; if empty, the labels are the names
}

// hasTest reports whether there is a test part.
func (s *Samples) hasTest() bool { return s != nil && len(s.TestFeatures)+len(s.TestLabels) > 0 }

// completeMemory fills in the keys of the data set memory.
func (c *Config) completeMemory() {
	if c.Data.Folds > 0 {
		c.Data.TestShare = 0
	} else if c.Data.TestShare == 0 && c.Data.Memory != nil && !c.Data.Memory.hasTest() {
		c.Data.TestShare = defaultTestShare
	}
	c.completeBitsIn()
}

// checkMemory checks the keys of the data set memory. It also checks that keys of files are absent.
func (c *Config) checkMemory() error {
	for _, k := range ownKeys {
		ours := slices.Contains(splitKeys, k.key) || strings.HasPrefix(k.key, "encoder.")
		if key := k.key; !ours && !c.value(key).IsZero() {
			return c.wrong(key, "omit it, or use data.set: "+oneOf(k.sets), "has no meaning for samples in memory")
		}
	}
	if c.Data.Memory.hasTest() {
		if err := c.checkUnsplit("the test part", "there are test samples"); err != nil {
			return err
		}
	} else if c.Data.TestShare != 0 {
		if err := c.checkLimit(testShareLimit); err != nil {
			return err
		}
	}
	return c.checkBitsIn()
}

// ForRun returns the complete configuration of a run. The argument samples holds samples in memory, or is nil. The
// argument base is the configuration of another program's network from which the run continues ([Config.From]), or
// nil. In a Go literal, zeros become the defaults of [Default]. In any other configuration, zeros remain zeros.
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

// fill sets zeros in a Go literal to the defaults.
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
