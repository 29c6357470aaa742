package facts

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ialgn/internal/jsonfault"
)

// maxBytes is the size of the largest file of facts.
const maxBytes = 16 << 20

// Read reads a file of facts, JSON or YAML. Keys that mean nothing here are listed in Unused; a value of the wrong kind
// is an error.
//
// Further facts are KEY=VALUE, where KEY has dots and places in lists, as in layers_in_order[2].parametrization, and
// VALUE is YAML. They take the place of those of the file. Without a file they are all.
func Read(path string, further []string) (*Facts, error) {
	if path == "" {
		f, err := Parse(nil, further)
		if err != nil {
			return nil, fmt.Errorf("facts: %w", err)
		}
		return f, nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxBytes+1))
	if err == nil && len(data) > maxBytes {
		err = fmt.Errorf("more than %d bytes, which no file of facts has", maxBytes)
	}
	var f *Facts
	if err == nil {
		f, err = Parse(data, further)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: facts: %w", path, err)
	}
	f.Name = filepath.Base(path)
	return f, nil
}

// Parse reads facts in JSON or YAML, with further ones. Of empty data the further ones are all.
func Parse(data []byte, further []string) (*Facts, error) {
	data, err := amended(data, further)
	if err != nil {
		return nil, err
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil || all == nil {
		return nil, errors.New("no keys with values: write them as group_sum: {k: 10, tau: 5}")
	}
	texts(all)
	f := &Facts{}
	unused, err := fill(reflect.ValueOf(f).Elem(), all, "")
	if err != nil {
		return nil, err
	}
	slices.Sort(unused)
	f.Unused = unused
	return f, f.check()
}

// shape matches the shape of a sample in a text such as "float32 [1, 8, 8]".
var shape = regexp.MustCompile(`\[(\d+(?:, *\d+)*)\]`)

// texts replaces what may be a text by what it means: of the input its shape, where it stands there, and of the
// thermometer that there is none.
func texts(all map[string]json.RawMessage) {
	text := func(key string) (string, bool) {
		var s string
		raw, ok := all[key]
		ok = ok && json.Unmarshal(raw, &s) == nil && !bytes.Equal(raw, []byte("null"))
		return s, ok
	}
	if s, ok := text("input"); ok {
		delete(all, "input")
		if m := shape.FindStringSubmatch(s); m != nil {
			all["input"] = json.RawMessage(`{"shape":[` + m[1] + `]}`)
		}
	}
	if s, ok := text("thermometer"); ok {
		all["thermometer"] = json.RawMessage(`{"none":` + strconv.FormatBool(s == "none") + `}`)
	}
}

// fill sets the fields of a structure, and returns the keys that it has no field for.
func fill(to reflect.Value, from map[string]json.RawMessage, place string) (unused []string, err error) {
	fields := map[string]reflect.Value{}
	for i := range to.NumField() {
		if name := to.Type().Field(i).Tag.Get("json"); name != "" && name != "-" {
			fields[name] = to.Field(i)
		}
	}
	for key, raw := range from {
		field, known := fields[key]
		if !known {
			unused = append(unused, place+key)
			continue
		}
		more, err := fillField(field, raw, place+key)
		if err != nil {
			return nil, err
		}
		unused = append(unused, more...)
	}
	return unused, nil
}

// fillField sets a field: a structure or a list of them by their keys, anything else by its value.
func fillField(field reflect.Value, raw json.RawMessage, place string) (unused []string, err error) {
	kind := field.Type()
	switch {
	case kind.Kind() == reflect.Struct:
		var keys map[string]json.RawMessage
		if err := json.Unmarshal(raw, &keys); err != nil {
			return nil, fmt.Errorf("%s: %.60s, want keys with values", place, raw)
		}
		return fill(field, keys, place+".")
	case kind.Kind() == reflect.Slice && kind.Elem().Kind() == reflect.Struct:
		var list []map[string]json.RawMessage
		if err := json.Unmarshal(raw, &list); err != nil {
			return nil, fmt.Errorf("%s: %.60s, want a list of keys with values", place, raw)
		}
		field.Set(reflect.MakeSlice(kind, len(list), len(list)))
		for i, keys := range list {
			more, err := fill(field.Index(i), keys, fmt.Sprintf("%s[%d].", place, i))
			if err != nil {
				return nil, err
			}
			unused = append(unused, more...)
		}
		return unused, nil
	}
	if err := json.Unmarshal(raw, field.Addr().Interface()); err != nil {
		return nil, fmt.Errorf("%s: %w", place, jsonfault.Explain(err))
	}
	return nil, nil
}

// check refuses numbers that no network has.
func (f *Facts) check() error {
	s := &f.Sum
	switch {
	case s.K != nil && (*s.K < 1 || *s.K > 256):
		return fmt.Errorf("group_sum.k: %d classes, want 1 to 256", *s.K)
	case s.Tau != nil && !(*s.Tau > 0):
		return fmt.Errorf("group_sum.tau: %v, want a number above 0", *s.Tau)
	case f.Input.Bits < 0 || f.Input.Bits > 16:
		return fmt.Errorf("input.bits: %d, want 1 to 16", f.Input.Bits)
	case f.Input.Divisor < 0:
		return fmt.Errorf("input.divisor: %v, want a number above 0", f.Input.Divisor)
	}
	for _, name := range f.Classes {
		if strings.TrimSpace(name) == "" {
			return errors.New("classes: a class without a name")
		}
	}
	return nil
}
