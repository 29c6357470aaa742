// Package liberty reads Liberty files (.lib), which describe the standard cells of a chip's process.
//
// [Read] returns the [Library]: for each cell the area, the pins, the functions of the outputs, and the tables of
// delays and energies. [Library.Models] writes models of cells in Verilog for simulators and for proofs.
// [Library.FullAdder] and [Library.NAND2] find cells by their functions. [Library.LongestPaths] finds the longest paths
// of a netlist of cells, and [Library.Energy] computes the netlist's energy.
//
// The reader knows the groups and attributes that these tasks need, and ignores the others. A cell of a form that it
// does not know, such as a latch, has a reason why it cannot be used. No allocation depends on a number in the file.
package liberty

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"

	"ialgn/internal/names"
)

// Library is a library of standard cells.
type Library struct {
	Name   string
	SHA256 string  // of the file, if the library was read from a file
	Cells  []*Cell // in the order of the file

	cells     map[string]*Cell
	templates map[string]*group
	electric  electrical
	unpowered error   // why energies cannot be computed; nil: they can
	unit      float64 // nanoseconds in a unit of time
	load      float64 // capacitance of an input pin without a capacitance
}

// Cell is a standard cell.
type Cell struct {
	Name string
	Area float64 // in the unit of the library, which is usually um2
	Pins []*Pin
	// Unusable is the reason why designs cannot use the cell. It is empty for a cell with combinational outputs and for
	// a register.
	Unusable string

	register *register // nil for a combinational cell
	leakage  float64   // leakage power, in the unit of the library
	avoided  bool      // the library asks synthesisers not to use the cell
	line     int
}

// Pin is a pin of a cell.
type Pin struct {
	Name     string
	Output   bool
	Function *Function // function of an output; nil for an input
	load     float64   // capacitance of an input, in the unit of the library
	arcs     []*arc
	powers   []*powers
}

// register is the state of a cell with one flip-flop.
type register struct {
	state, inverse string // names of the state and of its complement in the functions of outputs
	next           *Function
	clock          *Function // a pin, or a pin inverted
	clear, preset  *Function // nil if there is none; a pin, or a pin inverted
}

