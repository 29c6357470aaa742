// Package rtl runs emitted Verilog in a Verilog simulator and compares the results with the trainer's results.
package rtl

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"ialgn/internal/flow"
	"ialgn/internal/outfile"
	"ialgn/internal/progress"
	"ialgn/internal/target"
	"ialgn/internal/verify"
	"ialgn/internal/verilog"
	"ialgn/netlist"
)

// Run is the outcome of [Check].
type Run struct {
	Checked   int     `json:"checked"`
	Ties      int     `json:"ties"` // checked samples whose largest count occurs more than once
	Simulator string  `json:"simulator"`
	ByClass   bool    `json:"by_class"`          // each count was simulated alone, and then the class
	BuildCPU  float64 `json:"build_cpu_seconds"` // processor time of compiling the Verilog
	RunCPU    float64 `json:"run_cpu_seconds"`   // processor time of the simulation
	Seconds   float64 `json:"seconds"`
	verify.Findings
}

// Files describes the emitted Verilog by the module's name and its file. Each check writes its own testbench and, for
// a design in LUTs, its own primitives. If these files came from the folder, they could hide a fault of the design.
type Files struct {
	Module, Design string
	Style          verilog.Style
	Target         *target.Family // nil: [target.Generic]

	// LUT is the number of inputs of the LUTs to which yosys maps a design for [target.Generic]. If LUT is 0, yosys
	// maps the design to gates.
	LUT int
	// ByClass says that even a small design is simulated class by class; see [Check].
	ByClass bool

	part    bool          // some wires of the design have no drivers
	Library *flow.Library // cells from which yosys made the design; nil if it did not
}

// These are the names of files in a simulation's folder.
const (
	designName    = "design.v"
	TestbenchName = "testbench.v"
	CellsName     = "cells.v"
)

// Check runs the emitted Verilog in the given simulator, which is iverilog, verilator or auto. For auto, Check
// chooses the simulator that is expected to finish earlier. It uses at most the given number of samples. It compares
// class counts and class with the trainer's values. It compares other ports with the results of our simulator for the
// optimised netlist. Samples with tied counts come first, because only these samples show how ties are decided. The
// other samples are spread evenly over the set. A pipeline is clocked, with gaps, stalls and resets
// ([verilog.WriteTestbench]).
//
// A design of more than 200,000 cells with class counts is simulated class by class. Check first simulates the logic
// for each count. Then it simulates the logic from the counts to the class, with the trainer's counts as input. Each
// part consists of lines of the emitted file. In this case, Mismatches counts one difference for each pair of a
// sample and a part that differ.
//
// Check returns an error of package tool if the simulator is missing or fails.
func Check(
	ctx context.Context, d verify.Design, s verify.Samples, files Files, simulator string, samples int,
) (*Run, error) {
	ctx, end := progress.Begin(ctx, "rtl")
	defer end()
	begin, auto := time.Now(), simulator == "auto"
	d, err := d.WithTag()
	if err != nil {
		return nil, err
	}
	simulator, err = pick(simulator, d.Product.Cells(), min(samples, s.Levels.Len()))
	if err != nil {
		return nil, err
	}
	want, err := d.Model.Evaluate(ctx, s.Levels, 0)
	if err != nil {
		return nil, err
	}
	c := rtlCheck{Design: d, s: s, files: files, simulator: simulator, auto: auto}
	r := &Run{ByClass: files.ByClass || d.Product.Cells() > LargestWhole && len(d.Product.Probes()) > 0 &&
		files.Library == nil}
	c.index, r.Ties = Choose(want.Counts, want.Classes, samples)
	r.Checked = len(c.index)
	if c.dir, err = outfile.MakeTemp("ialgn-rtl-"); err != nil {
		return nil, err
	}
	defer os.RemoveAll(c.dir)
	if err := writeVectors(d, s, c.index, want, filepath.Join(c.dir, vectorsName)); err != nil {
		return nil, err
	}
	if r.ByClass {
		err = c.byClass(ctx, r)
	} else {
		err = c.whole(ctx, r)
	}
	if err != nil {
		return nil, err
	}
	r.Seconds = time.Since(begin).Seconds()
	return r, nil
}

// LargestWhole is the number of cells above which a design is simulated class by class.
const LargestWhole = 200_000

// An rtlCheck is the state of a call of [Check].
type rtlCheck struct {
	verify.Design
	s         verify.Samples
	files     Files
	simulator string
	auto      bool   // the simulator may be chosen for each part
	dir       string // the folder with the vectors
	index     []int32
}

// whole simulates the design in one piece.
func (c *rtlCheck) whole(ctx context.Context, r *Run) error {
	if err := writeSources(c.Design, c.files, c.dir, nil); err != nil {
		return err
	}
	return c.simulate(ctx, c.files, c.dir, vectorsName, c.simulator, r)
}

