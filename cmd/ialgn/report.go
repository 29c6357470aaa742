package main

import (
	"fmt"
	"io"
	"path/filepath"

	"ialgn"

	"github.com/urfave/cli/v2"

	"ialgn/internal/outfile"
	reports "ialgn/internal/report"
)

// pageName is the name of the page in the folder that it describes.
const pageName = "report.html"

func reportCommand() *cli.Command {
	return &cli.Command{
		Name:      "report",
		Usage:     "one page in HTML about a compiled folder and its model",
		ArgsUsage: "DIR",
		Description: "The configuration, training curves, confusion matrix, operations, effective depth,\n" +
			"area and levels by part and pass, and what verify and synth found. The page is one\n" +
			"file that fetches nothing. Its model is looked for in DIR and beside it.",
		UsageText: "ialgn report demo/digits",
		Flags: commonFlags(
			&cli.StringFlag{Name: "o", Usage: "write the page to `FILE` (default: DIR/" + pageName + ")"},
			&cli.StringFlag{Name: "model", Usage: "the model that DIR was compiled from is `MODEL`"},
			dataFlag, forceFlag,
		),
		Action: writePage,
	}
}

func writePage(c *cli.Context) error {
	args, err := arguments(c, 1)
	if err != nil {
		return err
	}
	d, err := ialgn.OpenDesign(c.Context, args[0])
	if err != nil {
		return err
	}
	path := c.String("o")
	if path == "" {
		path = filepath.Join(d.Dir(), pageName)
	}
	if err := checkPage(c, path); err != nil {
		return err
	}
	page, err := reports.Gather(c.Context, d, reports.GatherOptions{
		Model: c.String("model"), Data: dataOf(c),
		Warn: func(err error) { warn(screenOf(c), err) },
	})
	if err != nil {
		return err
	}
	html, err := page.HTML()
	if err != nil {
		return err
	}
	err = outfile.Write(path, func(w io.Writer) error {
		_, err := w.Write(html)
		return err
	})
	if err != nil {
		return err
	}
	return show(c, pageReport{path, len(html)})
}

// pageReport is the output of the command.
type pageReport struct {
	Report string `json:"report"`
	Bytes  int    `json:"bytes"`
}

func (r pageReport) text(w io.Writer) { fmt.Fprintln(w, r.Report) }
