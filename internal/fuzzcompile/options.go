package main

import (
	"context"
	"fmt"
	"math/rand/v2"

	"ialgn/backend/verilog"
	"ialgn/compiler"
	"ialgn/compiler/hardware"
	"ialgn/compiler/lut"
	"ialgn/compiler/pipeline"
	"ialgn/netlist"
	"ialgn/netlist/counts"
	"ialgn/sim/verify"
	"ialgn/trainer/model"
)

// options are what a network is compiled with.
type options struct {
	scope  netlist.Scope
	level  int  // of optimisation
	assume bool // that inputs are thermometer codes

	target    string // empty: not lowered, and nothing below counts
	k         int
	objective lut.Objective
	tight     int // 0: no bound of the depth; else 1 more than the levels beyond the fewest
	pipeline  pipeline.Options
	style     verilog.Style
}

var (
	scopes  = []netlist.Scope{netlist.Gates, netlist.Core, netlist.Full}
	targets = []string{"generic", "ice40", "ecp5", "xilinx7"}
)

// drawOptions draws options that the compile command takes, one in six not lowered.
func drawOptions(r *rand.Rand) options {
	o := options{scope: scopes[r.IntN(len(scopes))], level: r.IntN(3)}
	if r.IntN(6) == 0 {
		return o
	}
	o.target = targets[r.IntN(len(targets))]
	t, err := hardware.ParseTarget(o.target)
	if err != nil {
		panic("fuzzcompile: " + err.Error())
	}
	o.k = lut.MinInputs + r.IntN(t.K-lut.MinInputs+1)
	o.objective = lut.Objective(r.IntN(3))
	o.assume = o.scope != netlist.Full && r.IntN(2) == 0
	o.tight = max(0, r.IntN(5)-1)
	switch r.IntN(4) {
	case 0:
		o.pipeline = pipeline.Options{Auto: true, MaxLevels: r.IntN(5)}
	case 1:
		o.pipeline = pipeline.Options{Stages: 1 + r.IntN(8)}
	}
	o.style = verilog.Style(r.IntN(2))
	return o
}

// words returns the options as the compile command has them, by which they are counted.
func (o options) words() []string {
	w := []string{fmt.Sprintf("--scope %v", o.scope), fmt.Sprintf("-O %d", o.level)}
	if o.target == "" {
		return append(w, "(not lowered)")
	}
	w = append(w, "--target "+o.target, fmt.Sprintf("--lut %d", o.k), fmt.Sprintf("--objective %v", o.objective))
	if o.assume {
		w = append(w, "--assume-thermometer")
	}
	if o.tight > 0 {
		w = append(w, fmt.Sprintf("--max-depth (the fewest + %d)", o.tight-1))
	}
	switch {
	case o.pipeline.Auto:
		w = append(w, "--pipeline auto", fmt.Sprintf("--max-levels %d", o.pipeline.MaxLevels))
	case o.pipeline.Stages > 0:
		w = append(w, fmt.Sprintf("--pipeline %d", o.pipeline.Stages))
	}
	if o.style == verilog.LUTs {
		w = append(w, "--style lut")
	}
	return w
}

// plainer returns sets of options that differ from o in one that is plainer.
func (o options) plainer() []options {
	var all []options
	for _, change := range []func(*options){
		func(p *options) { *p = options{scope: p.scope, level: p.level} },
		func(p *options) { p.pipeline = pipeline.Options{} },
		func(p *options) { p.tight = 0 },
		func(p *options) { p.assume = false },
		func(p *options) { p.style = verilog.Gates },
		func(p *options) { p.objective = lut.Area },
		func(p *options) {
			if p.target != "" {
				p.target = targets[0]
			}
		},
		func(p *options) { p.level = compiler.LevelNone },
		func(p *options) { p.level = min(p.level, compiler.LevelSweep) },
		func(p *options) { p.scope = netlist.Gates },
	} {
		p := o
		if change(&p); p != o {
			all = append(all, p)
		}
	}
	return all
}

// A fault stands for a bug of the compiler: tests put one in to see that it is found. The
// functions that are nil change nothing.
type fault struct {
	name      string
	options   func(*compiler.Options)
	optimised func(*rand.Rand, *netlist.Netlist) *netlist.Netlist
	lowered   func(*rand.Rand, *netlist.Netlist) *netlist.Netlist
}

// compile compiles a network, as the compile command does.
func (o options) compile(ctx context.Context, f *model.Frozen, bug fault, r *rand.Rand) (d verify.Design, err error) {
	d = verify.Design{Model: f, Assumed: o.assume}
	if d.Raw, err = netlist.Freeze(f, o.scope); err != nil {
		return d, err
	}
	c := compiler.Options{Level: o.level, Restructure: o.target != ""}
	switch {
	case c.Restructure && o.scope == netlist.Full:
		c.Thermometer = compiler.ThermometerDerived
	case o.assume:
		c.Thermometer = compiler.ThermometerAssumed
	}
	if bug.options != nil {
		bug.options(&c)
	}
	if d.Product, _, err = c.Optimise(ctx, d.Raw); err != nil {
		return d, err
	}
	if bug.optimised != nil {
		d.Product = bug.optimised(r, d.Product)
	}
	if o.target != "" {
		if d.Product, d.Hint, err = o.lower(ctx, d.Product); err != nil {
			return d, err
		}
	}
	if bug.lowered != nil {
		d.Product = bug.lowered(r, d.Product)
	}
	return d, d.Product.Validate()
}

func (o options) lower(ctx context.Context, n *netlist.Netlist) (*netlist.Netlist, *counts.Hint, error) {
	h := hardware.Options{K: o.k, Objective: o.objective, Threads: 1, Pipeline: o.pipeline}
	var err error
	if h.Target, err = hardware.ParseTarget(o.target); err != nil {
		return nil, nil, err
	}
	if o.tight > 0 {
		_, report, err := lut.Map(ctx, n, lut.Options{K: o.k, Objective: lut.Depth, Threads: 1})
		if err != nil {
			return nil, nil, err
		}
		h.MaxDepth = max(1, report.Levels+o.tight-1)
	}
	d, err := h.Lower(ctx, n)
	if err != nil {
		return nil, nil, err
	}
	return d.Netlist, d.Hint, nil
}
