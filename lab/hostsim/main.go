//go:build linux

// Command hostsim tests the host programs that `ialgn compile --wrap` writes (NAME_host.py, NAME_host.c). It lets
// such a program classify samples with a simulated design:
//
//	ialgn compile MODEL -o DIR --wrap uart
//	go run ./lab/hostsim -model MODEL DIR samples.csv
//
// A serial line is simulated by a pseudo-terminal, which the program opens like /dev/ttyUSB1. AXI streams are named
// pipes. For SPI, the program is used as a Python module with a function that replaces the device's transfers. The
// design runs in a testbench of package wrapper, in iverilog or verilator.
//
// hostsim prints the program's output. With -model, it compares the classes with the classes that `ialgn predict`
// gives for the same samples. Any difference is an error.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"

	"ialgn/lab/internal/command"
)

func main() { command.Main("hostsim", start) }

func start(ctx context.Context, w io.Writer, args []string) error {
	var r run
	flags := flag.NewFlagSet("hostsim", flag.ContinueOnError)
	model := flags.String("model", "", "hold the classes to those of the model in `FILE`")
	flags.StringVar(&r.simulator, "simulator", "auto", "`NAME`: iverilog, verilator, or auto for the one that is done first")
	flags.IntVar(&r.samples, "n", 100, "classify the first `N` samples below a header")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() != 2 || r.samples < 1 {
		return errors.New("give a folder of compile and a CSV file: go run ./lab/hostsim -model MODEL DIR FILE")
	}
	r.dir, r.file = flags.Arg(0), flags.Arg(1)
	got, err := r.host(ctx)
	if err != nil {
		return err
	}
	fmt.Fprint(w, got.printed, got.said)
	if *model == "" {
		return nil
	}
	if err := compare(ctx, *model, r.file, got.margin, got.records); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%d samples in %s: all as ialgn predict\n", len(got.records), got.simulator)
	return err
}
