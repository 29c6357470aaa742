package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// value is a leaf of a JSON value with its path, such as encoder.bits.
type value struct{ key, text string }

// flatten returns the leaves of the JSON form of v, sorted by path. Elements of a list stay in order. A list of plain
// values is a single leaf. Numbers that are not whole have the given number of digits. -1 means all digits.
func flatten(v any, digits int) ([]value, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	var tree any
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber() // a seed may have more digits than a float64 can hold
	if err := d.Decode(&tree); err != nil {
		return nil, err
	}
	return leaves(nil, "", tree, digits), nil
}

func leaves(list []value, key string, v any, digits int) []value {
	switch v := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			list = leaves(list, join(key, k), v[k], digits)
		}
	case []any:
		if line, ok := inLine(v, digits); ok {
			return append(list, value{key, line})
		}
		for i, e := range v {
			list = leaves(list, join(key, strconv.Itoa(i)), e, digits)
		}
	case json.Number:
		list = append(list, value{key, figure(v, digits)})
	case bool:
		list = append(list, value{key, map[bool]string{true: "yes", false: "no"}[v]})
	case nil:
	default:
		list = append(list, value{key, fmt.Sprint(v)})
	}
	return list
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + "." + b
}

// inLine returns a list of plain values as one text. It returns false if the list contains lists or objects.
func inLine(v []any, digits int) (string, bool) {
	var all []string
	for _, e := range v {
		one := leaves(nil, "", e, digits)
		if len(one) != 1 || one[0].key != "" {
			return "", false
		}
		all = append(all, one[0].text)
	}
	return strings.Join(all, ", "), true
}

// figure returns a number as text. Whole numbers have all digits. Other numbers have an exponent if they are
// small.
func figure(n json.Number, digits int) string {
	v, err := n.Float64()
	switch {
	case err != nil || !strings.ContainsAny(n.String(), ".eE"):
		return n.String()
	case v == math.Trunc(v):
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', digits, 64)
}
