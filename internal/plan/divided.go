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

// Part is a module of an engine that has each once, such as the kernels of a convolution, or the dense layers. It is
// compiled as the whole network is, and compared as that.
type Part struct {
	Suffix string // what follows the netlist's name in the module's
	What   string
	verify.Design
}

// Parts returns the parts of the engine that the options name, none if it has none.
func (p *Plan) Parts(ctx context.Context, m Network) ([]Part, error) {
	kind := p.Fold.division()
	if kind == nil || p.parts != nil {
		return p.parts, nil
	}
	network, err := m.Compact()
	if err != nil {
		return nil, err
	}
	parts, build, err := kind.apart(network)
	if err != nil {
		return nil, err
	}
	for i := range parts {
		scope := netlist.Gates
		if i == len(parts)-1 {
			scope = netlist.Core
		}
		if err := p.compile(ctx, &parts[i], scope); err != nil {
			return nil, fmt.Errorf("%s: %w", parts[i].What, err)
		}
	}
	p.parts, p.build = parts, build
	return parts, nil
}

// compile makes the netlist of a part.
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

// divided makes an engine of the parts of a network.
func (p *Plan) divided(ctx context.Context, _ *netlist.Netlist, m Network, out backend.Product,
) (*backend.Fold, error) {
	parts, err := p.Parts(ctx, m)
	if err != nil {
		return nil, err
	}
	frame := folded.Frame{
		Module: out.Manifest.Module + folded.Suffix, Drop: p.Dropping(), WordBits: m.Encoder.BitsIn,
		Thresholds: m.Encoder.Thresholds, Classes: len(parts[len(parts)-1].Model.Classes),
	}
	f := &backend.Fold{}
	var sizes *backend.FoldParts
	if f.Engine, f.Report, sizes, err = p.build(frame, m.Encoder, out.Manifest.Module); err != nil {
		return nil, message.Optionf("{Fold "+string(p.Fold)+"}: %w", err)
	}
	sizes.SamplesPerSecond = out.MHz * 1e6 / f.Report.Clocks().Cycles
	for i := range parts {
		f.Parts = append(f.Parts, backend.FoldPart{
			Suffix: parts[i].Suffix, Header: []string{parts[i].What + ", within " + frame.Module}, Netlist: parts[i].Product,
		})
		sizes.Parts = append(sizes.Parts, partReport(out.Manifest.Module+parts[i].Suffix, &parts[i].Design))
	}
	return f, nil
}

// stages returns the stages of registers of a part, 0 if it has no clock.
func stages(n *netlist.Netlist) int {
	if clock, err := n.Pipeline(); err == nil && clock != nil {
		return clock.Stages
	}
	return 0
}

// partReport measures a part.
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
