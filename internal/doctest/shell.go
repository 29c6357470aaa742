package doctest

import (
	"errors"
	"regexp"
	"strings"
)

// simple is a simple shell command. It has words without quotes, and the file to which the output is redirected.
type simple struct {
	words []string
	out   string
}

// open reports whether a command line continues on the next line.
func open(command string) bool {
	_, err := tokens(command)
	return errors.Is(err, errOpen)
}

var errOpen = errors.New("a quote is not closed")

// token is a word, or an operator between words.
type token struct {
	text     string
	operator bool
}

// tokens splits a command line like a shell, without expansions.
func tokens(command string) ([]token, error) {
	var all []token
	var word strings.Builder
	inWord := false
	end := func() {
		if inWord {
			all = append(all, token{text: word.String()})
		}
		word.Reset()
		inWord = false
	}
	for i := 0; i < len(command); i++ {
		switch c := command[i]; {
		case c == '\\':
			if i++; i == len(command) {
				return nil, errOpen
			}
			if command[i] != '\n' {
				word.WriteByte(command[i])
				inWord = true
			}
		case c == '\'' || c == '"':
			n := strings.IndexByte(command[i+1:], c)
			if n < 0 {
				return nil, errOpen
			}
			word.WriteString(command[i+1 : i+1+n])
			inWord = true
			i += n + 1
		case c == '#' && !inWord:
			end()
			return all, nil
		case strings.IndexByte(" \t", c) >= 0:
			end()
		case strings.IndexByte(";|&<>\n", c) >= 0:
			end()
			n := 1
			if i+1 < len(command) && command[i+1] == c {
				n = 2
			}
			all = append(all, token{command[i : i+n], true})
			i += n - 1
		default:
			word.WriteByte(c)
			inWord = true
		}
	}
	end()
	return all, nil
}

var assignment = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*=`)

// split returns the simple commands of a command line, without variable assignments.
func split(command string) ([]simple, error) {
	all, err := tokens(command)
	if err != nil {
		return nil, err
	}
	list := []simple{{}}
	for i := 0; i < len(all); i++ {
		last := &list[len(list)-1]
		switch t := all[i]; {
		case t.operator && (t.text[0] == '>' || t.text[0] == '<'):
			if i++; i == len(all) || all[i].operator {
				return nil, errors.New("a redirection names no file")
			}
			if t.text[0] == '>' {
				last.out = all[i].text
			} else {
				last.words = append(last.words, all[i].text)
			}
		case t.operator:
			list = append(list, simple{})
		case len(last.words) == 0 && assignment.MatchString(t.text):
		default:
			last.words = append(last.words, t.text)
		}
	}
	return list, nil
}
