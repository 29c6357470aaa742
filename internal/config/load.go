package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"unicode/utf8"

	"ialgn/internal/filekind"
	"ialgn/internal/message"
)

// MaxSource is the greatest length of a configuration in bytes. A configuration with every key and a comment for each
// has 4 KiB. The limit also bounds the time of the parser, which is proportional to the square of the length.
const MaxSource = 1 << 14

// Load reads a configuration from a file and overrides, like [Parse].
func Load(path string, sets []string) (Config, error) { return LoadFrom(path, sets, nil) }

// readFile returns the content of a configuration file. It reads at most MaxSource+1 bytes.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, message.WithHint(unreadable(path, err),
			"name a configuration file; docs/reference/config.md shows one")
	}
	defer f.Close()
	src, err := io.ReadAll(io.LimitReader(f, MaxSource+1))
	if err != nil {
		return nil, message.WithHint(unreadable(path, err),
			"name a configuration file; docs/reference/config.md shows one")
	}
	return src, nil
}

// unreadable returns an error with the path before the cause. Other errors have the same form.
func unreadable(path string, err error) error {
	var e *fs.PathError
	if errors.As(err, &e) {
		err = e.Err
	}
	return fmt.Errorf("%s: %w", path, err)
}

// Parse reads a configuration from the text of a YAML file and applies the overrides. It returns the configuration
// complete and checked. An override is KEY=VALUE with a dotted key. Of several overrides for one key, the last one
// applies.
//
// The text is read strictly. Unknown or duplicate keys, values of the wrong type, keys without a value, lists,
// anchors, tags and a second document are errors. Errors begin with the place, `NAME:LINE:COLUMN: ` or `--set KEY: `,
// and most have a hint (package [ialgn/internal/message]).
func Parse(name string, src []byte, sets []string) (Config, error) {
	c, err := read(name, src, sets)
	if err != nil {
		return Config{}, err
	}
	return c.finish()
}

// read returns the configuration of a text and overrides. The result is neither complete nor checked.
func read(name string, src []byte, sets []string) (Config, error) {
	c := Default()
	c.source = &source{file: name, places: map[string]place{}}
	src, err := text(name, src, "configuration")
	if err == nil {
		err = c.readYAML(src)
	}
	if err != nil {
		return Config{}, err
	}
	for _, set := range sets {
		if err := c.override(optionSet, set); err != nil {
			return Config{}, err
		}
	}
	return c, nil
}

// text returns the text of a file without its byte order mark. It returns an error if the file is too long or not
// text.
func text(name string, src []byte, what string) ([]byte, error) {
	var reason string
	head := src[:min(len(src), filekind.HeadBytes)]
	err := filekind.Explain(name, head, "a "+what, "a configuration", "a table", "a text in JSON", "a text")
	if err != nil {
		return nil, err
	}
	switch {
	case len(src) > MaxSource:
		reason = fmt.Sprintf("longer than %d bytes", MaxSource)
	case !utf8.Valid(src):
		reason = "not text in UTF-8"
	default:
		return bytes.TrimPrefix(src, []byte("\ufeff")), nil
	}
	return nil, message.WithHint(fmt.Errorf("%s: %s; this is not a %s", name, reason, what),
		"docs/reference/config.md shows one")
}

// finish returns the configuration after completing and checking it.
func (c Config) finish() (Config, error) {
	c = c.Complete()
	if err := c.Check(); err != nil {
		return Config{}, err
	}
	return c, nil
}
