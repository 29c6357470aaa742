package config

import (
	"path/filepath"
	"strings"

	"ialgn/internal/message"
)

// LoadFrom is [Load] for a run that continues from a network of another program. base is the configuration of this
// network (see [Config.From]). If base is nil, LoadFrom is the same as Load.
func LoadFrom(path string, sets []string, base *Config) (Config, error) {
	src, err := readFile(path)
	if err != nil {
		return Config{}, err
	}
	c, err := read(path, src, sets)
	if err == nil && base != nil {
		c, err = c.From(base)
	}
	if err == nil {
		c, err = c.finish()
	}
	c.Data.Beside = filepath.Dir(path)
	return c, err
}

// From returns the configuration of a run that continues from a network of another program. base is the configuration
// of this network. The result has the section encoder of base, and the keys of base's section model that c does not
// give. From returns an error if thresholds are to be learned.
func (c Config) From(base *Config) (Config, error) {
	if c.Encoder.Learned() {
		return c, c.wrong("encoder.thresholds", "omit it",
			"learned, but the thresholds of an imported network cannot change")
	}
	c.Encoder = base.Encoder
	theirs := fields(base)
	for i, f := range fields(&c) {
		if strings.HasPrefix(f.key, "model.") && !c.gives(f) {
			f.value.Set(theirs[i].value)
		}
	}
	return c, nil
}

// KeepEncoder returns the configuration of a run that starts from a model and keeps the model's encoder. If c does
// not give a key of the section encoder, its value is taken from the argument encoder.
func (c Config) KeepEncoder(encoder Encoder) Config {
	base := Config{Encoder: encoder}
	theirs := fields(&base)
	for i, f := range fields(&c) {
		if strings.HasPrefix(f.key, "encoder.") && f.key != "encoder.ranges" && !c.gives(f) {
			f.value.Set(theirs[i].value)
		}
	}
	return c
}

// gives reports whether the user chose the value of a key. This is the case if the key was written in a file or was
// set in a Go configuration.
func (c *Config) gives(f field) bool {
	if c.inText() {
		return c.isSet(f.key)
	}
	return c.source != nil || !f.value.IsZero()
}

// ParseData returns the section data of overrides, complete and checked. Each override is data.KEY=VALUE. The section
// is for an imported network that another program trained, and name is the imported file. If only test files are
// given, they are also used as training files, from which the classes are read.
func ParseData(name string, sets []string) (Data, error) {
	c := Default()
	c.source = &source{file: name, places: map[string]place{}}
	for _, set := range sets {
		if key, _, ok := strings.Cut(set, "="); ok && !strings.HasPrefix(strings.TrimSpace(key), "data.") {
			return Data{}, message.WithHint(message.Optionf("{Set} %.60q: not a key of section data; a trained network accepts "+
				"only these keys", key), "to train the network further, import it, and then train with {Init MODEL}")
		}
		if err := c.override(optionSet, set); err != nil {
			return Data{}, err
		}
	}
	if c.Data.Set == "" {
		return Data{}, message.WithHint(message.Optionf("{Set}: data.set is missing"),
			"name a data set: "+oneOf(choices[0].values))
	}
	if (c.Data.Set == setCSV || c.Data.Set == setArrays) && c.Data.Train == "" && c.Data.TrainLabels == "" {
		c.Data.Train, c.Data.TrainLabels = c.Data.Test, c.Data.TestLabels
	}
	c.Name, c.Encoder.Bits, c.Model.Tau = "data", 2, 1 // required keys that ParseData does not use
	c, err := c.finish()
	return c.Data, err
}
