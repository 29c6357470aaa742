package doctest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Program is what its help says of it.
type Program struct {
	Commands []Command // in the order of the help text
}

// Command is a subcommand.
type Command struct {
	Name  string
	Usage []string // forms of its arguments, such as "MODEL DIR"
	Flags []Flag
}

// Flag is an option of a command.
type Flag struct {
	Names []string // names with their dashes
	Value bool     // the option takes a value
}

var (
	commandLine = regexp.MustCompile(`(?m)^  ([a-z]+(?:, [a-z]+)*):? +\S`)
	flagLine    = regexp.MustCompile(`(?m)^  (-[-a-zA-Z]+)(?:, (-[-a-zA-Z]+))?( [A-Z][A-Z=]*)?(?: |$)`)
	commonLine  = regexp.MustCompile(`(?m)^everywhere: (.*)$`)
	optionForm  = regexp.MustCompile(`\[?-\S+ [A-Z]+\]?`)
)

// ReadProgram makes a program of its help texts: that of the whole for "", else that
// of a command. It returns an error where it finds nothing.
func ReadProgram(help func(command string) (string, error)) (*Program, error) {
	text, err := help("")
	if err != nil {
		return nil, err
	}
	p := &Program{}
	text, _, _ = strings.Cut(text, "\nexample:")
	for _, m := range commandLine.FindAllStringSubmatch(text, -1) {
		for name := range strings.SplitSeq(m[1], ", ") {
			if text, err = help(name); err != nil {
				return nil, err
			}
			c, err := readCommand(name, text)
			if err != nil {
				return nil, err
			}
			p.Commands = append(p.Commands, c)
		}
	}
	if len(p.Commands) == 0 {
		return nil, fmt.Errorf("help: no commands in it")
	}
	return p, nil
}

func readCommand(name, text string) (Command, error) {
	c := Command{Name: name}
	first, _, _ := strings.Cut(text, "\n")
	forms, ok := strings.CutPrefix(first, "usage: ialgn "+name)
	if !ok {
		return c, fmt.Errorf("help of %s: begins with %q", name, first)
	}
	for form := range strings.SplitSeq(optionForm.ReplaceAllString(forms, ""), "|") {
		c.Usage = append(c.Usage, strings.TrimSpace(form))
	}
	for _, m := range flagLine.FindAllStringSubmatch(text, -1) {
		f := Flag{Names: m[1:2], Value: m[3] != ""}
		if m[2] != "" {
			f.Names = m[1:3]
		}
		c.Flags = append(c.Flags, f)
	}
	if m := commonLine.FindStringSubmatch(text); m != nil {
		for flag := range strings.SplitSeq(m[1], ", ") {
			name, _, value := strings.Cut(flag, " ")
			c.Flags = append(c.Flags, Flag{Names: []string{name}, Value: value})
		}
	}
	if len(c.Flags) == 0 {
		return c, fmt.Errorf("help of %s: no options in it", name)
	}
	return c, nil
}

func (p *Program) command(name string) (Command, bool) {
	i := slices.IndexFunc(p.Commands, func(c Command) bool { return c.Name == name })
	if i < 0 {
		return Command{}, false
	}
	return p.Commands[i], true
}

func (c Command) flag(name string) (Flag, bool) {
	i := slices.IndexFunc(c.Flags, func(f Flag) bool { return slices.Contains(f.Names, name) })
	if i < 0 {
		return Flag{}, false
	}
	return c.Flags[i], true
}

// call is a command line of the program, taken apart.
type call struct {
	command Command
	args    []string
	flags   map[string]string // the last value of each
}

// parse takes a command line apart, without the program's name, and says why the
// program would refuse it.
func (p *Program) parse(words []string) (call, error) {
	c := call{flags: map[string]string{}}
	if len(words) == 0 {
		return c, fmt.Errorf("ialgn without a command")
	}
	var ok bool
	if c.command, ok = p.command(words[0]); !ok {
		return c, fmt.Errorf("ialgn has no command %s", words[0])
	}
	for i := 1; i < len(words); i++ {
		name, value, hasValue := strings.Cut(words[i], "=")
		if name[0] != '-' {
			c.args = append(c.args, words[i])
			continue
		}
		f, ok := c.command.flag(name)
		switch {
		case !ok:
			return c, fmt.Errorf("ialgn %s has no option %s", words[0], name)
		case f.Value && !hasValue:
			if i++; i == len(words) {
				return c, fmt.Errorf("ialgn %s %s wants a value", words[0], name)
			}
			value = words[i]
		case !f.Value && hasValue:
			return c, fmt.Errorf("ialgn %s %s takes no value", words[0], name)
		}
		c.flags[name] = value
	}
	_, help := c.flags["-h"]
	if !help && !slices.ContainsFunc(c.command.Usage, func(form string) bool {
		return fits(strings.Fields(form),
			c.args)
	}) {
		return c, fmt.Errorf("ialgn %s takes %s, not %q", words[0], strings.Join(c.command.Usage, " | "), c.args)
	}
	return c, nil
}

// fits reports whether arguments have a form: a word that begins with a capital stands
// for any argument, one in brackets for at most one, three dots for any number more.
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
