package main

import (
	"ialgn"

	"github.com/urfave/cli/v2"
)

// engineOf returns the engine that the user asks for.
func engineOf(c *cli.Context) ialgn.Engine { return ialgn.Engine(c.String(engineFlag.Name)) }

// engineText names an engine, as far as it is known with its instruction set.
func engineText(e ialgn.Engine, isa string) string {
	if isa == "" {
		return "the " + string(e)
	}
	return isa + " code"
}
