package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"ialgn/artifact"
	"ialgn/backend/fold"
	"ialgn/backend/wrapper"
	"ialgn/flow/synth"
	"ialgn/internal/hint"
)

// memories returns what fills the memories of a folder's folded engine, none without one.
func memories(out *artifact.Output) ([]synth.Memory, error) {
	if out.Report.Fold == nil {
		return nil, nil
	}
	var list []synth.Memory
	for _, m := range out.Report.Fold.Memories {
		if !slices.ContainsFunc(out.Manifest.Files, func(f artifact.File) bool { return f.Name == m.File }) {
			return nil, fmt.Errorf("%s: the report has a memory %.60q, the manifest has no such file: compile again", out.Dir, m.File)
		}
		text, err := os.ReadFile(filepath.Join(out.Dir, m.File))
		if err != nil {
			return nil, err
		}
		var random bytes.Buffer
		if err := (fold.Memory{File: m.File, Depth: m.Depth, Width: m.Width}).WritePlaceholder(&random); err != nil {
			return nil, err
		}
		list = append(list, synth.Memory{Name: m.File, Text: text, Placeholder: random.Bytes()})
	}
	return list, nil
}

// foldSources returns the top module of a folded engine, its wrapper's if it has one, and its
// Verilog.
func foldSources(out *artifact.Output, plan compilePlan) (top string, files []string, err error) {
	top = out.Manifest.Module + fold.Suffix
	formats := []string{artifact.FoldVerilog}
	if plan.wrap != "" {
		top = out.Manifest.Module + "_" + plan.wrap
		formats = append(formats, plan.wrap)
	}
	files, err = paths(out, formats)
	return top, files, err
}

// reused returns the folder of the results that --reuse names, "" without that option. It
// returns an error if the folder that they are of does not have the same Verilog.
func reused(c *cli.Context, out *artifact.Output, o synth.Options) (string, error) {
	dir := c.String("reuse")
	if dir == "" {
		return "", nil
	}
	for _, name := range []string{"freq", "seed", "seeds", "pins"} {
		if c.IsSet(name) {
			return "", hint.With(fmt.Errorf("--%s: with --reuse nothing is placed", name), "leave it out")
		}
	}
	if len(o.Memories) == 0 {
		return "", hint.With(fmt.Errorf("--reuse: %s has no memories, only a folded engine has", out.Dir), "compile with --fold, or leave --reuse out")
	}
	other, err := artifact.Read(dir)
	if err != nil {
		return "", fmt.Errorf("--reuse: %w", err)
	}
	if !slices.Equal(verilogOf(out), verilogOf(other)) {
		return "", hint.With(fmt.Errorf("--reuse %s: its engine is another one than that of %s", dir, out.Dir),
			"both must have the same --module, --fold and --wrap, and models with the same features, classes and blocks of steps")
	}
	return filepath.Join(dir, synthesisName, o.Device.Name), nil
}

// verilogOf returns the SHA-256 of a folder's folded engine and of its wrapper.
func verilogOf(out *artifact.Output) (sums []string) {
	for _, f := range out.Manifest.Files {
		if f.Format == artifact.FoldVerilog || wrapper.Is(f.Format, wrapper.TakesBytes) {
			sums = append(sums, f.SHA256)
		}
	}
	return sums
}
