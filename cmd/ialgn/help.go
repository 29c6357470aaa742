package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"
)

// appHelp is `ialgn -h`.
const appHelp = `usage: ialgn COMMAND [ARGUMENT]... [OPTION]...

{{.Usage}}

commands:
{{range .VisibleCommands}}  {{printf "%-10s" .Name}} {{.Usage}}
{{end}}
` + "`ialgn COMMAND -h` shows a command's options. Everywhere: --json prints one object on\nstandard output, --threads N bounds the cores, --quiet keeps progress silent.\n" + `
example:
  ialgn demo -o demo
`

// commandHelp is ` + "`ialgn COMMAND -h`" + `.
const commandHelp = `usage: ialgn {{.Name}} {{.ArgsUsage}}

{{.Usage}}{{if .Description}}

{{.Description}}{{end}}

options:
{{range .VisibleFlags}}{{option .}}
{{end}}
exit status: 0 done, 1 bad input or usage, 2 a check found a difference,
3 an external tool is missing or failed, 130 interrupted, work saved

example:
  {{.UsageText}}
`

func init() {
	cli.HelpPrinter = func(w io.Writer, text string, data any) {
		cli.HelpPrinterCustom(w, text, data, map[string]any{"option": optionLine})
	}
}

// optionLine returns the help line of a flag: its names, its METAVAR, what it does and
// its default.
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
