// Package compiler turns the netlist of a frozen model into a smaller one of the same
// function.
//
// Optimisation is a table of passes, [Passes]. Each is a pure function from netlist to
// netlist with a contract (what it requires for its full effect and what it ensures)
// and the reason for its place; the reasons that are hard constraints stand as data
// in the same file and are checked before the first pass runs. A pass keeps, always:
//
//   - the input ports, and the names, widths and words of output ports and probes;
//   - every output and probe as a function of inputs and time (registers start at 0);
//     with [ThermometerAssumed], of inputs that are thermometer codes;
//   - the invariants of package netlist, which tests check after every pass;
//   - the origin of each cell that stays.
//
// No pass makes a netlist larger, in cells or in pins, so repeating the table ends.
//
// To add a pass: write it in a file of its own with the contract as its comment, put
// it into [Passes] with its reason, add its constraints to the list beside the table;
// the property tests pick it up from there.
package compiler

import (
	"context"
	"fmt"
	"sync"
	"time"

	"ialgn/compiler/chain"
	"ialgn/netlist"
)

// Pass is one rewriting of a netlist.
type Pass struct {
	Name     string
	Contract string // what it requires and ensures
	Why      string // the reason for its place

	// Restructures says that cells of the result may compute something else than the
	// gate of the model that they came from, or its complement. Such a pass runs only
	// where [Options] ask for it.
	Restructures bool

	Run func(*netlist.Netlist) *netlist.Netlist
}

// Thermometer says what passes may take from the order of thermometer bits: that a
// value above a threshold is above all lower ones.
type Thermometer uint8

// What may be taken from it.
const (
	// ThermometerIgnored takes nothing: the gates stay the same function of any bits.
	ThermometerIgnored Thermometer = iota
	// ThermometerDerived takes what the comparators of the netlist show: the netlist
	// stays the same function of its inputs, its gates that of thermometer codes.
	ThermometerDerived
	// ThermometerAssumed takes also what the labels of input bits say: the netlist stays
	// the same function of thermometer codes.
	ThermometerAssumed
)

// Passes returns the table of passes in their order, with [ThermometerIgnored].
func Passes() []Pass { return passes(ThermometerIgnored) }

// passes returns the table of passes in their order.
func passes(t Thermometer) []Pass {
	return []Pass{
		{
			Name:     "constants",
			Contract: "requires nothing; ensures that no function cell has a constant, repeated or vacuous input",
			Why:      "first: it turns gates into the one-input cells that the next two passes look for",
			Run:      Constants,
		},
		{
			Name:     "pass-through",
			Contract: "requires constants; ensures that no cell is a mere copy of its input",
			Why:      "before anything that looks at drivers and readers: a copy hides both, and most gates are copies",
			Run:      PassThrough,
		},
		{
			Name:     "inverters",
			Contract: "requires pass-through; ensures that a net is inverted by a cell at most once, and only where something other than a function reads it",
			Why:      "after pass-through, which leaves inverters next to the cells that absorb them",
			Run:      Inverters,
		},
		{
			Name:         "chains",
			Contract:     "requires inverters; ensures that no chain of gates has a step that its other steps decide",
			Why:          "after pass-through and inverters, which bring the gates of a chain together; before hashing, which lets chains share gates and so ends them there",
			Restructures: true,
			Run:          t.chains,
		},
		{
			Name:     "hashing",
			Contract: "requires inverters; ensures that no two cells of a kind have the same inputs and function",
			Why:      "after the passes that bring equal functions into equal form",
			Run:      Hash,
		},
		{
			Name:     "dead",
			Contract: "requires nothing; ensures that every cell reaches an output port or a probe",
			Why:      "last: the others redirect nets and leave replaced cells behind",
			Run:      Dead,
		},
	}
}

// chains is [chain.Remove] with the order of thermometer bits that may be used.
func (t Thermometer) chains(n *netlist.Netlist) *netlist.Netlist {
	if t == ThermometerIgnored {
		return chain.Remove(n, nil)
	}
	return chain.Remove(n, chain.NewOrder(n, t == ThermometerAssumed))
}

