package config

import (
	"strings"

	"ialgn/internal/message"
)

// optionSet is the option that overrides keys of a single configuration.
const optionSet = "Set"

// override applies one override, KEY=VALUE. The argument by names the option that gave the override. VALUE is used
// literally, without YAML's quotes. An empty VALUE is an empty text.
func (c *Config) override(by, set string) error {
	key, text, ok := strings.Cut(set, "=")
	key = strings.TrimSpace(key)
	switch {
	case !ok:
		return message.WithHint(message.Optionf("{"+by+"} %.60q: want KEY=VALUE", set),
			"for example {"+by+" train.epochs=20}")
	case isSection(key):
		return message.WithHint(message.Optionf("{"+by+"} %s: is a section, not a key", key), "%s", near(key+"."))
	}
	for _, f := range fields(c) {
		if f.key != key {
			continue
		}
		c.source.places[key] = place{option: by}
		if err := (scalar{text: text}).assign(f.value); err != nil {
			return message.Optionf("{"+by+"} %s: %w", key, err)
		}
		return nil
	}
	what, remedy := unknown(key)
	return message.WithHint(message.Optionf("{"+by+"} %.60q: %s", key, what), "%s", remedy)
}
