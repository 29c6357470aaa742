package plan

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"

	"ialgn/backend"
	"ialgn/compiler"
	"ialgn/internal/decimal"
	"ialgn/internal/encoding"
	"ialgn/internal/folded"
	"ialgn/internal/message"
	"ialgn/internal/model"
	"ialgn/internal/target"
	"ialgn/internal/wrapper"
	"ialgn/netlist"
)

// maxFoldSteps limits the number of steps. No device has enough block RAM for this number of steps.
const maxFoldSteps = 1 << 20

// Fold selects the kind of folded engine. It is the number of steps in each clock as digits, the name of another kind
// of engine, or empty for no engine. In JSON, it is a number or a name.
type Fold string

// FoldPositions is an engine that computes one position of the convolutions in each clock.
const FoldPositions Fold = "positions"

// FoldSequence is an engine that contains the layers of one step of a recurrent network once, and uses them for each
// step.
const FoldSequence Fold = "steps"

// FoldLanes returns the engine that runs n steps of a program in each clock. n is 1, 2 or 4, or 0 for no engine.
func FoldLanes(n int) Fold {
	if n == 0 {
		return ""
	}
	return Fold(strconv.Itoa(n))
}

// lanes returns the number of steps in each clock of an engine that runs a program. It is 0 for other kinds of engine
// and for no engine.
func (f Fold) lanes() int {
	n, err := decimal.Int(string(f))
	if err != nil {
		return 0
	}
	return n
}

// ParseFold parses an option of the command line. An empty text or 0 means no engine.
func ParseFold(text string) (Fold, error) {
	f := Fold(text)
	if n, err := decimal.Int(text); err == nil && n >= 0 {
		f = FoldLanes(n)
	} else if text != "" && f.division() == nil {
		return "", message.Near(message.Optionf("{Fold} %q: give the steps of a clock, 1, 2 or 4, or positions or steps",
			text),
			text, []string{string(FoldPositions), string(FoldSequence)})
	}
	return f, nil
}

// MarshalJSON returns a number or a name.
func (f Fold) MarshalJSON() ([]byte, error) {
	if f.division() == nil {
		return json.Marshal(f.lanes())
	}
	return json.Marshal(string(f))
}

// UnmarshalJSON parses what MarshalJSON returns.
func (f *Fold) UnmarshalJSON(text []byte) error {
	if name, err := strconv.Unquote(string(text)); err == nil && Fold(name).division() != nil {
		*f = Fold(name)
		return nil
	}
	var n int
	err := json.Unmarshal(text, &n)
	*f = FoldLanes(n)
	return err
}

// division is a kind of engine that is divided into modules. Each module is used once in each clock.
type division struct {
	name  Fold
	check func(o Options) error // refuses options that cannot be combined with this kind
	// apart divides a network into parts. The last part has scope core, and all other parts have scope gates.
	apart func(network *model.Compact) (parts []Part, build builder, err error)
}

// builder builds the engine with the given name from the compiled parts. The caller adds the parts'
// costs to the report.
type builder func(frame folded.Frame, e *encoding.Encoder, name string) (folded.Engine, backend.FoldReport,
	*backend.FoldParts, error)

// divisions lists all kinds of division.
var divisions = []division{
	{FoldPositions, checkPositions, convolutions},
	{FoldSequence, checkSequence, sequence},
}

// division returns the division that f names, or nil if f does not name a division.
func (f Fold) division() *division {
	for i := range divisions {
		if divisions[i].name == f {
			return &divisions[i]
		}
	}
	return nil
}

// folded returns the kind of the folded engine, or "" for no engine. It also returns the kind of the wrapper that
// must be written in addition. An engine needs no wrapper of kind stream, because the engine itself has the ports of
// such a wrapper.
func (o Options) folded(p *Plan) (f Fold, wrap string, err error) {
	kind := o.Fold.division()
	switch {
	case o.FoldSteps < 0 || o.FoldSteps > maxFoldSteps || o.FoldSteps > 0 && o.Fold == "":
		return "", "", message.WithHint(message.Optionf("{FoldSteps} %d: want the room of a folded engine, 1 to %d steps",
			o.FoldSteps,
			maxFoldSteps),
			"omit it, or add {Fold}")
	case o.Fold == "":
		return "", p.Wrap, nil
	case kind == nil && !slices.Contains(folded.Lanes(), o.Fold.lanes()):
		return "", "", message.Optionf("{Fold} %s: give the steps of a clock, 1, 2 or 4, or positions or steps",
			string(o.Fold))
	case p.scope != netlist.Full:
		return "", "", message.WithHint(message.Optionf("{Fold}: it is for scope full, which has features to load"),
			"leave {Scope} out")
	case o.Reject > 0 || o.RejectShare > 0:
		err := message.Optionf("{Fold}: an engine gives the class alone, and it does not keep the second largest count")
		if o.RejectShare > 0 {
			return "", "", message.WithHint(err, "leave {RejectShare} out, or omit {Fold}")
		}
		return "", "", message.WithHint(err, "leave {Reject} out, or omit {Fold}")
	case o.Counts:
		return "", "", message.WithHint(message.Optionf("{Fold}: an engine gives the class alone"), "leave {Counts} out")
	}
	if kind != nil {
		if err := kind.check(o); err != nil {
			return "", "", err
		}
	}
	if p.Wrap == wrapper.EngineKind {
		return o.Fold, "", nil
	}
	return o.Fold, p.Wrap, nil
}

