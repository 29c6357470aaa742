package main

import (
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"ialgn/internal/diagnose"
)

// opener returns the opener for the models and configurations of the diagnostics.
func opener(c *cli.Context) diagnose.Opener {
	return diagnose.Opener{Folders: folders(c), Overrides: c.StringSlice("set"), Threads: threads(c)}
}

// compared is the report on several networks.
type compared[R interface{ text(w io.Writer) }] struct {
	Networks []R      `json:"networks"`
	Plots    []string `json:"plots,omitempty"`
}

func (r compared[R]) text(w io.Writer) {
	for _, n := range r.Networks {
		n.text(w)
		fmt.Fprintln(w)
	}
}
