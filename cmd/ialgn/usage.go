package main

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"ialgn/internal/decimal"
	"ialgn/internal/manual"
	"ialgn/internal/message"
)

// dashed returns the name of an option as users type it.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// checkNumbers returns an error if the value of a numeric option is not decimal. The parser itself would accept
// Go's syntax for numbers.
func checkNumbers(args []string, commands []*cli.Command) error {
	return manual.FlagValues(args, commands, func(c *cli.Command, f cli.Flag, value string) error {
		var err error
		want := "a whole number"
		switch f.(type) {
		case *cli.IntFlag, *cli.Int64Flag:
			_, err = decimal.Int(value)
		case *cli.Float64Flag:
			_, err = decimal.Float(value)
			want = "a number"
		}
		switch {
		case err == nil:
			return nil
		case errors.Is(err, strconv.ErrRange):
			err = fmt.Errorf("%s %.40q: out of range", dashed(f.Names()[0]), value)
		default:
			err = fmt.Errorf("%s %.40q: want %s in decimal digits", dashed(f.Names()[0]), value, want)
		}
		return message.WithHint(err, "`ialgn %s -h` shows the options", c.Name)
	})
}

// These expressions match the errors of the option parser.
var (
	unknownOption = regexp.MustCompile(`^flag provided but not defined: -(.*)$`)
	lacksValue    = regexp.MustCompile(`^flag needs an argument: -(.*)$`)
	wrongValue    = regexp.MustCompile(`(?s)^invalid (?:boolean )?value (".*") for (?:flag )?-([^ ]+): `)
)

// removedOptions lists the options of earlier versions.
var removedOptions = map[string]struct{ reason, remedy string }{
	"wiring-seed": {
		"the wires that a seed draws depend on everything drawn before",
		"give C or Verilog made by difflogic, or the wires in JSON, with --wiring FILE; or import the whole module",
	},
}

// usageError converts an error of the parser to this program's wording, with a hint.
func usageError(c *cli.Context, err error, _ bool) error {
	name := "ialgn"
	if c.Command != nil && c.Command.Name != "" && c.Command.Name != "ialgn" {
		name += " " + c.Command.Name
	}
	text := err.Error()
	if m := unknownOption.FindStringSubmatch(text); m != nil {
		if r, ok := removedOptions[m[1]]; ok {
			return message.WithHint(fmt.Errorf("%s: removed: %s", dashed(m[1]), r.reason), "%s", r.remedy)
		}
		err = message.WithHint(fmt.Errorf("no such option: %s", dashed(m[1])), "`%s -h` shows the options", name)
		return message.Near(err, dashed(m[1]), optionNames(c))
	}
	if m := lacksValue.FindStringSubmatch(text); m != nil {
		err = fmt.Errorf("%s: needs a value", dashed(m[1]))
	} else if m := wrongValue.FindStringSubmatch(text); m != nil {
		want := "true or false"
		if !strings.HasPrefix(text, "invalid boolean ") {
			want = "a time with its unit, such as 30s"
		}
		err = fmt.Errorf("%s %s: want %s", dashed(m[2]), m[1], want)
	}
	return message.WithHint(err, "`%s -h` shows the options", name)
}

// optionNames returns the names of a command's options with their dashes.
func optionNames(c *cli.Context) (all []string) {
	flags := c.App.Flags
	if c.Command != nil {
		flags = append(c.Command.Flags[:len(c.Command.Flags):len(c.Command.Flags)], flags...)
	}
	for _, f := range flags {
		for _, n := range f.Names() {
			all = append(all, dashed(n))
		}
	}
	return all
}