// engine is a folded engine with its parts, if it is divided.
type engine struct {
	fold  *backend.Fold // nil without an engine
	parts []Part
}

// fold builds the folded engine for an optimised netlist, with a report on the engine's costs, if the options ask for
// an engine.
func (p *Plan) fold(ctx context.Context, n *netlist.Netlist, m Network, version string) (e engine, err error) {
	switch {
	case p.Lanes() > 0:
		e.fold, err = p.program(ctx, n, m, version)
	case p.Folded():
		e, err = p.divided(ctx, m)
	}
	if e.fold == nil || err != nil {
		return engine{}, err
	}
	e.fold.Clocks = e.fold.Engine.Clocks()
	r := &e.fold.Report
	for _, m := range e.fold.Memories() {
		r.Memories = append(r.Memories, backend.FoldMemory{File: m.File, Depth: m.Depth, Width: m.Width})
	}
	return e, nil
}

// foldAnew builds the folded engine for a raw netlist, if the options ask for an engine.
func (p *Plan) foldAnew(ctx context.Context, n *netlist.Netlist, m Network, version string) (e engine, err error) {
	if p.Lanes() > 0 {
		if n, _, err = p.Optimiser.Optimise(ctx, n); err != nil {
			return e, err
		}
	}
	return p.fold(ctx, n, m, version)
}

// Folding returns the compiler options for a netlist that will be folded to a program. They do not
// depend on the plan's other options.
func (p *Plan) Folding() compiler.Options {
	return compiler.Options{
		Level: compiler.LevelRepeat, Restructure: true, Thermometer: compiler.ThermometerDerived, Check: p.Optimiser.Check,
	}
}

// program folds an optimised netlist to a program of steps and reports the costs of the engines
// that can run it.
func (p *Plan) program(ctx context.Context, n *netlist.Netlist, m Network, version string) (*backend.Fold, error) {
	n, _, err := p.Folding().Optimise(ctx, n)
	if err != nil {
		return nil, err
	}
	program, err := folded.NewProgram(n, m.Encoder.Thresholds)
	if err != nil {
		return nil, message.WithHint(message.Optionf("{Fold}: %w", err), "omit it")
	}
	// The header names no model, because engines of the same shape are equal for all models.
	f := &backend.Fold{
		Header: []string{"made by ialgn " + version}, Report: backend.FoldReport{Lanes: p.Lanes()},
	}
	for _, lanes := range folded.Lanes() {
		o := folded.Options{Core: p.Options.Module, Lanes: lanes, Drop: p.Dropping()}
		if lanes == p.Lanes() {
			o.Steps = p.Options.FoldSteps
		}
		e, err := program.Engine(o)
		if err != nil {
			return nil, message.Optionf("{Fold}: %w", err)
		}
		f.Report.Each = append(f.Report.Each, foldCost(e.Cost(), p.Options.MHz))
		if lanes == p.Lanes() {
			f.Engine = e
		}
	}
	return f, nil
}

// Lanes returns the number of steps in each clock of an engine that runs a program. It is 0 for other engines and for
// no engine.
func (p *Plan) Lanes() int { return p.Fold.lanes() }

// Folded reports whether the plan has a folded engine.
func (p *Plan) Folded() bool { return p.Fold != "" }

// Dropping reports whether the wrapper around a folded engine may discard a packet.
func (p *Plan) Dropping() bool { return wrapper.Is(p.Wrap, wrapper.DropsPackets) }

// foldCost returns the cost of an engine for a report. It adds the devices that have enough memory, and the number of
// samples per second at a clock of mhz MHz.
func foldCost(c folded.Cost, mhz float64) backend.FoldCost {
	cost := backend.FoldCost{Cost: c, Fits: []string{}, SamplesPerSecond: mhz * 1e6 / float64(c.Cycles)}
	for _, d := range target.Devices() {
		if d.Of().BlockBits == folded.BlockBits && c.Blocks*folded.BlockBits <= d.BlockRAM {
			cost.Fits = append(cost.Fits, d.Name)
		}
	}
	return cost
}
