package ialgn

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"ialgn/backend"
	"ialgn/internal/folded"
	"ialgn/internal/message"
	"ialgn/internal/plan"
	"ialgn/internal/synth"
	"ialgn/internal/wrapper"
)

// memories returns the initial contents of the memories in a folder's folded engine, or nothing if there is no such
// engine.
func memories(out *backend.Output) ([]synth.Memory, error) {
	if out.Report.Fold == nil {
		return nil, nil
	}
	var list []synth.Memory
	for _, m := range out.Report.Fold.Memories {
		if !slices.ContainsFunc(out.Manifest.Files, func(f backend.File) bool { return f.Name == m.File }) {
			return nil, fmt.Errorf("%s: the report has a memory %.60q, the manifest has no such file: compile again", out.Dir,
				m.File)
		}
		text, err := os.ReadFile(filepath.Join(out.Dir, m.File))
		if err != nil {
			return nil, err
		}
		var random bytes.Buffer
		if err := (folded.Memory{File: m.File, Depth: m.Depth, Width: m.Width}).WritePlaceholder(&random); err != nil {
			return nil, err
		}
		list = append(list, synth.Memory{Name: m.File, Text: text, Placeholder: random.Bytes()})
	}
	return list, nil
}

// foldSources returns the top module and the Verilog files of a folded engine, and all files that have one of the
// formats in parts. If there is a wrapper, it is the top module.
func foldSources(out *backend.Output, p *plan.Plan, parts []string) (top string, files []string, err error) {
	top = out.Manifest.Module + backend.FoldSuffix
	formats := []string{backend.FoldVerilog}
	if p.Wrap != "" {
		top = out.Manifest.Module + "_" + p.Wrap
		formats = append(formats, p.Wrap)
	}
	if files, err = paths(out, formats); err != nil {
		return "", nil, err
	}
	for _, format := range parts {
		files = append(files, out.Paths(format)...)
	}
	return top, files, nil
}

// reused returns the synthesis folder of the design that o.Reuse names, or "" if o.Reuse is empty. It returns an
// error if the two designs do not have the same Verilog.
func (o SynthOptions) reused(ctx context.Context, out *backend.Output, r synth.Options) (string, error) {
	if o.Reuse == "" {
		return "", nil
	}
	for _, placing := range []struct {
		option string
		is     bool
	}{{"{MHz}", o.MHz != 0}, {"{Seeds}", len(o.Seeds) > 0}, {"{Pins}", o.Pins != ""}} {
		if placing.is {
			return "", message.WithHint(
				message.Optionf(placing.option+": has no effect, because {Reuse} does not place the design"), "omit it")
		}
	}
	if len(r.Memories) == 0 {
		return "", message.WithHint(message.Optionf("{Reuse}: %s has no memories, want a folded engine", out.Dir),
			"compile with {Fold}, or omit {Reuse}")
	}
	other, err := backend.Read(ctx, o.Reuse)
	if err != nil {
		return "", message.Optionf("{Reuse}: %w", err)
	}
	if !slices.Equal(verilogOf(out), verilogOf(other)) {
		return "", message.WithHint(message.Optionf("{Reuse} %s: the engine differs from the engine of %s", o.Reuse,
			out.Dir),
			"both need the same {Module}, {Fold} and {Wrap}, and models with the same features, classes and "+
				"blocks of steps")
	}
	return filepath.Join(o.Reuse, SynthesisFolder, r.Device.Name), nil
}

// verilogOf returns the SHA-256 of each file of a folder's folded engine and its wrapper.
func verilogOf(out *backend.Output) (sums []string) {
	for _, f := range out.Manifest.Files {
		if f.Format == backend.FoldVerilog || wrapper.Is(f.Format, wrapper.TakesBytes) {
			sums = append(sums, f.SHA256)
		}
	}
	return sums
}
