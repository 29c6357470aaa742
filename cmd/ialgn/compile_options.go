package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"ialgn/artifact"
	"ialgn/backend/verilog"
	"ialgn/backend/wrapper"
	"ialgn/compiler"
	"ialgn/compiler/hardware"
	"ialgn/compiler/lut"
	"ialgn/compiler/pipeline"
	"ialgn/internal/hint"
	"ialgn/internal/overwrite"
	"ialgn/internal/plural"
	"ialgn/netlist"
	"ialgn/netlist/freeze"
	"ialgn/target"
	"ialgn/trainer/encoding"
	"ialgn/trainer/model"
)

// compileOptions is what decides the output besides the model. It stands in the
// manifest.
type compileOptions struct {
	Scope     string   `json:"scope"`
	Emit      []string `json:"emit,omitempty"`
	Module    string   `json:"module"`
	Optimise  int      `json:"optimise"`
	LUT       int      `json:"lut,omitempty"`
	Target    string   `json:"target,omitempty"`
	Objective string   `json:"objective,omitempty"`
	MaxDepth  int      `json:"max_depth,omitempty"`
	Pipeline  string   `json:"pipeline,omitempty"`
	MaxLevels int      `json:"max_levels,omitempty"`
	Style     string   `json:"style,omitempty"`
	MHz       float64  `json:"mhz,omitempty"`
	Wrap      string   `json:"wrap,omitempty"`
	Baud      int      `json:"baud,omitempty"`
	Board     string   `json:"board,omitempty"`
	Fold      int      `json:"fold,omitempty"`
	FoldSteps int      `json:"fold_steps,omitempty"`
	Assume    bool     `json:"assume_thermometer,omitempty"`
	Counts    bool     `json:"counts,omitempty"`
	Vectors   int      `json:"vectors,omitempty"` // of the testbenches; 0: the usual number

	// What decides nothing:
	threads int
	guard   overwrite.Guard // of the files in the folder
	folders []string        // where the test samples are looked for
}

// The clocks that constraints are written for.
const (
	minMHz = 0.001
	maxMHz = 10_000
)

// compilePlan is what options come to.
type compilePlan struct {
	scope    netlist.Scope
	counts   bool // the counts are an output port
	optimise compiler.Options
	hardware *hardware.Options // nil: the netlist is not lowered
	style    verilog.Style
	wrap     string         // empty: none
	fold     int            // steps in a clock of the folded engine; 0: there is none
	room     int            // for steps of each of its lanes, at least; 0: as many as there are
	board    *wrapper.Board // nil: none
}

// plan checks options that belong together.
func (o compileOptions) plan() (p compilePlan, err error) {
	if p.scope, err = netlist.ParseScope(o.Scope); err != nil {
		return p, fmt.Errorf("--scope: %w", err)
	}
	if p.style, err = parseStyle(o.Style); err != nil {
		return p, err
	}
	if p.hardware, err = o.hardware(); err != nil {
		return p, err
	}
	if o.MHz != 0 && !(o.MHz >= minMHz && o.MHz <= maxMHz) {
		return p, fmt.Errorf("--freq %v: give a clock in MHz, %v to %d", o.MHz, minMHz, maxMHz)
	}
	if o.Optimise < compiler.LevelNone || o.Optimise > compiler.LevelRepeat {
		return p, fmt.Errorf("-O %d: give 0, 1 or 2", o.Optimise)
	}
	if p.wrap, err = o.wrapper(); err != nil {
		return p, err
	}
	if p.fold, p.wrap, err = o.folded(p); err != nil {
		return p, err
	}
	p.room = o.FoldSteps
	if p.board, err = o.board(p.wrap); err != nil {
		return p, err
	}
	if p.counts = o.Counts; p.counts && p.scope == netlist.Gates {
		return p, hint.With(errors.New("--counts: scope gates has no class counts"), "leave it out, or use --scope core or full")
	}
	mapped := p.hardware != nil
	if o.Assume && (p.scope == netlist.Full || !mapped) {
		return p, hint.With(errors.New("--assume-thermometer: it is for the scopes gates and core, mapped to LUTs"),
			"leave it out; in scope full the comparators show the order, and without --lut every gate stays what it is")
	}
	p.optimise = compiler.Options{Level: o.Optimise, Restructure: mapped, Measure: true}
	switch {
	case mapped && p.scope == netlist.Full:
		p.optimise.Thermometer = compiler.ThermometerDerived
	case o.Assume:
		p.optimise.Thermometer = compiler.ThermometerAssumed
	}
	return p, nil
}

// freeze returns the raw netlist, with the ports that the options name.
func (p compilePlan) freeze(f *model.Frozen) (*netlist.Netlist, error) {
	n, err := freeze.Network(f, p.scope)
	if err != nil || !p.counts {
		return n, err
	}
	return netlist.WithCounts(n, f.Classes)
}

// wrapper returns the kind of the wrapper, empty for none.
func (o compileOptions) wrapper() (string, error) {
	if kinds := append([]string{"none"}, wrapper.Kinds()...); o.Wrap != "" && !slices.Contains(kinds, o.Wrap) {
		return "", hint.Near(fmt.Errorf("--wrap %q: give %s", o.Wrap, plural.Or(kinds)), o.Wrap, kinds)
	}
	if o.Baud != 0 && !wrapper.Is(o.Wrap, wrapper.HasBaud) {
		return "", hint.With(fmt.Errorf("--baud %d: there is no serial line", o.Baud), "leave it out, or give --wrap uart")
	}
	if o.Wrap == "none" {
		return "", nil
	}
	return o.Wrap, nil
}

