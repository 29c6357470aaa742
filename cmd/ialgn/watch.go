package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"ialgn"

	"github.com/urfave/cli/v2"

	"ialgn/internal/message"
	"ialgn/internal/outfile"
	"ialgn/internal/report/watch"
)

func watchCommand() *cli.Command {
	return &cli.Command{
		Name:      "watch",
		Usage:     "serve a live page about training runs to a browser on this machine",
		ArgsUsage: "RUN...",
		Description: "Shows loss, accuracy, estimated LUTs and learning rate by epoch while one or several runs\n" +
			"train. A RUN is a log of train --log, which need not exist yet, or a folder with logs, such as\n" +
			"the folder of an experiment. watch prints the address of the page, which only this machine\n" +
			"(127.0.0.1) can open. ^C ends it with status 0 and loses nothing. With -o, watch writes the\n" +
			"page to a file instead, with the present content of the logs.",
		UsageText: "ialgn watch tables -o runs.html",
		Flags: commonFlags(
			&cli.IntFlag{Name: "port", Usage: "serve the page on port `N` (default: any free port)"},
			&cli.StringFlag{Name: "o", Usage: "write the page to `FILE`, and serve nothing"},
			forceFlag,
		),
		Action: watchRuns,
	}
}

func watchRuns(c *cli.Context) error {
	if c.Args().Len() == 0 {
		return message.WithHint(errors.New("watch takes RUN..., but no run is given"), "`ialgn watch -h` shows the usage")
	}
	w, err := watch.New(c.Args().Slice())
	if err != nil {
		return err
	}
	if c.IsSet("o") {
		return writeRuns(c, w)
	}
	l, err := watch.Listen(c.Int("port"))
	if err != nil {
		return err
	}
	if err := show(c, addressReport{"http://" + l.Addr().String() + "/"}); err != nil {
		return errors.Join(err, l.Close())
	}
	return w.Serve(c.Context, l, ialgn.Version)
}

// addressReport is the report of the command before it starts to serve pages.
type addressReport struct {
	Address string `json:"address"`
}

func (r addressReport) text(w io.Writer) { fmt.Fprintln(w, r.Address) }

// writeRuns writes the page about the current content of the logs.
func writeRuns(c *cli.Context, w *watch.Watch) error {
	path := c.String("o")
	if err := outfile.CheckWritable(path); err != nil {
		return message.WithHint(fmt.Errorf("%s: %w", path, err), "name another file with -o")
	}
	if err := guard(c).Check(path, outfile.Page); err != nil {
		return err
	}
	w.Refresh()
	r := runsReport{Page: path}
	if r.Runs, r.Logs = w.Runs(); r.Runs == 0 {
		return message.WithHint(fmt.Errorf("%s: contains no epoch of a training run", strings.Join(c.Args().Slice(), ", ")),
			"name logs written by `ialgn train --log`, or folders with such logs")
	}
	html, err := w.Page(ialgn.Version)
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
	return show(c, r)
}

// runsReport is the report of the command after it wrote a page.
type runsReport struct {
	Page string `json:"page"`
	Runs int    `json:"runs"`
	Logs int    `json:"logs"`
}

func (r runsReport) text(w io.Writer) {
	fmt.Fprintf(w, "%s: %s of %s\n", r.Page, message.Plural(r.Runs, "run", "runs"), message.Plural(r.Logs, "log", "logs"))
}
