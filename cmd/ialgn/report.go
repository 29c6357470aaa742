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

// pageName is the file name of the page, which is written into the folder that it describes.
const pageName = "report.html"

func reportCommand() *cli.Command {
	return &cli.Command{
		Name:      "report",
		Usage:     "write an HTML page about a compiled folder and its model",
		ArgsUsage: "DIR",
		Description: "The page shows the configuration, training curves, confusion matrix, operations, effective\n" +
			"depth, area and levels by part and pass, switching activity, and the results of verify and\n" +
			"synth. It is one file and loads nothing from the network. The model is looked for in DIR and\n" +
			"in its parent folder.",
		UsageText: "ialgn report demo/digits",
		Flags: commonFlags(
			&cli.StringFlag{Name: "o", Usage: "write the page to `FILE` (default: DIR/" + pageName + ")"},
			&cli.StringFlag{Name: "model", Usage: "name the model that DIR was compiled from, `MODEL`"},
			&cli.StringFlag{Name: "liberty", Usage: "estimate the power of a netlist of the cells of `FILE`"},
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
		Model: c.String("model"), Data: dataOf(c), Liberty: c.String("liberty"),
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
