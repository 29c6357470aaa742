// Command fuzzcompile compiles random networks with random options and compares the products with the networks. `make
// fuzz-compile` runs it in the root of the repository.
//
// A network has 1 to 2,000 gates (more than 300 in a third of the cases) and any topology. Networks contain features
// that passes may handle wrongly, such as constant, equal and complementary chains, equal classes, shared anchors,
// gates with both pins on one net, a single layer, or a single threshold. Each network comes from a model with random
// logits, and some logits are equal. Two of three networks have class offsets, and half
// of them have a tie order.
//
// Each product gets these checks:
//
//   - It is compared with the trainer's forward pass on samples. A pipeline is simulated clock by clock.
//   - It is compared with the raw netlist on arbitrary input bits.
//   - abc proves that the product is equivalent to the raw netlist.
//
// Some cases get additional checks:
//
//   - The model file is written and read by package spec. abc proves that the network that spec reads has the same
//     function as the raw netlist.
//   - iverilog simulates the Verilog, or the netlist that yosys synthesises from it.
//   - The wrapper or the folded engine is simulated.
//   - The case runs through `ialgn compile` and `ialgn verify --level all`.
//
// A seed determines the network, the options, the samples and the checks. The first mismatch ends the run with exit
// status 1. The program then prints the seed and the simplest options that still show the mismatch. The summary
// counts which combinations of option values occurred, and which properties the networks had.
package main

import (
	"context"
	"errors"
	"flag"
	"io"
	"path/filepath"

	"ialgn/lab/internal/command"
)

func main() { command.Main("fuzzcompile", start) }

func start(ctx context.Context, w io.Writer, args []string) error {
	f := fuzzer{w: w}
	flags := flag.NewFlagSet("fuzzcompile", flag.ContinueOnError)
	flags.IntVar(&f.count, "count", 1000, "compile `N` networks")
	flags.Uint64Var(&f.first, "first", 1, "of the seeds from `SEED` on")
	flags.IntVar(&f.plan.Formal, "formal", 1, "prove every `N`-th, 0: none")
	flags.IntVar(&f.plan.Reference, "reference", 5, "compare every `N`-th with what its model file says, 0: none")
	flags.IntVar(&f.plan.RTL, "rtl", 10, "simulate the Verilog of every `N`-th, 0: none")
	flags.IntVar(&f.plan.Synth, "synth", 33, "simulate what yosys makes of every `N`-th, 0: none")
	flags.IntVar(&f.plan.Around, "around", 3, "simulate the wrapper or folded engine of every `N`-th, 0: none")
	flags.IntVar(&f.plan.Program, "program", 20, "with -ialgn: compile and verify every `N`-th by the program, 0: none")
	flags.StringVar(&f.ialgn, "ialgn", "", "the `PROGRAM` that does so")
	flags.DurationVar(&f.limit, "for", 0, "begin no network after `TIME`, such as 30m; 0: no limit")
	seed := flags.Uint64("seed", 0, "compile the network of `SEED` alone, with all checks")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *seed > 0 {
		f.first, f.count, f.plan = *seed, 1, depths{1, 1, 1, 1, 1, 1}
	}
	if f.ialgn != "" {
		path, err := filepath.Abs(f.ialgn)
		if err != nil {
			return err
		}
		f.ialgn = path
	}
	p := f.plan
	if f.count < 1 || f.first < 1 || min(p.Formal, p.Reference, p.RTL, p.Synth, p.Around, p.Program) < 0 ||
		flags.NArg() > 0 {
		return errors.New("-count and -first must be 1 or more, every N-th 0 or more, and nothing follows the options")
	}
	return f.run(ctx)
}
