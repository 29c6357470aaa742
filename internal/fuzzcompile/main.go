// Command fuzzcompile compiles random networks with random options and compares what comes
// out with the network. `make fuzz-compile` runs it, in the root of the repository.
//
// A network has 1 to 2,000 gates, more than 300 in a third of the cases, of any topology,
// and what passes may stumble over: constant, equal and complementary chains, equal
// classes, shared anchors, both pins on one net, one layer, one threshold. Each product is
// compared with the trainer's forward pass on samples, clocked if it is a pipeline, and
// with the raw netlist on free bits; every n-th is proved by abc, and the Verilog of every
// m-th runs in iverilog.
//
// A seed decides network, options and samples. The first mismatch ends the run with exit
// status 1, its seed and the plainest options that still show it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"ialgn/internal/hint"
)

func main() {
	if err := start(context.Background(), os.Stdout, os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "fuzzcompile:", err)
		if h := hint.Of(err); h != "" {
			fmt.Fprintln(os.Stderr, "fuzzcompile: hint:", h)
		}
		os.Exit(1)
	}
}

func start(ctx context.Context, w io.Writer, args []string) error {
	f := fuzzer{w: w}
	flags := flag.NewFlagSet("fuzzcompile", flag.ContinueOnError)
	flags.IntVar(&f.count, "count", 1000, "compile `N` networks")
	flags.Uint64Var(&f.first, "first", 1, "of the seeds from `SEED` on")
	flags.IntVar(&f.formal, "formal", 4, "prove every `N`-th, 0: none")
	flags.IntVar(&f.rtl, "rtl", 20, "simulate the Verilog of every `N`-th, 0: none")
	flags.DurationVar(&f.limit, "for", 0, "begin no network after `TIME`, such as 30m; 0: no limit")
	seed := flags.Uint64("seed", 0, "compile the network of `SEED` alone, with all checks")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *seed > 0 {
		f.first, f.count, f.formal, f.rtl = *seed, 1, 1, 1
	}
	if f.count < 1 || f.first < 1 || f.formal < 0 || f.rtl < 0 || flags.NArg() > 0 {
		return errors.New("-count and -first must be 1 or more, -formal and -rtl 0 or more, and nothing follows the options")
	}
	return f.run(ctx)
}
