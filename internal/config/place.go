package config

import (
	"fmt"
	"strings"

	"ialgn/internal/message"
)

// place is the place where a key or a section was given. It is an option, or a line and column of the file, both
// counted from 1.
type place struct {
	line, column int
	option       string // name of the option, in the form of package message
}

// source is the origin of a configuration. It is a text or, if places is nil, a program.
type source struct {
	file   string
	places map[string]place // for each key and section that the text gives, its place

	noWidth bool // the program did not set the width
}

// inText reports whether the configuration came from a text.
func (c *Config) inText() bool { return c.source != nil && c.source.places != nil }

// isSet reports whether the key was written in the text, even as 0.
func (c *Config) isSet(key string) bool {
	if c.source == nil {
		return false
	}
	_, ok := c.source.places[key]
	return ok
}

// Given reports whether a key was given, in the file or by an override. In a configuration of a program, every key
// counts as given.
func (c *Config) Given(key string) bool { return !c.inText() || c.isSet(key) }

// where returns the place and name of a key, with which errors begin. An example is `m.yaml:7:10: model.width`. If an
// option set the key, the option is named instead of the place. A key that was not given has the place of the nearest
// enclosing section that was given. The result is a format for [message.Optionf] and the format's argument, which may
// contain a % sign.
func (c *Config) where(key string) (format, text string) {
	if !c.inText() {
		return "%s", key
	}
	for at := key; at != ""; at = parent(at) {
		if p, ok := c.source.places[at]; ok && p.option != "" {
			return "{" + p.option + "} %s", key
		} else if ok {
			return "%s", c.source.at(p) + key
		}
	}
	return "%s", c.source.file + ": " + key
}

// at returns the beginning of an error about a place of the file.
func (s *source) at(p place) string {
	if p.line > 0 {
		return fmt.Sprintf("%s:%d:%d: ", s.file, p.line, p.column)
	}
	return s.file + ": "
}

// wrong returns an error of the form `place: key: what`. The argument remedy is the hint of the error.
func (c *Config) wrong(key, remedy, format string, args ...any) error {
	where, text := c.where(key)
	err := message.Optionf(where+": %s", text, fmt.Sprintf(format, args...))
	if remedy == "" {
		return err
	}
	return message.WithHint(err, "%s", remedy)
}

// oneOf joins a list of choices in the form "a, b or c".
func oneOf(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	last := len(list) - 1
	return strings.Join(list[:last], ", ") + " or " + list[last]
}
