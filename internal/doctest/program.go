package doctest

import (
	"fmt"
	"slices"
	"strings"

	"ialgn/internal/manual"
)

// call is a parsed command line of the program.
type call struct {
	command manual.Command
	args    []string
	flags   map[string]string // maps each option to its last value
}

// parse parses a command line without the program's name. It returns an error if the program would refuse the command
// line.
func parse(p *manual.Program, words []string) (call, error) {
	c := call{flags: map[string]string{}}
	if len(words) == 0 {
		return c, fmt.Errorf("ialgn without a command")
	}
	var ok bool
	if c.command, ok = p.Command(words[0]); !ok {
		return c, fmt.Errorf("ialgn has no command %s", words[0])
	}
	for i := 1; i < len(words); i++ {
		name, value, hasValue := strings.Cut(words[i], "=")
		if name[0] != '-' {
			c.args = append(c.args, words[i])
			continue
		}
		f, ok := c.command.Option(name)
		switch {
		case !ok:
			return c, fmt.Errorf("ialgn %s has no option %s", words[0], name)
		case f.Meta != "" && !hasValue:
			if i++; i == len(words) {
				return c, fmt.Errorf("ialgn %s %s wants a value", words[0], name)
			}
			value = words[i]
		case f.Meta == "" && hasValue:
			return c, fmt.Errorf("ialgn %s %s takes no value", words[0], name)
		}
		c.flags[name] = value
	}
	_, help := c.flags["-h"]
	if !help && !slices.ContainsFunc(c.command.Forms(), func(form []string) bool { return fits(form, c.args) }) {
		return c, fmt.Errorf("ialgn %s takes %s, not %q", words[0], c.command.Form, c.args)
	}
	return c, nil
}

// fits reports whether arguments match a form. A word that begins with a capital letter matches any argument. A
// word in brackets is optional. Three dots allow any number of further arguments.
func fits(form, args []string) bool {
	if len(form) == 0 {
		return len(args) == 0
	}
	word, many := strings.CutSuffix(form[0], "...")
	optional := strings.HasPrefix(word, "[")
	switch {
	case optional && fits(form[1:], args):
		return true
	case len(args) == 0:
		return false
	case word[0] >= 'a' && word[0] <= 'z' && word != args[0]:
		return false
	}
	return fits(form[1:], args[1:]) || many && fits(form, args[1:])
}
