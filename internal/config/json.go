package config

import (
	"bytes"
	"encoding/json"
)

// later lists keys with a default other than zero that older model files lack. A file contains them only if they
// differ from the default, so that existing networks keep their bytes. Models older than encoder.ranges scale the
// full range of values. They store that range, and have no key for it.
var later = []string{
	"encoder.ranges", "model.inputs", "train.gradients", "train.candidates.kind", "train.freeze.kind",
	"train.validation.keep",
}

// plain is a configuration without methods.
type plain Config

// MarshalJSON writes the configuration as a model file holds it.
func (c Config) MarshalJSON() ([]byte, error) {
	standard := Default()
	for _, key := range later {
		if v := c.value(key); equal(v, standard.value(key)) {
			v.SetZero()
		}
	}
	return json.Marshal(plain(c))
}

// UnmarshalJSON reads the configuration of a model file strictly: an unknown key is an error.
func (c *Config) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode((*plain)(c)); err != nil {
		return err
	}
	standard := Default()
	for _, key := range later {
		if v := c.value(key); v.IsZero() {
			v.Set(standard.value(key))
		}
	}
	return nil
}
