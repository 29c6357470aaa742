// Command mutate breaks compiled designs on purpose and asks `ialgn verify` whether it
// notices. `make mutate` runs it, in the root of the repository.
//
// A mutant is one change in an output folder of `ialgn compile`: in the netlist and the
// Verilog together, as a bug of a pass would leave them, in one of the two alone, in both
// and in the hint of the counts, or in the testbench. The manifest is signed again after
// the change, so that no checksum tells it. Of the netlist and its Verilog nine kinds are made: the
// function of a gate, the net that a gate reads, a bit of a LUT's table, a cell that
// counts, the rule for equal counts, a register, the class that a chain counts for, a
// threshold, and what the testbench expects. Of forms of Verilog that ialgn never writes, such as sensitivity
// lists, latches, delays and what comments tell synthesis, some of each kind are written in the place of an
// assignment. Of wrappers, folded engines and their memories the places where something can be
// changed are listed: each bit of each constant, comparison, state, reset, width, pin and operator; of the manifest
// each entry and option. They are tried in an order of their own, none more than once.
//
// A mutant counts only if another tool shows that it computes something else: for inputs
// that a search finds, the original and the mutated Verilog run in iverilog and print
// different outputs. Forms of Verilog are also read as yosys and the preprocessor of verilator read them; to
// wrappers and engines a player that verify does not have plays samples, wrong packets and resets. A folder that claims
// something else than it was compiled with needs nothing more to matter. Where `verify` itself found the mutant in
// iverilog, yosys has to compute different outputs of both, too; of a pipeline it is asked, but need not, since it
// knows no edges of a clock. What no input was found for is equivalent, or undecided, and counted apart.
//
// Half of all mutants are in trained networks of at least 1,000 gates, in places where
// outputs and class counts differ in less than 1 % of the test samples.
//
// A seed decides all mutants. With -log a run goes on where it was stopped. Of mutants that verify refuses because
// their text is none that is written, the log says what its simulations and proofs find by themselves. A mutant that
// `verify --level all` does not find ends the run with exit status 1.
package main

import (
	"context"
	"errors"
	"flag"
	"io"
	"runtime"
	"strings"

	"ialgn/lab/internal/command"
)

func main() { command.Main("mutate", start) }

func start(ctx context.Context, w io.Writer, args []string) error {
	r := runner{w: w}
	flags := flag.NewFlagSet("mutate", flag.ContinueOnError)
	flags.StringVar(&r.binary, "ialgn", "bin/ialgn", "the `PROGRAM` under test")
	flags.StringVar(&r.dir, "dir", "", "work in `DIR` and leave it there (default: a temporary folder)")
	flags.StringVar(&r.log, "log", "", "write a line of JSON a mutant to `FILE`")
	flags.IntVar(&r.count, "count", fullPlan, "make `N` mutants, of all kinds")
	flags.IntVar(&r.first, "first", 0, "from mutant `NUMBER` on, for a run in parts")
	merge := flags.String("merge", "", "only print the table of the logs of the `LIST`, such as a.jsonl,b.jsonl")
	flags.Uint64Var(&r.seed, "seed", 1, "draw them by `SEED`")
	flags.IntVar(&r.jobs, "jobs", runtime.GOMAXPROCS(0), "try `N` at a time")
	flags.BoolVar(&r.small, "small", false, "only the small designs")
	kinds := flags.String("kinds", "", "only the kinds of the `LIST`, such as tie,register")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if r.count < 1 || r.first < 0 || r.jobs < 1 || flags.NArg() > 0 {
		return errors.New("-count and -jobs must be 1 or more, -first 0 or more, and nothing follows the options")
	}
	if *merge != "" {
		return merged(w, strings.Split(*merge, ","))
	}
	if *kinds != "" {
		r.kinds = strings.Split(*kinds, ",")
	}
	return r.run(ctx)
}
