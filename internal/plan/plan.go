// Package plan is what the options of a compilation come to: which netlist is made of a model, by which passes, and
// which files are written of it.
//
// [New] checks [Options] and returns a [Plan]. Its methods are the steps, in this order: [Plan.Freeze] gives the raw
// netlist of a network, [Plan.Run] optimises and lowers it into an [backend.Product], to which [Plan.Describe] adds
// the manifest and [Plan.Vectors] the samples of the testbenches. [Read] returns the plan of a folder that was
// written, and [Plan.CompareManifest] holds that folder to what the plan makes of its netlist.
package plan

import (
	"context"

	"ialgn/backend"
	"ialgn/compiler"
	"ialgn/internal/encoding"
	"ialgn/internal/freeze"
	"ialgn/internal/hardware"
	"ialgn/internal/hardware/encoder"
	"ialgn/internal/model"
	"ialgn/internal/target"
	"ialgn/internal/verilog"
	"ialgn/internal/wrapper"
	"ialgn/netlist"
)

// Plan is what options come to.
type Plan struct {
	Options  Options
	Hardware *hardware.Options // nil: the netlist is not lowered
	Style    verilog.Style
	Wrap     string         // kind of the wrapper; empty: none
	Fold     Fold           // the folded engine; empty: there is none
	Board    *wrapper.Board // nil: none

	// Optimiser is how the raw netlist is optimised.
	Optimiser compiler.Options

	scope netlist.Scope

	// The parts of an engine, once they are made, and what makes the engine of them.
	parts []Part
	build builder
}

// Freeze returns the raw netlist of a network, with the ports that the options name.
func (p *Plan) Freeze(f *model.Frozen) (*netlist.Netlist, error) {
	n, err := freeze.Network(f, p.scope)
	if err != nil || !p.Options.Counts {
		return n, err
	}
	return netlist.WithCounts(n, f.Classes)
}

// Target returns whose primitives the Verilog may have, nil if the netlist is not lowered.
func (p *Plan) Target() *target.Family {
	if p.Hardware == nil {
		return nil
	}
	return p.Hardware.Target
}

// GenericLUT returns the inputs of the LUTs of a netlist that is mapped for no target in particular, 0 for others.
func (p *Plan) GenericLUT() int {
	if t := p.Target(); t == nil || t.Synthesis.Library != "" {
		return 0
	}
	return p.Hardware.K
}

// Family returns the name of the family whose cells the product is made for, empty if it is for any.
func (p *Plan) Family() string {
	t := p.Target()
	if t == nil || t == target.Generic && p.Style != verilog.LUTs {
		return ""
	}
	return t.Name
}

// Network is what else is known of the network that a raw netlist was made of.
type Network struct {
	Encoder *encoding.Encoder
	// Compact returns it with the nodes that positions share once.
	Compact func() (*model.Compact, error)
}

// Run optimises and lowers a raw netlist into a product. It drops each netlist as soon as the next one is made, to
// save memory.
func (p *Plan) Run(ctx context.Context, n *netlist.Netlist, m Network, out *backend.Product) (err error) {
	raw := netlist.Measure(n)
	out.Raw = &raw
	if n, out.Passes, err = p.Optimiser.Optimise(ctx, n); err != nil {
		return err
	}
	out.Gates = netlist.Measure(n).Cells.Gates
	if out.Fold, err = p.engine(ctx, n, m, *out); err != nil {
		return err
	}
	if p.Hardware == nil {
		out.Netlist = n
		return nil
	}
	d, err := p.Hardware.Lower(ctx, n)
	if err != nil {
		return err
	}
	out.Netlist, out.Passes = d.Netlist, append(out.Passes, d.Steps...)
	out.Hardware = &backend.Hardware{
		Style: p.Style, Target: p.Hardware.Target, Hint: d.Hint, Mapping: d.Mapping,
		Pipeline: d.Stages,
	}
	return nil
}

// Product returns what the plan alone says of a product.
func (p *Plan) Product(m backend.Manifest) backend.Product {
	return backend.Product{
		Emit: p.Options.Emit, MHz: p.Options.MHz, Wrap: p.Wrap, Tag: p.Options.Tag, Baud: p.Options.Baud, Board: p.Board,
		Manifest: m, Header: p.header(m),
	}
}

// Line returns the clock and the rate of the wrapper's serial line.
func (p *Plan) Line() wrapper.Options {
	return wrapper.LineOptions(p.Options.MHz, p.Options.Baud, p.Board)
}

// Core returns the netlist inside a wrapper that contains the encoder itself; nil if the wrapper contains the whole
// netlist, or there is no wrapper.
func (p *Plan) Core(n *netlist.Netlist) *encoder.Split {
	if p.Wrap == "" || p.Folded() {
		return nil
	}
	return backend.Core(n, p.Wrap)
}
