package verify

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"ialgn/backend/verilog"
	"ialgn/internal/tool"
	"ialgn/netlist"
	"ialgn/sim"
)

// RTLResult is the outcome of [Design.RTL].
type RTLResult struct {
	Checked   int     `json:"checked"`
	Ties      int     `json:"ties"` // of the checked samples, those whose largest count is not unique
	Simulator string  `json:"simulator"`
	Seconds   float64 `json:"seconds"`
	findings
}

// RTLFiles names the emitted Verilog: the module and the file that holds it. The
// testbench is written anew for each check: one from the folder would be a judge that
// the accused has chosen.
// So are the primitives that a design in LUTs is made of.
type RTLFiles struct {
	Module, Design string
	Style          verilog.Style
	Target         verilog.Target
}

// The files that are written into a simulation's folder.
const (
	testbenchName = "testbench.v"
	cellsName     = "cells.v"
)

// rtlLimit bounds the time of one external simulator.
const rtlLimit = 30 * time.Minute

// RTL runs the emitted Verilog in iverilog or verilator on at most the given number of
// samples and compares ports and class counts with our simulator of the optimised
// netlist. Samples with tied counts come first, for the tie rule shows only there, and
// the rest is spread evenly over the set. A pipeline is clocked, with gaps, stalls and resets
// ([verilog.WriteTestbench]). It returns an error of package tool if the
// simulator is missing or fails.
func (d Design) RTL(ctx context.Context, s Samples, files RTLFiles, simulator string, samples int) (*RTLResult, error) {
	begin := time.Now()
	if simulator != "iverilog" && simulator != "verilator" {
		return nil, fmt.Errorf("--simulator %q: give iverilog or verilator", simulator)
	}
	want, err := d.Model.Evaluate(ctx, s.Levels, 0)
	if err != nil {
		return nil, err
	}
	index, ties := choose(want.Counts, want.Classes, samples)
	dir, err := os.MkdirTemp("", "ialgn-rtl-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := d.writeVectors(s, index, filepath.Join(dir, vectorsName)); err != nil {
		return nil, err
	}
	if err := d.writeSources(files, dir); err != nil {
		return nil, err
	}
	out, name, err := runSimulator(ctx, simulator, files, dir, len(index))
	if err != nil {
		return nil, err
	}
	r := &RTLResult{Checked: len(index), Ties: ties, Simulator: name}
	if err := r.read(out, index); err != nil {
		return nil, err
	}
	if len(r.First) > 0 {
		err = d.blameRTL(ctx, s, files, dir, r)
	}
	r.Seconds = time.Since(begin).Seconds()
	return r, err
}

// vectorsName is the file of vectors in a simulation's folder.
const vectorsName = "vectors.txt"

