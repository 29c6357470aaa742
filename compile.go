package ialgn

import (
	"context"

	"ialgn/internal/freeze"
	"ialgn/internal/model"
	"ialgn/internal/plan"
	"ialgn/internal/verify"
	"ialgn/netlist"
)

// CompileOptions decide what a model is compiled to. The zero value is the whole classifier, optimised, in Verilog of
// gates for any target. [Compile] refuses a value that is not listed here, and says which there are.
type CompileOptions struct {
	Scope string // full (default): feature words in, class out; core: thermometer bits in; gates: no class counts either

	// Emit names further files than Verilog and the text netlist: [backend.Formats] lists them.
	Emit   []string
	Module string // name of the Verilog module; empty: the model's name

	Optimise  Level
	Target    string // family that the netlist is mapped to, such as ice40; empty: none in particular
	LUT       int    // inputs of the look-up tables that gates are mapped to, 2 to 6; 0: as the target has them, if any
	Objective string // what the mapping aims for: balanced (default), area or depth
	MaxDepth  int    // most levels of look-up tables of the gates; 0: any number

	Pipeline  string // register stages: none (default), a number from 1, or auto: as few as MaxLevels allows
	MaxLevels int    // most levels of look-up tables in a stage of Pipeline auto; 0: 3

	Style string  // form of the Verilog: gates, lut (primitives of the target), or auto (default): what suits the target
	MHz   float64 // clock that constraints are written for; 0: no constraints

	Wrap  string // interface around the module: none (default), stream, axis, uart or spi
	Tag   int    // bits of a tag that each sample takes along to its result; 0: no tag
	Baud  int    // rate of the interface uart; 0: 115,200
	Board string // board whose pins the interface has, such as icebreaker; empty: none

	// Fold makes a folded engine, which reuses its look-up tables from clock to clock. A number, 1, 2 or 4, is the steps
	// of a program in block RAM that it does in a clock. With positions it takes a position of the convolutions in a
	// clock; with steps it has the layers of a recurrent network's step once. Empty: no engine.
	Fold      string
	FoldSteps int // room of the engine for steps of other models' programs; 0: for the steps of this one

	AssumeThermometer bool // the inputs of scopes core and gates are thermometer codes, which the compiler may rely on
	Counts            bool // the class counts are an output port, too
	Vectors           int  // test samples in the testbenches; 0: 64
	Data              Data // where the test samples are read from

	// CheckPasses compares the netlist after each pass of the compiler with the one before, on random samples. A pass
	// that fails is a [*compiler.BrokenError]. It takes time and a second netlist's memory.
	CheckPasses bool
}

// Level is how far a netlist is optimised.
type Level int

// Levels of optimisation.
const (
	OptimiseFully Level = iota // the passes are repeated until nothing changes
	OptimiseOnce               // each pass once
	OptimiseNone               // a cell a gate
)

// plan returns the options as the compiler has them, for a network whose nodes have at most that many inputs; 0: not
// known.
func (o *CompileOptions) plan(fanIn int) (*plan.Plan, error) {
	fold, err := plan.ParseFold(o.Fold)
	if err != nil {
		return nil, err
	}
	options := plan.Options{
		Scope: plan.Scope(o.Scope), Emit: o.Emit, Module: o.Module, Optimise: plan.Level(o.Optimise), LUT: o.LUT,
		Target: o.Target, Objective: plan.Objective(o.Objective), MaxDepth: o.MaxDepth,
		Pipeline: plan.Pipeline(o.Pipeline), MaxLevels: o.MaxLevels, Style: plan.Style(o.Style), MHz: o.MHz,
		Wrap: plan.Wrapper(o.Wrap), Tag: o.Tag, Baud: o.Baud, Board: o.Board, Fold: fold,
		FoldSteps: o.FoldSteps, AssumeThermometer: o.AssumeThermometer, Counts: o.Counts, Vectors: o.Vectors,
		CheckPasses: o.CheckPasses,
	}
	return plan.New(options.ForNodes(fanIn))
}

// Validate returns an error for options that are wrong or that contradict each other, whatever the model.
func (o CompileOptions) Validate() error {
	_, err := o.plan(0)
	return err
}

// Compile freezes a model, optimises its netlist and maps it to what the options name. It uses as many processors as
// the process may. The testbenches' vectors are samples of the model's test set where o.Data, or the places where data
// sets are looked for, have it; else random ones.
func Compile(ctx context.Context, m *Model, o CompileOptions) (*Design, error) {
	p, err := o.plan(m.info.Model.FanIn())
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	product, err := p.Compile(ctx, plan.Work{
		Version: Version, Model: m.info.Model, Network: m.foldable(), SHA256: m.hash(ctx),
		Frozen:  func() (*model.Frozen, error) { return m.frozen(ctx) },
		Samples: func(samples int) (plan.Source, error) { return m.source(o.Data).first(ctx, samples) },
	})
	if err != nil {
		return nil, err
	}
	return &Design{netlist: product.Netlist, plan: p, product: product, source: m.source(Data{}), reads: m.Path()}, nil
}

// foldable is what a plan makes a folded engine of, beside the netlist.
func (m *Model) foldable() plan.Network {
	return plan.Network{Encoder: &m.info.Model.Encoder, Compact: m.file.Compact}
}

// first returns the first samples of the test part, or why there are none.
func (s source) first(ctx context.Context, samples int) (plan.Source, error) {
	test, err := s.upTo(ctx, samples-1)
	switch {
	case err == nil:
		return plan.Source{Name: test.Name, Samples: verify.Samples{Levels: test.Levels, Words: test.Words}}, nil
	case ctx.Err() != nil:
		return plan.Source{}, ctx.Err()
	}
	return plan.Source{Missing: err.Error()}, nil
}

// hash begins to compute the SHA-256 of the model's file, beside passes that have one thread, and returns what waits
// for it. It gives up when ctx ends.
func (m *Model) hash(ctx context.Context) (wait func() (string, error)) {
	var sum string
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		sum, err = m.SHA256(ctx)
	}()
	return func() (string, error) {
		<-done
		return sum, err
	}
}

// raw returns the netlist of the model's core as it is frozen, a cell a gate.
func (m *Model) raw(ctx context.Context) (*netlist.Netlist, *model.Frozen, error) {
	f, err := m.frozen(ctx)
	if err != nil {
		return nil, nil, err
	}
	n, err := freeze.Network(f, netlist.Core)
	return n, f, err
}
