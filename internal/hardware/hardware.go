// Package hardware lowers the netlist of a classifier to the cells of a target technology: LUTs,
// carries and registers.
//
// The package has a table of lowerings for the pass manager of package compiler. Each lowering has a separate
// package. First, gates and comparators become LUTs ([lut.Map] and [encoder.Lower]). Then popcounts and argmax become
// counters and a tournament ([head.Lower]). The last lowering inserts registers ([pipeline.Insert]). The contracts,
// reasons and order constraints are in table.go. The constraints may name passes of package compiler, which have
// already run.
//
// To add a lowering, write a package whose comment is the contract. Then add a row to the table, with the reason for
// the place of the lowering and a check of its contract. Add the order constraints to the list below the table.
package hardware

import (
	"context"
	"fmt"

	"ialgn/compiler"
	"ialgn/internal/counts"
	"ialgn/internal/hardware/lut"
	"ialgn/internal/hardware/pipeline"
	"ialgn/internal/target"
	"ialgn/netlist"
)

// CheckK returns an error unless a netlist can be mapped to LUTs of k inputs on target t.
func CheckK(t *target.Family, k int) error {
	if maxInputs := t.OrGeneric().LUT.Most; k < lut.MinInputs || k > maxInputs {
		return fmt.Errorf("LUTs of %d inputs: the target %s has such of %d to %d", k, t, lut.MinInputs, maxInputs)
	}
	return nil
}

// Options control how a netlist becomes hardware.
type Options struct {
	Target    *target.Family // nil: [target.Generic]
	K         int            // inputs of a LUT: 2 up to the target's maximum
	Objective lut.Objective
	MaxDepth  int // largest number of LUT levels in the gates; 0: no limit
	// Primitives says that the Verilog instantiates the target's primitives, so that place and
	// route gets exactly these cells.
	Primitives bool
	Threads    int // 0: one for each processor
	Pipeline   pipeline.Options

	// If Check is not nil, it is called after each lowering, and the contract of the lowering is checked
	// ([compiler.Manager]).
	Check compiler.Check
}

// Design is a netlist lowered to hardware, with reports on the lowerings.
type Design struct {
	Netlist *netlist.Netlist
	Hint    *counts.Hint     // justifies the class counts; refers to nets of Netlist
	Mapping *lut.Report      // how the gates were mapped to LUTs
	Stages  *pipeline.Report // nil if there are no registers
	Steps   []compiler.PassReport
}

// Lower lowers a netlist. It keeps no reference to n, so the memory of n can be freed after the first step unless the
// caller keeps a reference. Lower returns an error if the options are invalid or cannot be met. It also returns the
// errors of [compiler.Manager.Sweep].
func (o Options) Lower(ctx context.Context, n *netlist.Netlist) (*Design, error) {
	if err := CheckK(o.Target, o.K); err != nil {
		return nil, err
	}
	d := &Design{}
	m := compiler.Manager{Table: o.table(d), Measure: true, Check: o.Check}
	n, err := m.Sweep(ctx, n, 0)
	if err != nil {
		return nil, err
	}
	d.Netlist, d.Steps = n, m.Reports
	return d, ctx.Err()
}
