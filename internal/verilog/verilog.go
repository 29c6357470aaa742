// Package verilog writes netlists as Verilog-2001, with a testbench and its vectors.
//
// [Write] writes one self-contained file. The file has a header that documents the ports, the netlist's module, and
// the parameterised modules for popcounts and argmax that this module uses. The netlist's module has one assign for
// each function cell or, in another [Style], one LUT. The outputs of function cells are scalar wires that are named
// after the gates of the model. [WriteTestbench] writes a self-checking testbench that reads vectors in the format
// of [WriteVectors].
//
// A netlist with registers must be a [netlist.Pipeline]. Its module has the additional ports clk, rst, ce, in_valid
// and out_valid. The module takes new inputs in every clock in which ce is 1. While ce is 0, its state does not
// change. One more bit for each stage says whether the stage holds a sample. The reset rst is synchronous, active
// high and independent of ce. It clears only these bits, because the data in a stage have no effect if the stage
// holds no sample. out_valid is in_valid, delayed by one enabled clock for each stage.
//
// The following holds for every file that is written:
//
//   - the same netlist and options give the same bytes;
//   - names from outside are checked and must be simple identifiers. Any other text from outside is in a comment, and
//     cannot end this comment;
//   - verilator -Wall and iverilog -Wall report nothing. To achieve this, every width is explicit, and wires named
//     unused_0, unused_1 and so on read all signals that nothing else reads. The line directives before the second
//     and third module are there because verilator expects one module per file;
//   - expressions are fully parenthesised, except for chains of one operator and for ~.
//
// If the netlist is refused, nothing is written. The time for writing is proportional to the netlist's size. In
// addition to the netlist, writing needs about one bit of memory per net, and 4 bytes per cell in the longest
// section.
package verilog

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"ialgn/internal/bitplane"
	"ialgn/internal/names"
	"ialgn/internal/target"
	"ialgn/netlist"
)

// Options control how a netlist is written.
type Options struct {
	// Module is the module's name. If it is empty, the netlist's name is used. The testbench is named Module_tb, and
	// the modules inside are named Module_popcount, Module_argmax and so on.
	Module string
	// Header lists the lines of the comment at the top. They name the program and its version, the model and its
	// checksum, and the options.
	Header []string
	// Inputs lists more lines for the comment at the top. They say how the words of the input port are computed.
	Inputs []string
	// Style says how function cells are written. Target is the target whose LUTs the style [LUTs] instantiates. If
	// it is nil, the target is [target.Generic]. [WriteCells] writes models of these LUTs.
	Style  Style
	Target *target.Family
	// Cells is the name of the file with the models of [WriteCells], for the comment at the top. If it is empty, the
	// name is Module_cells.v.
	Cells string
	// Version identifies the build. It becomes the attribute ialgn_version and the local parameter VERSION of the
	// module, which take no hardware. If it is 0, the module has neither.
	Version uint32
	// Compare lists the output ports and probes that a testbench compares. If it is empty, the testbench compares
	// all.
	Compare []string
	// Tell is the number of vectors after which a testbench prints a progress line such as "at 640". If it is 0,
	// there are no such lines.
	Tell int
}

// Kinds lists the kinds of cells that can be written. Registers are allowed only in a pipeline.
var Kinds = []netlist.Kind{
	netlist.Function, netlist.Compare, netlist.Popcount, netlist.Counter, netlist.Argmax, netlist.Carry,
	netlist.Register,
}

// Write writes n as Verilog-2001. It returns an error before it writes anything if n cannot be written. The names of
// the module, the ports and the probes must be valid in Verilog and different from each other. No function may have
// more inputs than the LUTs of the target. If n has cells whose kind is not in [Kinds], the error is a
// [*netlist.KindError]. Later errors come from w.
func Write(w io.Writer, n *netlist.Netlist, opt Options) error {
	d, err := newDesign(w, n, opt)
	if err != nil {
		return err
	}
	d.models = cmp.Or(opt.Cells, d.module+"_cells.v")
	d.header(opt.Header, opt.Inputs)
	d.text(NoNets + "\n")
	d.ports()
	d.inputBits()
	d.declareRegisters()
	d.cells()
	d.outputs()
	d.probes()
	d.registers()
	d.unused()
	d.text("endmodule\n")
	d.modules()
	d.text("\n" + AnyNets)
	return d.flush()
}

// design is the state of writing a netlist.
type design struct {
	*wires
	*printer
	module  string
	version uint32
	family  *family      // the target's LUTs; nil: style Gates
	models  string       // name of the file with the models of the LUTs
	used    bitplane.Set // nets that an expression or an output port reads
	groups  [3]portGroup
	clock   *netlist.Pipeline // nil: no registers
	stage   []int32           // stage of each net; nil without registers
}