// simulate simulates the sources in the folder dir. The argument vectors is a path relative to dir.
func (c *rtlCheck) simulate(ctx context.Context, f Files, dir, vectors, simulator string, r *Run) error {
	sources, err := f.sources(dir)
	if err != nil {
		return err
	}
	out, err := Simulation{
		Dir: dir, Sources: sources, Tops: []string{f.Module + "_tb"}, vectors: vectors, Count: len(c.index),
		Library: f.Library,
	}.Run(ctx, simulator)
	if err != nil {
		return err
	}
	r.Simulator = out.Version
	r.BuildCPU += out.Build
	r.RunCPU += out.Run
	if err := r.Read(out.Text, c.index); err != nil || len(r.First) == 0 || f.Library != nil {
		return err
	}
	return blameRTL(ctx, c.Design, c.s, f, dir, r)
}

// vectorsName is the name of the file with the vectors in a simulation's folder.
const vectorsName = "vectors.txt"

// Choose returns the indices of up to n samples. Samples whose largest count is tied come first. At most half of the
// n samples are tied samples, and Choose also returns their number. Then come samples that are spread evenly over the
// set. If the result still has fewer than n samples, further samples follow in the order of the set.
func Choose(counts []int32, classes, n int) (index []int32, ties int) {
	all := len(counts) / classes
	n = min(n, all)
	taken := make([]bool, all)
	for i := 0; i < all && len(index) < (n+1)/2; i++ {
		if tied(counts[i*classes:][:classes]) {
			index, taken[i] = append(index, int32(i)), true
		}
	}
	for k := 0; len(index) < n; k++ {
		i := k * all / n % all
		if k >= n { // some evenly spread samples were already taken, so fill up in order
			i = k - n
		}
		if !taken[i] {
			index, taken[i] = append(index, int32(i)), true
		}
	}
	for _, i := range index {
		if tied(counts[int(i)*classes:][:classes]) {
			ties++
		}
	}
	return index, ties
}

func tied(counts []int32) bool {
	best, same := counts[0], 0
	for _, n := range counts {
		if n > best {
			best, same = n, 0
		}
		if n == best {
			same++
		}
	}
	return same > 1
}

// writeSources writes a testbench that compares the ports and probes named in the list compare, or all ports and
// probes if the list is nil. It also writes the primitives of a design in LUTs.
func writeSources(d verify.Design, f Files, dir string, compare []string) error {
	o := verilog.Options{Module: f.Module, Style: f.Style, Target: f.Target, Compare: compare, Tell: tellEvery}
	err := WriteSource(filepath.Join(dir, TestbenchName), d.Product, o, verilog.WriteTestbench)
	if err != nil || f.Style != verilog.LUTs || f.Library != nil {
		return err
	}
	return WriteSource(filepath.Join(dir, CellsName), d.Product, o, verilog.WriteCells)
}

// WriteSource writes a file of Verilog with a writer of package verilog.
func WriteSource(path string, n *netlist.Netlist, o verilog.Options,
	write func(io.Writer, *netlist.Netlist, verilog.Options) error,
) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close() // closing twice is harmless
	if err := write(f, n, o); err != nil {
		return err
	}
	return f.Close()
}

// These patterns match the lines that the testbench prints.
var (
	passLine   = regexp.MustCompile(`^PASS: (\d+) vectors$`)
	failLine   = regexp.MustCompile(`^FAIL: (\d+) of (\d+) vectors$`)
	sampleLine = regexp.MustCompile(`^sample (\d+): (.*)$`)
)

// Read takes the result from the testbench's output. The output must have exactly one verdict, and the verdict must
// be about all vectors that were sent. If the verdict is a pass, the output must not report a wrong sample.
func (r *Run) Read(out string, index []int32) error {
	passed, failed := false, 0
	verdicts := 0
	for line := range strings.Lines(out) {
		text := strings.TrimSpace(line)
		if m := sampleLine.FindStringSubmatch(text); m != nil {
			if i, err := strconv.Atoi(m[1]); err == nil && i < len(index) && len(r.First) < verify.Shown {
				r.First = append(r.First, verify.Mismatch{Sample: int(index[i]), Gate: -1, What: "the Verilog differs in " + m[2]})
			}
		}
		if m := passLine.FindStringSubmatch(text); m != nil {
			verdicts++
			passed = m[1] == strconv.Itoa(r.Checked)
		}
		if m := failLine.FindStringSubmatch(text); m != nil {
			verdicts++
			if n, err := strconv.Atoi(m[1]); err == nil && m[2] == strconv.Itoa(r.Checked) {
				failed = n
			}
		}
	}
	switch {
	case verdicts == 1 && passed && len(r.First) == 0:
		return nil
	case verdicts == 1 && failed > 0:
		r.Mismatches = failed
		return nil
	}
	return fmt.Errorf("verify: the testbench came to no verdict over %d vectors; it printed:\n%.400s", r.Checked, out)
}