// Read reads a Liberty file, and also returns its text. An error names the file and the line.
func Read(path string) (*Library, []byte, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	l, err := Parse(string(text))
	var at *lineError
	switch {
	case errors.As(err, &at):
		return nil, nil, fmt.Errorf("%s:%d: %s", path, at.line, at.text)
	case err != nil:
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	sum := sha256.Sum256(text)
	l.SHA256 = hex.EncodeToString(sum[:])
	return l, text, nil
}

// Parse reads the text of a Liberty file. An error names the line.
func Parse(text string) (*Library, error) {
	top, err := parse(text)
	if err != nil {
		return nil, err
	}
	if top.kind != "library" {
		return nil, errorAt(top.line, "the outermost group is %.40q, want library", top.kind)
	}
	l := &Library{Name: top.name(), cells: map[string]*Cell{}, templates: map[string]*group{}}
	if a := top.find("include_file"); a != nil {
		return nil, errorAt(a.line, "include_file: put the text of that file here, one file must have the whole library")
	}
	if l.unit, err = unit(top); err != nil {
		return nil, err
	}
	if l.load, err = top.number("default_input_pin_cap", 0); err != nil {
		return nil, err
	}
	l.electric, l.unpowered = l.electrical(top)
	for _, g := range top.groups {
		if g.kind == "lu_table_template" || g.kind == "power_lut_template" {
			l.templates[g.name()] = g
		}
	}
	for _, g := range top.groups {
		if g.kind != "cell" {
			continue
		}
		c, err := l.cell(g)
		if err != nil {
			return nil, err
		}
		if l.cells[c.Name] != nil {
			return nil, errorAt(g.line, "cell %.60q occurs twice", c.Name)
		}
		l.cells[c.Name], l.Cells = c, append(l.Cells, c)
	}
	if len(l.Cells) == 0 {
		return nil, errorAt(top.line, "the library has no cells")
	}
	return l, nil
}

// unit returns the number of nanoseconds in a unit of time.
func unit(g *group) (float64, error) {
	text := g.text("time_unit")
	if text == "" {
		return 1, nil // the default of the format
	}
	for suffix, ns := range map[string]float64{"ns": 1, "ps": 1e-3, "fs": 1e-6, "us": 1e3} {
		if digits, ok := strings.CutSuffix(strings.ToLower(text), suffix); ok {
			if n, err := strconv.ParseFloat(strings.TrimSpace(digits), 64); err == nil && n > 0 && n <= 1e6 {
				return n * ns, nil
			}
		}
	}
	return 0, errorAt(g.find("time_unit").line, "time_unit %.40q: want a time such as 1ns or 10ps", text)
}

// number returns the value of a simple attribute that is a number, or the default if there is no such attribute.
func (g *group) number(name string, usual float64) (float64, error) {
	a := g.find(name)
	if a == nil || len(a.values) == 0 {
		return usual, nil
	}
	n, err := strconv.ParseFloat(a.values[0], 64)
	if err != nil || math.IsNaN(n) || math.Abs(n) > 1e30 {
		return 0, errorAt(a.line, "%s %.40q: want a number", name, a.values[0])
	}
	return n, nil
}

// cell reads a cell.
func (l *Library) cell(g *group) (*Cell, error) {
	c := &Cell{Name: g.name(), line: g.line, avoided: g.is("dont_use")}
	if c.Name == "" {
		return nil, errorAt(g.line, "a cell has no name")
	}
	var err error
	if c.Area, err = g.number("area", 0); err != nil {
		return nil, err
	}
	if c.leakage, err = g.number("cell_leakage_power", 0); err != nil {
		l.unpowered = cmp.Or(l.unpowered, err)
	}
	if c.Area < 0 {
		return nil, errorAt(g.line, "cell %.60q: its area is below 0", c.Name)
	}
	for _, part := range g.groups {
		switch part.kind {
		case "pin":
			for _, name := range part.args {
				p, err := l.pin(c, name, part)
				if err != nil {
					return nil, err
				}
				c.Pins = append(c.Pins, p)
			}
		case "ff":
			if c.register != nil {
				c.Unusable = "it has more than one flip-flop"
			}
			if c.register, err = newRegister(part); err != nil {
				return nil, err
			}
		case "ff_bank", "latch", "latch_bank", "statetable", "bus", "bundle", "memory":
			c.Unusable = "it has a " + part.kind
		}
	}
	if c.Unusable == "" {
		c.Unusable = c.unusable()
	}
	return c, nil
}

// unusable returns the reason why designs cannot use a cell, or "".
func (c *Cell) unusable() string {
	known := map[string]bool{}
	outputs := 0
	for _, p := range c.Pins {
		if err := names.CheckIdentifier(p.Name); err != nil {
			return err.Error()
		}
		if known[p.Name] {
			return "it has two pins " + p.Name
		}
		if known[p.Name] = true; p.Output {
			outputs++
		}
	}
	if err := names.CheckIdentifier(c.Name); err != nil {
		return err.Error()
	}
	if outputs == 0 {
		return "it has no output"
	}
	readable := map[string]bool{}
	for _, p := range c.Pins {
		readable[p.Name] = !p.Output
	}
	if r := c.register; r != nil {
		if why := r.unusable(known, readable); why != "" {
			return why
		}
		readable[r.state], readable[r.inverse] = true, r.inverse != ""
	}
	for _, p := range c.Pins {
		if !p.Output {
			continue
		}
		if p.Function == nil {
			return "its output " + p.Name + " has no function"
		}
		if why := unread(p.Function, readable); why != "" {
			return why
		}
	}
	return ""
}

// unread returns a reason if a function reads a name that it must not read, and otherwise "".
func unread(f *Function, readable map[string]bool) string {
	for _, name := range f.Pins() {
		if !readable[name] {
			return "a function reads " + name + ", which is not an input"
		}
	}
	return ""
}

// unusable returns the reason why designs cannot use a register, or "".
func (r *register) unusable(pins, inputs map[string]bool) string {
	for _, name := range []string{r.state, r.inverse} {
		if err := names.CheckIdentifier(name); name != "" && err != nil {
			return err.Error()
		}
		if pins[name] {
			return "its state has the name of a pin"
		}
	}
	if r.state == "" || r.state == r.inverse || r.next == nil || r.clock == nil {
		return "its flip-flop has no name, next_state or clocked_on"
	}
	for _, f := range []*Function{r.next, r.clock, r.clear, r.preset} {
		if f == nil {
			continue
		}
		if why := unread(f, inputs); why != "" {
			return why
		}
		if pin, _ := f.literal(); f != r.next && pin == "" {
			return "its clock, clear and preset are not just pins"
		}
	}
	return ""
}

// literal returns the pin of a function that is a pin or an inverted pin, and whether it is inverted. For other
// functions, it returns "".
func (f *Function) literal() (pin string, inverted bool) {
	for f.op == '!' {
		f, inverted = f.args[0], !inverted
	}
	return f.pin, inverted
}

// newRegister reads a flip-flop.
func newRegister(g *group) (*register, error) {
	r := &register{state: g.name()}
	if len(g.args) > 1 {
		r.inverse = g.args[1]
	}
	for _, f := range []struct {
		name string
		to   **Function
	}{{"next_state", &r.next}, {"clocked_on", &r.clock}, {"clear", &r.clear}, {"preset", &r.preset}} {
		var err error
		if *f.to, err = g.function(f.name); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// function returns the function in a simple attribute, or nil if there is no such attribute.
func (g *group) function(name string) (*Function, error) {
	a := g.find(name)
	if a == nil || len(a.values) == 0 {
		return nil, nil
	}
	f, err := parseFunction(a.values[0])
	if err != nil {
		return nil, errorAt(a.line, "%v", err)
	}
	return f, nil
}

// pin reads a pin of a cell.
func (l *Library) pin(c *Cell, name string, g *group) (*Pin, error) {
	p := &Pin{Name: name}
	switch direction := g.text("direction"); direction {
	case "output":
		p.Output = true
	case "input":
	default:
		c.Unusable = "a pin is neither an input nor an output"
	}
	if g.find("three_state") != nil {
		c.Unusable = "its output can be switched off"
	}
	var err error
	if p.Function, err = g.function("function"); err != nil {
		return nil, err
	}
	if p.load, err = g.number("capacitance", l.load); err != nil {
		return nil, err
	}
	for _, part := range g.groups {
		switch part.kind {
		case "timing":
			a, err := l.arc(part)
			if err != nil {
				return nil, err
			}
			p.arcs = append(p.arcs, a)
		case "internal_power":
			power, err := l.power(part)
			l.unpowered = cmp.Or(l.unpowered, err)
			p.powers = append(p.powers, power)
		}
	}
	return p, nil
}
