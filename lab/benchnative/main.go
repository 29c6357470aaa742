// Command benchnative measures what classifies samples, of models for MNIST or other data of 8-bit features: the
// machine code of each instruction set of this processor, the C that compile writes, and a prototype in assembly. They
// take turns, so that what else runs on the machine meets all alike; each figure is the median of the rounds, on one
// thread, of machine code by processor time. Of convolutions it also measures code that has each kernel once. It prints
// Markdown.
//
//	go run ./lab/benchnative [-rounds 10] [-alone] [-prototype DIR] MODEL...
//
// DIR has list_schedule.py and bench.c, for AVX-512; gcc compiles it and the C.
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

// contender is one of what is measured. Its run classifies some samples once, in at least some milliseconds, and
// returns how many in a second.
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

// measure measures a model and prints its table.
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

// printRates prints the median of each contender.
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
