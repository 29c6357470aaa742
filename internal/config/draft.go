package config

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// Draft is a configuration as a user wrote it, before the values of the other keys are chosen. It is neither complete
// nor checked, so it may lack required keys.
type Draft struct{ written Config }

// LoadDraft reads a draft from a configuration file and overrides, like [ParseDraft].
func LoadDraft(path string, sets []string) (Draft, error) {
	src, err := readFile(path)
	if err != nil {
		return Draft{}, err
	}
	d, err := ParseDraft(path, src, sets)
	d.written.Data.Beside = filepath.Dir(path)
	return d, err
}

// ParseDraft reads a draft from the text of a YAML file and overrides. It returns the same errors as [Parse], except
// errors about combinations of keys. [Draft.With] returns these errors.
func ParseDraft(name string, src []byte, sets []string) (Draft, error) {
	c, err := read(name, src, sets)
	return Draft{c}, err
}

// Set returns the draft with additional keys. Each argument is KEY=VALUE, and its key counts as written in the draft.
func (d Draft) Set(sets ...string) (Draft, error) {
	c := d.copied()
	for _, set := range sets {
		if err := c.override(optionSet, set); err != nil {
			return d, err
		}
	}
	return Draft{c}, nil
}

// Given reports whether a key was written.
func (d Draft) Given(key string) bool { return d.written.isSet(key) }

// Value returns the value that was written for a key, or the key's default.
func (d Draft) Value(key string) any { return d.written.Value(key) }

// WithDefault returns the draft with the default value of a key. Errors about the key still name its place.
func (d Draft) WithDefault(key string) Draft {
	c, standard := d.copied(), Default()
	c.value(key).Set(standard.value(key))
	return Draft{c}
}

// Name returns the name of the configuration.
func (d Draft) Name() string { return d.written.Complete().Name }

// Data returns the section data, with defaults for keys that were not written.
func (d Draft) Data() Data { return d.written.Complete().Data }

// CheckTable returns an error if a key that says how to read a CSV file is wrong.
func (d Draft) CheckTable() error {
	c := d.written.Complete()
	return c.checkTable()
}

// Metric returns train.validation.metric. It is empty if the metric is the accuracy.
func (d Draft) Metric() string { return d.written.Complete().Train.Validation.Metric }

// Written returns the written keys as KEY=VALUE, in the order of [Keys]. It omits the keys that the parameter except
// lists.
func (d Draft) Written(except ...string) (all []string) {
	for _, f := range fields(&d.written) {
		if d.Given(f.key) && !slices.Contains(except, f.key) {
			all = append(all, fmt.Sprintf("%s=%v", f.key, f.value.Interface()))
		}
	}
	return all
}

// Encoder returns the section encoder, with defaults for keys that were not written.
func (d Draft) Encoder() Encoder { return d.written.Complete().Encoder }

// With returns the complete and checked configuration of the draft with additional keys, each KEY=VALUE. The
// parameter chosen lists keys that apply only if the draft does not give them. The parameter own lists keys that
// always apply.
func (d Draft) With(chosen, own []string) (Config, error) {
	c := d.copied()
	for i, set := range slices.Concat(chosen, own) {
		key, _, _ := strings.Cut(set, "=")
		if i < len(chosen) && d.Given(key) {
			continue
		}
		if err := c.override(optionSet, set); err != nil {
			return Config{}, fmt.Errorf("chosen %s: %w", set, err)
		}
	}
	return c.finish()
}

// At returns the complete and checked configuration at one place of a grid. The parameter place lists keys, each
// KEY=VALUE, which replace keys of the draft. The argument by is the option that gave the place. Errors name this
// option.
func (d Draft) At(place []string, by string) (Config, error) {
	c := d.copied()
	for _, set := range place {
		if err := c.override(by, set); err != nil {
			return Config{}, err
		}
	}
	return c.finish()
}

// copied returns a copy of the written configuration. Changes of the copy do not change the draft.
func (d Draft) copied() Config {
	c := d.written
	c.source = &source{file: c.source.file, places: maps.Clone(c.source.places)}
	return c
}