// board returns the board that a wrapper of a kind is for, nil for none.
func (o compileOptions) board(kind string) (*wrapper.Board, error) {
	if o.Board == "" {
		return nil, nil
	}
	b, err := wrapper.ParseBoard(o.Board)
	if err != nil {
		return nil, fmt.Errorf("--board: %w", err)
	}
	if err := b.CheckPins(cmp.Or(kind, "none")); err != nil {
		return nil, fmt.Errorf("--wrap: %w", err)
	}
	if err := b.CheckClock(o.MHz); err != nil {
		return nil, hint.With(fmt.Errorf("--freq %w", err),
			"leave it out; for %[1]v MHz compile without --board, with the PLL that `icepll -i %[2]v -o %[1]v -m` writes before clk, and give the pins to synth by --pins", o.MHz, b.MHz())
	}
	return b, nil
}

// target returns whose primitives the Verilog may have, nil if the netlist is not lowered.
func (p compilePlan) target() *target.Family {
	if p.hardware == nil {
		return nil
	}
	return p.hardware.Target
}

// genericLUT returns the inputs of the LUTs of a netlist that is mapped for no target in
// particular, 0 for others.
func (p compilePlan) genericLUT() int {
	if t := p.target(); t == nil || t.Synthesis.Library != "" {
		return 0
	}
	return p.hardware.K
}

// styles are the names of the styles.
var styles = map[verilog.Style]string{verilog.Gates: "gates", verilog.LUTs: "lut"}

// resolveStyle puts the style of the target in the place of auto, for the manifest to say what
// was written.
func (o *compileOptions) resolveStyle() error {
	if o.Style != "auto" {
		return nil
	}
	t, err := target.Find(cmp.Or(o.Target, target.Generic.Name))
	if err != nil {
		return fmt.Errorf("--target: %w", err)
	}
	o.Style = styles[verilog.UsualStyle(t)]
	return nil
}

func parseStyle(s string) (verilog.Style, error) {
	switch s {
	case "", "gates":
		return verilog.Gates, nil
	case "lut":
		return verilog.LUTs, nil
	}
	return 0, hint.Near(fmt.Errorf("--style %q: give auto, gates or lut", s), s, []string{"auto", "gates", "lut"})
}

// hardware returns what the netlist is lowered to, nil for nothing.
func (o compileOptions) hardware() (*hardware.Options, error) {
	if o.LUT == 0 && o.Target == "" && o.Style != "lut" {
		return nil, o.checkUnmapped()
	}
	h := &hardware.Options{K: o.LUT, MaxDepth: o.MaxDepth, Threads: o.threads}
	var err error
	if h.Target, err = target.Find(cmp.Or(o.Target, target.Generic.Name)); err != nil {
		return nil, fmt.Errorf("--target: %w", err)
	}
	h.K = cmp.Or(h.K, h.Target.LUT.Most)
	if err := hardware.CheckK(h.Target, h.K); err != nil {
		return nil, fmt.Errorf("--lut: %w", err)
	}
	if h.Objective, err = lut.ParseObjective(cmp.Or(o.Objective, "balanced")); err != nil {
		return nil, fmt.Errorf("--objective: %w", err)
	}
	if o.MaxDepth < 0 {
		return nil, fmt.Errorf("--max-depth %d: give 1 or more", o.MaxDepth)
	}
	h.Pipeline, err = o.stages()
	return h, err
}

// checkUnmapped refuses options that mapping alone takes.
func (o compileOptions) checkUnmapped() error {
	for _, f := range []struct {
		flag  string
		given bool
	}{
		{"--objective", o.Objective != ""},
		{"--max-depth", o.MaxDepth != 0},
		{"--pipeline", o.Pipeline != "" && o.Pipeline != "none"},
		{"--max-levels", o.MaxLevels != 0},
	} {
		if f.given {
			return hint.With(fmt.Errorf("%s: the netlist is not mapped", f.flag), "give --lut K or --target TARGET, too")
		}
	}
	return nil
}

// stages returns what --pipeline and --max-levels say.
func (o compileOptions) stages() (p pipeline.Options, err error) {
	switch {
	case o.Pipeline == "auto" && o.MaxLevels >= 0:
		return pipeline.Options{Auto: true, MaxLevels: o.MaxLevels}, nil
	case o.MaxLevels != 0:
		return p, hint.With(fmt.Errorf("--max-levels %d: it is the most levels of a stage of --pipeline auto, 1 or more", o.MaxLevels),
			"leave it out, or give --pipeline auto")
	case o.Pipeline == "" || o.Pipeline == "none":
		return p, nil
	}
	if p.Stages, err = strconv.Atoi(o.Pipeline); err != nil || p.Stages < 1 {
		return p, hint.Near(fmt.Errorf("--pipeline %q: give none, auto or the number of register stages, 1 or more", o.Pipeline), o.Pipeline, []string{"none", "auto"})
	}
	return p, nil
}

// run optimises and lowers a netlist into a product. Each netlist is garbage when the
// next one is there.
func (p compilePlan) run(ctx context.Context, n *netlist.Netlist, e *encoding.Encoder, out *artifact.Product) (err error) {
	raw := netlist.Measure(n)
	out.Raw = &raw
	if n, out.Passes, err = p.optimise.Optimise(ctx, n); err != nil {
		return err
	}
	out.Gates = netlist.Measure(n).Cells.Gates
	if out.Fold, err = p.engine(ctx, n, e, *out); err != nil {
		return err
	}
	if p.hardware == nil {
		out.Netlist = n
		return nil
	}
	d, err := p.hardware.Lower(ctx, n)
	if err != nil {
		return err
	}
	out.Netlist, out.Passes = d.Netlist, append(out.Passes, d.Steps...)
	out.Hardware = &artifact.Hardware{Style: p.style, Target: p.hardware.Target, Hint: d.Hint, Mapping: d.Mapping, Pipeline: d.Stages}
	return nil
}
