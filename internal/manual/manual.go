// Package manual generates shell completion and man pages from a description of a program.
//
// A [Program] lists the commands, their options, and the possible values of each argument and option ([Values]). The
// description is made from the program's command line parser, so that completion and man pages always agree with what
// the program accepts.
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
	Date                 string // date of the man pages, such as 2026-11-25; empty if unknown
	Commands             []Command
	// Common holds sections that are on the man page of every command. The page of the program itself has first the
	// sections in Sections, and then those in Common.
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
	Form        string // text after the command's name in its usage line
	Details     string // additional paragraphs of the description
	Example     string
	Options     []Option
	Arguments   Values
}

// Option is an option of a command.
type Option struct {
	Names   []string // names with their dashes, the short name first
	Meta    string   // placeholder of the value; empty if the option takes no value
	About   string
	Default string
	Many    bool // whether the option may be given more than once
	Values  Values
}

// Values describes the values that an argument or an option accepts. The zero value accepts anything.
type Values struct {
	Words   []string
	Comma   bool     // several words, separated by commas
	Files   []string // file name endings without dots
	AnyFile bool
	Folders bool
}

// Shells lists the shells for which there is completion.
var Shells = []string{"bash", "zsh", "fish"}

// writers maps each shell to the function that writes its completion.
var writers = map[string]func(io.Writer, *Program) error{"bash": bash, "zsh": zsh, "fish": fish}

// Completion writes the completion for one of the [Shells]. The script contains all words, so the shell does not run
// the program each time the user asks for a completion.
func Completion(w io.Writer, shell string, p *Program) error {
	write, ok := writers[shell]
	if !ok {
		return fmt.Errorf("shell %q: no completion for this shell, want %s", shell, strings.Join(Shells, ", "))
	}
	return write(w, p)
}

// Command returns the command with the given name. The result found reports whether it exists.
func (p *Program) Command(name string) (c Command, found bool) {
	i := slices.IndexFunc(p.Commands, func(c Command) bool { return c.Name == name })
	if i < 0 {
		return c, false
	}
	return p.Commands[i], true
}

// Option returns the option that has the given name among its names. The result found reports whether it exists.
func (c *Command) Option(name string) (o Option, found bool) {
	i := slices.IndexFunc(c.Options, func(o Option) bool { return slices.Contains(o.Names, name) })
	if i < 0 {
		return o, false
	}
	return c.Options[i], true
}

// optionsInForm matches the options in the form of a command, such as [-o MODEL].
var optionsInForm = regexp.MustCompile(`\[?--?[a-z]+ [A-Z]+\]?`)

// Forms returns the alternative forms of the arguments, such as list and check [NAME]. Each form is a list of words.
func (c *Command) Forms() (all [][]string) {
	for form := range strings.SplitSeq(optionsInForm.ReplaceAllString(c.Form, ""), "|") {
		all = append(all, strings.Fields(form))
	}
	return all
}

// OptionNames returns all names of all options, with dashes.
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

// none reports whether the values are unknown.
func (v Values) none() bool {
	return len(v.Words) == 0 && len(v.Files) == 0 && !v.AnyFile && !v.Folders
}

// quoted returns a text as one word for a POSIX shell.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// lines writes lines until writing fails.
type lines struct {
	w   io.Writer
	err error
}

func (l *lines) add(format string, args ...any) {
	if l.err == nil {
		_, l.err = fmt.Fprintf(l.w, format+"\n", args...)
	}
}

// And returns the union of v and u, for a place that accepts the values of both.
func (v Values) And(u Values) Values {
	return Values{
		Words: slices.Concat(v.Words, u.Words), Comma: v.Comma || u.Comma, Files: slices.Concat(v.Files, u.Files),
		AnyFile: v.AnyFile || u.AnyFile, Folders: v.Folders || u.Folders,
	}
}
