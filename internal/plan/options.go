package plan

import (
	"cmp"
	"fmt"
	"slices"

	"ialgn/backend"
	"ialgn/compiler"
	"ialgn/internal/decimal"
	"ialgn/internal/hardware"
	"ialgn/internal/hardware/lut"
	"ialgn/internal/hardware/pipeline"
	"ialgn/internal/message"
	"ialgn/internal/target"
	"ialgn/internal/verilog"
	"ialgn/internal/wrapper"
	"ialgn/netlist"
)

// Options determine the product that is compiled from a model. They are written to the manifest, so their JSON form
// must stay compatible. The zero value compiles the whole classifier, optimised, to Verilog gates for any target.
type Options struct {
	Scope Scope `json:"scope"`
	// Emit lists formats to write in addition to Verilog and the text netlist. backend.Formats returns all formats.
	Emit []string `json:"emit,omitempty"`
	// Module is the name of the Verilog module. If it is empty, the name is derived from the model's name.
	Module   string `json:"module"`
	Optimise Level  `json:"optimise"`
	// LUT is the number of inputs of the look-up tables (LUTs) to which gates are mapped, from 2 to 6. 0 means the
	// number of inputs of the target's LUTs, or no mapping if neither Target nor Style asks for LUTs.
	LUT int `json:"lut,omitempty"`
	// Target is the family for which the netlist is mapped, one of [target.Names]. It is empty if the product must
	// suit any family.
	Target    string    `json:"target,omitempty"`
	Objective Objective `json:"objective,omitempty"`
	// MaxDepth is the largest number of levels of LUTs in the gates. 0 means no limit.
	MaxDepth int      `json:"max_depth,omitempty"`
	Pipeline Pipeline `json:"pipeline,omitempty"`
	// MaxLevels is the largest number of levels of LUTs in a stage of [PipelineAuto]. 0 means 3.
	MaxLevels int   `json:"max_levels,omitempty"`
	Style     Style `json:"style,omitempty"`
	// MHz is the clock for timing constraints. 0 means no constraints.
	MHz  float64 `json:"mhz,omitempty"`
	Wrap Wrapper `json:"wrap,omitempty"`
	// Tag is the number of bits of a tag that is passed on from each sample to its result, from 1 to
	// [netlist.MaxTag]. 0 means no tag.
	Tag int `json:"tag,omitempty"`
	// Baud is the bit rate of the interface uart. 0 means 115,200.
	Baud int `json:"baud,omitempty"`
	// Board is the board whose pins the wrapper uses, one of [wrapper.Boards]. It is empty for no board.
	Board string `json:"board,omitempty"`
	// Fold is a folded engine. The values 1, 2 and 4 run a program from block RAM with this number of steps in each
	// clock. The other values are [FoldPositions] and [FoldSequence].
	Fold Fold `json:"fold,omitempty"`
	// FoldSteps is the number of steps that the engine's memory has room for, so that the engine can run programs of
	// other models. 0 means the number of steps of this model.
	FoldSteps int `json:"fold_steps,omitempty"`
	// AssumeThermometer lets the compiler assume that inputs are thermometer codes, in the scopes
	// gates and core.
	AssumeThermometer bool `json:"assume_thermometer,omitempty"`
	// Counts adds an output port with the class counts.
	Counts bool `json:"counts,omitempty"`
	// Reject is the margin of an output port that says that the class is uncertain, which is from 1 to the largest
	// class count. The class is uncertain if the largest class count leads the second largest by less than the
	// margin. 0 means no such port.
	Reject int `json:"reject,omitempty"`
	// RejectShare, if above 0, is the share of samples by which Reject was chosen: the largest margin with which at most
	// this share of the samples of the model's calibration is uncertain. It is below 1.
	RejectShare float64 `json:"reject_share,omitempty"`
	// Probabilities adds functions that compute the probabilities of the classes to C and Go code.
	Probabilities bool `json:"probabilities,omitempty"`
	// Vectors is the number of test samples for the testbenches. 0 means 64, and the manifest also has 0 instead of
	// 64.
	Vectors int `json:"vectors,omitempty"`
	// CheckPasses checks the contract of every pass of the compiler. After each pass, it also checks on random
	// samples that the netlist computes the same function as before the pass. A failing pass is reported as
	// [*compiler.BrokenError]. The checks take time and the memory of a second netlist. They do not affect the
	// product, so the manifest omits them.
	CheckPasses bool `json:"-"`
}

