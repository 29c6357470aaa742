package main

import (
	"github.com/urfave/cli/v2"

	"ialgn/internal/outfile"
)

// forceFlag is of every command that writes files.
var forceFlag = &cli.BoolFlag{Name: "force", Usage: "write over files that ialgn did not write, and over what is read"}

// inputFlags are the options that name a file to read.
var inputFlags = []string{"init", "model", "check", "pins", "grid-file"}

// guard returns what keeps a command from writing over the files that it reads and over those
// that ialgn did not write. Every path that a command writes goes through it.
func guard(c *cli.Context) outfile.Guard { return outfile.NewGuard(c.Bool("force"), inputs(c)...) }

// inputs returns the files that a command reads, as far as its line names them.
func inputs(c *cli.Context) []string {
	paths := c.Args().Slice()
	for _, name := range inputFlags {
		paths = append(paths, c.String(name))
	}
	return paths
}
