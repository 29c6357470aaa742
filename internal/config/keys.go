package config

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"

	"ialgn/internal/message"
)

// field is a key of the configuration with its value.
type field struct {
	key   string
	value reflect.Value // settable: a string, bool, int, uint64 or float64
}

// paths lists all keys in the order of the struct.
var paths = sync.OnceValue(func() []path { return appendPaths(nil, path{}, reflect.TypeFor[Config]()) })

// path is a key with the index of the key's field, for [reflect.Value.FieldByIndex].
type path struct {
	key   string
	index []int
}

func appendPaths(list []path, prefix path, section reflect.Type) []path {
	for f := range section.Fields() {
		name := f.Tag.Get("yaml")
		p := path{prefix.key + name, slices.Concat(prefix.index, f.Index)}
		switch {
		case name == "" || name == "-":
		case f.Type.Kind() == reflect.Struct:
			p.key += "."
			list = appendPaths(list, p, f.Type)
		default:
			list = append(list, p)
		}
	}
	return list
}

// fields returns all keys in the order of the struct.
func fields(c *Config) []field {
	list, all := make([]field, len(paths())), reflect.ValueOf(c).Elem()
	for i, p := range paths() {
		list[i] = field{p.key, all.FieldByIndex(p.index)}
	}
	return list
}

// Keys returns the names of all keys, such as train.optimizer.lr, in the order of the
// documentation.
func Keys() []string {
	var keys []string
	for _, p := range paths() {
		keys = append(keys, p.key)
	}
	return keys
}

// value returns the value of a key. It panics if the key does not exist.
func (c *Config) value(key string) reflect.Value {
	for _, p := range paths() {
		if p.key == key {
			return reflect.ValueOf(c).Elem().FieldByIndex(p.index)
		}
	}
	panic("config: no key " + key)
}

// Value returns the value of a key: a string, bool, int, uint64 or float64. It panics if there is no such key.
func (c Config) Value(key string) any { return c.value(key).Interface() }

// number returns the value of a numeric key as a float64. All integers within the limits are exact as float64.
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

// isSection reports whether a name is a section. A section has keys below it.
func isSection(name string) bool {
	return slices.ContainsFunc(Keys(), func(key string) bool { return strings.HasPrefix(key, name+".") })
}

// parent returns the section of a key, or "" for the outermost section.
func parent(key string) string {
	if i := strings.LastIndexByte(key, '.'); i >= 0 {
		return key[:i]
	}
	return ""
}

// Diff returns the keys whose values differ in the two configurations, in the order of [Keys]. It omits the keys that
// the parameter except lists. Values are compared exactly.
//
// A configuration from a model file has no train.checkpoint.minutes. To compare such a configuration, pass this key
// in except.
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

// equal compares floats by their bits. Every value, even NaN, is therefore equal to itself.
func equal(a, b reflect.Value) bool {
	if a.CanFloat() {
		return math.Float64bits(a.Float()) == math.Float64bits(b.Float())
	}
	return a.Equal(b)
}

// Equal reports whether all keys have the same values. It ignores the places where the keys were given.
func (c Config) Equal(other Config) bool { return len(c.Diff(other)) == 0 }

// unknown describes the fault of a key that does not exist. It also returns a hint.
func unknown(key string) (what, remedy string) {
	if what, remedy, ok := removed(key); ok {
		return what, remedy
	}
	return "unknown key", near(key)
}

// near returns the hint for a key that no version of the program has had: the most similar key, or the only key of
// this name in another section, or the keys of the same section.
func near(key string) string {
	if best := message.Nearest(key, Keys()); best != "" {
		return "did you mean " + best
	}
	var beside, elsewhere []string
	for _, k := range Keys() {
		if k[strings.LastIndexByte(k, '.')+1:] == key[strings.LastIndexByte(key, '.')+1:] {
			elsewhere = append(elsewhere, k)
		}
		if parent(k) == parent(key) {
			beside = append(beside, k)
		}
	}
	switch {
	case len(elsewhere) == 1:
		return "did you mean " + elsewhere[0]
	case len(beside) > 0 && parent(key) != "":
		return "the keys here are " + strings.Join(beside, ", ")
	}
	return "the sections are data, encoder, model and train"
}
