package given

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ialgn/internal/decimal"
	"ialgn/internal/message"
)

// maxBytes is the size of the largest file of facts.
const maxBytes = 16 << 20

// ReadFacts reads a file of facts in JSON or YAML. Keys that are not used are listed in Unused. A value of the wrong
// type is an error.
//
// Further facts have the form KEY=VALUE. KEY may have dots and list indices, as in
// layers_in_order[2].parametrization. VALUE is YAML. Further facts replace facts of the file. If path is empty, there
// are only the further facts.
func ReadFacts(path string, further []string) (*Facts, error) {
	if path == "" {
		f, err := ParseFacts(nil, further)
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
		f, err = ParseFacts(data, further)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: facts: %w", path, err)
	}
	sum := sha256.Sum256(data)
	f.Name, f.SHA256 = filepath.Base(path), hex.EncodeToString(sum[:])
	return f, nil
}

// ParseFacts reads facts in JSON or YAML and adds the further facts. data may be empty.
func ParseFacts(data []byte, further []string) (*Facts, error) {
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

// texts replaces alternative forms of facts with their meaning:
//   - a text for input is replaced with the shape in it;
//   - a text for thermometer is replaced with whether it says "none";
//   - class names that are numbers are replaced with texts.
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
	var names []json.RawMessage
	if json.Unmarshal(all["classes"], &names) != nil || names == nil {
		return
	}
	for i, name := range names {
		if c := name[0]; c == '-' || c >= '0' && c <= '9' || c == 't' || c == 'f' {
			names[i] = json.RawMessage(strconv.Quote(string(name)))
		}
	}
	if changed, err := json.Marshal(names); err == nil {
		all["classes"] = changed
	}
}

// fill sets the fields of a structure, and returns the keys that have no field.
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

// fillField sets a field. If the field is a structure or a list of structures, it is filled key by key. Any other
// field is set to the value itself.
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
	value := kind
	if kind.Kind() == reflect.Pointer {
		value = kind.Elem()
	}
	if value.Kind() == reflect.Float64 {
		raw = number(raw)
	}
	if err = json.Unmarshal(raw, field.Addr().Interface()); err == nil {
		return nil, nil
	}
	switch value.Kind() {
	case reflect.Float64:
		return nil, fmt.Errorf("%s: %.60s, want a number", place, raw)
	case reflect.Int:
		return nil, fmt.Errorf("%s: %.60s, want a whole number", place, raw)
	case reflect.Slice:
		if kind.Elem().Kind() == reflect.Int {
			return nil, fmt.Errorf("%s: %.60s, want a list of whole numbers, such as [8, 8]", place, raw)
		}
	}
	return nil, fmt.Errorf("%s: %w", place, message.ExplainJSON(err))
}

// number converts a text that is a number, such as 1e-3, to a number. It is needed because the YAML reader reads such
// numbers as texts.
func number(raw json.RawMessage) json.RawMessage {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return raw
	}
	v, err := decimal.Float(text)
	if err != nil {
		return raw
	}
	return strconv.AppendFloat(nil, v, 'g', -1, 64)
}

// check returns an error for numbers that no network can have.
func (f *Facts) check() error {
	s := &f.Sum
	switch {
	case s.K != nil && (*s.K < 1 || *s.K > 256):
		return fmt.Errorf("group_sum.k: %d classes, want 1 to 256", *s.K)
	case s.Tau != nil && (!(float32(*s.Tau) > 0) || math.IsInf(float64(float32(*s.Tau)), 0)):
		return fmt.Errorf("group_sum.tau: %v, want a number above 0 that float32 has", *s.Tau)
	case f.Input.Bits < 0 || f.Input.Bits > 16:
		return fmt.Errorf("input.bits: %d, want 1 to 16", f.Input.Bits)
	case f.Input.Divisor < 0:
		return fmt.Errorf("input.divisor: %v, want a number above 0", f.Input.Divisor)
	case f.Input.Divisor != 0 && f.Input.Bits == 0:
		return fmt.Errorf("input.divisor is %v, but input.bits is not said: of how many bits are the whole numbers that "+
			"were divided?", f.Input.Divisor)
	}
	for i := range f.LayersInOrder {
		if tau := f.LayersInOrder[i].Tau; tau != nil && float32(*tau) == 0 {
			return fmt.Errorf("layers_in_order[%d].tau: %v, want a number other than 0 that float32 has", i, *tau)
		}
	}
	return CheckClasses(f.Classes)
}

// CheckClasses returns an error for class names that are blank or occur twice.
func CheckClasses(names []string) error {
	first := map[string]int{}
	for i, name := range names {
		if strings.TrimSpace(name) == "" {
			return fmt.Errorf("classes: class %d is a class without a name", i)
		}
		if j, twice := first[name]; twice {
			return fmt.Errorf("classes: %.60q is the name of class %d and of class %d", name, j, i)
		}
		first[name] = i
	}
	return nil
}
