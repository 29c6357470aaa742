package message_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"ialgn/internal/message"
)

// flags names an option as a flag on the command line.
func flags(name, value string) string {
	return strings.TrimSpace("--" + strings.ToLower(name) + " " + value)
}

func TestOptionsBecomeFlags(t *testing.T) {
	inner := message.Optionf("{Baud} %d: there is no line, give {Wrap uart}", 7)
	for _, test := range []struct {
		name         string
		err          error
		fields, flag string
	}{
		{"none", io.EOF, "EOF", "EOF"},
		{"direct", inner, "Baud 7: there is no line, give Wrap: uart", "--baud 7: there is no line, give --wrap uart"},
		{
			"wrapped", fmt.Errorf("compile: %w", inner), "compile: Baud 7: there is no line, give Wrap: uart",
			"compile: --baud 7: there is no line, give --wrap uart",
		},
		{
			"wraps", message.Optionf("{Fold}: %w", inner), "Fold: Baud 7: there is no line, give Wrap: uart",
			"--fold: --baud 7: there is no line, give --wrap uart",
		},
		{"braces of the user's", message.Optionf("{Wrap} %q", "{Baud}"), `Wrap "{Baud}"`, `--wrap "{Baud}"`},
		{"no option", message.Optionf("{wrap} {} {Wrap"), "{wrap} {} {Wrap", "{wrap} {} {Wrap"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := test.err.Error(); got != test.fields {
				t.Errorf("%s, want %s", got, test.fields)
			}
			if got := message.In(test.err, flags); got != test.flag {
				t.Errorf("%s, want %s", got, test.flag)
			}
		})
	}
}

func TestOptionErrorUnwraps(t *testing.T) {
	if err := message.Optionf("{Fold}: %w", io.EOF); !errors.Is(err, io.EOF) {
		t.Errorf("%v: the error in it is out of reach", err)
	}
	if err := message.Optionf("{Fold}"); errors.Unwrap(err) != nil {
		t.Errorf("%v wraps something", err)
	}
}
