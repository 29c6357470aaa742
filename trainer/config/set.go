package config

import (
	"strings"

	"ialgn/internal/hint"
	"ialgn/internal/option"
)

// override applies one override, KEY=VALUE. VALUE is taken as it stands, without YAML's
// quotes; an empty one is an empty text.
func (c *Config) override(set string) error {
	key, text, ok := strings.Cut(set, "=")
	key = strings.TrimSpace(key)
	switch {
	case !ok:
		return hint.With(option.Errorf("{Set} %.60q: want KEY=VALUE", set), "for example {Set train.epochs=20}")
	case isSection(key):
		return hint.With(option.Errorf("{Set} %s: is a section, not a key", key), "%s", unknown(key+"."))
	}
	for _, f := range fields(c) {
		if f.key != key {
			continue
		}
		c.source.places[key] = place{flag: true}
		if err := (scalar{text: text}).assign(f.value); err != nil {
			return option.Errorf("{Set} %s: %w", key, err)
		}
		return nil
	}
	return hint.With(option.Errorf("{Set} %.60q: unknown key", key), "%s", unknown(key))
}
