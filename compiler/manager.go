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
	Contract string // what the pass requires and ensures, in addition to what every pass keeps
	Why      string // the reason for its place

	// Needs names the option without which the pass does not run, empty if it always does; Off says that the option
	// is not given.
	Needs string
	Off   bool

	Grows  bool // the pass may leave more cells or pins than it found
	Delays bool // the pass may insert registers, enabled by a new input port [netlist.EnablePort]

	// Holds returns an error for a netlist that is not what the contract ensures. It is nil where telling takes more
	// than a few walks over the cells.
	Holds func(*netlist.Netlist) error
	// Lasting says that later passes of the table leave the netlist as Holds wants it.
	Lasting bool

	Run Run
}

// Run returns the netlist that a pass makes of another.
type Run func(context.Context, *netlist.Netlist) (*netlist.Netlist, error)

// PassReport says what one run of a pass did.
type PassReport struct {
	Sweep   int     `json:"sweep,omitempty"` // number of the sweep, from 1; 0: after all sweeps
	Name    string  `json:"name"`
	Before  int     `json:"before"` // cells
	After   int     `json:"after"`
	Seconds float64 `json:"seconds"`

	// Measures, where asked for, are of the netlist after the pass.
	Measures *netlist.Measures `json:"measures,omitempty"`
}

// Table is passes in their order, and what that order must keep.
type Table struct {
	Package     string // package that has the table, for errors
	Earlier     []Pass // those of another table, which have run before; constraints may name them
	Passes      []Pass
	Constraints []Constraint
}

// Constraint says that one pass must stand before another.
type Constraint struct{ First, Then, Why string }

// Every stands in a [Constraint] for all passes but the other one.
const Every = "every other"

// CheckOrder returns an error that names the first constraint that the table breaks, the first pass that stands in it
// twice, or the first constraint of a pass that does not.
func (t Table) CheckOrder() error {
	place := map[string]int{}
	for i, p := range slices.Concat(t.Earlier, t.Passes) {
		if _, twice := place[p.Name]; twice {
			return fmt.Errorf("%s: pass %q stands in the table twice", t.Package, p.Name)
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
			return fmt.Errorf("%s: pass %q must stand before %q: %s", t.Package, c.First, c.Then, c.Why)
		}
	}
	return nil
}

// Check compares what two netlists with the same ports compute, one before and one after a pass, and returns an error
// that says where they differ.
type Check func(ctx context.Context, before, after *netlist.Netlist) error

// Manager runs the passes of a table over a netlist, and reports each.
type Manager struct {
	Table   Table
	Measure bool // the reports have measures

	// Check, unless nil, has every pass held to its contract and, by Check, to the function of the netlist that it was
	// given, which stays in memory meanwhile.
	Check Check

	Reports []PassReport // one for each pass and sweep, in order
}

// Sweep runs each pass of the table once, but for those that are off, and returns the last one's netlist. Sweeps count
// from 1; 0 is a table that is no sweep. Where nothing is checked it keeps no reference to a netlist that a pass was
// given, so that a caller who drops its own frees it during that pass. It returns a pass's error, a [*BrokenError], or
// ctx's between two passes. It panics if the table breaks a constraint.
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

// run runs pass i, and reports and checks it.
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
