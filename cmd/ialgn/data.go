package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"ialgn/internal/hint"
	"ialgn/trainer/dataset"
)

func dataCommand() *cli.Command {
	return &cli.Command{
		Name:      "data",
		Usage:     "which data sets are known, where they are looked for, whether they are whole",
		ArgsUsage: "list | check [NAME]",
		UsageText: "ialgn data check digits",
		Flags:     everywhere(dataFlag),
		Action:    data,
	}
}

func data(c *cli.Context) error {
	switch c.Args().First() {
	case "list":
		if _, err := arguments(c, 1); err != nil {
			return err
		}
		return show(c, listReport{dataset.List(), folders(c)})
	case "check":
		return checkData(c, c.Args().Slice()[1:])
	}
	return hint.With(fmt.Errorf("data takes list or check, not %q", c.Args().First()), "`ialgn data -h` shows the form")
}

func checkData(c *cli.Context, names []string) error {
	if len(names) == 0 {
		for _, s := range dataset.List() {
			names = append(names, s.Name)
		}
	}
	r := checkReport{}
	for _, name := range names {
		s, err := dataset.Check(c.Context, name, folders(c))
		if err != nil {
			return err
		}
		r.Datasets = append(r.Datasets, s)
	}
	return show(c, r)
}

type listReport struct {
	Datasets []dataset.Info `json:"datasets"`
	Folders  []string       `json:"folders"`
}

func (r listReport) text(w io.Writer) {
	fmt.Fprintf(w, "looked for in %s\n\n", strings.Join(r.Folders, ", "))
	for _, d := range r.Datasets {
		fmt.Fprintf(w, "%-14s %s\n", d.Name, d.Title)
		if len(d.Files) > 0 {
			fmt.Fprintf(w, "%-14s %s/ %s\n", "", strings.Join(d.Folders, "/, "), strings.Join(d.Files, ", "))
		}
		fmt.Fprintf(w, "%-14s %s\n", "", d.Get)
	}
}

type checkReport struct {
	Datasets []dataset.Status `json:"datasets"`
}

func (r checkReport) text(w io.Writer) {
	for _, d := range r.Datasets {
		state := "not found"
		if d.Found {
			state = d.Path
		}
		fmt.Fprintf(w, "%-14s %s: %s\n", d.Name, state, d.Note)
		for _, p := range d.Parts {
			fmt.Fprintf(w, "%-14s %-5s %6d samples, sha256 %s\n", "", p.Part, p.Samples, p.SHA256)
		}
	}
}
