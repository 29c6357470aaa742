package handover

import (
	"io"

	"ialgn/backend/verilog"
	"ialgn/netlist"
)

// WriteFileList writes NAME.vc: the Verilog sources for synthesis in compile order. The LUT
// primitives of a target are the synthesiser's own; the generic ones are a file.
func WriteFileList(w io.Writer, n *netlist.Netlist, opt Options) error {
	d, err := newDesign(n, opt)
	if err != nil {
		return err
	}
	f := &file{comment: "//"}
	d.title(f, "Sources for synthesis")
	f.note("Names are relative to the folder of this file, as with verilator -F.")
	if d.Style == verilog.LUTs && d.Target == verilog.Generic {
		f.line("%s_cells.v", d.Module)
	}
	f.line("%s.v", d.Module)
	return f.writeTo(w)
}

// WriteSimulationList writes NAME_sim.vc: the sources for a simulator in compile order, models
// of LUT primitives and the testbench among them.
func WriteSimulationList(w io.Writer, n *netlist.Netlist, opt Options) error {
	d, err := newDesign(n, opt)
	if err != nil {
		return err
	}
	f := &file{comment: "//"}
	d.title(f, "Sources for simulation, the testbench last,")
	f.note("Names are relative to the folder of this file, as with verilator -F.")
	if d.Style == verilog.LUTs {
		f.line("%s_cells.v", d.Module)
	}
	f.line("%s.v", d.Module)
	f.line("%s_tb.v", d.Module)
	return f.writeTo(w)
}
