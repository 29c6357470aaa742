// Package compiler makes the netlist of a frozen model smaller without changing its function.
//
// A [Manager] runs the passes of a [Table]. There are tables of optimisations ([Passes]) and of lowerings to hardware
// (package internal/hardware). Each row of a table is a pass, together with its contract and the reason for its
// place. The contract says what the pass requires for its full effect, and what it ensures. Hard constraints on the
// order are listed next to the table. The manager checks the constraints before it runs the first pass.
//
// A pass is a function from netlist to netlist. Every pass preserves:
//
//   - the input ports, and the names, widths and words of output ports and probes;
//   - every output and probe as a function of inputs and time, where registers start at 0. With [ThermometerAssumed],
//     a pass preserves this function only for inputs that are thermometer codes;
//   - the invariants of package netlist;
//   - the origin of each cell that stays.
//
// Only lowerings may increase the number of cells or pins, and only one lowering inserts registers. Repeating the
// optimisations therefore ends. With [Options.Check], the manager checks after each pass all of these rules except
// the rule about origins. The tests always use this option.
//
// To add a pass, write it in its own file, with the contract as its comment. If the contract can be checked cheaply,
// add a function that reports whether a netlist still has the property that the pass ensures. Then add the pass and
// the reason for its place to the table in [Options.passes]. Add its order constraints to the list next to the table.
// The property tests run all passes in the table.
package compiler

import (
	"context"
	"fmt"

	"ialgn/internal/chain"
	"ialgn/netlist"
)

// Thermometer says how far passes may rely on the order of thermometer bits. The order is this: if a value is above a
// threshold, the value is also above all lower thresholds of the feature.
type Thermometer uint8

// These are the values of Thermometer.
const (
	// ThermometerIgnored assumes nothing about the inputs. Gates keep their function for all bits.
	ThermometerIgnored Thermometer = iota
	// ThermometerDerived uses the order that the netlist's own comparators guarantee. The netlist keeps its function
	// for all inputs. A gate keeps its function only for thermometer codes.
	ThermometerDerived
	// ThermometerAssumed also uses the labels of input bits. The netlist keeps its function for inputs that are
	// thermometer codes.
	ThermometerAssumed
)

// Passes returns the optimisation passes in their order, with default options.
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

// pure converts a pass function that returns no error to the type [Run].
func pure(pass func(*netlist.Netlist) *netlist.Netlist) Run {
	return func(_ context.Context, n *netlist.Netlist) (*netlist.Netlist, error) { return pass(n), nil }
}

// chains calls [chain.Remove], which relies on the order of thermometer bits as far as t allows.
func (t Thermometer) chains(n *netlist.Netlist) *netlist.Netlist {
	if t == ThermometerIgnored {
		return chain.Remove(n, nil)
	}
	return chain.Remove(n, chain.NewOrder(n, t == ThermometerAssumed))
}

// constraints are the hard constraints on the order of the passes.
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

// These are the levels of optimisation.
const (
	LevelNone   = 0 // run no passes, so that there is one cell for each gate of the model
	LevelSweep  = 1 // run the table once
	LevelRepeat = 2 // repeat the table until the netlist stops shrinking
)

// Options say how to optimise a netlist.
type Options struct {
	Level int // one of LevelNone, LevelSweep or LevelRepeat

	// Restructure also runs the passes that may change the function of a cell. Without these passes, each cell
	// computes the function of its gate of origin or the complement of this function. With these passes, the result
	// is smaller, but comparing cells with gates can no longer find a faulty gate.
	Restructure bool

	// Thermometer says how far the restructuring passes may rely on the order of thermometer bits.
	Thermometer Thermometer

	// Measure measures the netlist after each pass.
	Measure bool

	// Check, unless nil, checks that each pass keeps its contract (see [Manager]).
	Check Check
}

// Optimise runs [Options.Optimise] at the given level, without restructuring.
func Optimise(ctx context.Context, n *netlist.Netlist, level int) (*netlist.Netlist, []PassReport, error) {
	return Options{Level: level}.Optimise(ctx, n)
}

// Optimise returns an optimised netlist with the same function, and a report on each pass that ran, in order.
// Optimise keeps no reference to n, so n can be freed during the first pass unless the caller keeps a reference.
// Optimise returns an error if the level is not 0 to 2. It also returns the errors of [Manager.Sweep].
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

// size is the measure that passes reduce.
type size struct{ cells, pins int }

func sizeOf(n *netlist.Netlist) size {
	s := size{cells: n.Cells()}
	for c := range netlist.Cell(s.cells) {
		s.pins += len(n.Inputs(c))
	}
	return s
}

// copier returns a copier for n with room for s.cells cells and s.pins pins.
func copier(n *netlist.Netlist, s size) *netlist.Copier {
	c := netlist.NewCopier(n)
	c.Grow(s.cells, s.pins)
	return c
}
