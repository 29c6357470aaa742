package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"ialgn/internal/tool"
)

// scaleForm is a model that is compiled from disk to disk.
type scaleForm struct {
	name, what string
	genmodel   []string // genmodel's arguments for this model
	seconds    float64  // limit of wall time in seconds, or 0 for no limit
	bytes      int64    // limit of resident memory
}

var scaleForms = []scaleForm{
	{"8k", "8,000 x 100, 2,352 inputs, the paper's shares", []string{
		"-width", "8000", "-depth", "100", "-features", "784",
		"-bits", "4",
	}, 3, 500_000_000},
	{"paper", "128,000 x 80, the paper's shares", nil, 60, 4 << 30},
	{
		"trained", "128,000 x 80, 60 % binary, 30 % A, a fifth of the inputs",
		[]string{"-a", "0.3", "-binary", "0.6", "-inputs", "0.2"},
		0, 4 << 30,
	},
	{"binary", "128,000 x 80, all binary", []string{"-a", "0", "-binary", "1"}, 0, 4 << 30},
}

func formNames() (names []string) {
	for _, f := range scaleForms {
		names = append(names, f.name)
	}
	return names
}

// measured holds the values of compile --json that the table shows.
type measured struct {
	GatesRaw  int                                `json:"gates_raw"`
	LUTs      struct{ Gates, Head, Total int }   `json:"luts"`
	Levels    struct{ Total int }                `json:"levels"`
	Mapping   struct{ Steps, Chains, Bound int } `json:"mapping"`
	Seconds   float64                            `json:"seconds"`
	PeakBytes int64                              `json:"peak_bytes"`

	cpu float64
}

// scalePart runs the part scale. It compiles each model file in a separate process.
func scalePart(ctx context.Context, w io.Writer, o *options) error {
	for program, source := range map[string]string{"ialgn": "cmd/ialgn", "genmodel": "lab/genmodel"} {
		if _, err := call(ctx, "go", "build", "-trimpath", "-o", filepath.Join(o.dir, program), "./"+source); err != nil {
			return err
		}
	}
	fmt.Fprint(w, "\n`ialgn compile --scope core --lut 6`, from the model file to mapped netlist and Verilog on "+
		"disk.\n\n")
	t := newTable(w, "model", "steps of chains", "LUT6, gates", "head", "levels", "wall s", "CPU s", "peak memory, MB")
	var over []error
	for _, f := range scaleForms {
		if !slices.Contains(o.forms, f.name) {
			continue
		}
		m, err := f.measure(ctx, o)
		if err != nil {
			return err
		}
		t.add(f.what, number(m.Mapping.Steps), number(m.LUTs.Gates), number(m.LUTs.Head), fmt.Sprint(m.Levels.Total),
			seconds(m.Seconds), seconds(m.cpu), number(int(m.PeakBytes/1e6)))
		over = append(over, f.check(m))
	}
	return errors.Join(over...)
}

// measure makes the model file if necessary and compiles it several times. It returns the fastest run, with the
// peak memory of all runs.
func (f scaleForm) measure(ctx context.Context, o *options) (best measured, err error) {
	path, out := filepath.Join(o.dir, f.name+".safetensors"), filepath.Join(o.dir, f.name)
	if _, err := os.Stat(path); err != nil {
		if _, err := call(ctx, filepath.Join(o.dir, "genmodel"), append([]string{"-o", path}, f.genmodel...)...); err != nil {
			return best, err
		}
	}
	if !o.keep {
		defer os.Remove(path)
	}
	for i := range o.runs {
		r, err := call(ctx, filepath.Join(o.dir, "ialgn"), "compile", path, "-o", out, "--scope", "core", "--lut", "6",
			"--json")
		if err != nil {
			return best, err
		}
		m := measured{cpu: r.CPU}
		if err := json.Unmarshal([]byte(r.Stdout), &m); err != nil {
			return best, fmt.Errorf("what compile --json prints: %w", err)
		}
		peak := max(best.PeakBytes, m.PeakBytes)
		if i == 0 || m.Seconds < best.Seconds {
			best = m
		}
		best.PeakBytes = peak
	}
	return best, os.RemoveAll(out)
}

// check compares a measurement with the limits.
func (f scaleForm) check(m measured) error {
	switch {
	case m.PeakBytes == 0:
		return fmt.Errorf("%s: the system does not tell the peak memory", f.name)
	case m.PeakBytes > f.bytes:
		return fmt.Errorf("%s: %d bytes of memory, more than %d", f.name, m.PeakBytes, f.bytes)
	case f.seconds > 0 && m.Seconds > f.seconds:
		return fmt.Errorf("%s: %.1f s, more than %.0f", f.name, m.Seconds, f.seconds)
	}
	return nil
}

// call runs a program that is not an external tool of the compiler.
func call(ctx context.Context, program string, args ...string) (tool.Result, error) {
	t := &tool.Tool{Name: filepath.Base(program), Path: program}
	return t.Run(ctx, tool.Command{Args: args, Limit: limit})
}
