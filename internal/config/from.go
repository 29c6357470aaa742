package config

import (
	"path/filepath"
	"strings"

	"ialgn/internal/message"
)

// LoadFrom is [Load] of the configuration of a run that goes on from a network that another program trained, whose
// configuration is base: see [Config.From]. With nil it is Load.
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

// From returns the configuration of a run that goes on from a network that another program trained, whose
// configuration is base: its section encoder, as the run takes the encoder as it is, and the keys of its section model
// that this one does not give. It is an error if thresholds are to be learned.
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

// KeepEncoder returns the configuration of a run that keeps the encoder of the model that it starts from: with the keys
// of the section encoder of that model, where this one does not give them.
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

// gives reports whether somebody chose the value of a key: wrote it down or, in a configuration of Go, set it.
func (c *Config) gives(f field) bool {
	if c.inText() {
		return c.isSet(f.key)
	}
	return c.source != nil || !f.value.IsZero()
}

// ParseData returns the section data that overrides give, each data.KEY=VALUE, complete and checked: the data set of a
// network that another program trained and that is imported from the file of that name. If files of the test part alone
// are given, they stand for the training part, too, which says what the classes are.
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
	c.Name, c.Encoder.Bits, c.Model.Tau = "data", 2, 1 // are not asked for
	c, err := c.finish()
	return c.Data, err
}
