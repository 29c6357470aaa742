// Package compiler turns the netlist of a frozen model into a smaller one of the same
// function.
//
// A [Manager] runs the passes of a [Table], those that optimise ([Passes]) and those that
// lower to hardware (package internal/hardware) alike. Each is a row with a contract (what
// it requires for its full effect and what it ensures) and the reason for its place; the
// reasons that are hard constraints stand as data beside the table and are checked before
// the first pass runs. A pass is a function from netlist to netlist that keeps, always:
//
//   - the input ports, and the names, widths and words of output ports and probes;
//   - every output and probe as a function of inputs and time (registers start at 0);
//     with [ThermometerAssumed], of inputs that are thermometer codes;
//   - the invariants of package netlist;
//   - the origin of each cell that stays.
//
// Only lowerings may make a netlist larger, in cells or in pins, and only one of them puts
// registers in; so repeating the table of optimisations ends. With [Options.Check] the
// manager holds each pass to all of that but the origins, which the tests do throughout.
//
// To add a pass: write it in a file of its own with the contract as its comment and, if
// that is cheap to tell, a function beside it that says whether a netlist keeps what the
// pass ensures; put it into [Options.passes] with its reason, and its constraints into the
// list beside that table. The property tests pick it up from there.
package compiler

import (
	"context"
	"fmt"

	"ialgn/internal/chain"
	"ialgn/netlist"
)

// Thermometer says what passes may take from the order of thermometer bits: that a
// value above a threshold is above all lower ones.
type Thermometer uint8

// What may be taken from it.
const (
	// ThermometerIgnored assumes nothing of the inputs: gates keep their function for all bits.
	ThermometerIgnored Thermometer = iota
	// ThermometerDerived takes what the comparators of the netlist show: the netlist
	// stays the same function of its inputs, its gates that of thermometer codes.
	ThermometerDerived
	// ThermometerAssumed takes also what the labels of input bits say: the netlist stays
	// the same function of thermometer codes.
	ThermometerAssumed
)

// Passes returns the passes in their order, as [Options] that ask for nothing have them.
func Passes() []Pass { return Options{}.passes() }

// passes returns the passes in their order.
func (o Options) passes() []Pass {
	return []Pass{
		{
			Name:     "constants",
			Contract: "requires nothing; ensures that no function cell has a constant, repeated or vacuous input",
			Why:      "first: it turns gates into the one-input cells that the next two passes look for",
			Holds:    constantsFolded,
			Run:      pure(Constants),
		},
		{
			Name:     "pass-through",
			Contract: "requires constants; ensures that no cell is a mere copy of its input",
			Why:      "before anything that looks at drivers and readers: a copy hides both, and most gates are copies",
			Holds:    noCopies,
			Run:      pure(PassThrough),
		},
		{
			Name: "inverters",
			Contract: "requires pass-through; ensures that a net is inverted by a cell at most once, " +
				"and only where something other than a function reads it",
			Why:   "after pass-through, which leaves inverters next to the cells that absorb them",
			Holds: invertersAbsorbed,
			Run:   pure(Inverters),
		},
		{
			Name:     "chains",
			Contract: "requires inverters; ensures that no chain of gates has a step that its other steps decide",
			Why: "after pass-through and inverters, which bring the gates of a chain together; " +
				"before hashing, which lets chains share gates and so ends them there",
			Needs: "Restructure",
			Off:   !o.Restructure,
			Run:   pure(o.Thermometer.chains),
		},
		{
			Name: "hashing",
			Contract: "requires inverters; ensures that no two cells of a kind have the same inputs and function, " +
				"but for the inverters that it makes",
			Why:   "after the passes that bring equal functions into equal form",
			Holds: noTwins,
			Run:   pure(Hash),
		},
		{
			Name:     "dead",
			Contract: "requires nothing; ensures that every cell reaches an output port or a probe",
			Why:      "last: the others redirect nets and leave replaced cells behind",
			Holds:    allLive,
			Run:      pure(Dead),
		},
	}
}

