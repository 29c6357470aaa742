package config

import (
	"fmt"
	"strings"

	"ialgn/internal/hint"
)

// override applies one `--set KEY=VALUE`. VALUE is taken as it stands, without YAML's
// quotes; an empty one is an empty text.
func (c *Config) override(set string) error {
	key, text, ok := strings.Cut(set, "=")
	key = strings.TrimSpace(key)
	switch {
	case !ok:
		return hint.With(fmt.Errorf("%s %.60q: want KEY=VALUE", setFlag, set), "for example %s train.epochs=20", setFlag)
	case isSection(key):
		return hint.With(fmt.Errorf("%s %s: is a section, not a key", setFlag, key), "%s", unknown(key+"."))
	}
	for _, f := range fields(c) {
		if f.key != key {
			continue
		}
		c.source.places[key] = place{flag: true}
		if err := (scalar{text: text}).assign(f.value); err != nil {
			return fmt.Errorf("%s %s: %w", setFlag, key, err)
		}
		return nil
	}
	return hint.With(fmt.Errorf("%s %.60q: unknown key", setFlag, key), "%s", unknown(key))
}
