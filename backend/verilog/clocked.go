package verilog

import (
	"fmt"
	"slices"

	"ialgn/netlist"
)

// control are the names in a pipeline's module that do not come from the netlist.
var control = []string{"clk", "rst", netlist.EnablePort, "in_valid", "out_valid", "valid", "unused_control"}

// stageOf returns the stage in which a bus stands; the last for one of constants.
func (d *design) stageOf(p netlist.Port) int {
	for _, v := range p.Nets {
		if s := d.stage[v]; s != netlist.AnyStage {
			return int(s)
		}
	}
	return d.clock.Stages
}

// stages returns the registers of each stage; those that hold a constant are in the first
// place.
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

// declareRegisters declares the registers, of which cells read.
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

// registers writes the registers, each an instance: iverilog takes milliseconds over each
// assignment of a clocked process in a large module, and microseconds over an instance.
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
		for _, c := range cells {
			data := d.n.Inputs(c)[0]
			d.used.Add(int(data))
			line := append(append(d.start("  "), d.module...), "_register "...)
			line = append(d.AppendCell(line, c), "_i (.clk(clk), .ce(ce), .d("...)
			line = append(d.net(line, data), "), .q("...)
			d.end(append(d.AppendCell(line, c), "));"...))
		}
	}
}

// valid writes the bits that go with the samples.
func (d *design) valid() {
	title := "\n"
	if d.clock.Stages > 0 {
		title += "  // samples\n"
	}
	d.text(title + SampleLines(d.clock.Stages))
}
