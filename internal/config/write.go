package config

import (
	"fmt"
	"strings"
)

// YAML returns a configuration file that gives this configuration: the keys whose values are no defaults, and those
// that a default would decide by other keys.
func (c Config) YAML() []byte {
	defaults := Default()
	defaults.Data.Set = c.Data.Set
	var b strings.Builder
	var open []string // sections that the line before stood in
	for _, f := range fields(&c) {
		if equal(f.value, defaults.value(f.key)) && f.key != "data.set" {
			continue
		}
		parts := strings.Split(f.key, ".")
		sections, name := parts[:len(parts)-1], parts[len(parts)-1]
		same := 0
		for same < min(len(open), len(sections)) && open[same] == sections[same] {
			same++
		}
		for i := same; i < len(sections); i++ {
			fmt.Fprintf(&b, "%s%s:\n", strings.Repeat("  ", i), sections[i])
		}
		open = sections
		value := fmt.Sprint(f.value.Interface())
		if _, text := f.value.Interface().(string); text {
			value = Quoted(value)
		}
		fmt.Fprintf(&b, "%s%s: %s\n", strings.Repeat("  ", len(sections)), name, value)
	}
	return []byte(b.String())
}
