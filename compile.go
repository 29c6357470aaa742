package ialgn

import (
	"context"

	"ialgn/internal/freeze"
	"ialgn/internal/model"
	"ialgn/internal/plan"
	"ialgn/internal/verify"
	"ialgn/netlist"
)

// CompileOptions decide what a model is compiled to. The zero value is the whole classifier in Verilog for any target.
type CompileOptions = plan.Options

type (
	// Scope says how much of the classifier is compiled.
	Scope = plan.Scope
	// Level is how far the netlist is optimised.
	Level = plan.Level
	// Objective is what the mapping to look-up tables aims for.
	Objective = plan.Objective
	// Pipeline says where registers are put.
	Pipeline = plan.Pipeline
	// Style is the form of the Verilog.
	Style = plan.Style
	// Wrapper is the interface that is written around the module.
	Wrapper = plan.Wrapper
	// Fold says which folded engine is written.
	Fold = plan.Fold
)

// Scopes, the first being the zero value's.
const (
	ScopeFull  = plan.ScopeFull
	ScopeCore  = plan.ScopeCore
	ScopeGates = plan.ScopeGates
)

// Levels of optimisation, the first being the zero value.
const (
	OptimiseFully = plan.OptimiseFully
	OptimiseOnce  = plan.OptimiseOnce
	OptimiseNone  = plan.OptimiseNone
)

// Objectives of the mapping, the first being the zero value's.
const (
	ObjectiveBalanced = plan.ObjectiveBalanced
	ObjectiveArea     = plan.ObjectiveArea
	ObjectiveDepth    = plan.ObjectiveDepth
)

// Pipelines, the first being the zero value's.
const (
	PipelineNone = plan.PipelineNone
	PipelineAuto = plan.PipelineAuto
)

// FoldPositions is an engine that takes a position of the convolutions a clock.
const FoldPositions = plan.FoldPositions

// FoldSequence is an engine that has the layers of a recurrent network's step once, in a loop.
const FoldSequence = plan.FoldSequence

// FoldLanes is an engine that does that many steps of a program in a clock, 1, 2 or 4; 0: no engine.
func FoldLanes(n int) Fold { return plan.FoldLanes(n) }

// PipelineStages is a pipeline of that many register stages, 1 or more.
func PipelineStages(n int) Pipeline { return plan.PipelineStages(n) }

// Styles of Verilog, the first being the zero value's.
const (
	StyleAuto  = plan.StyleAuto
	StyleGates = plan.StyleGates
	StyleLUT   = plan.StyleLUT
)

// Wrappers, the first being the zero value's.
const (
	WrapNone   = plan.WrapNone
	WrapStream = plan.WrapStream
	WrapAXIS   = plan.WrapAXIS
	WrapUART   = plan.WrapUART
	WrapSPI    = plan.WrapSPI
)

// Compile freezes a model, optimises its netlist and maps it to what the options name. It uses as many processors as
// the process may. The testbenches' vectors are samples of the model's test set where data, or the places where data
// sets are looked for, have it; else random ones.
func Compile(ctx context.Context, m *Model, o CompileOptions) (*Design, error) {
	return CompileWith(ctx, m, o, Data{})
}

// CompileWith is [Compile] with the samples of the testbenches from data.
func CompileWith(ctx context.Context, m *Model, o CompileOptions, data Data) (*Design, error) {
	p, err := plan.New(o.ForNodes(m.info.Model.FanIn()))
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	product, err := p.Compile(ctx, plan.Work{
		Version: Version, Model: m.info.Model, Network: m.foldable(), SHA256: m.hash(ctx),
		Frozen:  func() (*model.Frozen, error) { return m.Frozen(ctx) },
		Samples: func(samples int) (plan.Source, error) { return m.source(data).first(ctx, samples) },
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
	f, err := m.Frozen(ctx)
	if err != nil {
		return nil, nil, err
	}
	n, err := freeze.Network(f, netlist.Core)
	return n, f, err
}