// These are the limits of Options.MHz and Options.Vectors.
const (
	MinMHz       = 0.001
	MaxMHz       = 10_000
	UsualVectors = 64
	MaxVectors   = 1 << 20
)

// ForNodes returns the options for a network whose nodes have at most the given number of inputs. For some targets,
// the style depends on this number, unless the options set a style.
func (o Options) ForNodes(inputs int) Options {
	t, err := target.Find(o.Target)
	if err == nil && (o.Style == "" || o.Style == StyleAuto) && verilog.UsualStyle(t, inputs) != verilog.UsualStyle(t, 0) {
		o.Style = styleNames[verilog.UsualStyle(t, inputs)]
	}
	return o
}

// resolve returns the options in the form for the manifest, in which defaults and abbreviations are replaced by the
// values that they represent.
func (o Options) resolve() (Options, error) {
	o.Scope = cmp.Or(o.Scope, ScopeFull)
	if o.Vectors == UsualVectors {
		o.Vectors = 0
	}
	if o.Style != "" && o.Style != StyleAuto {
		return o, nil
	}
	t, err := target.Find(cmp.Or(o.Target, target.Generic.Name))
	if err != nil {
		return o, message.Optionf("{Target}: %w", err)
	}
	if usual := styleNames[verilog.UsualStyle(t, 0)]; o.Style != "" || usual != StyleGates {
		o.Style = usual // without a family the style is always gates
	}
	return o, nil
}

// styleNames are the names of the styles.
var styleNames = map[verilog.Style]Style{verilog.Gates: StyleGates, verilog.LUTs: StyleLUT}

func (s Style) parse() (verilog.Style, error) {
	switch s {
	case "", StyleGates:
		return verilog.Gates, nil
	case StyleLUT:
		return verilog.LUTs, nil
	}
	err := message.Optionf("{Style} %q: give auto, gates or lut", string(s))
	return 0, message.Near(err, string(s), []string{"auto", "gates", "lut"})
}

// CheckMHz returns an error for a clock outside the limits.
func CheckMHz(mhz float64) error {
	if mhz >= MinMHz && mhz <= MaxMHz {
		return nil
	}
	return message.Optionf("{MHz} %v: give a clock in MHz, %v to %d", mhz, MinMHz, MaxMHz)
}

// check returns an error if the value of an option is invalid, whatever the other options are.
func (o Options) check() error {
	if o.MHz != 0 {
		if err := CheckMHz(o.MHz); err != nil {
			return err
		}
	}
	if n := o.Optimise.Number(); n < compiler.LevelNone || n > compiler.LevelRepeat {
		return message.Optionf("{Optimise} %d: give 0, 1 or 2", n)
	}
	if o.Vectors < 0 || o.Vectors > MaxVectors {
		return message.Optionf("{Vectors} %d: give 1 to %d", o.Vectors, MaxVectors)
	}
	return nil
}

// wrapper returns the kind of the wrapper, or "" for no wrapper.
func (o Options) wrapper() (string, error) {
	kind := string(o.Wrap)
	if kinds := append([]string{string(WrapNone)}, wrapper.Kinds()...); kind != "" && !slices.Contains(kinds, kind) {
		return "", message.Near(message.Optionf("{Wrap} %q: give %s", kind, message.Or(kinds)), kind, kinds)
	}
	if o.Baud != 0 && !wrapper.Is(kind, wrapper.HasBaud) {
		return "", message.WithHint(message.Optionf("{Baud} %d: there is no serial line", o.Baud),
			"omit it, or add {Wrap uart}")
	}
	if o.Wrap == WrapNone {
		return "", nil
	}
	return kind, nil
}

