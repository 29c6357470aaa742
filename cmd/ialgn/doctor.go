package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"ialgn"

	"github.com/urfave/cli/v2"

	"ialgn/internal/doctor"
	"ialgn/internal/message"
	"ialgn/internal/screen"
)

func doctorCommand() *cli.Command {
	return &cli.Command{
		Name:      "doctor",
		Usage:     "show what is available: external programs, data sets, processor and memory",
		ArgsUsage: "[--data DIR]",
		UsageText: "ialgn doctor --quiet",
		Description: "A missing program is not an error here: each command reports what it needs. For each\n" +
			"missing program, doctor names the Debian package that contains it.",
		Flags:  commonFlags(dataFlag),
		Action: examine,
	}
}

func examine(c *cli.Context) error {
	if _, err := arguments(c, 0); err != nil {
		return err
	}
	r := doctor.Examine(c.Context, folders(c), message.Flags)
	if err := c.Err(); err != nil {
		return err
	}
	return show(c, doctorReport{ialgn.Version, r})
}

type doctorReport struct {
	Version string `json:"version"`
	*doctor.Report
}

func (r doctorReport) text(w io.Writer) {
	version := r.Version
	if r.Build.Commit != "" {
		version += ", commit " + r.Build.Commit
	}
	fmt.Fprintf(w, "ialgn %s, %s, %s/%s\n", version, r.Build.Go, r.Build.OS, r.Build.Arch)
	fmt.Fprintf(w, "cores: %d, %d used\n", r.Cores.Machine, r.Cores.Used)
	if m := r.Memory; m.Bytes > 0 {
		fmt.Fprintf(w, "memory: %.1f GB (%s no more); %.1f GB free\n", float64(m.Bytes)/1e9, m.By,
			float64(m.Available)/1e9)
	}
	fmt.Fprintf(w, "simd: %s, of %s\n", r.SIMD.Path, strings.Join(r.SIMD.Paths, ", "))
	if r.SIMD.Error != "" {
		fmt.Fprintf(w, "  %s\n", screen.Paint(w, screen.Red, r.SIMD.Error))
	}
	for _, what := range r.Lacks {
		fmt.Fprintf(w, "missing on this system: %s\n", what)
	}
	r.dataText(w)
	r.toolsText(w)
}

// nameColumn is the width of the first column. missing is shown for a program that was not found.
const nameColumn, missing = 18, "missing"

func (r doctorReport) dataText(w io.Writer) {
	fmt.Fprintf(w, "\ndata sets, searched in %s:\n", strings.Join(r.Data.Folders, ", "))
	for _, s := range r.Data.Sets {
		fmt.Fprintf(w, "  %-*s %s\n", nameColumn, s.Name, cmp.Or(s.Path, s.Note))
	}
}

// toolsText lists the programs that were found. It then lists the missing programs, with the work that cannot be done
// without them.
func (r doctorReport) toolsText(w io.Writer) {
	fmt.Fprintf(w, "\nprograms:\n")
	for _, p := range r.Tools {
		if p.Found {
			fmt.Fprintf(w, "  %-*s %s: %s\n", nameColumn, p.Name, p.Path, p.Version)
		}
	}
	for _, p := range r.Tools {
		if !p.Found {
			fmt.Fprintf(w, "  %-*s %s, for %s: %s\n", nameColumn, p.Name, screen.Paint(w, screen.Yellow, missing), p.Use,
				p.Remedy)
		}
	}
}
