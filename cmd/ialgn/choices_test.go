package main

import (
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/urfave/cli/v2"

	"ialgn/backend"
	"ialgn/docs"
	"ialgn/internal/manual"
	"ialgn/internal/target"
)

// elsewhere lists the options that this test does not check. The values of most of these options are documented in
// another place. These values are the keys of the configuration, the devices of synth, the interfaces and families of
// compile, and the topologies. One option takes values from a range.
var elsewhere = []string{
	"--set", "--grid", "synth --target", "fit --target", "sweep --target", "fit --wrap",
	"diagnose --topologies", "compile --lut",
}

// onlyOnPage lists the options whose help has no room for all values.
var onlyOnPage = []string{"fit --metric"}

// TestValuesDocumented checks that the help and docs/reference/cli.md name every value of each option.
func TestValuesDocumented(t *testing.T) {
	commands := newApp(io.Discard, io.Discard).Commands
	for _, c := range choices {
		if slices.Contains(elsewhere, c.option) || slices.Contains(elsewhere, c.command+" "+c.option) || c.command == "" {
			continue
		}
		at := slices.IndexFunc(commands, func(k *cli.Command) bool { return k.Name == c.command })
		help, page := helpOf(t, commands[at], c.option), rowOf(t, c.command, c.option)
		for _, v := range c.values() {
			word := regexp.MustCompile(`(^|[^\w-])` + regexp.QuoteMeta(v) + `($|[^\w-])`)
			if !word.MatchString(help) && !slices.Contains(onlyOnPage, c.command+" "+c.option) {
				t.Errorf("%s %s: the help lacks %s: %s", c.command, c.option, v, help)
			}
			if !word.MatchString(page) {
				t.Errorf("docs/reference/cli.md: %s %s: the row lacks %s: %s", c.command, c.option, v, page)
			}
		}
	}
}

// helpOf returns the help text of an option.
func helpOf(t *testing.T, c *cli.Command, option string) string {
	t.Helper()
	for _, f := range c.Flags {
		if o := describe(f); slices.Contains(o.Names, option) {
			return o.About + " " + o.Default
		}
	}
	t.Fatalf("%s has no option %s", c.Name, option)
	return ""
}

// rowOf returns the row of an option in docs/reference/cli.md.
func rowOf(t *testing.T, command, option string) string {
	t.Helper()
	in := false
	for line := range strings.Lines(docs.CLI) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "## "); ok {
			in = name == command
		}
		if in && regexp.MustCompile("^\\| `"+option+"[ `]").MatchString(line) {
			return line
		}
	}
	t.Errorf("docs/reference/cli.md: %s has no row for %s", command, option)
	return ""
}

var code = regexp.MustCompile("`([^`]+)`")

// firstColumn returns the code words in the first column of a table in docs/reference/cli.md.
func firstColumn(section, heading string) (all []string) {
	var text strings.Builder
	_ = manual.Parse(docs.CLI).Section(section).Table(heading).Plain(&text)
	for line := range strings.Lines(text.String()) {
		if strings.HasPrefix(line, "`") {
			for _, m := range code.FindAllStringSubmatch(line, -1) {
				all = append(all, m[1])
			}
		}
	}
	return all
}

// TestTablesDocumented compares the tables of devices and files in docs/reference/cli.md with the program's tables.
func TestTablesDocumented(t *testing.T) {
	if diff := cmp.Diff(target.DeviceNames(), firstColumn("synth", "target")); diff != "" {
		t.Errorf("docs/reference/cli.md: targets of synth (-program +page):\n%s", diff)
	}
	files := firstColumn("compile", "file")
	for _, format := range backend.Formats() {
		for _, suffix := range backend.Suffixes(format) {
			if !slices.ContainsFunc(files, func(f string) bool { return f == "NAME"+suffix || strings.HasSuffix(suffix, f) }) {
				t.Errorf("docs/reference/cli.md: the table of compile's files lacks NAME%s of --emit %s", suffix, format)
			}
		}
	}
}
