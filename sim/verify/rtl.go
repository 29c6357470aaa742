package verify

import (
	"bufio"
	"context"
	"fmt"
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

// RTLFiles are the emitted Verilog files of a module.
type RTLFiles struct {
	Module, Design, Testbench string
}

// rtlLimit bounds the time of one external simulator.
const rtlLimit = 30 * time.Minute

// RTL runs the emitted Verilog in iverilog or verilator on at most the given number of
// samples and compares ports and class counts with our simulator of the optimised
// netlist. Samples with tied counts come first, for the tie rule shows only there, and
// the rest is spread evenly over the set. It returns an error of package tool if the
// simulator is missing or fails.
func (d Design) RTL(ctx context.Context, s Samples, files RTLFiles, simulator string, samples int) (*RTLResult, error) {
	begin := time.Now()
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
	vectors := filepath.Join(dir, "vectors.txt")
	if err := d.writeVectors(s, index, vectors); err != nil {
		return nil, err
	}
	out, name, err := runSimulator(ctx, simulator, files, dir, vectors, len(index))
	if err != nil {
		return nil, err
	}
	r := &RTLResult{Checked: len(index), Ties: ties, Simulator: name}
	if err := r.read(out, index); err != nil {
		return nil, err
	}
	r.Seconds = time.Since(begin).Seconds()
	return r, nil
}

// choose returns the indices of up to n samples, ascending by group: first those with
// tied largest counts, at most half of n, then others spread evenly.
func choose(counts []int32, classes, n int) (index []int32, ties int) {
	all := len(counts) / classes
	n = min(n, all)
	taken := make([]bool, all)
	for i := 0; i < all && len(index) < (n+1)/2; i++ {
		if tied(counts[i*classes:][:classes]) {
			index, taken[i] = append(index, int32(i)), true
		}
	}
	ties = len(index)
	for k := 0; len(index) < n; k++ {
		i := k * all / n % all
		if k >= n { // the even spread met taken ones: fill up in order
			i = k - n
		}
		if !taken[i] {
			index, taken[i] = append(index, int32(i)), true
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
		x, err := s.gather(&d.Model.Encoder, len(d.Product.InputPorts()[0].Nets), words, part)
		if err != nil {
			return err
		}
		if err := simulator.Run(words, x); err != nil {
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

// runSimulator builds and runs the testbench and returns what it printed and the
// simulator's version.
func runSimulator(ctx context.Context, simulator string, f RTLFiles, dir, vectors string, count int) (out, version string, err error) {
	var sources []string
	for _, path := range []string{f.Design, f.Testbench} {
		path, err := filepath.Abs(path)
		if err != nil {
			return "", "", err
		}
		sources = append(sources, path)
	}
	top := f.Module + "_tb"
	var build []string
	switch simulator {
	case "iverilog":
		build = []string{"-g2001", "-s", top, "-o", "sim.vvp"}
	case "verilator":
		build = []string{"--binary", "--timing", "-Wno-fatal", "--top-module", top, "--Mdir", "obj", "-o", "sim"}
	default:
		return "", "", fmt.Errorf("--simulator %q: give iverilog or verilator", simulator)
	}
	t, err := tool.Find(simulator)
	if err != nil {
		return "", "", err
	}
	if _, err := t.Run(ctx, tool.Command{Args: append(build, sources...), Dir: dir, Limit: rtlLimit}); err != nil {
		return "", "", err
	}
	args := []string{"+vectors=" + vectors, "+count=" + strconv.Itoa(count)}
	sim := &tool.Tool{Name: "verilator's simulation", Path: filepath.Join(dir, "obj", "sim")}
	if simulator == "iverilog" {
		if sim, err = tool.Find("vvp"); err != nil {
			return "", "", err
		}
		args = append([]string{"sim.vvp"}, args...)
	}
	r, err := sim.Run(ctx, tool.Command{Args: args, Dir: dir, Limit: rtlLimit})
	return r.Stdout, t.Version(ctx), err
}

// The lines of the testbench.
var (
	passLine   = regexp.MustCompile(`^PASS: (\d+) vectors$`)
	failLine   = regexp.MustCompile(`^FAIL: (\d+) of (\d+) vectors$`)
	sampleLine = regexp.MustCompile(`^sample (\d+): (.*)$`)
)

// read takes the result from the testbench's output. Only its own PASS line over as
// many vectors as were sent is a pass.
func (r *RTLResult) read(out string, index []int32) error {
	verdict := ""
	for line := range strings.Lines(out) {
		text := strings.TrimSpace(line)
		if m := sampleLine.FindStringSubmatch(text); m != nil {
			if i, err := strconv.Atoi(m[1]); err == nil && i < len(index) && len(r.First) < shown {
				r.First = append(r.First, Mismatch{int(index[i]), 0, -1, "the Verilog differs in " + m[2]})
			}
		}
		if passLine.MatchString(text) || failLine.MatchString(text) {
			verdict = text
		}
	}
	if m := passLine.FindStringSubmatch(verdict); m != nil && m[1] == strconv.Itoa(r.Checked) && len(r.First) == 0 {
		return nil
	}
	if m := failLine.FindStringSubmatch(verdict); m != nil && m[2] == strconv.Itoa(r.Checked) {
		n, err := strconv.Atoi(m[1])
		r.Mismatches = n
		return err
	}
	return fmt.Errorf("verify: the testbench came to no verdict over %d vectors; it printed:\n%.400s", r.Checked, out)
}
