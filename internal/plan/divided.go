package plan

import (
	"context"
	"fmt"

	"ialgn/backend"
	"ialgn/internal/folded"
	"ialgn/internal/freeze"
	"ialgn/internal/message"
	"ialgn/internal/verify"
	"ialgn/netlist"
)

// Part is one module of a divided engine, such as a kernel of a convolution or the dense layers. It
// is compiled and compared in the same way as a whole network.
type Part struct {
	Suffix string // the module's name is the netlist's name followed by Suffix
	What   string
	verify.Design
}

// compile compiles the netlist of a part.
func (p *Plan) compile(ctx context.Context, part *Part, scope netlist.Scope) (err error) {
	if part.Raw, err = freeze.Network(part.Model, scope); err != nil {
		return err
	}
	if part.Product, _, err = p.Optimiser.Optimise(ctx, part.Raw); err != nil || p.Hardware == nil {
		return err
	}
	d, err := p.Hardware.Lower(ctx, part.Product)
	if err != nil {
		return err
	}
	part.Product, part.Hint = d.Netlist, d.Hint
	return nil
}

// divided builds the engine of a network that is divided into parts.
func (p *Plan) divided(ctx context.Context, m Network) (e engine, err error) {
	network, err := m.Compact()
	if err != nil {
		return e, err
	}
	parts, build, err := p.Fold.division().apart(network)
	if err != nil {
		return e, err
	}
	for i := range parts {
		scope := netlist.Gates
		if i == len(parts)-1 {
			scope = netlist.Core
		}
		if err := p.compile(ctx, &parts[i], scope); err != nil {
			return e, fmt.Errorf("%s: %w", parts[i].What, err)
		}
	}
	module := p.Options.Module
	frame := folded.Frame{
		Module: module + folded.Suffix, Drop: p.Dropping(), WordBits: m.Encoder.BitsIn,
		Thresholds: m.Encoder.Thresholds, Classes: len(parts[len(parts)-1].Model.Classes),
	}
	f := &backend.Fold{}
	var sizes *backend.FoldParts
	if f.Engine, f.Report, sizes, err = build(frame, m.Encoder, module); err != nil {
		return e, message.Optionf("{Fold "+string(p.Fold)+"}: %w", err)
	}
	sizes.SamplesPerSecond = p.Options.MHz * 1e6 / f.Report.Clocks().Cycles
	for i := range parts {
		f.Parts = append(f.Parts, backend.FoldPart{
			Suffix: parts[i].Suffix, Header: []string{parts[i].What + ", within " + frame.Module}, Netlist: parts[i].Product,
		})
		sizes.Parts = append(sizes.Parts, partReport(module+parts[i].Suffix, &parts[i].Design))
	}
	return engine{f, parts}, nil
}

// stages returns the number of register stages of a part, or 0 if the part has no clock.
func stages(n *netlist.Netlist) int {
	if clock, err := n.Pipeline(); err == nil && clock != nil {
		return clock.Stages
	}
	return 0
}

// partReport returns the report on a part.
func partReport(module string, d *verify.Design) backend.PartReport {
	m := netlist.Measure(d.Product)
	r := backend.PartReport{
		Module: module, Stages: stages(d.Product), Raw: d.Model.Gates(), Cells: m.Cells.Total, Levels: m.Levels.Total,
	}
	if d.Hint != nil {
		r.LUTs = m.LUTs.Total
	}
	return r
}
