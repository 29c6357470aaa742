// Package permute lets a command's flags stand behind its arguments, as `ialgn train CONFIG -o MODEL`,
// which the parser of urfave/cli does not take.
package permute

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// Args moves the flags of the command that args name before its arguments. What follows "--" stays
// where it is. A last flag that lacks its value stays last, for the parser to say so.
func Args(args []string, commands []*cli.Command) []string {
	for i, a := range args {
		for _, c := range commands {
			if i > 0 && a == c.Name {
				return append(slices.Clone(args[:i+1]), flagsFirst(args[i+1:], c)...)
			}
		}
	}
	return args
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
