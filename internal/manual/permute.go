// This file allows flags after a command's arguments, as in `ialgn train CONFIG -o MODEL`. The parser of urfave/cli
// does not accept this order.

package manual

import (
	"iter"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// PermuteArgs moves the flags of the command in args before the command's arguments. Words after "--" stay where they
// are. If the last flag lacks its value, the flag stays last, so that the parser reports the missing value.
func PermuteArgs(args []string, commands []*cli.Command) []string {
	before, flags, rest := args[:1:1], []string(nil), []string(nil)
	for c, w := range words(args[1:], commands) {
		switch {
		case c == nil:
			before = append(before, w.texts...)
		case w.lacks:
			return slices.Concat(before, flags, w.texts)
		case w.texts[0] == "--":
			flags, rest = append(flags, "--"), append(rest, w.texts[1:]...)
		case w.flag:
			flags = append(flags, w.texts...)
		default:
			rest = append(rest, w.texts...)
		}
	}
	return slices.Concat(before, flags, rest)
}

// HasFlag reports whether args set a switch, even if args are invalid otherwise. It ignores words that look like the
// switch but are values of other flags or follow "--".
func HasFlag(args []string, commands []*cli.Command, name string) bool {
	for _, w := range words(args[1:], commands) {
		if w.flag && w.name == name && (!w.given || w.value == "true" || w.value == "1") {
			return true
		}
	}
	return false
}

// FlagValues calls the function found for each option of the command in args, in order. The arguments of found are
// the option and its value. If found returns an error, FlagValues stops and returns this error. args do not include
// the program's name.
func FlagValues(args []string, commands []*cli.Command,
	found func(c *cli.Command, f cli.Flag, value string) error,
) error {
	for c, w := range words(args, commands) {
		if w.known == nil || !w.given {
			continue
		}
		if err := found(c, w.known, w.value); err != nil {
			return err
		}
	}
	return nil
}

// word is a word of a command line, or a flag together with its value.
type word struct {
	texts       []string // the words as they were given
	flag        bool
	known       cli.Flag // the command's flag with this name, or nil
	name, value string   // if the word is a flag, its name and value
	given       bool     // whether the flag has a value
	lacks       bool     // whether the flag needs a value but is the last word
}

// words yields the words of a command line. Each word comes with the command that precedes it, or with nil before the
// command. "--" and everything after it are one word.
func words(args []string, commands []*cli.Command) iter.Seq2[*cli.Command, word] {
	return func(yield func(*cli.Command, word) bool) {
		var command *cli.Command
		for len(args) > 0 {
			w := first(args, command)
			if !yield(command, w) {
				return
			}
			at := slices.IndexFunc(commands, func(c *cli.Command) bool { return c.Name == args[0] })
			if command == nil && at >= 0 {
				command = commands[at]
			}
			args = args[len(w.texts):]
		}
	}
}

// first returns the first word of a command's arguments. If the word is a flag that is known to take a value, the
// result includes the next argument.
func first(args []string, c *cli.Command) word {
	w := word{texts: args[:1]}
	if args[0] == "--" && c != nil {
		w.texts = args
	}
	if len(args[0]) < 2 || args[0][0] != '-' || args[0] == "--" {
		return w
	}
	w.flag = true
	w.name, w.value, w.given = strings.Cut(strings.TrimLeft(args[0], "-"), "=")
	if c == nil {
		return w
	}
	at := slices.IndexFunc(c.Flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), w.name) })
	if at < 0 {
		return w
	}
	w.known = c.Flags[at]
	if _, isSwitch := w.known.(*cli.BoolFlag); isSwitch || w.given {
		return w
	}
	if len(args) == 1 {
		w.lacks = true
		return w
	}
	w.texts, w.value, w.given = args[:2], args[1], true
	return w
}
