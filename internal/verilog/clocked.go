package verilog

import (
	"fmt"
	"slices"
	"strings"

	"ialgn/netlist"
)

// control lists the names in a pipeline's module that do not come from the netlist.
var control = []string{"clk", "rst", netlist.EnablePort, "in_valid", "out_valid", "valid", "unused_control"}

// stageOf returns the stage of a bus. If all bits of the bus are constants, it returns the last stage.
func (d *design) stageOf(p netlist.Port) int {
	for _, v := range p.Nets {
		if s := d.stage[v]; s != netlist.AnyStage {
			return int(s)
		}
	}
	return d.clock.Stages
}

// stages returns the registers of each stage. Registers that hold a constant are in stage 0.
func (d *design) stages() [][]netlist.Cell {
	of := make([][]netlist.Cell, slices.Max(d.stage)+1)
	for c := range netlist.Cell(d.n.Cells()) {
		if d.n.Kind(c) == netlist.Register {
			s := max(0, d.stage[d.n.Output(c)])
			of[s] = append(of[s], c)
		}
	}
	return of
}

// declareRegisters declares the registers, which must precede the cells that read them.
func (d *design) declareRegisters() {
	if d.clock == nil {
		return
	}
	if n := d.clock.Stages; n > 0 {
		d.text(fmt.Sprintf("\n  // valid[i]: there is a sample in stage i + 1\n  reg [%d:0] valid;\n", n-1))
	}
	for s, cells := range d.stages() {
		if len(cells) > 0 {
			d.text(fmt.Sprintf("\n  // registers of stage %d\n", s))
			d.declareScalars(cells)
		}
	}
}

// registers writes the registers. Registers of a stage that hold bits of one bus or of one class become one vector.
// Each vector is an instance of a module, because iverilog takes only microseconds for an instance. It takes
// milliseconds for each assignment in a clocked process of a large module.
func (d *design) registers() {
	if d.clock == nil {
		return
	}
	d.valid()
	d.text("\n  // data\n")
	for s, cells := range d.stages() {
		if len(cells) > 0 {
			d.text(fmt.Sprintf("  // stage %d\n", s))
		}
		for _, v := range d.vectors(cells) {
			d.vector(v)
		}
	}
}

// vector is a list of registers of a stage that are written together. The lowest bit comes first.
type vector struct {
	name  string
	cells []netlist.Cell
}

// vectors groups the registers of a stage by bus, input word or class.
func (d *design) vectors(cells []netlist.Cell) (all []vector) {
	buses := map[string]bool{}
	for _, ports := range [][]netlist.Port{d.n.OutputPorts(), d.n.Probes()} {
		for _, p := range ports {
			buses[p.Name] = true
		}
	}
	at := map[string]int{}
	for _, c := range cells {
		name := string(d.AppendCell(nil, c))
		stage := strings.LastIndexByte(name, '_')
		name = owner(name[:stage], buses) + name[stage:]
		i, known := at[name]
		if !known {
			i = len(all)
			at[name], all = i, append(all, vector{name: name})
		}
		all[i].cells = append(all[i].cells, c)
	}
	return all
}

// owner returns the group of a signal, which depends on the signal's name. The group is a bus or the first part of
// the name. Further parts of a name, such as k17 and b2, consist of letters and a number. If the first part is a node
// that belongs to no class, its number is removed.
func owner(name string, buses map[string]bool) string {
	for !buses[name] {
		last := strings.LastIndexByte(name, '_')
		if last < 1 || strings.Trim(name[last+1:], "0123456789") == name[last+1:] {
			break
		}
		name = name[:last]
	}
	if digits, isNode := strings.CutPrefix(name, "k"); isNode && strings.Trim(digits, "0123456789") == "" {
		return "k"
	}
	return name
}

// vector writes an instance of registers. An instance of a single bit is named after the bit.
func (d *design) vector(v vector) {
	line := append(append(d.start("  "), d.module...), "_register "...)
	if len(v.cells) == 1 {
		line = append(d.AppendCell(line, v.cells[0]), "_i (.clk(clk), .ce(ce), .d("...)
	} else {
		line = fmt.Appendf(line, "#(.WIDTH(%d)) %s_i (.clk(clk), .ce(ce), .d(", len(v.cells), v.name)
	}
	line = append(concatenation(line, v.cells, func(line []byte, c netlist.Cell) []byte {
		data := d.n.Inputs(c)[0]
		d.used.Add(int(data))
		return d.net(line, data)
	}), "), .q("...)
	d.end(append(concatenation(line, v.cells, d.AppendCell), "));"...))
}

// concatenation appends the bits of cells. The first cell has the lowest bit.
func concatenation(line []byte, cells []netlist.Cell, bit func([]byte, netlist.Cell) []byte) []byte {
	if len(cells) == 1 {
		return bit(line, cells[0])
	}
	line = append(line, '{')
	for i, c := range slices.Backward(cells) {
		if line = bit(line, c); i > 0 {
			line = append(line, ", "...)
		}
	}
	return append(line, '}')
}

// valid writes the bits that say which stages hold a valid sample.
func (d *design) valid() {
	title := "\n"
	if d.clock.Stages > 0 {
		title += "  // samples\n"
	}
	d.text(title + SampleLines(d.clock.Stages))
}
