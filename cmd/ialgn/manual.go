package main

import (
	"slices"
	"strings"

	"ialgn"

	"github.com/urfave/cli/v2"

	"ialgn/internal/manual"
)

// program describes the command line for completion and man pages, from the same tables as the help.
func program(app *cli.App) *manual.Program {
	p := &manual.Program{Name: app.Name, About: app.Usage, Version: ialgn.Version}
	for _, c := range app.Commands {
		p.Commands = append(p.Commands, command(c, app.Commands))
	}
	return p
}

// command describes one command.
func command(c *cli.Command, commands []*cli.Command) manual.Command {
	d := manual.Command{
		Name: c.Name, About: c.Usage, Form: c.ArgsUsage, Details: c.Description, Example: c.UsageText,
	}
	d.Arguments = argumentsOf(d, commands)
	for _, f := range withHelp(c.Flags) {
		o := describe(f)
		o.Values = valuesOf(c.Name, o)
		d.Options = append(d.Options, o)
	}
	return d
}

// withHelp returns a command's flags and -h. The parser itself adds -h only to the command that it runs.
func withHelp(flags []cli.Flag) []cli.Flag {
	if slices.Contains(flags, cli.HelpFlag) {
		return flags
	}
	return append(slices.Clone(flags), cli.HelpFlag)
}

// describe describes a flag. The description has the names with the short one first, the METAVAR of the value, the
// meaning, and the default.
func describe(f cli.Flag) (o manual.Option) {
	for _, n := range f.Names() {
		if len(n) == 1 {
			o.Names = append([]string{dashed(n)}, o.Names...)
		} else {
			o.Names = append(o.Names, dashed(n))
		}
	}
	d, ok := f.(cli.DocGenerationFlag)
	if !ok {
		return o
	}
	o.About = d.GetUsage()
	if !d.TakesValue() {
		return o
	}
	o.Meta = "VALUE"
	if a, b, ok := strings.Cut(o.About, "`"); ok {
		if name, rest, ok := strings.Cut(b, "`"); ok {
			o.Meta, o.About = name, a+name+rest
		}
	}
	if v := strings.Trim(d.GetDefaultText(), `"`); v != "0" {
		o.Default = v
	}
	if s, ok := f.(cli.DocGenerationSliceFlag); ok {
		o.Many = s.IsSliceFlag()
	}
	return o
}

// valuesOf returns the possible values of an option.
func valuesOf(command string, o manual.Option) manual.Values {
	for _, c := range choices {
		if (c.command == "" || c.command == command) && slices.Contains(o.Names, c.option) {
			return manual.Values{Words: c.values(), Comma: o.Meta == "LIST"}
		}
	}
	return kinds[o.Meta]
}

// argumentsOf returns the possible values of a command's arguments, which follow from the words of its usage line. A
// word in lower case is itself a value.
func argumentsOf(c manual.Command, commands []*cli.Command) (all manual.Values) {
	for _, word := range slices.Concat(c.Forms()...) {
		word = strings.Trim(word, "[].")
		if word == strings.ToLower(word) {
			all.Words = append(all.Words, word)
			continue
		}
		all = all.And(kinds[word])
		if word == "COMMAND" {
			all.Words = append(all.Words, commandNames(commands)...)
		}
		for _, a := range ownArguments {
			if a.command == c.Name && a.word == word {
				all.Words = append(all.Words, a.values()...)
			}
		}
	}
	return all
}
