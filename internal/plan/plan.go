// Package plan is what the options of a compilation come to: which netlist is made of a model, by which passes, and
// which files are written of it.
//
// [New] checks [Options] and returns a [Plan], and [Plan.Compile] makes of a model what is written. [Read] returns the
// plan of a folder that was written, and [Plan.CompareManifest] and [Plan.CompareFiles] hold that folder to what the
// plan makes of the model and of the folder's netlist.
package plan

import (
	"context"
	"runtime/debug"
	"time"

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

// Work is what a compilation starts from.
type Work struct {
	Version string       // of the program
	Model   *model.Model // without its arrays
	Network
	Frozen  func() (*model.Frozen, error)     // reads the network
	SHA256  func() (string, error)            // waits for the digest of the model's file
	Samples func(samples int) (Source, error) // the first ones for the testbenches
}

// Compile makes of a model what is written of it. The module is called after the model unless the options have a name.
func (p *Plan) Compile(ctx context.Context, w Work) (*backend.Product, error) {
	started := time.Now()
	if err := p.name(w.Model.Config.Name); err != nil {
		return nil, err
	}
	raw, v, err := p.start(w)
	if err != nil {
		return nil, err
	}
	c, err := p.run(ctx, raw, w.Network, w.Version)
	if err != nil {
		return nil, err
	}
	if err := c.netlist.Validate(); err != nil {
		return nil, err
	}
	sum, err := w.SHA256()
	if err != nil {
		return nil, err
	}
	manifest, err := p.manifest(w.Version, sum, w.Model)
	if err != nil {
		return nil, err
	}
	product := p.product(manifest, w.Encoder, w.Model.FrozenNodes(), c, v)
	product.Started = started
	return &product, nil
}

// start streams the model's file into the raw netlist, and makes the vectors of the testbenches. The frozen network is
// garbage when it returns, which the largest models need.
func (p *Plan) start(w Work) (n *netlist.Netlist, v vectors, err error) {
	f, err := w.Frozen()
	if err != nil {
		return nil, v, err
	}
	if n, err = p.Freeze(f); err == nil {
		v, err = p.vectors(f, n, w.Samples)
	}
	debug.FreeOSMemory()
	return n, v, err
}

// compiled is what passes make of a raw netlist.
type compiled struct {
	netlist  *netlist.Netlist
	raw      netlist.Measures // of the raw netlist
	gates    int              // that optimisation left
	passes   []compiler.PassReport
	hardware *backend.Hardware // nil: the netlist is not lowered
	engine
}

// run optimises and lowers a raw netlist. It drops each netlist as soon as the next one is made, to save memory.
func (p *Plan) run(ctx context.Context, n *netlist.Netlist, m Network, version string) (c compiled, err error) {
	c.raw = netlist.Measure(n)
	if n, c.passes, err = p.Optimiser.Optimise(ctx, n); err != nil {
		return c, err
	}
	c.gates = netlist.Measure(n).Cells.Gates
	if c.engine, err = p.fold(ctx, n, m, version); err != nil {
		return c, err
	}
	if p.Hardware == nil {
		c.netlist = n
		return c, nil
	}
	d, err := p.Hardware.Lower(ctx, n)
	if err != nil {
		return c, err
	}
	c.netlist, c.passes = d.Netlist, append(c.passes, d.Steps...)
	c.hardware = &backend.Hardware{
		Style: p.Style, Target: p.Hardware.Target, Hint: d.Hint, Mapping: d.Mapping,
		Pipeline: d.Stages,
	}
	return c, nil
}

// product returns what is written of a compiled netlist; gates is the model's number of gates.
func (p *Plan) product(m backend.Manifest, enc *encoding.Encoder, gates int, c compiled, v vectors) backend.Product {
	in := p.inputs(m, enc)
	return backend.Product{
		Netlist: c.netlist, GatesRaw: gates, Gates: c.gates, Raw: &c.raw, Passes: c.passes, Hardware: c.hardware,
		Fold: c.fold, Vectors: v.vectors, Samples: v.said, Manifest: m, Header: p.header(m, in), Inputs: in,
		Emit: p.Options.Emit, MHz: p.Options.MHz, Wrap: p.Wrap, Tag: p.Options.Tag, Baud: p.Options.Baud, Board: p.Board,
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
