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

// rtlLimit is the time limit of one run of an external program.
const rtlLimit = 30 * time.Minute

// A Simulation is a set of Verilog files for a simulator, in a folder that also has the vectors. The first top module
// is a testbench.
type Simulation struct {
	Dir     string
	Sources []string
	Tops    []string
	vectors string        // file of the vectors, relative to Dir
	Count   int           // number of vectors
	Library *flow.Library // models of a synthesised netlist's cells; nil for emitted Verilog
	Apart   bool          // iverilog must ignore missing modules
}

// Output is the result of a simulation.
type Output struct {
	Text       string // what the simulation printed
	Version    string // version of the simulator
	Build, Run float64
}

// simulators are the simulators that [Check] accepts.
var simulators = []string{"auto", "iverilog", "verilator"}

// CheckSimulator returns an error if [Check] does not accept the name of a simulator.
func CheckSimulator(name string) error {
	if slices.Contains(simulators, name) {
		return nil
	}
	return message.Near(message.Optionf("{Simulator} %q: give auto, iverilog or verilator", name), name, simulators)
}

// pick returns the simulator with the given name. For the name auto, it returns the simulator that is expected to
// take less time for the given numbers of cells and samples. If this simulator is not installed, it returns the other
// simulator.
func pick(name string, cells, samples int) (string, error) {
	return PickWhere(name, wide(cells, samples))
}

// PickWhere is similar to pick, but the caller says which simulator is expected to finish first. It is verilator if
// wide is set, and iverilog otherwise.
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

// verilator compiles the sources with verilator and runs them. Verilator has no unknown values. Instead, registers
// start with random values, so that a missing reset leads to wrong results. The fixed seed makes the random values
// the same in every run.
//
// -fno-const-bit-op-tree turns off an optimisation that is wrong in version 5.006, which is the version in Debian.
// The optimisation inverts ~(~(a ^ x) ^ x). Earlier and later versions had similar faults (verilator's issues 3470,
// 4059 and 5186).
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
		args[len(args)-1] = "-g2012" // the models of yosys's cells need this version of the language
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

// tellEvery is the number of vectors after which a testbench reports its progress.
const tellEvery = 64

// atLine matches a progress report of a testbench.
var atLine = regexp.MustCompile(`^at (\d+)$`)

// follow returns a function to call with each line of a simulation's output. If the line is a progress report, the
// function passes the progress on.
func (s Simulation) follow(ctx context.Context) func(line string) {
	return func(line string) {
		if m := atLine.FindStringSubmatch(line); m != nil {
			at, _ := strconv.Atoi(m[1]) // m[1] consists of digits
			progress.Count(ctx, at, s.Count, "samples")
		}
	}
}

// withoutTelling returns a simulation's output without the progress reports.
func withoutTelling(text string) string {
	var kept strings.Builder
	for line := range strings.Lines(text) {
		if !atLine.MatchString(strings.TrimSpace(line)) {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

// options returns the compiler's options for include folders and macros.
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

// plusArgs returns the arguments for the testbench.
func (s Simulation) plusArgs() []string {
	return []string{"+vectors=" + s.vectors, "+count=" + strconv.Itoa(s.Count)}
}

// sources returns the names of the files to compile in a simulation's folder, and copies the design into the
// folder. Simulators write paths into generated programs, where a quote in a path would end a string.
func (f Files) sources(dir string) ([]string, error) {
	sources := []string{designName, TestbenchName}
	switch {
	case f.Library != nil:
		sources = append(sources, f.Library.Files...)
	case f.Style == verilog.LUTs:
		sources = append(sources, CellsName)
	}
	copied := filepath.Join(dir, designName)
	if f.Design == copied { // a part of the design, which is already in dir
		return sources, nil
	}
	text, err := os.ReadFile(f.Design)
	if err != nil {
		return nil, err
	}
	return sources, os.WriteFile(copied, text, 0o666)
}

// wide reports whether verilator finishes before iverilog. verilator compiles for a long time and runs fast. The
// bound is based on measurements of processor time (docs/evidence/reliability.md). iverilog takes 0.6 to 12 us for
// each pair of a cell and a sample. verilator takes 15 s, plus 3 ms for each cell.
func wide(cells, samples int) bool { return cells*samples > 10_000_000 }
