package config

import (
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"

	"ialgn/internal/message"
)

// List is a key of a grid with its values, in the form in which they are written.
type List struct {
	Key    string
	Values []string
	Single bool // the key has a single text instead of a list
}

// listed lists the YAML tokens that are allowed in a grid file but not in a configuration.
var listed = map[token.Type]bool{
	token.SequenceEntryType: true, token.SequenceStartType: true, token.SequenceEndType: true,
}

// LoadLists reads a grid file. A grid file is YAML with dotted keys. Each key has a list of values or a single text.
// The file is read as strictly as a configuration. The caller interprets keys and values.
func LoadLists(path string) ([]List, error) {
	src, err := readFile(path)
	if err != nil {
		return nil, err
	}
	return parseLists(path, src)
}

// parseLists reads the text of a grid file.
func parseLists(name string, src []byte) ([]List, error) {
	src, err := text(name, src, "grid")
	if err != nil {
		return nil, err
	}
	c := &Config{source: &source{file: name}} // used only for the places in errors
	tokens := lexer.Tokenize(string(src))
	if err := c.checkTokens(tokens, listed); err != nil {
		return nil, err
	}
	body, err := c.parse(tokens)
	if err != nil {
		return nil, err
	}
	var entries []*ast.MappingValueNode
	switch body := body.(type) {
	case *ast.MappingNode:
		entries = body.Values
	case *ast.MappingValueNode:
		entries = append(entries, body)
	case nil:
	default:
		return nil, c.at(body.GetToken(), "want keys with lists of values, such as model.width: [300, 600]")
	}
	var all []List
	for _, e := range entries {
		l, err := c.readList(e)
		if err != nil {
			return nil, err
		}
		all = append(all, l)
	}
	return all, nil
}

// readList reads a key with its values.
func (c *Config) readList(entry *ast.MappingValueNode) (List, error) {
	t := entry.Key.GetToken()
	l := List{Key: t.Value}
	values := []ast.Node{entry.Value}
	if list, ok := entry.Value.(*ast.SequenceNode); ok {
		values = list.Values
	} else {
		l.Single = true
	}
	for _, v := range values {
		s, ok := scalarOf(v)
		if !ok {
			return l, message.WithHint(c.at(t, "%.60s: want a value or a list of values", l.Key),
				"write keys with dots, such as model.width: [300, 600]")
		}
		l.Values = append(l.Values, s.text)
	}
	return l, nil
}