// checkTag returns an error for a tag that the design cannot have. kind is the kind of the wrapper, or "" for no
// wrapper.
func (o Options) checkTag(kind string) error {
	switch {
	case o.Tag == 0:
		return nil
	case o.Tag < 0 || o.Tag > netlist.MaxTag:
		return message.Optionf("{Tag} %d: give the bits of the tag, 1 to %d", o.Tag, netlist.MaxTag)
	case o.Fold != "":
		return message.WithHint(message.Optionf("{Tag} %d: a folded engine has no registers for a tag; its results come "+
			"in the order of the samples", o.Tag), "omit {Tag} and count the results, or omit {Fold}")
	case kind != "" && !wrapper.Is(kind, wrapper.TakesTags):
		return message.WithHint(message.Optionf("{Tag} %d: the interface %s has no signals for a tag; its results come in "+
			"the order of the samples", o.Tag, kind), "omit {Tag} and count the results, or use {Wrap stream} or {Wrap axis}")
	}
	return nil
}

// checkProbabilities returns an error if the option Probabilities would have no effect.
func (o Options) checkProbabilities(scope netlist.Scope) error {
	switch {
	case !o.Probabilities:
		return nil
	case scope == netlist.Gates:
		return message.WithHint(message.Optionf("{Probabilities}: scope gates has no class counts"),
			"omit it, or use {Scope core} or full")
	case !slices.Contains(o.Emit, "c") && !slices.Contains(o.Emit, "go"):
		return message.WithHint(message.Optionf("{Probabilities}: only C and Go code have functions for probabilities"),
			"omit it, or add {Emit c} or go")
	}
	return nil
}

// board returns the board for a wrapper of the given kind, or nil for no board.
func (o Options) board(kind string) (*wrapper.Board, error) {
	if o.Board == "" {
		return nil, nil
	}
	b, err := wrapper.ParseBoard(o.Board)
	if err != nil {
		return nil, message.Optionf("{Board}: %w", err)
	}
	if err := b.CheckPins(cmp.Or(kind, string(WrapNone))); err != nil {
		return nil, message.Optionf("{Wrap}: %w", err)
	}
	if err := b.CheckClock(o.MHz); err != nil {
		return nil, message.WithHint(message.Optionf("{MHz} %w", err),
			"leave it out; for %[1]v MHz compile without {Board}, with the PLL that `icepll -i %[2]v -o %[1]v -m` writes "+
				"before clk, and give the pins to synth by {Pins}", o.MHz, b.MHz())
	}
	return b, nil
}

// checkHomomorphic returns an error if the netlist is not mapped to functions that a program for homomorphic encryption
// can have.
func (o Options) checkHomomorphic(h *hardware.Options) error {
	if !slices.Contains(o.Emit, backend.HomomorphicFormat) || h != nil && h.K <= backend.MostHomomorphicInputs {
		return nil
	}
	why := "the netlist is not mapped"
	if h != nil {
		why = fmt.Sprintf("a step has at most %d inputs, and the netlist is mapped to LUTs of %d",
			backend.MostHomomorphicInputs, h.K)
	}
	return message.WithHint(message.Optionf("{Emit %s}: %s", backend.HomomorphicFormat, why),
		"give {LUT 2} for gates, {LUT 3} or {LUT 4} for tables")
}

// hardware returns the options for lowering the netlist, or nil if the netlist is not lowered.
func (o Options) hardware() (*hardware.Options, error) {
	if o.LUT == 0 && o.Target == "" && o.Style != StyleLUT {
		return nil, o.checkUnmapped()
	}
	h := &hardware.Options{K: o.LUT, MaxDepth: o.MaxDepth, Primitives: o.Style == StyleLUT}
	var err error
	if h.Target, err = target.Find(cmp.Or(o.Target, target.Generic.Name)); err != nil {
		return nil, message.Optionf("{Target}: %w", err)
	}
	h.K = cmp.Or(h.K, h.Target.MappedLUT())
	if err := hardware.CheckK(h.Target, h.K); err != nil {
		return nil, message.Optionf("{LUT}: %w", err)
	}
	if h.Objective, err = lut.ParseObjective(string(cmp.Or(o.Objective, ObjectiveBalanced))); err != nil {
		return nil, message.Optionf("{Objective}: %w", err)
	}
	if o.MaxDepth < 0 {
		return nil, message.Optionf("{MaxDepth} %d: give 1 or more", o.MaxDepth)
	}
	h.Pipeline, err = o.stages()
	return h, err
}

