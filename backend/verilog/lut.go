package verilog

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"ialgn/netlist"
)

// Style says how function cells are written.
type Style uint8

// The styles.
const (
	Gates Style = iota // one assign a cell: to be read, and for a synthesiser to map
	LUTs               // one LUT of the target a cell: to be taken as it is
)

// Target names a family of primitives for the style [LUTs].
type Target string

// The targets. The primitives of Generic are those of Xilinx7; only for it, they must be
// given to a synthesiser too.
const (
	Generic Target = "generic" // LUT1 to LUT6, with INIT
	ICE40   Target = "ice40"   // SB_LUT4 and SB_CARRY
	ECP5    Target = "ecp5"    // LUT4
	Gowin   Target = "gowin"   // LUT1 to LUT4
	Xilinx7 Target = "xilinx7" // LUT1 to LUT6
)

// family is a row of the table of targets: the LUT primitives of one.
type family struct {
	target    Target
	name      string // LUT%d, by the number of inputs, or the name of the only one
	least     int    // inputs of the smallest primitive
	most      int    // and of the largest
	parameter string
	inputs    []string // pins, that of the lowest bit of a table's index first
	output    string
	carry     bool // there is an SB_CARRY
	usual     Style
}

// families is the table. The usual style of each, by docs/FPGA.md: a synthesiser maps LUTs of no device
// once more; of iCE40, primitives are 10 % fewer, but nextpnr 0.4 leaves some seeds unrouted; of ECP5 and
// Gowin they are 8 to 13 % fewer; of Xilinx 7 13 to 50 %, for yosys looks for + in a head that has none.
var families = []family{
	{Generic, "LUT%d", 1, 6, "INIT", []string{"I0", "I1", "I2", "I3", "I4", "I5"}, "O", false, Gates},
	{ICE40, "SB_LUT4", 4, 4, "LUT_INIT", []string{"I0", "I1", "I2", "I3"}, "O", true, Gates},
	{ECP5, "LUT4", 4, 4, "INIT", []string{"A", "B", "C", "D"}, "Z", false, LUTs},
	{Gowin, "LUT%d", 1, 4, "INIT", []string{"I0", "I1", "I2", "I3"}, "F", false, LUTs},
	{Xilinx7, "LUT%d", 1, 6, "INIT", []string{"I0", "I1", "I2", "I3", "I4", "I5"}, "O", false, LUTs},
}

// Family is what a target has, for those who lower to it.
type Family struct {
	Target Target
	Inputs int  // of its largest LUT
	Carry  bool // whether sums are made of the carry that stands beside each LUT

	// Style is how its Verilog is written unless told otherwise: in primitives where the synthesiser
	// makes more of gates than what was mapped, and what it makes is routed.
	Style Style
}

// Families returns all targets in the order of their table, the plainest first. Whatever is done for
// each target walks it: a new one is a row.
func Families() []Family {
	var all []Family
	for _, f := range families {
		all = append(all, Family{f.target, f.most, f.carry, f.usual})
	}
	return all
}

// TargetNames returns the names of all targets in the order of their table.
func TargetNames() []string {
	var names []string
	for _, f := range families {
		names = append(names, string(f.target))
	}
	return names
}

// findFamily returns the family of the options, nil for the style Gates.
func findFamily(opt Options) (*family, error) {
	if opt.Style == Gates {
		return nil, nil
	}
	target := opt.Target
	if target == "" {
		target = Generic
	}
	i := slices.IndexFunc(families, func(f family) bool { return f.target == target })
	if i < 0 || opt.Style != LUTs {
		return nil, fmt.Errorf("verilog: style %d of target %q is unknown, give one of the styles and targets of the package", opt.Style, target)
	}
	return &families[i], nil
}

// primitive returns the name of the primitive for a function of the given number of inputs,
// and how many it has.
func (f *family) primitive(inputs int) (name string, pins int) {
	pins = max(inputs, f.least)
	return strings.ReplaceAll(f.name, "%d", fmt.Sprint(pins)), pins
}

