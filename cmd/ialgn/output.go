package main

import (
	"github.com/urfave/cli/v2"

	"ialgn/internal/outfile"
)

// forceFlag is a flag of every command that writes files.
var forceFlag = &cli.BoolFlag{Name: "force", Usage: "overwrite files that ialgn did not write, and input files"}

// inputFlags are the options that name a file to read.
var inputFlags = []string{"init", "model", "check", "pins", "liberty", "grid-file"}

// guard returns the rules on which files a command may overwrite. The command may overwrite neither the files that it
// reads nor the files that ialgn did not write. Every path that a command writes must be checked with these rules.
func guard(c *cli.Context) outfile.Guard { return outfile.NewGuard(c.Bool("force"), inputs(c)...) }

// inputs returns the files to read that are named on the command line.
func inputs(c *cli.Context) []string {
	paths := c.Args().Slice()
	for _, name := range inputFlags {
		paths = append(paths, c.String(name))
	}
	return paths
}
