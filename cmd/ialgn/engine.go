package main

import (
	"github.com/urfave/cli/v2"
)

// engineOf returns the engine that --engine names.
func engineOf(c *cli.Context) string { return c.String(engineFlag.Name) }

// engineText describes an engine, with its instruction set if known.
func engineText(e, isa string) string {
	if isa == "" {
		return "the " + e
	}
	return isa + " code"
}
