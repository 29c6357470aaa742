package plan

import (
	"context"
	"encoding/json"
	"io"
	"slices"
	"strconv"

	"ialgn/artifact"
	"ialgn/backend/fold"
	"ialgn/backend/wrapper"
	"ialgn/compiler"
	"ialgn/internal/decimal"
	"ialgn/internal/hint"
	"ialgn/internal/option"
	"ialgn/netlist"
	"ialgn/target"
)

// maxFoldSteps is more than any device has block RAM for.
const maxFoldSteps = 1 << 20

// Fold says which folded engine is written: a number of steps in a clock, or another kind. In JSON it is a number or
// the name of the kind.
type Fold int

// FoldPositions is an engine that takes a position of the convolutions a clock.
const FoldPositions Fold = -1

// FoldSequence is an engine that has the layers of a recurrent network's step once, in a loop.
const FoldSequence Fold = -2

// foldNames are the names of these.
var foldNames = map[Fold]string{FoldPositions: "positions", FoldSequence: "steps"}

// foldNamed returns the kind of that name, 0 if there is none.
func foldNamed(name string) Fold {
	for f, n := range foldNames {
		if n == name {
			return f
		}
	}
	return 0
}

// ParseFold returns what a text of the command line says: none where it is empty.
func ParseFold(text string) (Fold, error) {
	if f := foldNamed(text); f != 0 || text == "" {
		return f, nil
	}
	n, err := decimal.Int(text)
	if err != nil || n < 0 {
		return 0, hint.Near(option.Errorf("{Fold} %q: give the steps of a clock, 1, 2 or 4, or positions or steps", text),
			text, []string{foldNames[FoldPositions], foldNames[FoldSequence]})
	}
	return Fold(n), nil
}

// String returns the number of steps, or the name of the kind.
func (f Fold) String() string {
	if name := foldNames[f]; name != "" {
		return name
	}
	return strconv.Itoa(int(f))
}

// MarshalJSON writes a number or a name.
func (f Fold) MarshalJSON() ([]byte, error) {
	if name := foldNames[f]; name != "" {
		return json.Marshal(name)
	}
	return json.Marshal(int(f))
}

// UnmarshalJSON reads what MarshalJSON writes.
func (f *Fold) UnmarshalJSON(text []byte) error {
	if name, err := strconv.Unquote(string(text)); err == nil && foldNamed(name) != 0 {
		*f = foldNamed(name)
		return nil
	}
	return json.Unmarshal(text, (*int)(f))
}

// foldKind is a kind of folded engines.
type foldKind struct {
	is    func(f Fold) bool
	check func(o Options) error // what this kind alone does not go with
	make  func(p *Plan, ctx context.Context, n *netlist.Netlist, m Network, out artifact.Product) (*artifact.Fold, error)
}

// foldKinds are the kinds.
var foldKinds = []foldKind{
	{
		func(f Fold) bool { return f == FoldPositions },
		func(o Options) error {
			if o.FoldSteps > 0 {
				return hint.With(option.Errorf("{FoldSteps} %d: an engine that takes a position a clock has no steps", o.FoldSteps),
					"leave it out")
			}
			return nil
		},
		(*Plan).positions,
	},
	{func(f Fold) bool { return f == FoldSequence }, checkSequence, (*Plan).sequence},
	{
		func(f Fold) bool { return slices.Contains(fold.Lanes(), int(f)) },
		func(Options) error { return nil },
		(*Plan).steps,
	},
}

// kind returns the kind of an engine, nil if there is none of that number.
func (f Fold) kind() *foldKind {
	for i := range foldKinds {
		if foldKinds[i].is(f) {
			return &foldKinds[i]
		}
	}
	return nil
}

// folded returns the folded engine (0: none) and the wrapper that is still to be written: an engine takes samples in
// the way of the wrapper stream without one.
func (o Options) folded(p *Plan) (f Fold, wrap string, err error) {
	kind := o.Fold.kind()
	switch {
	case o.FoldSteps < 0 || o.FoldSteps > maxFoldSteps || o.FoldSteps > 0 && o.Fold == 0:
		return 0, "", hint.With(option.Errorf("{FoldSteps} %d: it is the room of a folded engine, 1 to %d", o.FoldSteps,
			maxFoldSteps),
			"leave it out, or give {Fold}, too")
	case o.Fold == 0:
		return 0, p.Wrap, nil
	case kind == nil:
		return 0, "", option.Errorf("{Fold} %d: give the steps of a clock, 1, 2 or 4, or positions or steps", int(o.Fold))
	case p.scope != netlist.Full:
		return 0, "", hint.With(option.Errorf("{Fold}: it is for scope full, which has features to load"),
			"leave {Scope} out")
	case o.Counts:
		return 0, "", hint.With(option.Errorf("{Fold}: an engine gives the class alone"), "leave {Counts} out")
	}
	if err := kind.check(o); err != nil {
		return 0, "", err
	}
	if p.Wrap == wrapper.EngineKind {
		return o.Fold, "", nil
	}
	return o.Fold, p.Wrap, nil
}

