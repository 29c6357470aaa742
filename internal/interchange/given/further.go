package given

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"

	"ialgn/internal/decimal"
)

// amended returns facts as JSON. It adds the further facts to the facts in data.
func amended(data []byte, further []string) ([]byte, error) {
	if !json.Valid(data) && len(data) > 0 {
		converted, err := toJSON(data)
		if err != nil {
			return nil, fmt.Errorf("neither JSON nor YAML: %w", err)
		}
		data = converted
	}
	if len(further) == 0 {
		return data, nil
	}
	var all any = map[string]any{}
	if len(data) > 0 {
		var keys map[string]json.RawMessage
		if json.Unmarshal(data, &keys) == nil && keys != nil { // replaces texts, so that facts can be added
			texts(keys)
			converted, err := json.Marshal(keys)
			if err != nil {
				return nil, err
			}
			data = converted
		}
		if err := json.Unmarshal(data, &all); err != nil {
			return nil, fmt.Errorf("no JSON: %w", err)
		}
	}
	for _, text := range further {
		key, value, found := strings.Cut(text, "=")
		if !found {
			return nil, fmt.Errorf("%q: want KEY=VALUE, such as group_sum.tau=5", text)
		}
		converted, err := toJSON([]byte(value))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		var v any
		if err := json.Unmarshal(converted, &v); err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		if all, err = with(all, strings.Split(key, "."), v); err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
	}
	return json.Marshal(all)
}

// toJSON converts YAML to JSON. A number that is not plain decimal, such as 0x10 or 1_000, becomes a text. For a key
// that needs a number, this text is an error.
func toJSON(data []byte) ([]byte, error) {
	var text strings.Builder
	for _, t := range lexer.Tokenize(string(data)) {
		origin := t.Origin
		switch t.Type {
		case token.IntegerType, token.BinaryIntegerType, token.OctetIntegerType, token.HexIntegerType, token.FloatType,
			token.InfinityType, token.NanType:
			if !decimal.Valid(t.Value) {
				origin = strings.Replace(origin, t.Value, strconv.Quote(t.Value), 1)
			}
		}
		text.WriteString(origin)
	}
	return yaml.YAMLToJSON([]byte(text.String()))
}

// step matches a key, optionally with an index into a list.
var step = regexp.MustCompile(`^([A-Za-z_]+)(?:\[([0-9]{1,4})\])?$`)

// merged combines the old value and the new value of a key. If both are maps, the result has the keys of both maps.
// For a key that is in both, the new map's value applies. If one of them is not a map, the result is the new value.
func merged(old, value any) any {
	into, isOld := old.(map[string]any)
	from, isNew := value.(map[string]any)
	if !isOld || !isNew {
		return value
	}
	for key, v := range from {
		into[key] = merged(into[key], v)
	}
	return into
}

// with returns facts with a value set at a path of keys.
func with(in any, path []string, value any) (any, error) {
	m := step.FindStringSubmatch(path[0])
	keys, ok := in.(map[string]any)
	if in == nil {
		keys, ok = map[string]any{}, true
	}
	if m == nil || !ok {
		return nil, fmt.Errorf("%q is not a key, or not below a key", path[0])
	}
	set := func(old any) (any, error) {
		if len(path) == 1 {
			return merged(old, value), nil
		}
		return with(old, path[1:], value)
	}
	if m[2] == "" {
		made, err := set(keys[m[1]])
		keys[m[1]] = made
		return keys, err
	}
	list, _ := keys[m[1]].([]any)
	at, err := strconv.Atoi(m[2])
	if err != nil {
		return nil, err
	}
	for len(list) <= at {
		list = append(list, nil)
	}
	list[at], err = set(list[at])
	keys[m[1]] = list
	return keys, err
}
