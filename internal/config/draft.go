package config

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// Draft is a configuration as somebody wrote it, whose other keys are still to be chosen. It is neither complete nor
// checked, so it may lack keys that have no default.
type Draft struct{ written Config }

// LoadDraft reads a draft from the configuration file of that path and the overrides, as [ParseDraft] does.
func LoadDraft(path string, sets []string) (Draft, error) {
	src, err := readFile(path)
	if err != nil {
		return Draft{}, err
	}
	d, err := ParseDraft(path, src, sets)
	d.written.Data.Beside = filepath.Dir(path)
	return d, err
}

// ParseDraft reads a draft from the text of a YAML file, changed by the overrides. Its errors are those of [Parse] but
// for what is wrong with the keys together, which [Draft.With] finds.
func ParseDraft(name string, src []byte, sets []string) (Draft, error) {
	c, err := read(name, src, sets)
	return Draft{c}, err
}

// Set returns the draft with more keys, each KEY=VALUE, as if they had been written, too.
func (d Draft) Set(sets ...string) (Draft, error) {
	c := d.copied()
	for _, set := range sets {
		if err := c.override(optionSet, set); err != nil {
			return d, err
		}
	}
	return Draft{c}, nil
}

// Given reports whether a key was written down.
func (d Draft) Given(key string) bool { return d.written.isSet(key) }

// Name returns the name of the configuration.
func (d Draft) Name() string { return d.written.Complete().Name }

// Data returns what was written of the data set, with defaults for the rest.
func (d Draft) Data() Data { return d.written.Complete().Data }

// CheckTable reports what is wrong with the keys that say how a CSV file is read.
func (d Draft) CheckTable() error {
	c := d.written.Complete()
	return c.checkTable()
}

// Written returns what was written, each KEY=VALUE, in the order of [Keys], but for the keys named.
func (d Draft) Written(except ...string) (all []string) {
	for _, f := range fields(&d.written) {
		if d.Given(f.key) && !slices.Contains(except, f.key) {
			all = append(all, fmt.Sprintf("%s=%v", f.key, f.value.Interface()))
		}
	}
	return all
}

// Encoder returns what was written of the encoder, with defaults for the rest.
func (d Draft) Encoder() Encoder { return d.written.Complete().Encoder }

// With returns the configuration that has the chosen keys, each KEY=VALUE, where the draft does not give them, and the
// own ones in any case, complete and checked.
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

// At returns the configuration at a place of a grid, complete and checked: the draft with some keys, each KEY=VALUE,
// in the place of what it gives itself. Errors name by, the option that gives the place.
func (d Draft) At(place []string, by string) (Config, error) {
	c := d.copied()
	for _, set := range place {
		if err := c.override(by, set); err != nil {
			return Config{}, err
		}
	}
	return c.finish()
}

// copied returns what was written, to be changed without changing the draft.
func (d Draft) copied() Config {
	c := d.written
	c.source = &source{file: c.source.file, places: maps.Clone(c.source.places)}
	return c
}
