package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"ialgn/docs"
	"ialgn/internal/manual"
	"ialgn/internal/message"
)

// topic is a topic of `ialgn help`. The text of a topic is a part of the documentation.
type topic struct {
	name, about string
	text        func() manual.Text
}

// topics lists all topics.
var topics = []topic{
	{"config", "every key of the configuration file, with values and default", wholeConfig},
	{"data-sets", "the folders that are searched", section("Data sets")},
	{"environment", "the environment variables that are read", section("Environment")},
	{"errors", "the form of errors, also as JSON", section("Errors")},
	{"exit-status", "the exit statuses of commands", section("Exit status")},
	{"folding", "engines in block RAM, for networks larger than a device", section("Folded engines")},
	{"formats", "the files that compile writes", tableIn("compile", "file")},
	{"overwriting", "which files are overwritten, and which never are", section("What is written over")},
	{"pipelines", "pipeline registers, and what happens in each clock", section("Pipelines")},
	{"software", "the network as C and Go code", section("The network as software")},
	{"targets", "the supported devices and families", tableIn("synth", "target")},
	{"tools", "the external programs, and which commands need them", section("External programs")},
	{"wrappers", "the interfaces of a design, with ports and protocols", section("Wrappers")},
}

// section returns a section of docs/reference/cli.md.
func section(title string) func() manual.Text {
	return func() manual.Text { return manual.Parse(docs.CLI).Section(title) }
}

// tableIn returns a table of docs/reference/cli.md, given its section and the name of its first column.
func tableIn(title, column string) func() manual.Text {
	return func() manual.Text { return section(title)().Table(column) }
}

func wholeConfig() manual.Text { return manual.Parse(docs.Config) }

func helpCommand() *cli.Command {
	return &cli.Command{
		Name:        "help",
		Usage:       "a command's options, or a topic: config, targets, exit-status, ...",
		ArgsUsage:   "[COMMAND | TOPIC]",
		UsageText:   "ialgn help exit-status",
		Description: "The topics (parts of the pages in docs/reference):\n" + topicList(),
		Flags:       commonFlags(),
		Action:      help,
	}
}

// topicList returns a line for each topic.
func topicList() string {
	var lines []string
	for _, t := range topics {
		lines = append(lines, fmt.Sprintf("  %-12s %s", t.name, t.about))
	}
	return strings.Join(lines, "\n")
}

func topicNames() (all []string) {
	for _, t := range topics {
		all = append(all, t.name)
	}
	return all
}

// askedForHelp rewrites the arguments of a command with -h as the arguments of `ialgn help COMMAND`. Without this
// change, the parser would take an argument before -h for a topic.
func askedForHelp(args []string, commands []*cli.Command) []string {
	for _, name := range cli.HelpFlag.Names() {
		if len(args) > 1 && manual.HasFlag(args, commands, name) && slices.Contains(commandNames(commands), args[1]) {
			return []string{args[0], "help", args[1]}
		}
	}
	return args
}

func help(c *cli.Context) error {
	name := c.Args().First()
	if name == "" {
		return show(c, helpReport{Text: printed(appHelp, c.App) + "\ntopics of `ialgn help TOPIC`:\n" + topicList() + "\n"})
	}
	if _, err := arguments(c, 1); err != nil {
		return err
	}
	for _, k := range c.App.Commands {
		if k.Name == name {
			shown := *k
			shown.Flags = withHelp(k.Flags)
			return show(c, helpReport{name, printed(commandHelp, &shown)})
		}
	}
	for _, t := range topics {
		if t.name == name {
			var text strings.Builder
			if err := t.text().Plain(&text); err != nil {
				return err
			}
			return show(c, helpReport{name, text.String()})
		}
	}
	err := message.WithHint(fmt.Errorf("help %s: no such command or topic", name), "`ialgn help` lists them")
	return message.Near(err, name, append(topicNames(), commandNames(c.App.Commands)...))
}

// printed returns the help text of the program or a command.
func printed(template string, of any) string {
	var text strings.Builder
	cli.HelpPrinter(&text, template, of)
	return text.String()
}

type helpReport struct {
	Topic string `json:"topic,omitempty"`
	Text  string `json:"text"`
}

func (r helpReport) text(w io.Writer) { fmt.Fprint(w, r.Text) }
