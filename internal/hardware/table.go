package hardware

import (
	"context"

	"ialgn/compiler"
	"ialgn/internal/hardware/encoder"
	"ialgn/internal/hardware/head"
	"ialgn/internal/hardware/lut"
	"ialgn/internal/hardware/pipeline"
	"ialgn/netlist"
)

// table returns the lowerings in the order in which they run. They write their reports to d.
func (o Options) table(d *Design) compiler.Table {
	return compiler.Table{
		Package: "hardware", Earlier: compiler.Passes(), Constraints: constraints,
		Passes: []compiler.Pass{
			{
				Name: "map",
				Contract: "requires nothing, and inverters, chains and dead for fewer LUTs; " +
					"ensures that no function has more than K inputs",
				Why:   "first: it looks for chains of the model's gates, which the other lowerings would take apart",
				Grows: true, Lasting: true,
				Holds: o.fits,
				Run:   o.gates(d),
			},
			{
				Name:     "encoder",
				Contract: "requires that dead cells are gone; ensures that no comparison is left",
				Why:      "before the head, which takes the levels of cells as the arrival of what it counts",
				Grows:    true, Lasting: true,
				Holds: noComparisons,
				Run:   o.encoder,
			},
			{
				Name: "head",
				Contract: "requires mapped gates; " +
					"ensures that LUTs and the target's carries are left, and counts that the hint proves",
				Why: "after all that decides when a bit arrives; " +
					"nothing folds constants any more, which would take joined carry chains apart",
				Grows: true, Lasting: true,
				Holds: func(n *netlist.Netlist) error { return o.lowered(n, d.Hint) },
				Run:   o.head(d),
			},
			{
				Name: "pipeline",
				Contract: "requires a netlist without registers; " +
					"ensures that every path from input to output has as many as there are stages",
				Why:   "last: it balances paths, and a cell more or less on one of them would be a wrong sample",
				Needs: "Pipeline",
				Off:   o.Pipeline == (pipeline.Options{}),
				Grows: true, Delays: true,
				Holds: func(n *netlist.Netlist) error { return inStages(n, d.Stages) },
				Run:   o.registers(d),
			},
		},
	}
}

// constraints lists rules for the order of the lowerings. Some rules say which passes of package compiler must run
// before a lowering.
var constraints = []compiler.Constraint{
	{First: "inverters", Then: "map", Why: "an inverter between two gates ends their chain"},
	{First: "chains", Then: "map", Why: "a LUT holds several steps of a chain, and none can be removed from it"},
	{First: "dead", Then: "map", Why: "a dead reader makes a gate that a LUT could hold an output"},
	{First: "dead", Then: "encoder", Why: "comparisons that only dead cells read would be lowered"},
	{First: "map", Then: "head", Why: "the head takes levels of LUTs as the arrival of what it counts"},
	{First: "encoder", Then: "head", Why: "the head takes levels of LUTs as the arrival of what it counts"},
	{First: "constants", Then: "head", Why: "folded constants would take joined carry chains apart"},
	{First: "hashing", Then: "head", Why: "carries that are shared would take carry chains apart"},
	{First: compiler.Every, Then: "pipeline", Why: "registers balance the paths that there are"},
}

func (o Options) gates(d *Design) compiler.Run {
	return func(ctx context.Context, n *netlist.Netlist) (mapped *netlist.Netlist, err error) {
		mapped, d.Mapping, err = lut.Map(ctx, n, lut.Options{
			K: o.K, Objective: o.Objective, MaxDepth: o.MaxDepth, Threads: o.Threads,
		})
		return mapped, err
	}
}

// encoderObjective maps the objective of the gates to the objective of the encoder.
var encoderObjective = [...]encoder.Objective{
	lut.Area: encoder.Area, lut.Depth: encoder.Depth, lut.Balanced: encoder.Balanced,
}

func (o Options) encoder(_ context.Context, n *netlist.Netlist) (*netlist.Netlist, error) {
	return encoder.Lower(n, encoder.Options{K: o.K, Objective: encoderObjective[o.Objective]})
}

// headObjective maps the objective of the gates to the objective of the head.
var headObjective = [...]head.Objective{lut.Area: head.Area, lut.Depth: head.Depth, lut.Balanced: head.Balanced}

func (o Options) head(d *Design) compiler.Run {
	return func(_ context.Context, n *netlist.Netlist) (lowered *netlist.Netlist, err error) {
		lowered, d.Hint, err = head.Lower(n, head.Options{
			K: o.K, Objective: headObjective[o.Objective], Carry: o.Target.OrGeneric().Carry, Unjoined: o.Primitives,
			Absorb: true, Threads: o.Threads,
		})
		return lowered, err
	}
}

func (o Options) registers(d *Design) compiler.Run {
	return func(_ context.Context, n *netlist.Netlist) (clocked *netlist.Netlist, err error) {
		if clocked, d.Stages, err = pipeline.Insert(n, o.Pipeline); err == nil {
			d.Hint = d.Hint.Map(d.Stages.To)
		}
		return clocked, err
	}
}