// constraint says that one pass must stand before another in the table.
type constraint struct{ first, then, why string }

var constraints = []constraint{
	{"constants", "pass-through", "a pass-through is recognised by its one input"},
	{"constants", "inverters", "an inverter is recognised by its one input"},
	{"pass-through", "inverters", "a copy between an inverter and its reader would become an inverter instead of vanishing"},
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

// checkOrder returns an error that names the first constraint the table breaks.
func checkOrder(passes []Pass, constraints []constraint) error {
	place := map[string]int{}
	for i, p := range passes {
		if _, twice := place[p.Name]; twice {
			return fmt.Errorf("compiler: pass %q stands in the table twice", p.Name)
		}
		place[p.Name] = i
	}
	for _, c := range constraints {
		first, ok1 := place[c.first]
		then, ok2 := place[c.then]
		if !ok1 || !ok2 {
			return fmt.Errorf("compiler: a constraint names the passes %q and %q, not both are in the table", c.first, c.then)
		}
		if first > then {
			return fmt.Errorf("compiler: pass %q must stand before %q: %s", c.first, c.then, c.why)
		}
	}
	return nil
}

// checkTable checks the table once.
var checkTable = sync.OnceFunc(func() {
	if err := checkOrder(Passes(), constraints); err != nil {
		panic(err.Error())
	}
})

// Levels of optimisation.
const (
	LevelNone   = 0 // nothing: a cell for each gate of the model
	LevelSweep  = 1 // the table once
	LevelRepeat = 2 // the table until the netlist stops shrinking
)

// PassReport says what one run of a pass did.
type PassReport struct {
	Sweep   int     `json:"sweep,omitempty"` // from 1; 0: after all sweeps
	Name    string  `json:"name"`
	Before  int     `json:"before"` // cells
	After   int     `json:"after"`
	Seconds float64 `json:"seconds"`

	// Measures, where asked for, are of the netlist after the pass.
	Measures *netlist.Measures `json:"measures,omitempty"`
}

// Options say how to optimise.
type Options struct {
	Level int // LevelNone, LevelSweep or LevelRepeat

	// Restructure runs also the passes that restructure: what comes out is smaller, but a
	// faulty gate can no longer be named by comparing cell with gate.
	Restructure bool

	// Thermometer says what the passes that restructure take from the order of
	// thermometer bits.
	Thermometer Thermometer

	// Measure has the netlist measured after each pass.
	Measure bool
}

// Optimise is [Options.Optimise] at a level, without restructuring.
func Optimise(ctx context.Context, n *netlist.Netlist, level int) (*netlist.Netlist, []PassReport, error) {
	return Options{Level: level}.Optimise(ctx, n)
}

// Optimise returns a netlist of the same function and a report of each pass that ran,
// in order. It keeps no reference to n, so that a caller who drops its own frees it
// during the first pass. It returns an error for a level that is not 0 to 2, or ctx's
// between two passes.
func (o Options) Optimise(ctx context.Context, n *netlist.Netlist) (*netlist.Netlist, []PassReport, error) {
	if o.Level < LevelNone || o.Level > LevelRepeat {
		return nil, nil, fmt.Errorf("compiler: optimisation level %d is unknown, give 0, 1 or 2", o.Level)
	}
	checkTable()
	reports := []PassReport{}
	for sweep := 1; o.Level != LevelNone; sweep++ {
		before := sizeOf(n)
		for _, p := range passes(o.Thermometer) {
			if err := ctx.Err(); err != nil {
				return nil, reports, err
			}
			if p.Restructures && !o.Restructure {
				continue
			}
			start, cells := time.Now(), n.Cells()
			n = p.Run(n)
			report := PassReport{Sweep: sweep, Name: p.Name, Before: cells, After: n.Cells(), Seconds: time.Since(start).Seconds()}
			if o.Measure {
				m := netlist.Measure(n)
				report.Measures = &m
			}
			reports = append(reports, report)
		}
		if o.Level == LevelSweep || sizeOf(n) == before {
			break
		}
	}
	return n, reports, nil
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