// checkModule refuses a module's name that is one of the primitives'.
func (f *family) checkModule(module string) error {
	for inputs := range f.most + 1 {
		if name, _ := f.primitive(inputs); name == module || f.carry && module == carryCell.Name {
			return fmt.Errorf("verilog: module: %q is a primitive of the target %s, choose another name", module, f.target)
		}
	}
	return nil
}

// form is what a cell becomes in the style LUTs.
type form uint8

const (
	formAssign form = iota // a constant, a wire, or an operator
	formLUT
	formCarry
)

// form returns what cell c becomes, and of a LUT its function and the inputs that it reads.
func (f *family) form(n *netlist.Netlist, c netlist.Cell) (_ form, table uint64, pins []int) {
	switch n.Kind(c) {
	case netlist.Function:
		table = n.Param(c)
	case netlist.Carry:
		if f.carry {
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

// checkLUTs refuses functions of more inputs than the target's LUTs have.
func (f *family) checkLUTs(n *netlist.Netlist) error {
	for c := range netlist.Cell(n.Cells()) {
		if _, _, pins := f.form(n, c); len(pins) > f.most {
			name, _ := f.primitive(f.most)
			return fmt.Errorf("verilog: cell %d depends on %d inputs, %s has %d: map to LUTs of %d inputs, or write the style gates",
				c, len(pins), name, f.most, f.most)
		}
	}
	return nil
}

// primitiveCell writes a function or a carry as a primitive of the target. It reports false
// where it is none and an assign says it.
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

// lut writes a function as a LUT. Pins beyond its inputs are 0, and the table does not depend
// on them.
func (d *design) lut(c netlist.Cell, table uint64, pins []int) {
	f, in := d.family, d.n.Inputs(c)
	name, width := f.primitive(len(pins))
	place := d.place(c, pins, width)
	var at [netlist.MaxFunctionInputs]int // where each input of the function is
	for _, j := range pins {
		d.used.add(int(in[j]))
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
	line := fmt.Appendf(d.start("  "), "%s #(.%s(%d'h%0*x)) ", name, f.parameter, 1<<width, max(1, 1<<width/4), init)
	line = append(d.cellName(line, c), "_i ("...)
	_, chained := d.onChain(c)
	for k, v := range place {
		line = append(append(append(line, '.'), f.inputs[k]...), '(')
		if k == width-1 && chained {
			line = d.link(line, v)
		} else {
			line = d.net(line, v)
		}
		line = append(line, "), "...)
	}
	line = append(append(append(line, '.'), f.output...), '(')
	d.end(append(d.cellName(line, c), "));"...))
}

// WriteCells writes what the primitives do that [Write] uses for n with the same options: for
// simulators, and of the target Generic for synthesisers too. There is nothing to write for
// the style Gates, nor where no cell is a primitive. It returns the errors of Write.
func WriteCells(w io.Writer, n *netlist.Netlist, opt Options) error {
	d, err := newDesign(w, n, opt)
	if err != nil || d.family == nil {
		return err
	}
	var luts [netlist.MaxFunctionInputs + 1]bool
	carry := false
	for c := range netlist.Cell(n.Cells()) {
		form, _, pins := d.family.form(n, c)
		carry = carry || form == formCarry
		if form == formLUT {
			_, width := d.family.primitive(len(pins))
			luts[width] = true
		}
	}
	d.comment("What the primitives in %s.v do, target %s", d.module, d.family.target)
	d.comment("(the directives are for verilator -Wall, which wants files called as their modules)")
	d.text("\n" + NoNets)
	for width, used := range luts {
		if used {
			d.text(d.family.lookUpTable(width).Model(d.line))
		}
	}
	if carry {
		d.text(carryCell.Model(d.line))
	}
	d.text("\n" + AnyNets)
	return d.flush()
}
