// Command benchnative measures programs that classify samples, on models for MNIST or other data with 8-bit features.
// It measures these programs:
//
//   - the machine code for each instruction set of this processor;
//   - the C code that compile writes;
//   - a prototype in assembly;
//   - for models with convolutions, code that contains each kernel once.
//
// The programs take turns, so that other load on the machine affects all programs equally. Each figure is the median
// over the rounds, on one thread. Machine code is measured in processor time. The output is Markdown.
//
//	go run ./lab/benchnative [-rounds 10] [-alone] [-prototype DIR] MODEL...
//
// DIR contains list_schedule.py and bench.c of the prototype, for AVX-512. gcc compiles bench.c and the emitted C
// code.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"time"

	"ialgn/internal/freeze"
	"ialgn/internal/model"
	"ialgn/netlist"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "benchnative:", err)
		os.Exit(1)
	}
}

// contender is one of the programs to measure. Each call of run classifies samples for at least a few milliseconds
// and returns the number of samples per second.
type contender struct {
	name string
	run  func(ctx context.Context) (float64, error)
}

func run(ctx context.Context) error {
	rounds := flag.Int("rounds", 10, "measure each `N` times")
	prototype := flag.String("prototype", "", "measure the prototype in `DIR`, too")
	alone := flag.Bool("alone", false, "measure machine code alone")
	flag.Parse()
	for _, path := range flag.Args() {
		if err := measure(ctx, path, *rounds, *prototype, *alone); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

// measure measures the programs on one model and prints the table.
func measure(ctx context.Context, path string, rounds int, prototype string, alone bool) error {
	begin := time.Now()
	f, err := model.ReadFrozen(path)
	if err != nil {
		return err
	}
	read := time.Since(begin)
	n, err := freeze.Network(f, netlist.Core)
	if err != nil {
		return err
	}
	all, facts, err := codes(f, n)
	if err != nil {
		return err
	}
	once, more, err := kernels(path)
	if err != nil {
		return err
	}
	all, facts = append(all, once...), facts+more
	heading := fmt.Sprintf("%s: %d gates, read in %.3f s\n\n%s\n| | million images a second |\n|---|---:|\n", f.Name,
		f.Gates(), read.Seconds(), facts)
	if alone {
		fmt.Print(heading)
		return printRates(ctx, all, rounds)
	}
	dir, err := os.MkdirTemp("", "benchnative")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	others, err := externals(ctx, path, dir, prototype)
	if err != nil {
		return err
	}
	fmt.Print(heading)
	return printRates(ctx, append(all, others...), rounds)
}

// printRates prints the median rate of each contender.
func printRates(ctx context.Context, all []contender, rounds int) error {
	rates := make([][]float64, len(all))
	for range rounds {
		for i, c := range all {
			rate, err := c.run(ctx)
			if err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			rates[i] = append(rates[i], rate)
		}
	}
	for i, c := range all {
		slices.Sort(rates[i])
		middle := (rates[i][(rounds-1)/2] + rates[i][rounds/2]) / 2
		fmt.Printf("| %s | %.4g |\n", c.name, middle/1e6)
	}
	fmt.Println()
	return nil
}
