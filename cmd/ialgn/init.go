package main

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"ialgn"
	"ialgn/internal/dataset"
	"ialgn/internal/message"
)

func initCommand() *cli.Command {
	return &cli.Command{
		Name:      "init",
		Usage:     "inspect data and write a configuration for them",
		ArgsUsage: "DATA [-o CONFIG]",
		Description: "DATA is a CSV file with a label column, an array (.npy, .npz:NAME, IDX), or the name of a data\n" +
			"set. For a CSV file, init finds the separator, which columns hold numbers and which hold\n" +
			"words, missing values, constant columns, identifiers and groups. It also finds labels and\n" +
			"test samples in files next to DATA, such as y.npy or test.csv. The configuration has\n" +
			"comments, and `ialgn train` accepts it unchanged.",
		UsageText: "ialgn init my.csv --label state -o state.yaml",
		Flags: commonFlags(
			&cli.StringFlag{Name: "o", Usage: "write the configuration to `CONFIG` (default: NAME.yaml, with the name of DATA)"},
			&cli.StringFlag{Name: "label", Usage: "read the classes from column `NAME` (default: the last column)"},
			&cli.StringFlag{
				Name: "group", Usage: "keep rows of one `NAME` in one part, or none (default: a column such as user)",
			},
			&cli.StringFlag{Name: "order", Usage: "`ORDER` time: the last rows become the test part"},
			&cli.StringSliceFlag{Name: "set", Usage: "set how a CSV file is read: `KEY=VALUE`, repeatable"},
			&cli.StringFlag{
				Name: "labels", Usage: "if DATA is an array: read its labels from `FILE` (default: a file next to DATA)",
			},
			&cli.StringFlag{Name: "test", Usage: "read the test samples from `FILE`, or none (default: a file next to DATA)"},
			&cli.StringFlag{Name: "test-labels", Usage: "if --test is an array: read its labels from `FILE`"},
			dataFlag,
			forceFlag,
		),
		Action: initConfig,
	}
}

func initConfig(c *cli.Context) error {
	args, err := arguments(c, 1)
	if err != nil {
		return err
	}
	if path := c.String("o"); path != "" {
		if err := makeFolder(c, filepath.Dir(path)); err != nil {
			return err
		}
	}
	r, err := ialgn.Init(c.Context, ialgn.InitOptions{
		Data: args[0], Test: c.String("test"), Label: c.String("label"), Path: c.String("o"),
		Group: c.String("group"), Order: c.String("order"),
		Labels: c.String("labels"), TestLabels: c.String("test-labels"),
		Set: c.StringSlice("set"), Folders: dataOf(c).Folders, Force: c.Bool("force"), Keep: inputs(c),
	})
	if err != nil {
		return err
	}
	return show(c, initReport{r})
}

type initReport struct{ *ialgn.Initial }

// mostShown is the maximum number of columns, and of classes, that the text lists.
const mostShown = 50

func (r initReport) text(w io.Writer) {
	fmt.Fprintf(w, "%s, %s", message.Plural(r.Rows, "row", "rows"), message.Plural(r.Features, "feature", "features"))
	if r.Separator != "" {
		header := "without a header"
		if r.Header {
			header = "with a header"
		}
		fmt.Fprintf(w, ", %s, separated by %ss, decimal %s", header, r.Separator, r.Decimal)
	}
	if r.Thousands != "" && r.Thousands != "none" {
		fmt.Fprintf(w, ", thousands by %s", r.Thousands)
	}
	fmt.Fprintln(w)
	if len(r.Columns) > 0 {
		fmt.Fprintf(w, "%6s  %-20s  %-9s %9s %8s  %s\n", "column", "name", "kind", "different", "missing", "values")
	}
	for i := range r.Columns[:min(len(r.Columns), mostShown)] {
		c := &r.Columns[i]
		fmt.Fprintf(w, "%6d  %-20.20s  %-9s %9s %8d  %s\n", c.Number, c.Name, c.Kind, distinct(c.Distinct), c.Missing,
			values(c))
	}
	if n := len(r.Columns) - mostShown; n > 0 {
		fmt.Fprintf(w, "        and %d more\n", n)
	}
	for _, note := range append(r.Odd(), r.Notes...) {
		fmt.Fprintln(w, note)
	}
	for i := range r.Extremes[:min(len(r.Extremes), mostShown)] {
		fmt.Fprintf(w, "extreme: %s\n", r.Extreme(&r.Extremes[i]))
	}
	fmt.Fprintf(w, "%s:", message.Plural(len(r.Classes), "class", "classes"))
	for i, class := range r.Classes[:min(len(r.Classes), mostShown)] {
		if i > 0 {
			fmt.Fprint(w, ",")
		}
		fmt.Fprintf(w, " %.40s %d", class.Name, class.Count)
	}
	fmt.Fprintf(w, "\n%s: %s; next: ialgn train %[1]s\n", r.Config, message.Plural(r.Inputs, "input bit", "input bits"))
}

// distinct formats a number of distinct values. The survey stops counting at dataset.MostDistinct.
func distinct(n int) string {
	if n == dataset.MostDistinct {
		return fmt.Sprintf(">= %d", n)
	}
	return fmt.Sprint(n)
}

// values describes the content of a column, or the reason why it is left out.
func values(c *dataset.Surveyed) string {
	switch {
	case c.Reason != "":
		return c.Reason
	case c.Min != nil:
		return fmt.Sprintf("%g to %g", *c.Min, *c.Max)
	case len(c.Categories) > 0:
		return fmt.Sprintf("%.60s", fmt.Sprintf("%q", c.Categories))
	}
	return ""
}
