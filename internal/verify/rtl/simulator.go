package rtl

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"ialgn/internal/flow"
	"ialgn/internal/message"
	"ialgn/internal/progress"
	"ialgn/internal/tool"
	"ialgn/internal/verilog"
)

// rtlLimit bounds the time of one external simulator.
const rtlLimit = 30 * time.Minute

// A Simulation is what a simulator compiles and runs: Verilog files whose first top module
// is a testbench, in a folder that holds the vectors.
type Simulation struct {
	Dir     string
	Sources []string
	Tops    []string
	vectors string        // file of the vectors, relative to Dir
	Count   int           // number of vectors
	Library *flow.Library // models of a synthesised netlist's cells; nil: the Verilog is as it was emitted
	Apart   bool          // modules that it instantiates may be missing, in iverilog
}

// Output is what a simulation gave.
type Output struct {
	Text       string // what the simulation printed
	Version    string // version of the simulator
	Build, Run float64
}

// simulators are the names that [Check] knows.
var simulators = []string{"auto", "iverilog", "verilator"}

// CheckSimulator returns an error if [Check] knows no simulator of that name.
func CheckSimulator(name string) error {
	if slices.Contains(simulators, name) {
		return nil
	}
	return message.Near(message.Optionf("{Simulator} %q: give auto, iverilog or verilator", name), name, simulators)
}

// pick returns the simulator that the user asked for. For auto it returns the one that is expected to take less time
// for the given number of cells and samples, or the other one if that is not installed.
func pick(name string, cells, samples int) (string, error) {
	return PickWhere(name, wide(cells, samples))
}

// PickWhere is pick where it is known whether verilator is done before iverilog.
func PickWhere(name string, wide bool) (string, error) {
	if err := CheckSimulator(name); err != nil || name != "auto" {
		return name, err
	}
	first, second := "iverilog", "verilator"
	if wide {
		first, second = second, first
	}
	if _, err := tool.Find(first); err != nil {
		if _, err := tool.Find(second); err == nil {
			return second, nil
		}
	}
	return first, nil
}

// Run compiles and runs the simulation.
func (s Simulation) Run(ctx context.Context, simulator string) (Output, error) {
	if simulator == "iverilog" {
		return s.Iverilog(ctx)
	}
	return s.verilator(ctx)
}

// verilator has no unknown values: whatever begins without one begins with a random one, so
// that a register which needed a reset shows. It is seeded, and the same in every run.
//
// An optimisation of it is wrong in version 5.006, Debian's: it inverts ~(~(a ^ x) ^ x), and there
// were others like that before and after (verilator's issues 3470, 4059 and 5186).
func (s Simulation) verilator(ctx context.Context) (Output, error) {
	t, err := tool.Find("verilator")
	if err != nil {
		return Output{}, err
	}
	args := []string{
		"--binary", "-j", "0", "--timing", "-Wno-fatal", "-fno-const-bit-op-tree", "--x-initial", "unique", "--x-assign",
		"unique",
		"--top-module", s.Tops[0], "--Mdir", "obj", "-o", "sim",
	}
	progress.Say(ctx, "verilator, building")
	b, err := t.Run(ctx, tool.Command{
		Args: append(append(args, s.options("-I", "+define+")...), s.Sources...), Dir: s.Dir,
		Limit: rtlLimit,
	})
	if err != nil {
		return Output{}, err
	}
	program := &tool.Tool{Name: "verilator's simulation", Path: filepath.Join(s.Dir, "obj", "sim")}
	args = append(s.plusArgs(), "+verilator+rand+reset+2", "+verilator+seed+1")
	progress.Say(ctx, "verilator, running")
	r, err := program.Run(ctx, tool.Command{Args: args, Dir: s.Dir, Limit: rtlLimit, Line: s.follow(ctx)})
	return Output{withoutTelling(r.Stdout), t.Version(ctx), b.CPU, r.CPU}, err
}

// Iverilog compiles the sources with iverilog and runs them.
func (s Simulation) Iverilog(ctx context.Context) (Output, error) {
	compiler, err := tool.Find("iverilog")
	if err != nil {
		return Output{}, err
	}
	vvp, err := tool.Find("vvp")
	if err != nil {
		return Output{}, err
	}
	args := append(s.options("-I", "-D"), "-o", "sim.vvp", "-g2001")
	if s.Library != nil {
		args[len(args)-1] = "-g2012" // yosys's cells are of that
	}
	for _, top := range s.Tops {
		args = append(args, "-s", top)
	}
	if s.Apart {
		args = append(args, "-i")
	}
	progress.Say(ctx, "iverilog, building")
	b, err := compiler.Run(ctx, tool.Command{Args: append(args, s.Sources...), Dir: s.Dir, Limit: rtlLimit})
	if err != nil {
		return Output{}, err
	}
	progress.Say(ctx, "iverilog, running")
	r, err := vvp.Run(ctx, tool.Command{
		Args: append([]string{"-n", "sim.vvp"}, s.plusArgs()...), Dir: s.Dir,
		Limit: rtlLimit, Line: s.follow(ctx),
	})
	return Output{withoutTelling(r.Stdout), compiler.Version(ctx), b.CPU, r.CPU}, err
}

// tellEvery is after how many vectors a testbench says how far it is.
const tellEvery = 64

// atLine is how it says that.
var atLine = regexp.MustCompile(`^at (\d+)$`)

// follow returns what is told of each line of a simulation: it says how far that is.
func (s Simulation) follow(ctx context.Context) func(line string) {
	return func(line string) {
		if m := atLine.FindStringSubmatch(line); m != nil {
			at, _ := strconv.Atoi(m[1]) // digits
			progress.Count(ctx, at, s.Count, "samples")
		}
	}
}

// withoutTelling returns what a simulation printed but for how far it was.
func withoutTelling(text string) string {
	var kept strings.Builder
	for line := range strings.Lines(text) {
		if !atLine.MatchString(strings.TrimSpace(line)) {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

// options returns the compiler's options for folders to include from and for macros.
func (s Simulation) options(include, define string) []string {
	if s.Library == nil {
		return nil
	}
	args := []string{define + "NO_PROBES"}
	for _, dir := range s.Library.Includes {
		args = append(args, include+dir)
	}
	for _, name := range s.Library.Defines {
		args = append(args, define+name)
	}
	return args
}

// plusArgs returns the arguments of the testbench.
func (s Simulation) plusArgs() []string {
	return []string{"+vectors=" + s.vectors, "+count=" + strconv.Itoa(s.Count)}
}

// sources returns the files to compile in a simulation's folder, and copies the design to
// it: simulators write paths into programs of their own, where a quote ends a string.
func (f Files) sources(dir string) ([]string, error) {
	sources := []string{designName, TestbenchName}
	switch {
	case f.Library != nil:
		sources = append(sources, f.Library.Files...)
	case f.Style == verilog.LUTs:
		sources = append(sources, CellsName)
	}
	copied := filepath.Join(dir, designName)
	if f.Design == copied { // a part of it
		return sources, nil
	}
	text, err := os.ReadFile(f.Design)
	if err != nil {
		return nil, err
	}
	return sources, os.WriteFile(copied, text, 0o666)
}

// wide reports whether verilator, which compiles for long and runs fast, is done before
// iverilog. Measured (docs/RELIABILITY.md): iverilog takes 0.6 to 12 us of processor time for a
// cell and a sample, verilator 15 s and 3 ms for a cell.
func wide(cells, samples int) bool { return cells*samples > 10_000_000 }
