// Command mutate breaks compiled designs on purpose and checks that `ialgn verify` finds each fault. `make mutate`
// runs it in the root of the repository.
//
// A mutant is a changed output folder of `ialgn compile`. The manifest is signed again after the change, so checksums
// do not reveal the change. There are recorded mutants and generated mutants.
//
// Recorded mutants are lines of testdata/mutants.jsonl. A record names a design, a text to find in one of its files,
// and the replacement. The records change wrappers, folded engines, memories, registers, manifests and testbenches,
// or replace an assignment by a form of Verilog that ialgn never writes. Each recorded mutant was shown to have an
// effect when it was recorded (see [mutant]). If a record's text no longer occurs, the run fails, so that outdated
// records are noticed.
//
// Generated mutants are drawn by a seed. Like a bug in the compiler, they change one of three sets of files: the
// Verilog alone, the netlist with its Verilog, or the netlist with its Verilog and the hint about the counts. A
// generated mutant counts only if its outputs differ from the outputs of the original for some input. This is checked
// first in the simulator of ialgn and then in iverilog. Half of the generated mutants are in trained networks with at
// least 1,000 gates. If possible, these mutants affect the classes or counts of less than 1 % of the test samples.
//
// If `verify --level all` misses a mutant, the run ends with exit status 1.
package main

import (
	"context"
	"errors"
	"flag"
	"io"
	"regexp"
	"runtime"

	"ialgn/lab/internal/command"
)

func main() { command.Main("mutate", start) }

func start(ctx context.Context, w io.Writer, args []string) error {
	r := runner{w: w, recorded: regexp.MustCompile("")}
	flags := flag.NewFlagSet("mutate", flag.ContinueOnError)
	flags.StringVar(&r.binary, "ialgn", "bin/ialgn", "the `PROGRAM` under test")
	flags.StringVar(&r.dir, "dir", "", "work in `DIR` and leave missed mutants there (default: a temporary folder)")
	flags.IntVar(&r.count, "count", 600, "generate `N` mutants")
	flags.IntVar(&r.first, "first", 0, "generate from mutant `NUMBER` on")
	flags.Uint64Var(&r.seed, "seed", 1, "generate by `SEED`")
	flags.IntVar(&r.jobs, "jobs", runtime.GOMAXPROCS(0), "try `N` mutants at a time")
	flags.BoolVar(&r.small, "small", false, "generate in small designs only")
	flags.Func("recorded", "try only the recorded mutants whose line matches `REGEXP`; ^$ matches none",
		func(s string) (err error) {
			r.recorded, err = regexp.Compile(s)
			return err
		})
	if err := flags.Parse(args); err != nil {
		return err
	}
	if r.count < 0 || r.first < 0 || r.jobs < 1 || flags.NArg() > 0 {
		return errors.New("-count and -first must be 0 or more, -jobs 1 or more, and nothing follows the options")
	}
	return r.run(ctx)
}
