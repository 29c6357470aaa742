package main

import (
	"context"
	"fmt"
	"math/rand/v2"

	"ialgn/compiler"
	"ialgn/internal/counts"
	"ialgn/internal/hardware"
	"ialgn/internal/hardware/lut"
	"ialgn/internal/hardware/pipeline"
	"ialgn/internal/model"
	"ialgn/internal/plan"
	"ialgn/internal/target"
	"ialgn/internal/verify"
	"ialgn/internal/verilog"
	"ialgn/netlist"
)

// options holds the options with which a network is compiled.
type options struct {
	scope  netlist.Scope
	level  int  // optimisation level
	counts bool // the class counts are an output port
	assume bool // inputs are assumed to be thermometer codes

	target    string // if empty, the network is not lowered, and the fields below are not used
	k         int
	objective lut.Objective
	tight     int // 0 for no bound on the depth, otherwise 1 + the number of levels above the minimum
	pipeline  pipeline.Options
	style     verilog.Style

	surroundings
}

var scopes = []netlist.Scope{netlist.Gates, netlist.Core, netlist.Full}

// drawnFirst lists the targets from which a target is drawn first. The list must not change, so that old seeds keep
// their targets. drawTarget replaces some of the drawn targets by targets that were added later.
var drawnFirst = []string{target.Generic.Name, target.ICE40.Name, target.ECP5.Name, target.Xilinx7.Name}

// These are the largest values that are drawn.
const (
	mostTight  = 3
	mostLevels = 4
	mostStages = 8
)

// drawOptions draws valid options of the compile command. In one case of six, the network is not lowered.
func drawOptions(r *rand.Rand) options {
	o := options{scope: scopes[r.IntN(len(scopes))], level: r.IntN(3)}
	if r.IntN(6) > 0 {
		o.drawHardware(r)
	}
	o.counts = r.IntN(2) == 0 && o.scope != netlist.Gates // drawn last, so that old seeds keep their other options
	return o
}

// family returns the family of the target, or nil if there is no target.
func (o options) family() *target.Family {
	if o.target == "" {
		return nil
	}
	f, err := target.Find(o.target)
	if err != nil {
		panic("fuzzcompile: " + err.Error())
	}
	return f
}

// drawHardware draws the target and the options for lowering.
func (o *options) drawHardware(r *rand.Rand) {
	o.target = drawnFirst[r.IntN(len(drawnFirst))]
	o.k = lut.MinInputs + r.IntN(o.family().LUT.Most-lut.MinInputs+1)
	o.objective = lut.Objective(r.IntN(3))
	o.assume = o.scope != netlist.Full && r.IntN(2) == 0
	o.tight = max(0, r.IntN(mostTight+2)-1)
	switch r.IntN(4) {
	case 0:
		o.pipeline = pipeline.Options{Auto: true, MaxLevels: r.IntN(mostLevels + 1)}
	case 1:
		o.pipeline = pipeline.Options{Stages: 1 + r.IntN(mostStages)}
	}
	o.style = verilog.Style(r.IntN(2))
}

// words returns the options as arguments of the command compile.
func (o options) words() []string {
	var words []string
	for _, s := range o.settings() {
		switch {
		case s.axis == axisTarget && s.value == none:
			words = append(words, "(not lowered)")
		case s.axis == axisReject && o.margin > 0:
			words = append(words, fmt.Sprintf("%s %d", axisReject, o.margin))
		case s.value == "yes":
			words = append(words, s.axis)
		case s.value != none && s.value != "no":
			words = append(words, s.axis+" "+s.value)
		}
	}
	return words
}

// plainer returns variants of o in which one option is simpler.
func (o options) plainer() []options {
	var all []options
	for _, change := range []func(*options){
		func(p *options) { p.surroundings = surroundings{} },
		func(p *options) { p.board = "" },
		func(p *options) { p.fold = 0 },
		func(p *options) { p.tag = 0 },
		func(p *options) { p.margin = 0 },
		func(p *options) { p.margin = min(p.margin, 1) },
		func(p *options) {
			*p = options{scope: p.scope, level: p.level, counts: p.counts, surroundings: p.surroundings}
		},
		func(p *options) { p.counts = false },
		func(p *options) { p.pipeline = pipeline.Options{} },
		func(p *options) { p.tight = 0 },
		func(p *options) { p.assume = false },
		func(p *options) { p.style = verilog.Gates },
		func(p *options) { p.objective = lut.Area },
		func(p *options) {
			if p.target != "" {
				p.target = drawnFirst[0]
			}
		},
		func(p *options) { p.level = compiler.LevelNone },
		func(p *options) { p.level = min(p.level, compiler.LevelSweep) },
		func(p *options) { p.scope, p.counts, p.fold, p.margin = netlist.Gates, false, 0, 0 },
	} {
		p := o
		if change(&p); p != o {
			all = append(all, p)
		}
	}
	return all
}

// fault simulates a bug of the compiler. Tests use it to check that bugs are found. A function that is nil changes
// nothing.
type fault struct {
	name      string
	options   func(*compiler.Options)
	optimised func(*rand.Rand, *netlist.Netlist) *netlist.Netlist
	lowered   func(*rand.Rand, *netlist.Netlist) *netlist.Netlist
}

// plan returns the plan that the command compile makes from the options.
func (o options) plan() (*plan.Plan, error) {
	p, err := plan.New(plan.Options{
		Scope: plan.Scope(o.scope.String()), Optimise: plan.LevelOf(o.level), Counts: o.counts, AssumeThermometer: o.assume,
		Target: o.target, LUT: o.k, Style: plan.Style(styles[o.style]), Fold: plan.FoldLanes(o.fold), Tag: o.tag,
		Reject: o.margin, CheckPasses: true,
	})
	if err == nil {
		p.Optimiser.Measure = false
	}
	return p, err
}

// compile compiles a network like the compile command.
func (o options) compile(ctx context.Context, f *model.Frozen, bug fault, r *rand.Rand) (d verify.Design, err error) {
	d = verify.Design{Model: f, Assumed: o.assume, Tag: o.tag, Margin: o.margin}
	p, err := o.plan()
	if err != nil {
		return d, err
	}
	if d.Raw, err = p.Freeze(f); err != nil {
		return d, err
	}
	if bug.options != nil {
		bug.options(&p.Optimiser)
	}
	if d.Product, _, err = p.Optimiser.Optimise(ctx, d.Raw); err != nil {
		return d, err
	}
	if bug.optimised != nil {
		d.Product = bug.optimised(r, d.Product)
	}
	if p.Hardware != nil {
		if d.Product, d.Hint, err = o.lower(ctx, *p.Hardware, d.Product); err != nil {
			return d, err
		}
	}
	if bug.lowered != nil {
		d.Product = bug.lowered(r, d.Product)
	}
	return d, d.Product.Validate()
}

func (o options) lower(ctx context.Context, h hardware.Options, n *netlist.Netlist) (*netlist.Netlist, *counts.Hint,
	error,
) {
	h.Objective, h.Threads, h.Pipeline = o.objective, 1, o.pipeline
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

// pipelined reports whether the options ask for registers.
func (o options) pipelined() bool { return o.pipeline.Auto || o.pipeline.Stages > 0 }