// engine makes the folded engine of an optimised netlist, and says what it takes. It returns nil if none was asked for.
func (p *Plan) engine(ctx context.Context, n *netlist.Netlist, m Network, out artifact.Product) (*artifact.Fold,
	error,
) {
	if p.Fold == 0 {
		return nil, nil
	}
	return p.Fold.kind().make(p, ctx, n, m, out)
}

// engineAnew gives a product the engine that a raw netlist's has, if there is one.
func (p *Plan) engineAnew(ctx context.Context, raw *netlist.Netlist, m Network, out *artifact.Product) (err error) {
	n := raw
	if p.Fold > 0 {
		if n, _, err = p.Optimiser.Optimise(ctx, raw); err != nil {
			return err
		}
	}
	out.Fold, err = p.engine(ctx, n, m, *out)
	return err
}

// Folding is how a netlist is optimised before it is folded, whatever the options say of the rest.
func (p *Plan) Folding() compiler.Options {
	return compiler.Options{
		Level: compiler.LevelRepeat, Restructure: true, Thermometer: compiler.ThermometerDerived, Check: p.Optimiser.Check,
	}
}

// steps folds an optimised netlist to a program of steps, and says what engines of it take.
func (p *Plan) steps(ctx context.Context, n *netlist.Netlist, m Network, out artifact.Product) (*artifact.Fold, error) {
	n, _, err := p.Folding().Optimise(ctx, n)
	if err != nil {
		return nil, err
	}
	program, err := fold.NewProgram(n, m.Encoder.Thresholds)
	if err != nil {
		return nil, hint.With(option.Errorf("{Fold}: %w", err), "leave it out")
	}
	f := &artifact.Fold{Report: artifact.FoldReport{Lanes: int(p.Fold)}}
	for _, lanes := range fold.Lanes() {
		room := 0
		if lanes == int(p.Fold) {
			room = p.Options.FoldSteps
		}
		engine, err := program.Engine(fold.Options{
			Core: out.Manifest.Module, Lanes: lanes, Steps: room, Drop: p.Dropping(),
			Header: []string{"made by ialgn " + out.Manifest.Version},
			// no model: the engines of all with this shape are the same
		})
		if err != nil {
			return nil, option.Errorf("{Fold}: %w", err)
		}
		cost := engine.Cost()
		f.Report.Each = append(f.Report.Each, foldCost(cost, out.MHz))
		if lanes == int(p.Fold) {
			f.Module, f.Header, f.Drop = engine.Module, engine.Header, engine.Drop
			f.Cycles, f.Latency = float64(cost.Cycles), cost.Latency
			f.WriteVerilog = func(w io.Writer, _ artifact.Product) error { return engine.WriteVerilog(w) }
			f.Memories = engine.Memories()
		}
	}
	f.Report.Memories = f.MemoryFiles()
	return f, nil
}

// Lanes returns the steps in a clock of an engine that runs a program, 0 for other engines and without one.
func (p *Plan) Lanes() int { return max(0, int(p.Fold)) }

// Folded reports whether there is a folded engine.
func (p *Plan) Folded() bool { return p.Fold != 0 }

// Dropping reports whether the wrapper around a folded engine may call a packet void.
func (p *Plan) Dropping() bool { return wrapper.Is(p.Wrap, wrapper.DropsPackets) }

// foldCost adds the devices that have the memory, and the rate at a clock.
func foldCost(c fold.Cost, mhz float64) artifact.FoldCost {
	cost := artifact.FoldCost{Cost: c, Fits: []string{}, SamplesPerSecond: mhz * 1e6 / float64(c.Cycles)}
	for _, d := range target.Devices() {
		if d.Of().BlockBits == fold.BlockBits && c.Blocks*fold.BlockBits <= d.BlockRAM {
			cost.Fits = append(cost.Fits, d.Name)
		}
	}
	return cost
}
