package plan

import (
	"cmp"
	"encoding/json"
	"slices"

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

// Options is what decides a product besides the model. It stands in the manifest as it is, so its JSON is a promise.
// The zero value compiles the whole classifier, optimised, to Verilog of gates for any target.
type Options struct {
	Scope Scope `json:"scope"`
	// Emit names further formats than Verilog and the text netlist; backend.Formats lists them.
	Emit []string `json:"emit,omitempty"`
	// Module is the name of the Verilog module; empty: after the model.
	Module   string `json:"module"`
	Optimise Level  `json:"optimise"`
	// LUT is the inputs of the look-up tables that gates are mapped to, 2 to 6; 0: the target's, where one is given.
	LUT int `json:"lut,omitempty"`
	// Target is the family that the netlist is mapped to, one of [target.Names]; empty: none in particular.
	Target    string    `json:"target,omitempty"`
	Objective Objective `json:"objective,omitempty"`
	// MaxDepth is the most levels of look-up tables of the gates; 0: any number.
	MaxDepth int      `json:"max_depth,omitempty"`
	Pipeline Pipeline `json:"pipeline,omitempty"`
	// MaxLevels is the most levels of look-up tables of a stage of [PipelineAuto]; 0: 3.
	MaxLevels int   `json:"max_levels,omitempty"`
	Style     Style `json:"style,omitempty"`
	// MHz is the clock that constraints are written for; 0: there are none.
	MHz  float64 `json:"mhz,omitempty"`
	Wrap Wrapper `json:"wrap,omitempty"`
	// Tag is the bits of a tag that goes with each sample to its result, 1 to [netlist.MaxTag]; 0: there is none.
	Tag int `json:"tag,omitempty"`
	// Baud is the rate of the interface uart; 0: 115,200.
	Baud int `json:"baud,omitempty"`
	// Board is the board whose pins the wrapper has, one of [wrapper.Boards]; empty: none.
	Board string `json:"board,omitempty"`
	// Fold is the steps in a clock of a folded engine in block RAM, 1, 2 or 4, or [FoldPositions] or [FoldSequence].
	Fold Fold `json:"fold,omitempty"`
	// FoldSteps is the room of the engine for steps of other models' programs; 0: for those of this one.
	FoldSteps int `json:"fold_steps,omitempty"`
	// AssumeThermometer lets the compiler rely on inputs that are thermometer codes, of the scopes gates and core.
	AssumeThermometer bool `json:"assume_thermometer,omitempty"`
	// Counts gives the class counts as an output port, too.
	Counts bool `json:"counts,omitempty"`
	// Vectors is the number of test samples for the testbenches; 0: 64, which the manifest has as 0 in any case.
	Vectors int `json:"vectors,omitempty"`
	// CheckPasses has every pass of the compiler held to its contract, and its netlist to the one before on random
	// samples. A pass that fails is named by a [*compiler.BrokenError]. It takes time and the room of a second netlist,
	// and decides nothing of the product, so that the manifest does not have it.
	CheckPasses bool `json:"-"`
}

// Scope says how much of the classifier is compiled.
type Scope string

// The scopes; the zero value is [ScopeFull].
const (
	ScopeGates Scope = "gates" // thermometer bits in, bits of the last layer out
	ScopeCore  Scope = "core"  // thermometer bits in, class out
	ScopeFull  Scope = "full"  // feature words in, class out
)

// Level is how far a netlist is optimised. In JSON it is 2 for [OptimiseFully], 1 and 0.
type Level int

// The levels; the zero value is [OptimiseFully].
const (
	OptimiseFully Level = iota // repeats the passes until nothing changes
	OptimiseOnce               // each pass once
	OptimiseNone               // a cell a gate
)

// LevelOf returns the level of a number as JSON has it, 0 to 2; other numbers give levels that are refused.
func LevelOf(number int) Level { return OptimiseNone - Level(number) }

// Number returns the level's number as JSON has it.
func (l Level) Number() int { return int(OptimiseNone - l) }

// MarshalJSON writes the level's number.
func (l Level) MarshalJSON() ([]byte, error) { return json.Marshal(l.Number()) }

// UnmarshalJSON reads the level's number.
func (l *Level) UnmarshalJSON(text []byte) error {
	var number int
	if err := json.Unmarshal(text, &number); err != nil {
		return err
	}
	*l = LevelOf(number)
	return nil
}

// Objective is what the mapping to look-up tables aims for.
type Objective string

// The objectives; the zero value is [ObjectiveBalanced].
const (
	ObjectiveArea     Objective = "area"
	ObjectiveDepth    Objective = "depth"
	ObjectiveBalanced Objective = "balanced"
)

// Pipeline says where registers are put.
type Pipeline string

// The pipelines that are no number of stages; the zero value is [PipelineNone].
const (
	PipelineNone Pipeline = "none"
	PipelineAuto Pipeline = "auto" // as few stages as allow at most MaxLevels levels in each
)

// Style is the form of the Verilog.
type Style string

// The styles; the zero value is the one that suits the target best, as [StyleAuto] is.
const (
	StyleAuto  Style = "auto"
	StyleGates Style = "gates" // assigns
	StyleLUT   Style = "lut"   // primitives of the target
)

// Wrapper is the interface that is written around the module, one of [wrapper.Kinds] or [WrapNone].
type Wrapper string

// WrapNone is no interface, as the zero value is.
const WrapNone Wrapper = "none"

// The clocks that constraints are written for, and the numbers of vectors.
const (
	MinMHz       = 0.001
	MaxMHz       = 10_000
	UsualVectors = 64
	MaxVectors   = 1 << 20
)

// ForNodes returns the options for a network whose nodes have at most that many inputs: it decides the style for some
// targets, unless the options do.
func (o Options) ForNodes(inputs int) Options {
	t, err := target.Find(o.Target)
	if err == nil && (o.Style == "" || o.Style == StyleAuto) && verilog.UsualStyle(t, inputs) != verilog.UsualStyle(t, 0) {
		o.Style = styleNames[verilog.UsualStyle(t, inputs)]
	}
	return o
}

// resolve puts what the manifest says in the place of what stands for it.
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

// CheckMHz returns an error for a clock that no constraint can be written for.
func CheckMHz(mhz float64) error {
	if mhz >= MinMHz && mhz <= MaxMHz {
		return nil
	}
	return message.Optionf("{MHz} %v: give a clock in MHz, %v to %d", mhz, MinMHz, MaxMHz)
}

// check refuses options of which each is wrong by itself.
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

// wrapper returns the kind of the wrapper, empty for none.
func (o Options) wrapper() (string, error) {
	kind := string(o.Wrap)
	if kinds := append([]string{string(WrapNone)}, wrapper.Kinds()...); kind != "" && !slices.Contains(kinds, kind) {
		return "", message.Near(message.Optionf("{Wrap} %q: give %s", kind, message.Or(kinds)), kind, kinds)
	}
	if o.Baud != 0 && !wrapper.Is(kind, wrapper.HasBaud) {
		return "", message.WithHint(message.Optionf("{Baud} %d: there is no serial line", o.Baud),
			"leave it out, or give {Wrap uart}")
	}
	if o.Wrap == WrapNone {
		return "", nil
	}
	return kind, nil
}

// checkTag refuses a tag that the design cannot have; kind is that of the wrapper, empty for none.
func (o Options) checkTag(kind string) error {
	switch {
	case o.Tag == 0:
		return nil
	case o.Tag < 0 || o.Tag > netlist.MaxTag:
		return message.Optionf("{Tag} %d: give the bits of the tag, 1 to %d", o.Tag, netlist.MaxTag)
	case o.Fold != "":
		return message.WithHint(message.Optionf("{Tag} %d: a folded engine has no registers for a tag; its results come "+
			"in the order "+
			"of the samples", o.Tag), "leave {Tag} out and count the results, or leave {Fold} out")
	case kind != "" && !wrapper.Is(kind, wrapper.TakesTags):
		return message.WithHint(message.Optionf("{Tag} %d: the interface %s has no signals for a tag; its results come in "+
			"the order "+
			"of the samples", o.Tag, kind), "leave {Tag} out and count the results, or give {Wrap stream} or {Wrap axis}")
	}
	return nil
}

// board returns the board that a wrapper of a kind is for, nil for none.
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

// hardware returns what the netlist is lowered to, nil for nothing.
func (o Options) hardware() (*hardware.Options, error) {
	if o.LUT == 0 && o.Target == "" && o.Style != StyleLUT {
		return nil, o.checkUnmapped()
	}
	h := &hardware.Options{K: o.LUT, MaxDepth: o.MaxDepth, Primitives: o.Style == StyleLUT}
	var err error
	if h.Target, err = target.Find(cmp.Or(o.Target, target.Generic.Name)); err != nil {
		return nil, message.Optionf("{Target}: %w", err)
	}
	h.K = cmp.Or(h.K, h.Target.LUT.Most)
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

// checkUnmapped refuses options that mapping alone takes.
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

// stages returns what Pipeline and MaxLevels say.
func (o Options) stages() (p pipeline.Options, err error) {
	switch {
	case o.Pipeline == PipelineAuto && o.MaxLevels >= 0:
		return pipeline.Options{Auto: true, MaxLevels: o.MaxLevels}, nil
	case o.MaxLevels != 0:
		return p, message.WithHint(message.Optionf("{MaxLevels} %d: it is the most levels of a stage of {Pipeline auto}, "+
			"1 or more",
			o.MaxLevels),
			"leave it out, or give {Pipeline auto}")
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

// thermometer returns what optimisation takes from the order of thermometer bits.
func (o Options) thermometer(scope netlist.Scope, mapped bool) (compiler.Thermometer, error) {
	if o.AssumeThermometer && (scope == netlist.Full || !mapped) {
		return 0, message.WithHint(message.Optionf("{AssumeThermometer}: it is for the scopes gates and core, mapped to "+
			"LUTs"),
			"leave it out; in scope full the comparators show the order, and without {LUT} every gate stays what it is")
	}
	switch {
	case mapped && scope == netlist.Full:
		return compiler.ThermometerDerived, nil
	case o.AssumeThermometer:
		return compiler.ThermometerAssumed, nil
	}
	return compiler.Options{}.Thermometer, nil
}

// New checks options that belong together, and returns what they come to.
func New(o Options) (p *Plan, err error) {
	if o, err = o.resolve(); err != nil {
		return nil, err
	}
	return read(o)
}

// read is [New] of options as the manifest has them.
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
			"leave it out, or use {Scope core} or full")
	}
	mapped := p.Hardware != nil
	p.Optimiser = compiler.Options{Level: o.Optimise.Number(), Restructure: mapped, Measure: true}
	if o.CheckPasses {
		p.checkPasses()
	}
	p.Optimiser.Thermometer, err = o.thermometer(p.scope, mapped)
	return p, err
}
