package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"ialgn"

	"github.com/urfave/cli/v2"

	"ialgn/internal/dataset"
	"ialgn/internal/message"
)

func dataCommand() *cli.Command {
	return &cli.Command{
		Name:      "data",
		Usage:     "list the known data sets, or check that their files are complete",
		ArgsUsage: "list | check [NAME]",
		UsageText: "ialgn data check digits",
		Flags:     commonFlags(dataFlag),
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
	err := message.WithHint(fmt.Errorf("data takes list or check, not %q", c.Args().First()),
		"`ialgn data -h` shows the usage")
	return message.Near(err, c.Args().First(), []string{"list", "check"})
}

// checkData checks the named data sets, or all data sets if none is named. It returns an error with status 1 if a
// named set is missing or incomplete. The status is 2 if a known set has different content.
func checkData(c *cli.Context, names []string) error {
	named := len(names) > 0
	if !named {
		for _, s := range dataset.List() {
			names = append(names, s.Name)
		}
	}
	r := checkReport{}
	var bad error
	for _, name := range names {
		s, err := dataset.Check(c.Context, name, folders(c))
		s.Note = s.NoteIn(message.Flags)
		st := checkStatus{Status: s}
		switch {
		case c.Err() != nil:
			return err
		case err != nil:
			st.Error = say(err)
			bad = cmp.Or(bad, err)
		case named && !s.Found && !dataset.Own(name):
			bad = cmp.Or(bad, fmt.Errorf("data set %s: %s", name, s.Note))
		case named && s.Found && !s.Known:
			bad = cmp.Or(bad, fmt.Errorf("%w: %s: %s", ialgn.ErrDifference, name, s.Note))
		}
		r.Datasets = append(r.Datasets, st)
	}
	return cmp.Or(show(c, r), bad)
}

type listReport struct {
	Datasets []dataset.Info `json:"datasets"`
	Folders  []string       `json:"folders"`
}

func (r listReport) text(w io.Writer) {
	fmt.Fprintf(w, "searched folders: %s\n\n", strings.Join(r.Folders, ", "))
	for _, d := range r.Datasets {
		fmt.Fprintf(w, "%-14s %s\n", d.Name, d.Title)
		if len(d.Files) > 0 {
			fmt.Fprintf(w, "%-14s %s/ %s\n", "", strings.Join(d.Folders, "/, "), strings.Join(d.Files, ", "))
		}
		fmt.Fprintf(w, "%-14s %s\n", "", d.Get)
	}
}

type checkReport struct {
	Datasets []checkStatus `json:"datasets"`
}

// checkStatus is the state of one data set, or the reason why it could not be read.
type checkStatus struct {
	dataset.Status
	Error string `json:"error,omitempty"`
}

func (r checkReport) text(w io.Writer) {
	for _, d := range r.Datasets {
		state := "not found"
		if d.Found {
			state = d.Path
		}
		fmt.Fprintf(w, "%-14s %s: %s\n", d.Name, state, cmp.Or(d.Error, d.Note))
		for _, p := range d.Parts {
			fmt.Fprintf(w, "%-14s %-5s %6d samples, sha256 %s\n", "", p.Part, p.Samples, p.SHA256)
		}
	}
}
