package handover

import (
	"io"

	"ialgn/internal/verilog"
	"ialgn/netlist"
)

// WriteFileList writes NAME.vc, which lists the Verilog sources for synthesis in compile order. It lists the models
// of generic primitives, but no models of a target's LUT primitives, because synthesisers have them.
func WriteFileList(w io.Writer, n *netlist.Netlist, opt Options) error {
	d, err := newDesign(n, opt)
	if err != nil {
		return err
	}
	f := &file{comment: "//"}
	d.title(f, "Sources for synthesis")
	f.note("Names are relative to the folder of this file, as with verilator -F.")
	d.memories(f)
	d.sources(f, d.Style == verilog.LUTs && d.Target.Modelled)
	return f.writeTo(w)
}

// WriteSimulationList writes NAME_sim.vc, which lists the sources for a simulator in compile order. They include
// models of LUT primitives and the testbench.
func WriteSimulationList(w io.Writer, n *netlist.Netlist, opt Options) error {
	d, err := newDesign(n, opt)
	if err != nil {
		return err
	}
	f := &file{comment: "//"}
	d.title(f, "Sources for simulation, the testbench last,")
	f.note("Names are relative to the folder of this file, as with verilator -F.")
	d.memories(f)
	d.sources(f, d.Style == verilog.LUTs)
	if d.Top != nil {
		f.line("%s", d.Top.Testbench)
	} else {
		f.line("%s_tb.v", d.Module)
	}
	return f.writeTo(w)
}

// sources writes the names of the Verilog files. If cells is true and the module has a file with models of
// primitives, this file comes first.
func (d *design) sources(f *file, cells bool) {
	for _, name := range d.list(cells) {
		f.line("%s", name)
	}
}

// list returns the names that [design.sources] writes.
func (d *design) list(cells bool) []string {
	list, models := []string{d.Module + ".v"}, d.Module+"_cells.v"
	if d.Top != nil {
		list, models = d.Top.Sources, d.Top.Cells
	}
	if cells && models != "" {
		list = append([]string{models}, list...)
	}
	return list
}

// memories writes the names of the files that the Verilog reads by $readmemh.
func (d *design) memories(f *file) {
	if d.Top == nil {
		return
	}
	for _, name := range d.Top.Memories {
		f.note("The Verilog reads %s, in the folder that the tool runs in.", name)
	}
}
