package main

import (
	"context"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"ialgn/internal/manual"
)

// TestDiagnoseFrame runs two diagnoses whose options differ.
func TestDiagnoseFrame(t *testing.T) {
	for _, test := range []struct {
		args string
		ran  string // the kind and its arguments
		err  string
	}{
		{"m.yaml --what one --extra 2", "one m.yaml", ""},
		{"m.yaml n.yaml --what two", "two m.yaml n.yaml", ""},
		{"m.yaml --what two --extra 2", "", "--extra: does not apply to --what two"},
		{"m.yaml --what two -x", "", "-x: does not apply to --what two"},
		{"m.yaml --what three", "", `--what "three": no such diagnostic`},
		{"m.yaml", "", "diagnose: no kind of diagnostic is given"},
		{"--what one", "", "diagnose takes FILE... --what KIND, but no file is given"},
	} {
		var ran []string
		kind := func(name string, options ...string) diagnosis {
			return diagnosis{name, "", options, nil, func(_ *cli.Context, args []string) error {
				ran = slices.Concat(ran, []string{name}, args)
				return nil
			}}
		}
		app := newApp(io.Discard, io.Discard)
		app.Commands = []*cli.Command{diagnoseCommand([]diagnosis{kind("one", "extra", "x"), kind("two")},
			&cli.IntFlag{Name: "extra"}, &cli.BoolFlag{Name: "x"})}
		err := app.RunContext(context.Background(), manual.PermuteArgs(append([]string{"ialgn", "diagnose"},
			strings.Fields(test.args)...), app.Commands))
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != test.err || strings.Join(ran, " ") != test.ran {
			t.Errorf("%s: ran %q with error %q, want %q and %q", test.args, ran, got, test.ran, test.err)
		}
	}
}