// checkUnmapped returns an error for options that only apply to a mapped netlist.
func (o Options) checkUnmapped() error {
	for _, f := range []struct {
		option string
		isSet  bool
	}{
		{"{Objective}", o.Objective != ""},
		{"{MaxDepth}", o.MaxDepth != 0},
		{"{Pipeline}", o.Pipeline != "" && o.Pipeline != PipelineNone},
		{"{MaxLevels}", o.MaxLevels != 0},
	} {
		if f.isSet {
			return message.WithHint(message.Optionf(f.option+": the netlist is not mapped"),
				"give {LUT K} or {Target TARGET}, too")
		}
	}
	return nil
}

// stages converts the fields Pipeline and MaxLevels to [pipeline.Options].
func (o Options) stages() (p pipeline.Options, err error) {
	switch {
	case o.Pipeline == PipelineAuto && o.MaxLevels >= 0:
		return pipeline.Options{Auto: true, MaxLevels: o.MaxLevels}, nil
	case o.MaxLevels != 0:
		return p, message.WithHint(message.Optionf("{MaxLevels} %d: it is the most levels of a stage of {Pipeline auto}, "+
			"1 or more",
			o.MaxLevels),
			"omit it, or add {Pipeline auto}")
	case o.Pipeline == "" || o.Pipeline == PipelineNone:
		return p, nil
	}
	if p.Stages, err = decimal.Int(string(o.Pipeline)); err != nil || p.Stages < 1 {
		err = message.Optionf("{Pipeline} %q: give none, auto or the number of register stages, 1 or more",
			string(o.Pipeline))
		return p, message.Near(err, string(o.Pipeline), []string{"none", "auto"})
	}
	return p, nil
}

// thermometer returns which order of thermometer bits the optimiser may rely on.
func (o Options) thermometer(scope netlist.Scope, mapped bool) (compiler.Thermometer, error) {
	if o.AssumeThermometer && (scope == netlist.Full || !mapped) {
		return 0, message.WithHint(message.Optionf("{AssumeThermometer}: it is for the scopes gates and core, mapped to "+
			"LUTs"),
			"omit it: in scope full the comparators show the order, and without {LUT} every gate is kept")
	}
	switch {
	case mapped && scope == netlist.Full:
		return compiler.ThermometerDerived, nil
	case o.AssumeThermometer:
		return compiler.ThermometerAssumed, nil
	}
	return compiler.Options{}.Thermometer, nil
}

// New returns the plan for the options, or an error if an option or a combination of options is invalid.
func New(o Options) (p *Plan, err error) {
	if o.Reject != 0 && o.RejectShare != 0 { // options from a manifest have both
		return nil, message.WithHint(message.Optionf("{Reject} %d and {RejectShare} %v: each of them sets the margin",
			o.Reject, o.RejectShare), "omit one of them")
	}
	if o, err = o.resolve(); err != nil {
		return nil, err
	}
	return read(o)
}

// read is like [New], for options from a manifest.
func read(o Options) (*Plan, error) {
	p := &Plan{Options: o}
	var err error
	if p.scope, err = netlist.ParseScope(string(o.Scope)); err != nil {
		return nil, message.Optionf("{Scope}: %w", err)
	}
	if p.Style, err = o.Style.parse(); err != nil {
		return nil, err
	}
	if p.Hardware, err = o.hardware(); err != nil {
		return nil, err
	}
	if err := o.checkHomomorphic(p.Hardware); err != nil {
		return nil, err
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	if p.Wrap, err = o.wrapper(); err != nil {
		return nil, err
	}
	if err := o.checkTag(p.Wrap); err != nil {
		return nil, err
	}
	if p.Fold, p.Wrap, err = o.folded(p); err != nil {
		return nil, err
	}
	if p.Board, err = o.board(p.Wrap); err != nil {
		return nil, err
	}
	if o.Counts && p.scope == netlist.Gates {
		return nil, message.WithHint(message.Optionf("{Counts}: scope gates has no class counts"),
			"omit it, or use {Scope core} or full")
	}
	if err := o.checkProbabilities(p.scope); err != nil {
		return nil, err
	}
	if err := o.checkReject(p.scope); err != nil {
		return nil, err
	}
	mapped := p.Hardware != nil
	p.Optimiser = compiler.Options{Level: o.Optimise.Number(), Restructure: mapped, Measure: true}
	if o.CheckPasses {
		p.checkPasses()
	}
	p.Optimiser.Thermometer, err = o.thermometer(p.scope, mapped)
	return p, err
}