// pure is a pass that cannot fail, as a table has it.
func pure(pass func(*netlist.Netlist) *netlist.Netlist) Run {
	return func(_ context.Context, n *netlist.Netlist) (*netlist.Netlist, error) { return pass(n), nil }
}

// chains is [chain.Remove] with the order of thermometer bits that may be used.
func (t Thermometer) chains(n *netlist.Netlist) *netlist.Netlist {
	if t == ThermometerIgnored {
		return chain.Remove(n, nil)
	}
	return chain.Remove(n, chain.NewOrder(n, t == ThermometerAssumed))
}

// constraints are what the order of the passes must keep.
var constraints = []Constraint{
	{"constants", "pass-through", "a pass-through is recognised by its one input"},
	{"constants", "inverters", "an inverter is recognised by its one input"},
	{
		"pass-through", "inverters",
		"a copy between an inverter and its reader would become an inverter instead of vanishing",
	},
	{"constants", "chains", "a gate is recognised by its two inputs"},
	{"pass-through", "chains", "a copy between two gates ends their chain"},
	{"inverters", "chains", "an inverter between two gates ends their chain"},
	{"chains", "hashing", "a gate that two chains share ends both"},
	{"chains", "dead", "the anchors of removed steps lose their readers"},
	{"inverters", "hashing", "equal functions of a net and of its complement look different"},
	{"pass-through", "hashing", "cells that read copies of one net look different"},
	{"inverters", "dead", "absorbed inverters leave drivers without readers"},
	{"hashing", "dead", "merged cells leave their drivers without readers"},
}

// Levels of optimisation.
const (
	LevelNone   = 0 // nothing: a cell for each gate of the model
	LevelSweep  = 1 // the table once
	LevelRepeat = 2 // the table until the netlist stops shrinking
)

// Options say how to optimise.
type Options struct {
	Level int // LevelNone, LevelSweep or LevelRepeat

	// Restructure runs also the passes after which a cell may compute something else than
	// the gate of the model that it came from, or its complement: what comes out is smaller,
	// but a faulty gate can no longer be named by comparing cell with gate.
	Restructure bool

	// Thermometer says what the passes that restructure take from the order of
	// thermometer bits.
	Thermometer Thermometer

	// Measure has the netlist measured after each pass.
	Measure bool

	// Check, unless nil, has each pass held to its contract ([Manager]).
	Check Check
}

// Optimise is [Options.Optimise] at a level, without restructuring.
func Optimise(ctx context.Context, n *netlist.Netlist, level int) (*netlist.Netlist, []PassReport, error) {
	return Options{Level: level}.Optimise(ctx, n)
}

// Optimise returns a netlist of the same function and a report of each pass that ran,
// in order. It keeps no reference to n, so that a caller who drops its own frees it
// during the first pass. It returns an error for a level that is not 0 to 2, and those
// of [Manager.Sweep].
func (o Options) Optimise(ctx context.Context, n *netlist.Netlist) (*netlist.Netlist, []PassReport, error) {
	if o.Level < LevelNone || o.Level > LevelRepeat {
		return nil, nil, fmt.Errorf("compiler: optimisation level %d is unknown, give 0, 1 or 2", o.Level)
	}
	m := Manager{
		Table:   Table{Package: "compiler", Passes: o.passes(), Constraints: constraints},
		Measure: o.Measure, Check: o.Check, Reports: []PassReport{},
	}
	for sweep := 1; o.Level != LevelNone; sweep++ {
		before := sizeOf(n)
		var err error
		if n, err = m.Sweep(ctx, n, sweep); err != nil {
			return nil, m.Reports, err
		}
		if o.Level == LevelSweep || sizeOf(n) == before {
			break
		}
	}
	return n, m.Reports, nil
}

// size is what passes shrink.
type size struct{ cells, pins int }

func sizeOf(n *netlist.Netlist) size {
	s := size{cells: n.Cells()}
	for c := range netlist.Cell(s.cells) {
		s.pins += len(n.Inputs(c))
	}
	return s
}

// copier returns a copier of n with room for the given cells and pins.
func copier(n *netlist.Netlist, s size) *netlist.Copier {
	c := netlist.NewCopier(n)
	c.Grow(s.cells, s.pins)
	return c
}
