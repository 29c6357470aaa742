package config

import (
	"bytes"
	"encoding/json"
)

// later lists keys whose default is not zero and that older model files lack. A file contains such a key only if its
// value differs from the default. Existing networks therefore keep their bytes. Models that are older than the key
// encoder.ranges scale the full range of values. They get the value full, for which a file does not contain the key.
var later = []string{
	"encoder.ranges", "model.inputs", "train.gradients", "train.candidates.kind", "train.freeze.kind",
	"train.validation.keep",
}

// plain is a Config without methods.
type plain Config

// MarshalJSON writes the configuration in the form in which a model file holds it.
func (c Config) MarshalJSON() ([]byte, error) {
	standard := Default()
	for _, key := range later {
		if v := c.value(key); equal(v, standard.value(key)) {
			v.SetZero()
		}
	}
	return json.Marshal(plain(c))
}

// UnmarshalJSON reads the configuration of a model file strictly. It returns an error for an unknown key.
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
