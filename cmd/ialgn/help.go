package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// appHelp is the template of `ialgn -h`.
const appHelp = `usage: ialgn COMMAND [ARGUMENT]... [OPTION]...

{{.Usage}}

{{groups .}}
` + "`ialgn COMMAND -h` shows a command's options. Everywhere: --json prints one object on\nstandard output, --threads N bounds the cores, --quiet keeps progress silent.\n" + `
example:
  ialgn demo -o demo
`

// commandHelp is the template of `ialgn COMMAND -h`.
const commandHelp = `usage: ialgn {{.Name}} {{.ArgsUsage}}

{{.Usage}}{{if .Description}}

{{.Description}}{{end}}

{{options .VisibleFlags}}everywhere: --json, --threads N, --quiet, -h, --help
exit status: 0 done, 1 bad input, 2 a check failed, 3 a tool is missing or failed, 130 interrupted
example:
  {{.UsageText}}
`

func init() {
	cli.HelpPrinter = func(w io.Writer, text string, data any) {
		cli.HelpPrinterCustom(w, text, data, map[string]any{"groups": commandGroups, "options": optionGroups})
	}
}

// commandGroups returns one line for each command, under the title of its group. Hidden commands share the last line.
func commandGroups(app *cli.App) string {
	var text strings.Builder
	var hidden []string
	title := ""
	for _, c := range app.Commands {
		if c.Hidden {
			hidden = append(hidden, c.Name)
			continue
		}
		if c.Category != title {
			title = c.Category
			fmt.Fprintf(&text, "%s:\n", title)
		}
		fmt.Fprintf(&text, "  %-10s %s\n", c.Name, c.Usage)
	}
	fmt.Fprintf(&text, "  %s: completion for a shell, man pages\n", strings.Join(hidden, ", "))
	return text.String()
}

// optionGroups returns one line for each flag of the command, under the title of its group. It omits the flags that
// every command has. A flag without a group is listed with the flag before it.
func optionGroups(flags []cli.Flag) string {
	var text strings.Builder
	last := ""
	for _, f := range flags {
		if slices.Contains(everywhere, f) {
			continue
		}
		title := cmp.Or(f.(cli.CategorizableFlag).GetCategory(), last, "options")
		if title != last {
			fmt.Fprintf(&text, "%s:\n", title)
		}
		last = title
		fmt.Fprintln(&text, optionLine(f))
	}
	if text.Len() == 0 {
		return ""
	}
	return text.String() + "\n"
}

// optionLine returns the help line of a flag, which has the names, METAVAR, description and default.
func optionLine(f cli.Flag) string {
	o := describe(f)
	left, def := strings.Join(o.Names, ", "), ""
	if o.Meta != "" {
		left += " " + o.Meta
	}
	if o.Default != "" {
		def = " (default " + o.Default + ")"
	}
	if len(left) > 20 {
		return fmt.Sprintf("  %s\n  %-20s %s%s", left, "", o.About, def)
	}
	return fmt.Sprintf("  %-20s %s%s", left, o.About, def)
}
