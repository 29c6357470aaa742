// Package compiler turns the netlist of a frozen model into a smaller one of the same
// function, and writes the output folder that the other commands read.
//
// Optimisation is a table of passes, [Passes]. Each is a pure function from netlist to
// netlist with a contract (what it requires for its full effect and what it ensures)
// and the reason for its place; the reasons that are hard constraints stand as data
// in the same file and are checked before the first pass runs. A pass keeps, always:
//
//   - the input ports, and the names, widths and words of output ports and probes;
//   - every output and probe as a function of inputs and time (registers start at 0);
//   - the invariants of package netlist, which tests check after every pass;
//   - the origin of each cell that stays.
//
// No pass makes a netlist larger, in cells or in pins, so repeating the table ends.
//
// To add a pass: write it in a file of its own with the contract as its comment, put
// it into [Passes] with its reason, add its constraints to the list beside the table;
// the property tests pick it up from there.
//
// [Write] makes the output folder: all files are made aside first, and the manifest,
// which holds their SHA-256, comes last, so that a folder with a manifest is whole.
// [ReadDir] checks it.
package compiler

import (
	"context"
	"fmt"
	"sync"
	"time"

	"ialgn/netlist"
)

// Pass is one rewriting of a netlist.
type Pass struct {
	Name     string
	Contract string // what it requires and ensures
	Why      string // the reason for its place
	Run      func(*netlist.Netlist) *netlist.Netlist
}

// Passes returns the table of passes in their order.
func Passes() []Pass {
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

// constraint says that one pass must stand before another in the table.
type constraint struct{ first, then, why string }

var constraints = []constraint{
	{"constants", "pass-through", "a pass-through is recognised by its one input"},
	{"constants", "inverters", "an inverter is recognised by its one input"},
	{"pass-through", "inverters", "a copy between an inverter and its reader would become an inverter instead of vanishing"},
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

// passTable is the checked table.
var passTable = sync.OnceValue(func() []Pass {
	passes := Passes()
	if err := checkOrder(passes, constraints); err != nil {
		panic(err.Error())
	}
	return passes
})

// Levels of optimisation.
const (
	LevelNone   = 0 // nothing: a cell for each gate of the model
	LevelSweep  = 1 // the table once
	LevelRepeat = 2 // the table until the netlist stops shrinking
)

// PassReport says what one run of a pass did, in cells.
type PassReport struct {
	Sweep   int     `json:"sweep"` // from 1
	Name    string  `json:"name"`
	Before  int     `json:"before"`
	After   int     `json:"after"`
	Seconds float64 `json:"seconds"`
}

// Optimise returns a netlist of the same function and a report of each pass that ran,
// in order. It keeps no reference to n, so that a caller who drops its own frees it
// during the first pass. It returns an error for a level that is not 0 to 2, or ctx's
// between two passes.
func Optimise(ctx context.Context, n *netlist.Netlist, level int) (*netlist.Netlist, []PassReport, error) {
	if level < LevelNone || level > LevelRepeat {
		return nil, nil, fmt.Errorf("compiler: optimisation level %d is unknown, give 0, 1 or 2", level)
	}
	reports := []PassReport{}
	for sweep := 1; level != LevelNone; sweep++ {
		before := sizeOf(n)
		for _, p := range passTable() {
			if err := ctx.Err(); err != nil {
				return nil, reports, err
			}
			start, cells := time.Now(), n.Cells()
			n = p.Run(n)
			reports = append(reports, PassReport{sweep, p.Name, cells, n.Cells(), time.Since(start).Seconds()})
		}
		if level == LevelSweep || sizeOf(n) == before {
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
