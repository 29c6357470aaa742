package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"ialgn/compiler"
	"ialgn/internal/freeze"
	"ialgn/internal/hardware/lut"
	"ialgn/internal/model"
	"ialgn/internal/netgen"
	"ialgn/internal/verify"
	"ialgn/internal/verify/proof"
	"ialgn/netlist"
)

// exact enables the passes that the compiler runs before mapping, except passes that use don't-cares.
var exact = compiler.Options{Level: compiler.LevelRepeat, Restructure: true}

// mapPart maps the gates of random networks.
func mapPart(ctx context.Context, w io.Writer, o *options) error {
	fmt.Fprintf(w, "\nGates of random networks as LUTs: those of two and more inputs, then of one.\n\n")
	t := newTable(w, "network", "K", "mapped by", "LUTs", "of the bound", "levels", "CPU s", "proved")
	for _, name := range o.networks {
		for seed := range o.seeds {
			b := &mapping{o: o, t: t, name: fmt.Sprintf("%s, seed %d", name, seed+1), yosys: slices.Contains(o.yosys, name)}
			if err := b.run(ctx, netgen.Frozen(uint64(seed+1), netgen.Chains(name))); err != nil {
				return err
			}
		}
	}
	return nil
}

// mapping maps the gates of one network with each of the programs.
type mapping struct {
	o     *options
	t     table
	name  string
	yosys bool

	model      *model.Frozen
	raw        *netlist.Netlist
	file       string // the optimised gates, for abc
	serialLUTs int    // number of LUTs with serial packing
}

func (b *mapping) run(ctx context.Context, f *model.Frozen) (err error) {
	b.model = f
	if b.raw, err = freeze.Network(f, netlist.Gates); err != nil {
		return err
	}
	n, _, err := exact.Optimise(ctx, b.raw)
	if err != nil {
		return err
	}
	b.file = filepath.Join(b.o.dir, "gates.aig")
	defer os.Remove(b.file)
	if err := writeAIGER(b.file, n); err != nil {
		return err
	}
	for _, k := range []int{4, 6} {
		for _, objective := range []lut.Objective{lut.Area, lut.Balanced} {
			if err := b.ours(ctx, lut.Options{K: k, Objective: objective}); err != nil {
				return err
			}
		}
		for _, commands := range []string{"if", "if -a", "dch; if"} {
			got, err := mapABC(ctx, b.file, fmt.Sprintf("%s -K %d", commands, k))
			if err != nil {
				return err
			}
			b.add(k, fmt.Sprintf("abc `%s -K %d`", commands, k), got, "")
		}
		if b.yosys {
			got, err := mapYosys(ctx, b.o.dir, n, k)
			if err != nil {
				return err
			}
			b.add(k, fmt.Sprintf("yosys `synth -flatten -lut %d`", k), got, "")
		}
	}
	return nil
}

// ours lets ialgn freeze, optimise and map the network, and proves the result.
func (b *mapping) ours(ctx context.Context, o lut.Options) error {
	before := cpuSeconds()
	raw, err := freeze.Network(b.model, netlist.Gates)
	if err != nil {
		return err
	}
	n, _, err := exact.Optimise(ctx, raw)
	if err != nil {
		return err
	}
	mapped, r, err := lut.Map(ctx, n, o)
	if err != nil {
		return err
	}
	cpu := cpuSeconds() - before
	proof, err := proof.Check(ctx, verify.Design{Model: b.model, Raw: b.raw, Product: mapped})
	if err != nil {
		return err
	}
	if !proof.Proved {
		return fmt.Errorf("%s, K %d, %v: not proved: %s (%s)", b.name, o.K, o.Objective, proof.Verdict, proof.Reason)
	}
	b.serialLUTs = r.Bound
	b.add(o.K, fmt.Sprintf("ialgn, %v", o.Objective), figures{r.LUTs, r.Inverters, r.Levels, cpu}, "yes")
	return nil
}

func (b *mapping) add(k int, by string, f figures, proved string) {
	luts := number(f.luts)
	if f.inverters > 0 {
		luts += " + " + number(f.inverters)
	}
	b.t.add(b.name, fmt.Sprint(k), by, luts, fmt.Sprintf("%.3f", float64(f.luts)/float64(b.serialLUTs)),
		fmt.Sprint(f.levels), seconds(f.cpu), proved)
}
