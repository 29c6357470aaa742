package main

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"ialgn/internal/build"
	"ialgn/internal/manual"
	"ialgn/internal/outfile"
)

func manCommand() *cli.Command {
	return &cli.Command{
		Name:      "man",
		Hidden:    true,
		Usage:     "write man pages of the program and of every command",
		ArgsUsage: "[-o DIR]",
		UsageText: "ialgn man -o man",
		Description: "The pages have the same texts as the help. To read one:\n" +
			"  man -l man/ialgn.1\n" +
			"To read it by name, copy DIR/*.1 to a folder man1 of `manpath`.",
		Flags: commonFlags(
			&cli.StringFlag{Name: "o", Value: "man", Usage: "write the pages to `DIR`"},
			forceFlag,
		),
		Action: man,
	}
}

// manSections names the sections of docs/reference/cli.md that the program's man page contains. manCommon names the
// sections that the man page of every command contains.
var (
	manSections = []string{"Environment", "Data sets", "External programs", "What is written over"}
	manCommon   = []string{"Exit status"}
)

func man(c *cli.Context) error {
	if _, err := arguments(c, 0); err != nil {
		return err
	}
	p := program(c.App)
	p.Date, p.Sections, p.Common = build.Date(), reference(manSections), reference(manCommon)
	r := manReport{Dir: c.String("o")}
	if err := makeFolder(c, r.Dir); err != nil {
		return err
	}
	pages := manual.Pages(p)
	for _, page := range pages {
		if err := guard(c).Check(filepath.Join(r.Dir, page.Name), outfile.Man); err != nil {
			return err
		}
	}
	for _, page := range pages {
		path := filepath.Join(r.Dir, page.Name)
		if err := outfile.Write(path, page.Write); err != nil {
			return err
		}
		r.Pages = append(r.Pages, path)
	}
	return show(c, r)
}

// reference returns sections of docs/reference/cli.md.
func reference(titles []string) (all []manual.Section) {
	for _, title := range titles {
		all = append(all, manual.Section{Title: title, Text: section(title)()})
	}
	return all
}

type manReport struct {
	Dir   string   `json:"dir"`
	Pages []string `json:"pages"`
}

func (r manReport) text(w io.Writer) {
	for _, path := range slices.Sorted(slices.Values(r.Pages)) {
		fmt.Fprintln(w, path)
	}
}
