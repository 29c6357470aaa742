package main

import (
	"github.com/urfave/cli/v2"
)

// engineOf returns the engine that the user asks for.
func engineOf(c *cli.Context) string { return c.String(engineFlag.Name) }

// engineText names an engine, as far as it is known with its instruction set.
func engineText(e, isa string) string {
	if isa == "" {
		return "the " + e
	}
	return isa + " code"
}
