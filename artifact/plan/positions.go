package plan

import (
	"context"
	"fmt"
	"io"

	"ialgn/artifact"
	"ialgn/backend/positions"
	"ialgn/internal/hint"
	"ialgn/internal/option"
	"ialgn/netlist"
	"ialgn/netlist/freeze"
	"ialgn/sim/verify"
	"ialgn/trainer/model"
)

// Part is a module of an engine that has each kernel once: the kernels of a convolution, or the dense layers. It is
// compiled as the whole network is, and compared as that.
type Part struct {
	Suffix string // what follows the netlist's name in the module's
	What   string
	verify.Design
}

// Parts returns the parts of the engine that the options name, none if it has none.
func (p *Plan) Parts(ctx context.Context, m Network) ([]Part, error) {
	switch p.Fold {
	case FoldPositions:
		_, parts, err := p.apart(ctx, m)
		return parts, err
	case FoldSequence:
		_, parts, err := p.stepParts(ctx, m)
		return parts, err
	default:
		return nil, nil
	}
}

// apart takes a network apart and compiles its parts, once.
func (p *Plan) apart(ctx context.Context, m Network) (*model.Parts, []Part, error) {
	if p.parts != nil {
		return p.network, p.parts, nil
	}
	compact, err := m.Compact()
	if err != nil {
		return nil, nil, err
	}
	network, err := compact.Parts()
	if err != nil {
		remedy := "train a network of topology conv, or leave {Fold} out"
		if compact.Shared() {
			remedy = "use padding, strides and pooling that keep the image's proportions, or leave {Fold} out"
		}
		return nil, nil, hint.With(option.Errorf("{Fold positions}: %w", err), remedy)
	}
	var parts []Part
	for i := range network.Convolutions {
		parts = append(parts, Part{
			positions.ConvolutionSuffix(i + 1), fmt.Sprintf("the kernels of convolution %d", i+1),
			verify.Design{Model: network.Convolutions[i].Kernels},
		})
	}
	parts = append(parts, Part{positions.DenseSuffix, "the dense layers", verify.Design{Model: network.Dense}})
	for i := range parts {
		scope := netlist.Gates
		if parts[i].Suffix == positions.DenseSuffix {
			scope = netlist.Core
		}
		if err := p.compile(ctx, &parts[i], scope); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", parts[i].What, err)
		}
	}
	p.network, p.parts = network, parts
	return network, parts, nil
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

// positions makes an engine that takes a position a clock.
func (p *Plan) positions(ctx context.Context, _ *netlist.Netlist, m Network, out artifact.Product,
) (*artifact.Fold, error) {
	network, parts, err := p.apart(ctx, m)
	if err != nil {
		return nil, err
	}
	first := network.Convolutions[0].Grid
	s := &positions.Shape{
		Module: out.Manifest.Module + positions.Suffix, Drop: p.Dropping(),
		Planes: first.Planes / (m.Encoder.Bits - 1), Rows: first.Rows, Columns: first.Columns, WordBits: m.Encoder.BitsIn,
		Thresholds: m.Encoder.Thresholds, Classes: len(network.Dense.Classes),
	}
	f := &artifact.Fold{
		Module: s.Module, Drop: s.Drop, Memories: s.Memories(),
		WriteVerilog: func(w io.Writer, p artifact.Product) error { return s.WriteVerilog(w, p.Header) },
	}
	report := &artifact.Positions{}
	for i := range parts {
		module := positions.Part{Module: out.Manifest.Module + parts[i].Suffix, Stages: stages(parts[i].Product)}
		if i == len(network.Convolutions) {
			s.Dense = module
		} else {
			g := network.Convolutions[i].Grid
			s.Convolutions = append(s.Convolutions, positions.Convolution{
				Planes: g.Planes, Rows: g.Rows, Columns: g.Columns, Side: g.Side, Stride: g.Stride, Padding: g.Padding,
				Pool: g.Pool, Kernels: network.Convolutions[i].Kernels.Width - network.Convolutions[i].Carried,
				Carried: network.Convolutions[i].Carried, Part: module,
			})
		}
		f.Parts = append(f.Parts, artifact.FoldPart{
			Suffix: parts[i].Suffix, Header: []string{parts[i].What + ", within " + s.Module}, Netlist: parts[i].Product,
		})
		report.Parts = append(report.Parts, partReport(module.Module, &parts[i].Design))
	}
	if err := s.Check(); err != nil {
		return nil, option.Errorf("{Fold positions}: %w", err)
	}
	report.Cost = s.Cost()
	report.SamplesPerSecond = out.MHz * 1e6 / float64(report.Cycles)
	f.Cycles, f.Latency = float64(report.Cycles), report.Latency
	f.Report = artifact.FoldReport{Positions: report, Memories: f.MemoryFiles()}
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
func partReport(module string, d *verify.Design) artifact.PartReport {
	m := netlist.Measure(d.Product)
	r := artifact.PartReport{
		Module: module, Stages: stages(d.Product), Raw: d.Model.Gates(), Cells: m.Cells.Total, Levels: m.Levels.Total,
	}
	if d.Hint != nil {
		r.LUTs = m.LUTs.Total
	}
	return r
}
