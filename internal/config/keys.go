package config

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"ialgn/internal/message"
)

// field is a key of the configuration with its value.
type field struct {
	key   string
	value reflect.Value // settable: a string, bool, int, uint64 or float64
}

// fields returns all keys in the order of the struct.
func fields(c *Config) []field { return appendFields(nil, "", reflect.ValueOf(c).Elem()) }

func appendFields(list []field, prefix string, section reflect.Value) []field {
	for i := range section.NumField() {
		name := section.Type().Field(i).Tag.Get("yaml")
		switch v := section.Field(i); {
		case name == "" || name == "-":
		case v.Kind() == reflect.Struct:
			list = appendFields(list, prefix+name+".", v)
		default:
			list = append(list, field{prefix + name, v})
		}
	}
	return list
}

// Keys returns the names of all keys, such as train.optimizer.lr, in the order of the
// documentation.
func Keys() []string {
	var keys []string
	for _, f := range fields(&Config{}) {
		keys = append(keys, f.key)
	}
	return keys
}

// value returns the value of a key. It panics if there is no such key.
func (c *Config) value(key string) reflect.Value {
	for _, f := range fields(c) {
		if f.key == key {
			return f.value
		}
	}
	panic("config: no key " + key)
}

// Value returns the value of a key: a string, bool, int, uint64 or float64. It panics if there is no such key.
func (c Config) Value(key string) any { return c.value(key).Interface() }

// number returns the value of a numeric key as a float64, which holds all integers
// within the limits exactly.
func (c *Config) number(key string) float64 {
	v := c.value(key)
	switch {
	case v.CanInt():
		return float64(v.Int())
	case v.CanUint():
		return float64(v.Uint())
	}
	return v.Float()
}

// isSection reports whether some key lies below the name.
func isSection(name string) bool {
	return slices.ContainsFunc(Keys(), func(key string) bool { return strings.HasPrefix(key, name+".") })
}

// parent returns the section of a key, "" for the outermost.
func parent(key string) string {
	if i := strings.LastIndexByte(key, '.'); i >= 0 {
		return key[:i]
	}
	return ""
}

// Diff returns the keys whose values differ in the two configurations, except those
// named, in the order of [Keys]. Values are compared exactly.
//
// A configuration that came from a model file has no train.checkpoint.minutes, which
// a caller that compares one with it excepts.
func (c Config) Diff(other Config, except ...string) []string {
	var keys []string
	theirs := fields(&other)
	for i, f := range fields(&c) {
		if !equal(f.value, theirs[i].value) && !slices.Contains(except, f.key) {
			keys = append(keys, f.key)
		}
	}
	for _, key := range c.Train.differing(other.Train.Removed) {
		if !slices.Contains(except, key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// equal compares floats by their bits, so that a value always equals itself.
func equal(a, b reflect.Value) bool {
	if a.CanFloat() {
		return math.Float64bits(a.Float()) == math.Float64bits(b.Float())
	}
	return a.Equal(b)
}

// Equal reports whether all keys have the same values; where they were given does not
// matter.
func (c Config) Equal(other Config) bool { return len(c.Diff(other)) == 0 }

// unknown returns what is wrong with a key that does not exist, and a hint: the key most like it, else the keys beside
// it.
func unknown(key string) (what, remedy string) {
	if what, remedy, ok := removed(key); ok {
		return what, remedy
	}
	return "unknown key", near(key)
}

// near returns the hint for a key that no version has.
func near(key string) string {
	best := message.Nearest(key, Keys())
	var beside []string
	for _, k := range Keys() {
		if last := k[strings.LastIndexByte(k, '.')+1:]; best == "" && last == key[strings.LastIndexByte(key, '.')+1:] {
			best = k
		}
		if parent(k) == parent(key) {
			beside = append(beside, k)
		}
	}
	switch {
	case best != "":
		return fmt.Sprintf("did you mean %s", best)
	case len(beside) > 0 && parent(key) != "":
		return "the keys here are " + strings.Join(beside, ", ")
	}
	return "the sections are data, encoder, model and train"
}
