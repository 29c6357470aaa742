package config

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"ialgn/internal/message"
)

// The syntax tree is read by hand instead of with yaml.Unmarshal. yaml.Unmarshal loses the places of values, which
// later checks need. It also accepts 1.0 as a whole number.

// maxNesting is the greatest depth of nested sections. It is one more than the keys need, so that deeper nesting gets
// a better error.
const maxNesting = 4

// refused names the parts of YAML that configurations do not need. These parts are refused before the parser runs,
// which limits the parser's recursion.
var refused = map[token.Type]string{
	token.SequenceEntryType: "a list",
	token.SequenceStartType: "a list",
	token.MappingKeyType:    "a complex key",
	token.MergeKeyType:      "a merge key",
	token.AnchorType:        "an anchor",
	token.AliasType:         "an alias",
	token.TagType:           "a tag",
	token.DirectiveType:     "a directive",
	token.LiteralType:       "a block of text",
	token.FoldedType:        "a block of text",
}

// readYAML sets the keys that the text gives.
func (c *Config) readYAML(src []byte) error {
	tokens := lexer.Tokenize(string(src))
	if err := c.checkTokens(tokens, nil); err != nil {
		return err
	}
	body, err := c.parse(tokens)
	if body == nil || err != nil {
		return err
	}
	return c.readSection("", body)
}

// parse returns the only document of a file, or nil if the file is empty.
func (c *Config) parse(tokens token.Tokens) (ast.Node, error) {
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, c.syntax(err)
	}
	switch {
	case len(file.Docs) > 1 && file.Docs[1].Body != nil:
		return nil, c.at(file.Docs[1].Body.GetToken(), "a second document; a file holds one configuration")
	case len(file.Docs) == 0:
		return nil, nil
	}
	return file.Docs[0].Body, nil
}

// checkTokens returns an error for the tokens in the map named refused. However, it accepts the tokens in the map
// named allowed.
func (c *Config) checkTokens(tokens token.Tokens, allowed map[token.Type]bool) error {
	depth := 0
	for _, t := range tokens {
		if what, ok := refused[t.Type]; ok && !allowed[t.Type] {
			return c.at(t, "%s; a configuration has only keys and values", what)
		}
		switch t.Type {
		case token.MappingStartType:
			depth++
		case token.MappingEndType:
			depth--
		}
		if depth > maxNesting {
			return c.at(t, "braces nest too deeply; a configuration has three levels")
		}
	}
	return nil
}

// syntax adds the place to an error of the parser.
func (c *Config) syntax(err error) error {
	var e yaml.Error
	if !errors.As(err, &e) {
		return fmt.Errorf("%s: %w", c.source.file, err)
	}
	if strings.Contains(e.GetMessage(), "'\t'") {
		return message.WithHint(c.at(e.GetToken(), "indented with a tab"), "indent with spaces")
	}
	return c.at(e.GetToken(), "%s", e.GetMessage())
}

// at returns an error that begins with the place of a token.
func (c *Config) at(t *token.Token, format string, args ...any) error {
	return fmt.Errorf("%s%s", c.source.at(tokenPlace(t)), fmt.Sprintf(format, args...))
}

func tokenPlace(t *token.Token) place {
	if t == nil || t.Position == nil {
		return place{}
	}
	return place{line: t.Position.Line, column: t.Position.Column}
}

// readSection reads the keys of a section. The name "" is the outermost section. A section without a value is empty.
// This happens if all its keys are commented out, for example.
func (c *Config) readSection(name string, node ast.Node) error {
	switch node := node.(type) {
	case *ast.MappingNode:
		for _, v := range node.Values {
			if err := c.readEntry(name, v); err != nil {
				return err
			}
		}
		return nil
	case *ast.MappingValueNode:
		return c.readEntry(name, node)
	case *ast.NullNode, *ast.CommentGroupNode:
		return nil
	}
	if name == "" {
		return message.WithHint(c.at(node.GetToken(), "want keys with values, such as data: {set: mnist}"),
			"docs/reference/config.md shows one; `ialgn init TABLE.csv` writes one for a table")
	}
	return c.at(node.GetToken(), "%s: is a section, want keys with values below it", name)
}

func (c *Config) readEntry(section string, entry *ast.MappingValueNode) error {
	t := entry.Key.GetToken()
	key := t.Value
	if section != "" {
		key = section + "." + key
	}
	at := tokenPlace(t)
	if old, ok := c.source.places[key]; ok {
		return message.WithHint(c.at(t, "%s: given twice, the first time in line %d", key, old.line),
			"remove one of the two lines")
	}
	if isSection(key) {
		c.source.places[key] = at
		return c.readSection(key, entry.Value)
	}
	for _, f := range fields(c) {
		if f.key == key {
			return c.readValue(f, t, entry.Value)
		}
	}
	what, remedy := unknown(key)
	return message.WithHint(c.at(t, "%.60s: %s", key, what), "%s", remedy)
}

// readValue sets a key and remembers the place of its value.
func (c *Config) readValue(f field, key *token.Token, node ast.Node) error {
	t := node.GetToken()
	c.source.places[f.key] = tokenPlace(t)
	s, ok := scalarOf(node)
	switch {
	case node.Type() == ast.NullType:
		return message.WithHint(c.at(key, "%s: has no value", f.key), "give a value, or omit the key to use its default")
	case !ok:
		return c.at(t, "%s: want %s", f.key, kindName(f.value))
	}
	if err := s.assign(f.value); err != nil {
		_, place := c.where(f.key) // the place in the file
		return fmt.Errorf("%s: %w", place, err)
	}
	return nil
}

// scalarOf returns a scalar node as it is written.
func scalarOf(node ast.Node) (s scalar, ok bool) {
	switch node := node.(type) {
	case *ast.StringNode:
		t := node.Token.Type
		return scalar{node.Value, t == token.SingleQuoteType || t == token.DoubleQuoteType}, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return scalar{text: node.GetToken().Value}, true
	}
	return scalar{}, false
}
