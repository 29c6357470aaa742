// This file lets a command's flags stand behind its arguments, as `ialgn train CONFIG -o MODEL`,
// which the parser of urfave/cli does not take.

package manual

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// PermuteArgs moves the flags of the command that args name before its arguments. What follows "--" stays
// where it is. A last flag that lacks its value stays last, for the parser to say so.
func PermuteArgs(args []string, commands []*cli.Command) []string {
	for i, a := range args {
		for _, c := range commands {
			if i > 0 && a == c.Name {
				return append(slices.Clone(args[:i+1]), flagsFirst(args[i+1:], c)...)
			}
		}
	}
	return args
}

// HasFlag reports whether args set a switch, also where they are wrong elsewhere. The value of another flag may look
// like it, and is none; so does what follows "--".
func HasFlag(args []string, commands []*cli.Command, name string) bool {
	command := &cli.Command{}
	for i := 1; i < len(args) && args[i] != "--"; i++ {
		a := args[i]
		if at := slices.IndexFunc(commands, func(c *cli.Command) bool { return c.Name == a }); at >= 0 && command.Name == "" {
			command = commands[at]
			continue
		}
		if set, isFlag := strings.CutPrefix(a, "-"); isFlag && slices.Contains(
			[]string{name, name + "=true", name + "=1"}, strings.TrimPrefix(set, "-")) {
			return true
		}
		if len(a) > 1 && a[0] == '-' && takesValue(a, command) {
			i++
		}
	}
	return false
}

func flagsFirst(args []string, c *cli.Command) []string {
	var flags, rest []string
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "--":
			return append(append(flags, "--"), append(rest, args[i+1:]...)...)
		case len(a) < 2 || a[0] != '-':
			rest = append(rest, a)
		default:
			flags = append(flags, a)
			if !takesValue(a, c) {
				continue
			}
			if i++; i == len(args) {
				return flags
			}
			flags = append(flags, args[i])
		}
	}
	return append(flags, rest...)
}

// FlagValues calls found with each option of the command that args name and the value that it is given, in order, until
// found returns an error, which it returns.
func FlagValues(args []string, commands []*cli.Command,
	found func(c *cli.Command, f cli.Flag, value string) error,
) error {
	var command *cli.Command
	for i := 0; i < len(args) && args[i] != "--"; i++ {
		a := args[i]
		if command == nil {
			if at := slices.IndexFunc(commands, func(c *cli.Command) bool { return c.Name == a }); at >= 0 {
				command = commands[at]
			}
			continue
		}
		name, value, assigned := strings.Cut(strings.TrimLeft(a, "-"), "=")
		if len(a) < 2 || a[0] != '-' {
			continue
		}
		if !assigned {
			if !takesValue(a, command) || i+1 == len(args) {
				continue
			}
			i++
			value = args[i]
		}
		for _, f := range command.Flags {
			if !slices.Contains(f.Names(), name) {
				continue
			}
			if err := found(command, f, value); err != nil {
				return err
			}
		}
	}
	return nil
}

// takesValue reports whether the next argument is the value of a flag: of an unknown one it is none.
func takesValue(arg string, c *cli.Command) bool {
	name := strings.TrimLeft(arg, "-")
	if strings.Contains(name, "=") {
		return false
	}
	for _, f := range c.Flags {
		if slices.Contains(f.Names(), name) {
			_, isBool := f.(*cli.BoolFlag)
			return !isBool
		}
	}
	return false
}
