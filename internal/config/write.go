package config

import (
	"fmt"
	"strings"
)

// YAML returns a configuration file for this configuration. It contains the keys whose values differ from [Default].
// It includes keys that [Config.Complete] would derive from other keys.
func (c Config) YAML() []byte {
	defaults := Default()
	defaults.Data.Set = c.Data.Set
	var b strings.Builder
	var open []string // the sections of the last written line
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