// choose returns the indices of up to n samples, and how many of them have tied largest
// counts: first those with ties, at most half of n, then others spread evenly, and where
// that is too few the rest in order.
func choose(counts []int32, classes, n int) (index []int32, ties int) {
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
		if k >= n { // the even spread met taken ones: fill up in order
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

// writeSources writes the testbench, and the primitives if the design has any.
func (d Design) writeSources(f RTLFiles, dir string) error {
	o := verilog.Options{Module: f.Module, Style: f.Style, Target: f.Target}
	err := writeSource(filepath.Join(dir, testbenchName), d.Product, o, verilog.WriteTestbench)
	if err != nil || f.Style != verilog.LUTs {
		return err
	}
	return writeSource(filepath.Join(dir, cellsName), d.Product, o, verilog.WriteCells)
}

func writeSource(path string, n *netlist.Netlist, o verilog.Options, write func(io.Writer, *netlist.Netlist, verilog.Options) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close() // a second time is harmless
	if err := write(f, n, o); err != nil {
		return err
	}
	return f.Close()
}

// writeVectors simulates the chosen samples and writes stimulus and expectation.
func (d Design) writeVectors(s Samples, index []int32, path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	simulator, err := sim.New(d.Product)
	if err != nil {
		return err
	}
	block := simulator.Block() * 64
	for from := 0; from < len(index); from += block {
		part := index[from:min(from+block, len(index))]
		words := (len(part) + 63) / 64
		x, err := s.gather(&d.Model.Encoder, d.Product.DataInputs()[0], words, part)
		if err != nil {
			return err
		}
		if err := simulator.Settle(words, x); err != nil {
			return err
		}
		v := verilog.Vectors{
			Samples: len(part), Words: words, Inputs: x,
			Outputs: busRows(simulator, d.Product.OutputPorts()), Probes: busRows(simulator, d.Product.Probes()),
		}
		if err := verilog.WriteVectors(w, d.Product, v); err != nil {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}

func busRows(s *sim.Simulator, ports []netlist.Port) []uint64 {
	var rows []uint64
	for _, p := range ports {
		for _, v := range p.Nets {
			rows = append(rows, s.Net(v)...)
		}
	}
	return rows
}

// runSimulator builds and runs the testbench in dir, whose vectors are there, and
// returns what it printed and the simulator's version.
func runSimulator(ctx context.Context, simulator string, f RTLFiles, dir string, count int) (out, version string, err error) {
	sources, err := f.sources()
	if err != nil {
		return "", "", err
	}
	if simulator == "iverilog" {
		return iverilog(ctx, dir, sources, []string{f.Module + "_tb"}, count)
	}
	t, err := tool.Find(simulator)
	if err != nil {
		return "", "", err
	}
	build := []string{"--binary", "-j", "0", "--timing", "-Wno-fatal", "--top-module", f.Module + "_tb", "--Mdir", "obj", "-o", "sim"}
	if _, err := t.Run(ctx, tool.Command{Args: append(build, sources...), Dir: dir, Limit: rtlLimit}); err != nil {
		return "", "", err
	}
	sim := &tool.Tool{Name: "verilator's simulation", Path: filepath.Join(dir, "obj", "sim")}
	r, err := sim.Run(ctx, tool.Command{Args: vectorArgs(count), Dir: dir, Limit: rtlLimit})
	return r.Stdout, t.Version(ctx), err
}

// sources returns the files to compile in a simulation's folder.
func (f RTLFiles) sources() ([]string, error) {
	design, err := filepath.Abs(f.Design)
	if f.Style == verilog.LUTs {
		return []string{design, testbenchName, cellsName}, err
	}
	return []string{design, testbenchName}, err
}

func vectorArgs(count int) []string {
	return []string{"+vectors=" + vectorsName, "+count=" + strconv.Itoa(count)}
}

// iverilog is runSimulator with iverilog, for the given top modules.
func iverilog(ctx context.Context, dir string, sources, tops []string, count int) (out, version string, err error) {
	compiler, err := tool.Find("iverilog")
	if err != nil {
		return "", "", err
	}
	vvp, err := tool.Find("vvp")
	if err != nil {
		return "", "", err
	}
	args := []string{"-g2001", "-o", "sim.vvp"}
	for _, top := range tops {
		args = append(args, "-s", top)
	}
	if _, err := compiler.Run(ctx, tool.Command{Args: append(args, sources...), Dir: dir, Limit: rtlLimit}); err != nil {
		return "", "", err
	}
	r, err := vvp.Run(ctx, tool.Command{Args: append([]string{"-n", "sim.vvp"}, vectorArgs(count)...), Dir: dir, Limit: rtlLimit})
	return r.Stdout, compiler.Version(ctx), err
}

// The lines of the testbench.
var (
	passLine   = regexp.MustCompile(`^PASS: (\d+) vectors$`)
	failLine   = regexp.MustCompile(`^FAIL: (\d+) of (\d+) vectors$`)
	sampleLine = regexp.MustCompile(`^sample (\d+): (.*)$`)
)

// read takes the result from the testbench's output. Only one line of verdict over as
// many vectors as were sent is a verdict, and a pass only where no sample is named.
func (r *RTLResult) read(out string, index []int32) error {
	passed, failed := false, 0
	verdicts := 0
	for line := range strings.Lines(out) {
		text := strings.TrimSpace(line)
		if m := sampleLine.FindStringSubmatch(text); m != nil {
			if i, err := strconv.Atoi(m[1]); err == nil && i < len(index) && len(r.First) < shown {
				r.First = append(r.First, Mismatch{int(index[i]), 0, -1, "the Verilog differs in " + m[2]})
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
