package liberty

import (
	"cmp"
	"slices"
)

// Cell returns the cell with a name, or nil.
func (l *Library) Cell(name string) *Cell { return l.cells[name] }

// Usable returns the names of the cells that designs can use.
func (l *Library) Usable() (names []string) {
	for _, c := range l.Cells {
		if c.Unusable == "" {
			names = append(names, c.Name)
		}
	}
	return names
}

// usable returns the cells that synthesisers may use.
func (l *Library) usable() []*Cell {
	return slices.DeleteFunc(slices.Clone(l.Cells), func(c *Cell) bool { return c.Unusable != "" || c.avoided })
}

// Registers reports whether the library has a flip-flop.
func (l *Library) Registers() bool {
	return slices.ContainsFunc(l.usable(), func(c *Cell) bool { return c.register != nil })
}

// IsRegister reports whether the cell is a flip-flop.
func (c *Cell) IsRegister() bool { return c.register != nil }

// NAND2 returns the smallest cell that computes the inverted conjunction of two inputs, or nil.
func (l *Library) NAND2() *Cell { return l.smallest(2, 0b0111) }

// smallest returns the smallest combinational cell with the given number of inputs whose outputs have the given
// tables, in any order of the outputs. It returns nil if there is no such cell. The tables must not depend on the
// order of the inputs.
func (l *Library) smallest(inputs int, tables ...uint64) *Cell {
	var found []*Cell
	for _, c := range l.usable() {
		pins, outputs := c.ports()
		if c.register == nil && len(pins) == inputs && len(outputs) == len(tables) {
			have := make([]uint64, len(outputs))
			for i, p := range outputs {
				have[i], _ = p.Function.table(pins...)
			}
			slices.Sort(have)
			if slices.Equal(have, slices.Sorted(slices.Values(tables))) {
				found = append(found, c)
			}
		}
	}
	if len(found) == 0 {
		return nil
	}
	return slices.MinFunc(found, func(a, b *Cell) int { return cmp.Compare(a.Area, b.Area) })
}

// ports returns the names of the inputs and the outputs of a cell.
func (c *Cell) ports() (inputs []string, outputs []*Pin) {
	for _, p := range c.Pins {
		if p.Output {
			outputs = append(outputs, p)
		} else {
			inputs = append(inputs, p.Name)
		}
	}
	return inputs, outputs
}

// These are the tables of the outputs of a full adder.
const (
	tableSum   = 0b10010110
	tableCarry = 0b11101000
)

// FullAdder is a cell that adds three bits, with the names of its pins.
type FullAdder struct {
	Cell       *Cell
	Inputs     []string
	Sum, Carry string
}

// FullAdder returns the smallest full adder of the library, or nil if there is none.
func (l *Library) FullAdder() *FullAdder {
	c := l.smallest(3, tableSum, tableCarry)
	if c == nil {
		return nil
	}
	a := &FullAdder{Cell: c}
	inputs, outputs := c.ports()
	a.Inputs = inputs
	for _, p := range outputs {
		if table, _ := p.Function.table(inputs...); table == tableSum {
			a.Sum = p.Name
		} else {
			a.Carry = p.Name
		}
	}
	return a
}