func newDesign(w io.Writer, n *netlist.Netlist, opt Options) (*design, error) {
	module := opt.Module
	if module == "" {
		module = n.Name
	}
	if err := check(n, module); err != nil {
		return nil, err
	}
	f, err := findFamily(opt)
	if err == nil && f != nil {
		if err = f.checkModule(module); err == nil {
			err = f.checkLUTs(n)
		}
	}
	if err != nil {
		return nil, err
	}
	clock, err := n.Pipeline()
	if err != nil {
		return nil, fmt.Errorf("verilog: %w", err)
	}
	d := &design{
		wires: &wires{Names: names.New(n), n: n, chains: f.chainsOf(n)}, printer: newPrinter(w),
		module: module, version: opt.Version, family: f, groups: portGroups(n), clock: clock,
	}
	d.findBits()
	if clock != nil {
		d.stage = n.Stages()
	}
	return d, nil
}

// version is the local parameter that identifies the build.
const version = "VERSION"

// check returns an error for a netlist that cannot be written.
func check(n *netlist.Netlist, module string) error {
	if err := names.CheckIdentifier(module); err != nil {
		return fmt.Errorf("verilog: module: %w", err)
	}
	taken := map[string]string{
		version: "the word of the build",
		module:  "the module",
	}
	for _, h := range Helpers() {
		taken[module+h.Suffix] = "a module"
	}
	if p, err := n.Pipeline(); p != nil && err == nil {
		for _, name := range control {
			if taken[name] != "" {
				return fmt.Errorf("verilog: module: the name %q is taken by the pipeline, choose another name", name)
			}
			taken[name] = "the pipeline"
		}
	}
	for _, group := range portGroups(n) {
		for _, p := range group.ports {
			if err := cmp.Or(names.CheckIdentifier(p.Name), names.CheckPort(p.Name)); err != nil {
				return fmt.Errorf("verilog: %s: %w", group.what, err)
			}
			if other := taken[p.Name]; other != "" {
				return fmt.Errorf("verilog: %s: the name %q is taken by %s, choose another name", group.what, p.Name, other)
			}
			if len(p.Nets) == 0 {
				return fmt.Errorf("verilog: %s %s has no bits, give it at least one", group.what, p.Name)
			}
			taken[p.Name] = "another " + group.what
		}
	}
	if err := checkBits(n, taken); err != nil {
		return err
	}
	return netlist.Refuse("verilog", n, Kinds...)
}

// portGroup has all named buses of a netlist that have the same direction.
type portGroup struct {
	what  string
	ports []netlist.Port
}

// portGroups returns the named buses of n, in the order of declarations and vectors. The enable port of a pipeline
// is not included.
func portGroups(n *netlist.Netlist) [3]portGroup {
	return [3]portGroup{{"input port", n.DataInputs()}, {"output port", n.OutputPorts()}, {"probe", n.Probes()}}
}

// ports writes the module's name and its ports.
func (d *design) ports() {
	var lines []string
	if d.clock != nil {
		lines = append(lines, "input  wire clk", "input  wire rst", "input  wire ce", "input  wire in_valid")
	}
	for _, p := range d.groups[inputs].ports {
		lines = append(lines, fmt.Sprintf("input  wire [%d:0] %s", len(p.Nets)-1, p.Name))
	}
	if d.clock != nil {
		lines = append(lines, "output wire out_valid")
	}
	for _, p := range d.groups[outputs].ports {
		lines = append(lines, fmt.Sprintf("output wire [%d:0] %s", len(p.Nets)-1, p.Name))
	}
	if d.version != 0 {
		d.text(Attribute(d.version))
	}
	d.text("module " + d.module + " (\n    " + strings.Join(lines, ",\n    ") + "\n);\n")
	if d.version != 0 {
		d.text(VersionLines(d.version))
	}
}

// outputs drives the output ports that no cell drives as a whole.
func (d *design) outputs() {
	d.assignPorts("outputs", d.n.OutputPorts(), false)
}

// probes declares and drives those probes that are not the output bus of a cell.
func (d *design) probes() {
	d.assignPorts("probes", d.n.Probes(), true)
}

func (d *design) assignPorts(title string, ports []netlist.Port, declare bool) {
	first := true
	for _, p := range ports {
		if d.Aliased(p) {
			continue
		}
		if first {
			d.text("\n  // " + title + "\n")
			first = false
		}
		if declare {
			d.text(fmt.Sprintf("  wire [%d:0] %s;\n", len(p.Nets)-1, p.Name))
		}
		d.assign(p.Name, p.Nets)
	}
}
