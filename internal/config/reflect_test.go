package config_test

import (
	"reflect"
	"strings"
	"testing"

	"ialgn/internal/config"
)

// valueOf returns the field of a key. It finds the field by the yaml tags and does not use the lookup of package
// config.
func valueOf(c *config.Config, key string) reflect.Value {
	v := reflect.ValueOf(c).Elem()
	for name := range strings.SplitSeq(key, ".") {
		for i := range v.NumField() {
			if v.Type().Field(i).Tag.Get("yaml") == name {
				v = v.Field(i)
				break
			}
		}
	}
	return v
}

// set changes the value of a key to a different one.
func set(t *testing.T, c *config.Config, key string) {
	t.Helper()
	switch v := valueOf(c, key); v.Kind() {
	case reflect.String:
		v.SetString(v.String() + "x")
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Int:
		v.SetInt(v.Int() + 1)
	case reflect.Uint64:
		v.SetUint(v.Uint() + 1)
	case reflect.Float64:
		v.SetFloat(v.Float() + 0.5)
	default:
		t.Fatalf("%s is a %s", key, v.Kind())
	}
}

// setNumber sets a numeric key if the key's type can represent the number. It reports whether it set the key.
func setNumber(c *config.Config, key string, to float64) bool {
	v := valueOf(c, key)
	if v.CanInt() {
		v.SetInt(int64(to))
		return float64(int64(to)) == to
	}
	v.SetFloat(to)
	return true
}
