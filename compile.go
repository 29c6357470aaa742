package ialgn

import (
	"context"

	"ialgn/internal/freeze"
	"ialgn/internal/model"
	"ialgn/internal/plan"
	"ialgn/internal/verify"
	"ialgn/netlist"
)

// CompileOptions decide what a model is compiled to. The zero value compiles the whole classifier to optimised
// Verilog gates for any target. If a value is not valid, [Compile] returns an error that lists the valid values.
type CompileOptions struct {
	// Scope says which part of the classifier is compiled. The scope full (default) begins at the feature words and
	// ends at the class. The scope core begins at the thermometer bits and ends at the class. The scope gates begins
	// at the thermometer bits and contains only the gates, without class counts.
	Scope string

	// Emit names the formats to write in addition to Verilog and the text netlist; see [backend.Formats].
	Emit   []string
	Module string // name of the Verilog module; empty: the model's name

	Optimise  Level
	Target    string // FPGA family to map the netlist to, such as ice40; empty: no particular family
	LUT       int    // inputs of the look-up tables for gates, 2 to 6; 0: Target's number, or no mapping
	Objective string // what the mapping optimises: balanced (default), area or depth
	MaxDepth  int    // maximum number of look-up table levels in the gates; 0: no limit

	Pipeline  string // register stages: none (default), a number from 1, or auto (the fewest that MaxLevels allows)
	MaxLevels int    // maximum number of look-up table levels in each stage of Pipeline auto; 0: 3

	Style string  // form of the Verilog: gates, lut (primitives of Target), or auto (default): the better for Target
	MHz   float64 // clock frequency for which to write timing constraints; 0: no constraints

	Wrap  string // interface around the module: none (default), stream, axis, uart, spi or byte
	Tag   int    // width in bits of a tag that travels with each sample to its result; 0: no tag
	Baud  int    // baud rate of the interface uart; 0: 115,200
	Board string // board whose pins the interface uses, such as icebreaker; empty: none

	// Fold makes a folded engine, which reuses its look-up tables from clock to clock. The values 1, 2 and 4 make an
	// engine that runs a program from block RAM. The value is the number of program steps in each clock. The value
	// positions makes an engine that computes one position of the convolutions in each clock. The value steps makes
	// an engine for recurrent networks, which contains the layers of a single time step. If Fold is empty, there is
	// no engine.
	Fold      string
	FoldSteps int // number of program steps to make room for, so that other models fit; 0: the steps of this model

	AssumeThermometer bool // the inputs of scopes core and gates are thermometer codes; the compiler may rely on this
	Counts            bool // add an output port with the class counts
	// Reject is a margin, from 1 to the largest class count. It adds an output port that is 1 if the class is uncertain,
	// because the largest class count leads the second largest by less than the margin; 0: no such port.
	Reject int
	// RejectShare, above 0 and below 1, chooses Reject: the largest margin with which at most this share of the validation
	// samples of the training is uncertain; 0: Reject is the margin. [Compile] returns an error if the model was trained
	// without a validation set, or if in more samples several classes have the largest count.
	RejectShare float64

	Probabilities bool // add functions to the C and Go code that compute the probabilities of the classes
	Vectors       int  // number of test samples in the testbenches; 0: 64
	Data          Data // where to read the test samples from

	// CheckPasses compares the netlists before and after each pass of the compiler on random samples. If they
	// differ, [Compile] returns a [*compiler.BrokenError]. The check takes time, and memory for a second netlist.
	CheckPasses bool
}

// Level says how far a netlist is optimised.
type Level int

// These are the levels of optimisation.
const (
	OptimiseFully Level = iota // repeat the passes until nothing changes
	OptimiseOnce               // run each pass once
	OptimiseNone               // run no passes: each gate becomes a cell
)

// plan converts the options to a plan for the compiler. fanIn is the largest number of inputs of the network's nodes,
// or 0 if it is not known.
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
		FoldSteps: o.FoldSteps, AssumeThermometer: o.AssumeThermometer, Counts: o.Counts, Reject: o.Reject,
		RejectShare:   o.RejectShare,
		Probabilities: o.Probabilities, Vectors: o.Vectors, CheckPasses: o.CheckPasses,
	}
	return plan.New(options.ForNodes(fanIn))
}

// Validate returns an error if the options are invalid, or contradict each other, regardless of the model.
func (o CompileOptions) Validate() error {
	_, err := o.plan(0)
	return err
}

// Compile freezes a model, optimises its netlist and maps the netlist to the target in the options. It runs on
// GOMAXPROCS threads. The testbenches use samples from the model's test set. Compile looks for the test set in o.Data
// and in the usual folders. If the test set is not found, the testbenches use random samples.
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

// foldable returns those properties of the model that the plan for a folded engine needs, in addition to the netlist.
func (m *Model) foldable() plan.Network {
	return plan.Network{Encoder: &m.info.Model.Encoder, Compact: m.file.Compact}
}

// first returns the first samples of the test part. If they cannot be read, Source.Missing says why.
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

// hash starts to compute the SHA-256 of the model's file, in parallel with the compiler's single-threaded passes.
// It returns a function that waits for the result. The computation stops when ctx ends.
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

// raw returns the netlist of the model's core without optimisation, with one cell for each gate.
func (m *Model) raw(ctx context.Context) (*netlist.Netlist, *model.Frozen, error) {
	f, err := m.frozen(ctx)
	if err != nil {
		return nil, nil, err
	}
	n, err := freeze.Network(f, netlist.Core)
	return n, f, err
}
