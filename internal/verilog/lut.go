package verilog

import (
	"fmt"
	"io"
	"slices"

	"ialgn/internal/target"
	"ialgn/netlist"
)

// Style says how function cells are written.
type Style uint8

// These are the styles.
const (
	Gates Style = iota // one assign for each cell; readable, and mapped to LUTs by a synthesiser
	LUTs               // one LUT of the target for each cell, which synthesis must keep
)

// UsualStyle returns the default style of a target's Verilog, for a network whose nodes have at
// most the given number of inputs.
func UsualStyle(t *target.Family, inputs int) Style {
	if f := t.OrGeneric(); f.Primitives || f.WidestGate > 0 && inputs > f.WidestGate {
		return LUTs
	}
	return Gates
}

// family has the LUTs and carries that the style [LUTs] writes.
type family struct{ *target.Family }

// findFamily returns the family in the options, or nil for the style Gates.
func findFamily(opt Options) (*family, error) {
	switch opt.Style {
	case Gates:
		return nil, nil
	case LUTs:
		return &family{opt.Target.OrGeneric()}, nil
	}
	return nil, fmt.Errorf("verilog: style %d is unknown, give one of the styles of the package", opt.Style)
}

// checkModule returns an error if the module has the name of a primitive.
func (f *family) checkModule(module string) error {
	for inputs := range f.LUT.Most + 1 {
		if name, _ := f.LUT.Primitive(inputs); name == module || f.Carry && module == carryCell.Name {
			return fmt.Errorf("verilog: module: %q is a primitive of the target %s, choose another name", module, f.Name)
		}
	}
	return nil
}

// form says how a cell is written in the style LUTs.
type form uint8

const (
	formAssign form = iota // a constant, a wire, or an operator
	formLUT
	formCarry
)

// form returns the form of cell c. For a LUT, it also returns the table, and the inputs on which the function
// depends.
func (f *family) form(n *netlist.Netlist, c netlist.Cell) (_ form, table uint64, pins []int) {
	switch n.Kind(c) {
	case netlist.Function:
		table = n.Param(c)
	case netlist.Carry:
		if f.Carry {
			return formCarry, 0, nil
		}
		table = majority3
	default:
		return formAssign, 0, nil
	}
	table = netlist.Effective(table, n.Inputs(c))
	for s, j := netlist.Support(table), 0; s != 0; s, j = s>>1, j+1 {
		if s&1 == 1 {
			pins = append(pins, j)
		}
	}
	if len(pins) == 0 || len(pins) == 1 && table == netlist.PinTable(pins[0]) {
		return formAssign, 0, nil
	}
	return formLUT, table, pins
}

// majority3 is the table of the majority of three inputs.
const majority3 = 0b11101000

// checkLUTs returns an error for a function of more inputs than the target's LUTs have.
func (f *family) checkLUTs(n *netlist.Netlist) error {
	for c := range netlist.Cell(n.Cells()) {
		if _, _, pins := f.form(n, c); len(pins) > f.LUT.Most {
			name, _ := f.LUT.Primitive(f.LUT.Most)
			return fmt.Errorf("verilog: cell %d depends on %d inputs, %s has %d: map to LUTs of %d inputs, or write the "+
				"style gates",
				c, len(pins), name, f.LUT.Most, f.LUT.Most)
		}
	}
	return nil
}

// primitiveCell writes a function or a carry as a primitive of the target. It returns false if the
// cell has to be written as an assign.
func (d *design) primitiveCell(c netlist.Cell) bool {
	if d.family == nil {
		return false
	}
	form, table, pins := d.family.form(d.n, c)
	switch form {
	case formCarry:
		d.carry(c)
	case formLUT:
		d.lut(c, table, pins)
	}
	return form != formAssign
}

// lut writes a function as a LUT. Unused pins are connected to 0, and the table does not depend on
// them.
func (d *design) lut(c netlist.Cell, table uint64, pins []int) {
	f, in := d.family, d.n.Inputs(c)
	name, width := f.LUT.Primitive(len(pins))
	place := d.place(c, pins, width)
	var at [netlist.MaxFunctionInputs]int // for each input of the function: the pin to which it is connected
	for _, j := range pins {
		d.used.Add(int(in[j]))
		at[j] = slices.Index(place, in[j])
	}
	init := uint64(0)
	for i := range uint64(1) << width {
		index := uint64(0)
		for _, j := range pins {
			index |= i >> at[j] & 1 << j
		}
		init |= table >> index & 1 << i
	}
	line := fmt.Appendf(d.start("  "), "%s #(.%s(%d'h%0*x)) ", name, f.LUT.Parameter, 1<<width, max(1, 1<<width/4), init)
	line = append(d.AppendCell(line, c), "_i ("...)
	_, chained := d.onChain(c)
	for k, v := range place {
		line = append(append(append(line, '.'), f.LUT.Inputs[k]...), '(')
		if k == width-1 && chained {
			line = d.link(line, v)
		} else {
			line = d.net(line, v)
		}
		line = append(line, "), "...)
	}
	line = append(append(append(line, '.'), f.LUT.Output...), '(')
	d.end(append(d.AppendCell(line, c), "));"...))
}

// WriteCells writes models of the primitives that [Write] uses for n with the same options. The models are for
// simulators. The models of [target.Generic] are also for synthesisers. WriteCells writes nothing for the style
// Gates, or if no cell is a primitive. It returns the errors of Write.
func WriteCells(w io.Writer, n *netlist.Netlist, opt Options) error { return WriteCellsOf(w, opt, n) }

// WriteCellsOf is like [WriteCells], for several netlists. Their modules are parts of the module named opt.Module.
func WriteCellsOf(w io.Writer, opt Options, parts ...*netlist.Netlist) error {
	var d *design
	var luts [netlist.MaxFunctionInputs + 1]bool
	carry := false
	for _, n := range parts {
		var err error
		if d, err = newDesign(w, n, opt); err != nil || d.family == nil {
			return err
		}
		for c := range netlist.Cell(n.Cells()) {
			form, _, pins := d.family.form(n, c)
			carry = carry || form == formCarry
			if form == formLUT {
				_, width := d.family.LUT.Primitive(len(pins))
				luts[width] = true
			}
		}
	}
	use := ""
	if !d.family.Modelled {
		use = ", for simulators; synthesisers define SYNTHESIS and have their own"
	}
	d.comment("What the primitives in %s.v do, target %s%s", d.module, d.family.Name, use)
	d.text("\n" + NoNets)
	if !d.family.Modelled {
		d.text(SimulationOnly)
	}
	for width, used := range luts {
		if used {
			d.text(d.family.lookUpTable(width).Model())
		}
	}
	if carry {
		d.text(carryCell.Model())
	}
	if !d.family.Modelled {
		d.text(AnyTool)
	}
	d.text("\n" + AnyNets)
	return d.flush()
}
