package verify

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"ialgn/backend/verilog"
	"ialgn/flow/yosys"
	"ialgn/internal/hint"
	"ialgn/internal/option"
	"ialgn/internal/progress"
	"ialgn/internal/tool"
)

// rtlLimit bounds the time of one external simulator.
const rtlLimit = 30 * time.Minute

// A simulation is what a simulator compiles and runs: Verilog files whose first top module
// is a testbench, in a folder that holds the vectors.
type simulation struct {
	dir     string
	sources []string
	tops    []string
	vectors string         // their file, from dir
	count   int            // of the vectors
	library *yosys.Library // of a synthesised netlist, which has no probes; nil: as it was emitted
	apart   bool           // modules that it instantiates may be missing, in iverilog
}

// simulated is what a simulation gave.
type simulated struct {
	text       string // that it printed
	version    string // of the simulator
	build, run float64
}

// simulators are the names that [Design.RTL] knows.
var simulators = []string{"auto", "iverilog", "verilator"}

// CheckSimulator returns an error if [Design.RTL] knows no simulator of that name.
func CheckSimulator(name string) error {
	if slices.Contains(simulators, name) {
		return nil
	}
	return hint.Near(option.Errorf("{Simulator} %q: give auto, iverilog or verilator", name), name, simulators)
}

// pick returns the simulator that the user asked for. auto is the one that is expected to be
// done earlier with so many cells and samples, or the other one if that is missing.
func pick(name string, cells, samples int) (string, error) {
	return pickWhere(name, wide(cells, samples))
}

// pickWhere is pick where it is known whether verilator is done before iverilog.
func pickWhere(name string, wide bool) (string, error) {
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

// run compiles and runs the simulation.
func (s simulation) run(ctx context.Context, simulator string) (simulated, error) {
	if simulator == "iverilog" {
		return s.iverilog(ctx)
	}
	return s.verilator(ctx)
}

// verilator has no unknown values: whatever begins without one begins with a random one, so
// that a register which needed a reset shows. It is seeded, and the same in every run.
//
// An optimisation of it is wrong in version 5.006, Debian's: it inverts ~(~(a ^ x) ^ x), and there
// were others like that before and after (verilator's issues 3470, 4059 and 5186).
func (s simulation) verilator(ctx context.Context) (simulated, error) {
	t, err := tool.Find("verilator")
	if err != nil {
		return simulated{}, err
	}
	args := []string{
		"--binary", "-j", "0", "--timing", "-Wno-fatal", "-fno-const-bit-op-tree", "--x-initial", "unique", "--x-assign",
		"unique",
		"--top-module", s.tops[0], "--Mdir", "obj", "-o", "sim",
	}
	progress.Say(ctx, "verilator, building")
	b, err := t.Run(ctx, tool.Command{
		Args: append(append(args, s.options("-I", "+define+")...), s.sources...), Dir: s.dir,
		Limit: rtlLimit,
	})
	if err != nil {
		return simulated{}, err
	}
	program := &tool.Tool{Name: "verilator's simulation", Path: filepath.Join(s.dir, "obj", "sim")}
	args = append(s.plusArgs(), "+verilator+rand+reset+2", "+verilator+seed+1")
	progress.Say(ctx, "verilator, running")
	r, err := program.Run(ctx, tool.Command{Args: args, Dir: s.dir, Limit: rtlLimit, Line: s.follow(ctx)})
	return simulated{withoutTelling(r.Stdout), t.Version(ctx), b.CPU, r.CPU}, err
}

func (s simulation) iverilog(ctx context.Context) (simulated, error) {
	compiler, err := tool.Find("iverilog")
	if err != nil {
		return simulated{}, err
	}
	vvp, err := tool.Find("vvp")
	if err != nil {
		return simulated{}, err
	}
	args := append(s.options("-I", "-D"), "-o", "sim.vvp", "-g2001")
	if s.library != nil {
		args[len(args)-1] = "-g2012" // yosys's cells are of that
	}
	for _, top := range s.tops {
		args = append(args, "-s", top)
	}
	if s.apart {
		args = append(args, "-i")
	}
	progress.Say(ctx, "iverilog, building")
	b, err := compiler.Run(ctx, tool.Command{Args: append(args, s.sources...), Dir: s.dir, Limit: rtlLimit})
	if err != nil {
		return simulated{}, err
	}
	progress.Say(ctx, "iverilog, running")
	r, err := vvp.Run(ctx, tool.Command{
		Args: append([]string{"-n", "sim.vvp"}, s.plusArgs()...), Dir: s.dir,
		Limit: rtlLimit, Line: s.follow(ctx),
	})
	return simulated{withoutTelling(r.Stdout), compiler.Version(ctx), b.CPU, r.CPU}, err
}

// tellEvery is after how many vectors a testbench says how far it is.
const tellEvery = 64

// atLine is how it says that.
var atLine = regexp.MustCompile(`^at (\d+)$`)

// follow returns what is told of each line of a simulation: it says how far that is.
func (s simulation) follow(ctx context.Context) func(line string) {
	return func(line string) {
		if m := atLine.FindStringSubmatch(line); m != nil {
			at, _ := strconv.Atoi(m[1]) // digits
			progress.Count(ctx, at, s.count, "samples")
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
func (s simulation) options(include, define string) []string {
	if s.library == nil {
		return nil
	}
	args := []string{define + "NO_PROBES"}
	for _, dir := range s.library.Includes {
		args = append(args, include+dir)
	}
	for _, name := range s.library.Defines {
		args = append(args, define+name)
	}
	return args
}

// plusArgs returns the arguments of the testbench.
func (s simulation) plusArgs() []string {
	return []string{"+vectors=" + s.vectors, "+count=" + strconv.Itoa(s.count)}
}

// sources returns the files to compile in a simulation's folder, and copies the design to
// it: simulators write paths into programs of their own, where a quote ends a string.
func (f RTLFiles) sources(dir string) ([]string, error) {
	sources := []string{designName, testbenchName}
	switch {
	case f.library != nil:
		sources = append(sources, f.library.Files...)
	case f.Style == verilog.LUTs:
		sources = append(sources, cellsName)
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
