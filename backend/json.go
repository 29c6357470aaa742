package backend

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// jsonComparison compares two JSON values and collects the differences.
type jsonComparison struct {
	unchecked []string // keys that may have any value
	differ    []string
}

// tree parses a JSON text into a tree of maps, lists and plain values. A duplicate key in an object is reported as a
// difference, since some programs use the first value of the key and others use the last.
func (c *jsonComparison) tree(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return c.value(d, "")
}

func (c *jsonComparison) value(d *json.Decoder, key string) (any, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		object := map[string]any{}
		for d.More() {
			name, err := d.Token()
			if err != nil {
				return nil, err
			}
			k := fmt.Sprint(name)
			at := below(key, k)
			if _, twice := object[k]; twice {
				c.differ = append(c.differ, at+" is there twice")
			}
			if object[k], err = c.value(d, at); err != nil {
				return nil, err
			}
		}
		_, err = d.Token()
		return object, err
	case json.Delim('['):
		list := []any{}
		for d.More() {
			v, err := c.value(d, fmt.Sprintf("%s[%d]", key, len(list)))
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err = d.Token()
		return list, err
	}
	return token, nil
}

// below returns the key of an entry in an object.
func below(key, name string) string {
	if key == "" {
		return name
	}
	return key + "." + name
}

// compare records the differences between two trees.
func (c *jsonComparison) compare(key string, have, want any) {
	if c.any(key) {
		return
	}
	switch want := want.(type) {
	case map[string]any:
		if have, ok := have.(map[string]any); ok {
			c.compareObjects(key, have, want)
			return
		}
	case []any:
		if have, ok := have.([]any); ok && len(have) == len(want) {
			for i := range want {
				c.compare(fmt.Sprintf("%s[%d]", key, i), have[i], want[i])
			}
			return
		}
	case json.Number:
		if have, ok := have.(json.Number); ok && sameNumber(have, want) {
			return
		}
	default:
		if have == want {
			return
		}
	}
	c.differ = append(c.differ, fmt.Sprintf("%s is %s, not %s", key, jsonText(have), jsonText(want)))
}

func (c *jsonComparison) compareObjects(key string, have, want map[string]any) {
	all := maps.Clone(have)
	maps.Copy(all, want)
	for _, k := range slices.Sorted(maps.Keys(all)) {
		h, present := have[k]
		w, wanted := want[k]
		switch at := below(key, k); {
		case present && wanted:
			c.compare(at, h, w)
		case c.any(at):
		case wanted:
			c.differ = append(c.differ, fmt.Sprintf("%s is missing, it is %s", at, jsonText(w)))
		default:
			c.differ = append(c.differ, fmt.Sprintf("%s is %s, which ialgn does not write there", at, jsonText(h)))
		}
	}
}

// sameNumber reports whether two numbers are equal. It compares integers by their digits and other numbers by their
// float64 values.
func sameNumber(a, b json.Number) bool {
	if a == b {
		return true
	}
	x, err := a.Float64()
	y, err2 := b.Float64()
	return err == nil && err2 == nil && x == y && strings.ContainsAny(a.String()+b.String(), ".eE")
}

// any reports whether a key may have any value.
func (c *jsonComparison) any(key string) bool { return Covers(c.unchecked, key) }

// indices matches list indices in a key.
var indices = regexp.MustCompile(`\[[0-9]+\]`)

// Covers reports whether one of the given keys covers a JSON key. For example, passes[2].seconds is covered by the
// key passes[].seconds and by its parent passes.
func Covers(keys []string, key string) bool {
	key = indices.ReplaceAllString(key, "[]")
	return slices.ContainsFunc(keys, func(k string) bool {
		rest, ok := strings.CutPrefix(key, k)
		return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
	})
}

// jsonText returns the beginning of a JSON value, for a message.
func jsonText(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic("backend: " + err.Error()) // the value was read from JSON
	}
	if len(text) > shownBytes {
		return string(shown(text)) + "..."
	}
	return string(text)
}
