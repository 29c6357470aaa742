// Package plan turns the options of a compilation into a plan. The plan says which netlist is made from a model,
// which passes run, and which files are written.
//
// [New] checks [Options] and returns a [Plan]. [Plan.Compile] compiles a model to the files of a product. [Read]
// returns the plan of a folder that was written before. [Plan.CompareManifest] and [Plan.CompareFiles] compare such a
// folder with the files that the plan would write for the model and the folder's netlist.
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

// Plan is the checked form of options.
type Plan struct {
	Options  Options
	Hardware *hardware.Options // nil if the netlist is not lowered
	Style    verilog.Style
	Wrap     string         // kind of the wrapper; empty for none
	Fold     Fold           // the folded engine; empty for none
	Board    *wrapper.Board // nil for none

	// Optimiser has the options for optimising the raw netlist.
	Optimiser compiler.Options

	scope netlist.Scope
}

// Freeze returns the raw netlist of a network, with the ports that the options ask for.
func (p *Plan) Freeze(f *model.Frozen) (*netlist.Netlist, error) {
	if err := p.Options.checkMargin(f); err != nil {
		return nil, err
	}
	n, err := freeze.WithMargin(f, p.scope, p.Options.Reject)
	if err != nil || !p.Options.Counts {
		return n, err
	}
	return netlist.WithCounts(n, f.Classes)
}

// Target returns the family whose primitives the Verilog may instantiate, or nil if the netlist is not lowered.
func (p *Plan) Target() *target.Family {
	if p.Hardware == nil {
		return nil
	}
	return p.Hardware.Target
}

// GenericLUT returns the number of inputs of LUTs if the netlist is mapped for no particular target, and otherwise 0.
func (p *Plan) GenericLUT() int {
	if t := p.Target(); t == nil || t.Synthesis.Library != "" || t.Cells {
		return 0
	}
	return p.Hardware.K
}

// Family returns the name of the family to which the product is restricted, or "" if the product suits any family.
func (p *Plan) Family() string {
	t := p.Target()
	if t == nil || t == target.Generic && p.Style != verilog.LUTs {
		return ""
	}
	return t.Name
}

// Network holds what a plan needs to know about a network in addition to its raw netlist.
type Network struct {
	Encoder *encoding.Encoder
	// Compact returns the network in a form in which nodes that positions share are stored once.
	Compact func() (*model.Compact, error)
}

// Work is the input of a compilation.
type Work struct {
	Version string       // version of the program
	Model   *model.Model // the model without its arrays
	Network
	Frozen  func() (*model.Frozen, error)     // reads the network
	SHA256  func() (string, error)            // waits for the SHA-256 of the model's file
	Samples func(samples int) (Source, error) // returns the first samples, for the testbenches
}

// Compile compiles a model to a product. The module is named after the model, unless the options name the module.
func (p *Plan) Compile(ctx context.Context, w Work) (*backend.Product, error) {
	started := time.Now()
	if err := p.name(w.Model.Config.Name); err != nil {
		return nil, err
	}
	if err := p.chooseMargin(w.Model); err != nil {
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
	product.Started, product.Rejection = started, p.rejection(w.Model.Calibration)
	return &product, nil
}

// start reads the model's file into a raw netlist and makes the vectors of the testbenches. When start returns, the
// frozen network can be freed. This is necessary for the largest models.
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

// compiled is the result of the passes on a raw netlist.
type compiled struct {
	netlist  *netlist.Netlist
	raw      netlist.Measures // measures of the raw netlist
	gates    int              // number of gates after optimisation
	passes   []compiler.PassReport
	hardware *backend.Hardware // nil if the netlist is not lowered
	engine
}

// run optimises and lowers a raw netlist. To save memory, it drops each netlist as soon as the next
// one is made.
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

// product returns the product of a compiled netlist. gates is the model's number of gates.
func (p *Plan) product(m backend.Manifest, enc *encoding.Encoder, gates int, c compiled, v vectors) backend.Product {
	in := p.inputs(m, enc)
	return backend.Product{
		Netlist: c.netlist, GatesRaw: gates, Gates: c.gates, Raw: &c.raw, Passes: c.passes, Hardware: c.hardware,
		Fold: c.fold, Vectors: v.vectors, Samples: v.said, Manifest: m, Header: p.header(m, in), Inputs: in,
		Emit: p.Options.Emit, MHz: p.Options.MHz, Wrap: p.Wrap, Tag: p.Options.Tag, Baud: p.Options.Baud, Board: p.Board,
	}
}

// Line returns wrapper options with the clock and the bit rate of the serial line.
func (p *Plan) Line() wrapper.Options {
	return wrapper.LineOptions(p.Options.MHz, p.Options.Baud, p.Board)
}

// Core returns the netlist split into encoder and core if the wrapper contains the encoder itself.
// It returns nil if the wrapper contains the whole netlist, or if there is no wrapper.
func (p *Plan) Core(n *netlist.Netlist) *encoder.Split {
	if p.Wrap == "" || p.Folded() {
		return nil
	}
	return backend.Core(n, p.Wrap)
}
