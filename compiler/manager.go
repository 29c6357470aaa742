package compiler

import (
	"context"
	"fmt"
	"slices"
	"time"

	"ialgn/netlist"
)

// Pass is one step from netlist to netlist: an optimisation of this package, or a lowering to cells of a target
// (package internal/hardware). It is a row of a [Table].
type Pass struct {
	Name     string
	Contract string // what the pass requires and ensures, in addition to the rules for every pass
	Why      string // the reason for its place in the table

	// Needs is the name of the option that turns the pass on. If it is empty, the pass always runs. Off is true if
	// this option is not set.
	Needs string
	Off   bool

	Grows  bool // the pass may increase the number of cells or pins
	Delays bool // the pass may insert registers, enabled by a new input port [netlist.EnablePort]

	// Holds checks a netlist for the property that the contract ensures, and returns an error if the property is
	// missing. The field is nil if this check would take more than a few walks over the cells.
	Holds func(*netlist.Netlist) error
	// Lasting says that later passes of the table preserve the property that Holds checks.
	Lasting bool

	Run Run
}

// Run applies a pass to a netlist and returns the new netlist.
type Run func(context.Context, *netlist.Netlist) (*netlist.Netlist, error)

// PassReport describes one run of a pass.
type PassReport struct {
	Sweep   int     `json:"sweep,omitempty"` // number of the sweep, from 1; 0: after all sweeps
	Name    string  `json:"name"`
	Before  int     `json:"before"` // number of cells
	After   int     `json:"after"`
	Seconds float64 `json:"seconds"`

	// Measures, if requested, describe the netlist after the pass.
	Measures *netlist.Measures `json:"measures,omitempty"`
}

// Table is a list of passes in their order, with constraints on that order.
type Table struct {
	Package     string // package that contains the table, for error messages
	Earlier     []Pass // passes of another table that ran before; constraints may name these passes
	Passes      []Pass
	Constraints []Constraint
}

// Constraint says that one pass must come before another, and why.
type Constraint struct{ First, Then, Why string }

// Every is a special value of Constraint.First. It means all passes except Constraint.Then.
const Every = "every other"

// CheckOrder checks the constraints of the table. It returns an error for the first pass that occurs twice, the
// first constraint that names an unknown pass, or the first constraint that the order breaks.
func (t Table) CheckOrder() error {
	place := map[string]int{}
	for i, p := range slices.Concat(t.Earlier, t.Passes) {
		if _, twice := place[p.Name]; twice {
			return fmt.Errorf("%s: pass %q occurs twice in the table", t.Package, p.Name)
		}
		place[p.Name] = i
	}
	last := len(place) - 1
	for _, c := range t.Constraints {
		first, ok1 := place[c.First]
		then, ok2 := place[c.Then]
		if ok1 = ok1 || c.First == Every; !ok1 || !ok2 {
			return fmt.Errorf("%s: a constraint names the passes %q and %q, not both are in the table",
				t.Package, c.First, c.Then)
		}
		if c.First == Every && then < last || c.First != Every && first > then {
			return fmt.Errorf("%s: pass %q must come before %q: %s", t.Package, c.First, c.Then, c.Why)
		}
	}
	return nil
}

// Check compares the functions of the netlists before and after a pass. Both netlists have the same ports. If their
// functions differ, Check returns an error that says where.
type Check func(ctx context.Context, before, after *netlist.Netlist) error

// Manager runs the passes of a table on a netlist and reports on each pass.
type Manager struct {
	Table   Table
	Measure bool // measure the netlist for each report

	// If Check is not nil, the manager calls it after every pass and also checks the contract of every pass. The
	// netlist before the pass stays in memory for the comparison.
	Check Check

	Reports []PassReport // one for each pass and sweep, in order
}

// Sweep runs each pass of the table once, except passes that are off, and returns the netlist of the last pass.
// Sweeps are numbered from 1. The number 0 means that the table runs only once, after all sweeps of another table. If
// m.Check is nil, Sweep keeps no reference to the input of a pass, so the input can be freed during the pass. If a
// pass fails, Sweep returns its error. If a pass breaks its contract, Sweep returns a [*BrokenError]. If ctx ends
// between two passes, it returns the error of ctx. It panics if the table breaks a constraint.
func (m *Manager) Sweep(ctx context.Context, n *netlist.Netlist, sweep int) (*netlist.Netlist, error) {
	if err := m.Table.CheckOrder(); err != nil {
		panic(err.Error())
	}
	var err error
	for i := range m.Table.Passes {
		if m.Table.Passes[i].Off {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if n, err = m.run(ctx, i, n, sweep); err != nil {
			return nil, err
		}
	}
	return n, nil
}

// run runs pass i, records its report and checks its result.
func (m *Manager) run(ctx context.Context, i int, n *netlist.Netlist, sweep int) (*netlist.Netlist, error) {
	p := &m.Table.Passes[i]
	var before *netlist.Netlist
	if m.Check != nil {
		before = n
	}
	start, cells := time.Now(), n.Cells()
	after, err := p.Run(ctx, n)
	if err != nil {
		return nil, err
	}
	report := PassReport{
		Sweep: sweep, Name: p.Name, Before: cells, After: after.Cells(), Seconds: time.Since(start).Seconds(),
	}
	if before != nil {
		if err := m.check(ctx, i, before, after); err != nil {
			return nil, err
		}
	}
	if m.Measure {
		measures := netlist.Measure(after)
		report.Measures = &measures
	}
	m.Reports = append(m.Reports, report)
	return after, nil
}
