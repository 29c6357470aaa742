package folder

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"ialgn/backend/aiger"
	"ialgn/backend/blif"
	"ialgn/backend/ccode"
	"ialgn/backend/dot"
	"ialgn/backend/gocode"
	"ialgn/backend/verilog"
	"ialgn/backend/yosysjson"
	"ialgn/netlist"
)

// format is a file of the output folder that is made from the netlist.
type format struct {
	name   string // in the manifest
	emit   string // in --emit, which may name several files
	suffix string // of the file's name, after the module's
	always bool   // whether it is asked for or not
	write  func(io.Writer, Product) error
}

// formats returns the formats in the order in which they are written.
func formats() []format {
	return []format{
		{"verilog", "verilog", ".v", true, func(w io.Writer, p Product) error { return verilog.Write(w, p.Netlist, verilogOptions(p)) }},
		{"testbench", "testbench", "_tb.v", true, func(w io.Writer, p Product) error {
			return verilog.WriteTestbench(w, p.Netlist, verilogOptions(p))
		}},
		{"netlist", "netlist", ".netlist", true, func(w io.Writer, p Product) error { return netlist.WriteText(w, p.Netlist) }},
		{"aiger", "aiger", ".aig", false, func(w io.Writer, p Product) error { return aiger.Write(w, p.Netlist) }},
		{"blif", "blif", ".blif", false, func(w io.Writer, p Product) error {
			return blif.Write(w, p.Netlist, blif.Options{Module: p.Manifest.Module, Header: p.Header})
		}},
		{"c", "c", ".c", false, func(w io.Writer, p Product) error { return ccode.Write(w, p.Netlist, cOptions(p)) }},
		{"c-header", "c", ".h", false, func(w io.Writer, p Product) error { return ccode.WriteHeader(w, p.Netlist, cOptions(p)) }},
		{"c-test", "c", "_selftest.c", false, func(w io.Writer, p Product) error { return ccode.WriteTest(w, p.Netlist, cOptions(p)) }},
		{"go", "go", "_net.go", false, func(w io.Writer, p Product) error { return gocode.Write(w, p.Netlist, goOptions(p)) }},
		{"go-test", "go", "_net_test.go", false, func(w io.Writer, p Product) error { return gocode.WriteTest(w, p.Netlist, goOptions(p)) }},
		{"dot", "dot", ".dot", false, func(w io.Writer, p Product) error { return dot.Write(w, p.Netlist) }},
		{"yosys-json", "yosys-json", ".yosys.json", false, func(w io.Writer, p Product) error {
			return yosysjson.Write(w, p.Netlist, yosysjson.Options{Module: p.Manifest.Module, Creator: "ialgn " + p.Manifest.Version})
		}},
	}
}

func verilogOptions(p Product) verilog.Options {
	return verilog.Options{Module: p.Manifest.Module, Header: p.Header}
}

func cOptions(p Product) ccode.Options {
	return ccode.Options{Module: p.Manifest.Module, Header: p.Header}
}

func goOptions(p Product) gocode.Options {
	return gocode.Options{Package: p.Manifest.Module, Header: p.Header}
}

// selectFormats returns the formats that are always written and those asked for. It
// returns an error for a name that is not a format's.
func selectFormats(emit []string) ([]format, error) {
	var selected []format
	var names []string
	for _, f := range formats() {
		if !slices.Contains(names, f.emit) {
			names = append(names, f.emit)
		}
		if f.always || slices.Contains(emit, f.emit) {
			selected = append(selected, f)
		}
	}
	for _, name := range emit {
		if !slices.Contains(names, name) {
			return nil, fmt.Errorf("emit: format %q is unknown: give some of %s", name, strings.Join(names, ", "))
		}
	}
	return selected, nil
}
