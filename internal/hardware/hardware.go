// Package hardware lowers the netlist of a classifier to what a target technology has:
// LUTs, carries and registers.
//
// It is a table of lowerings, each of which has a package of its own, for the manager of
// package compiler: the gates become LUTs ([lut.Map]), and the comparators
// ([encoder.Lower]); then the head becomes counters and a tournament ([head.Lower]), and
// registers come last ([pipeline.Insert]). Contracts, reasons and constraints stand in
// table.go, and the passes of package compiler count as the ones before.
//
// To add a lowering: write it as a package in compiler with the contract as its comment,
// put a row with its reason and a check of its promise into the table, and its constraints
// into the list beside.
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

// CheckK returns an error unless a netlist can be mapped to a target's LUTs of k inputs.
func CheckK(t *target.Family, k int) error {
	if maxInputs := t.OrGeneric().LUT.Most; k < lut.MinInputs || k > maxInputs {
		return fmt.Errorf("LUTs of %d inputs: the target %s has such of %d to %d", k, t, lut.MinInputs, maxInputs)
	}
	return nil
}

// Options say how a netlist becomes hardware.
type Options struct {
	Target    *target.Family // nil: [target.Generic]
	K         int            // inputs of a LUT, 2 to the target's
	Objective lut.Objective
	MaxDepth  int // the most levels of the gates; 0: no bound
	// Primitives says that place and route gets the cells as they are: the Verilog is primitives of the target.
	Primitives bool
	Threads    int // 0: as many as there are processors
	Pipeline   pipeline.Options

	// Check, unless nil, has each lowering held to its contract ([compiler.Manager]).
	Check compiler.Check
}

// Design is a netlist as hardware.
type Design struct {
	Netlist *netlist.Netlist
	Hint    *counts.Hint     // why the counts are right, in the nets of Netlist
	Mapping *lut.Report      // how the gates were mapped to LUTs
	Stages  *pipeline.Report // nil: there are no registers
	Steps   []compiler.PassReport
}

// Lower lowers a netlist. It keeps no reference to n, so that a caller who drops its own
// frees it after the first step. It returns an error for options that make no sense or
// cannot be met, and those of [compiler.Manager.Sweep].
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
