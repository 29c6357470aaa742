// Package manual makes completion for shells, and man pages, of the description of a program.
//
// A [Program] says which commands there are, what their options are called, and what may stand in each place of the
// command line ([Values]). It is data: whoever has a parser of command lines makes it of that, so that nothing here
// can differ from what the program takes.
package manual

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// Program is a program with commands.
type Program struct {
	Name, About, Version string
	Date                 string // of the man pages, such as 2026-11-25; empty: not known
	Commands             []Command
	// Common are sections of the man page of every command, Sections those of the program's own page before them.
	Common, Sections []Section
}

// Section is a section of a man page.
type Section struct {
	Title string
	Text  Text
}

// Command is a command of the program.
type Command struct {
	Name, About string
	Form        string // what stands behind the name
	Details     string // paragraphs that say more
	Example     string
	Options     []Option
	Arguments   Values
}

// Option is an option of a command.
type Option struct {
	Names   []string // with their dashes, the short one first
	Meta    string   // what the value is called; empty: it takes none
	About   string
	Default string
	Many    bool // it may be given more than once
	Values  Values
}

// Values is what may stand in a place of the command line. The zero value is anything.
type Values struct {
	Words   []string
	Comma   bool     // several words, with commas between
	Files   []string // endings of files without their dots
	AnyFile bool
	Folders bool
}

// Shells are the shells for which there is completion.
var Shells = []string{"bash", "zsh", "fish"}

// writers are those of the completion for each shell.
var writers = map[string]func(io.Writer, *Program) error{"bash": bash, "zsh": zsh, "fish": fish}

// Completion writes the completion for one of the [Shells].
func Completion(w io.Writer, shell string, p *Program) error {
	write, ok := writers[shell]
	if !ok {
		return fmt.Errorf("shell %q: no completion for this shell, want %s", shell, strings.Join(Shells, ", "))
	}
	return write(w, p)
}

// Command returns a command by its name, and whether there is one.
func (p *Program) Command(name string) (c Command, found bool) {
	i := slices.IndexFunc(p.Commands, func(c Command) bool { return c.Name == name })
	if i < 0 {
		return c, false
	}
	return p.Commands[i], true
}

// Option returns an option by one of its names, and whether there is one.
func (c *Command) Option(name string) (o Option, found bool) {
	i := slices.IndexFunc(c.Options, func(o Option) bool { return slices.Contains(o.Names, name) })
	if i < 0 {
		return o, false
	}
	return c.Options[i], true
}

// optionsInForm are the options in the form of a command, such as [-o MODEL].
var optionsInForm = regexp.MustCompile(`\[?--?[a-z]+ [A-Z]+\]?`)

// Forms returns the forms of the arguments, such as list and check [NAME], each by its words.
func (c *Command) Forms() (all [][]string) {
	for form := range strings.SplitSeq(optionsInForm.ReplaceAllString(c.Form, ""), "|") {
		all = append(all, strings.Fields(form))
	}
	return all
}

// OptionNames returns the names of all options, as the command line has them.
func (c *Command) OptionNames() (all []string) {
	for _, o := range c.Options {
		all = append(all, o.Names...)
	}
	return all
}

// commands returns the names of all commands.
func (p *Program) commands() (all []string) {
	for _, c := range p.Commands {
		all = append(all, c.Name)
	}
	return all
}

// none reports whether nothing is known of a place.
func (v Values) none() bool {
	return len(v.Words) == 0 && len(v.Files) == 0 && !v.AnyFile && !v.Folders
}

// quoted returns a text as one word of a shell.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// lines are written one after the other, until one fails.
type lines struct {
	w   io.Writer
	err error
}

func (l *lines) add(format string, args ...any) {
	if l.err == nil {
		_, l.err = fmt.Fprintf(l.w, format+"\n", args...)
	}
}

// And returns what may stand there if either may.
func (v Values) And(u Values) Values {
	return Values{
		Words: slices.Concat(v.Words, u.Words), Comma: v.Comma || u.Comma, Files: slices.Concat(v.Files, u.Files),
		AnyFile: v.AnyFile || u.AnyFile, Folders: v.Folders || u.Folders,
	}
}
