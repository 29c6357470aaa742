package verilog

import (
	"fmt"
	"strings"

	"ialgn/internal/target"
)

// This file has the texts that are the same in every Verilog file, except for names and numbers. The writer uses
// these texts, and so does package syntax, which reads the files back.

// NoNets begins a file's Verilog. It makes undeclared names errors instead of implicit wires. AnyNets ends the file
// and restores the default for the files that a tool reads afterwards.
const (
	NoNets  = "`default_nettype none\n"
	AnyNets = "`default_nettype wire\n"
)

// Below returns a module whose name differs from the name of the file. The comments around the module are for
// verilator -Wall, which expects files and modules to have the same name.
func Below(module string) string {
	return "// verilator lint_off DECLFILENAME\n" + module + "// verilator lint_on DECLFILENAME\n"
}

// SimulationOnly begins text that synthesisers skip, and AnyTool ends this text. The text has models of primitives.
// Synthesisers have their own models.
const (
	SimulationOnly = "\n`ifndef SYNTHESIS\n"
	AnyTool        = "`endif\n"
)

// Attribute returns a line that precedes a module and identifies the module's build.
func Attribute(version uint32) string {
	return fmt.Sprintf("(* ialgn_version = 32'h%08x *)\n", version)
}

// VersionLines returns the first lines of a module that has an [Attribute].
func VersionLines(word uint32) string {
	return fmt.Sprintf("  localparam [31:0] %[1]s = 32'h%08[2]x;\n  wire unused_version = &{1'b0, %[1]s};\n", version,
		word)
}

// ClockedPorts are a pipeline's input ports that carry no data, in order.
var ClockedPorts = []string{"clk", "rst", "ce", "in_valid"}

// OutValid is the output port of a pipeline that is 1 while the outputs belong to a sample.
const OutValid = "out_valid"

// SampleLines returns the statements for the bits that say which of a pipeline's stages hold a sample. Like all
// registers, these bits are unknown before the first reset. A reset clears these bits even while ce is 0, so that a
// stalled design can be started again.
func SampleLines(stages int) string {
	next := "in_valid"
	switch stages {
	case 0: // there are no stages, since the outputs are constants
		return "  assign out_valid = in_valid;\n  wire unused_control = &{1'b0, rst};\n"
	case 1:
	case 2:
		next = "{valid[0], in_valid}"
	default:
		next = fmt.Sprintf("{valid[%d:0], in_valid}", stages-2)
	}
	return fmt.Sprintf("  always @(posedge clk)\n    if (rst) valid <= %s;\n    else if (ce) valid <= %s;\n\n"+
		"  assign out_valid = valid[%d];\n", appendConstant(nil, 0, stages), next, stages-1)
}

// Primitive is a cell of a target. Instances and the model of the primitive use its names.
type Primitive struct {
	Name      string
	Parameter string   // name of the parameter with the truth table; empty: none
	Inputs    []string // pins in the order of instances; the first is the lowest bit of a table index
	Output    string
}

// carryCell is the carry of iCE40.
var carryCell = Primitive{Name: "SB_CARRY", Inputs: []string{"I0", "I1", "CI"}, Output: "CO"}

// Primitives returns the primitives of a target, in the order of [WriteCells].
func Primitives(t *target.Family) []Primitive {
	f := &family{t.OrGeneric()}
	var all []Primitive
	for inputs := f.LUT.Least; inputs <= f.LUT.Most; inputs++ {
		all = append(all, f.lookUpTable(inputs))
	}
	if f.Carry {
		all = append(all, carryCell)
	}
	return all
}

// lookUpTable returns the family's LUT with the given number of inputs.
func (f *family) lookUpTable(inputs int) Primitive {
	name, pins := f.LUT.Primitive(inputs)
	return Primitive{Name: name, Parameter: f.LUT.Parameter, Inputs: f.LUT.Inputs[:pins], Output: f.LUT.Output}
}

// Model returns the model of the primitive as [WriteCells] writes it.
func (p Primitive) Model() string {
	ports := ""
	for _, pin := range p.Inputs {
		ports += fmt.Sprintf("    input  wire %s,\n", pin)
	}
	ports = "(\n" + ports + fmt.Sprintf("    output wire %s\n);\n", p.Output)
	if p.Parameter == "" {
		return moduleAlone(p.Name, ports+"  assign CO = (I0 & I1) | (I0 & CI) | (I1 & CI);\n")
	}
	values := 1 << len(p.Inputs)
	head := fmt.Sprintf("#(\n    parameter [%d:0] %s = %d'h0\n) ", values-1, p.Parameter, values)
	return moduleAlone(p.Name, head+ports+p.choices())
}

// choices returns the statements of a LUT's model. Each input selects one half of the remaining table. If both halves
// are equal, an unknown input therefore does not make the output unknown. This matters for a LUT that shares a logic
// cell with a carry, because the carry's operands are at pins of the LUT.
func (p Primitive) choices() string {
	var text strings.Builder
	from := p.Parameter
	for k := len(p.Inputs) - 1; k > 0; k-- {
		half := 1 << k
		fmt.Fprintf(&text, "  wire [%d:0] of%d = %s ? %s[%d:%d] : %s[%d:0];\n", half-1, k, p.Inputs[k], from, 2*half-1, half,
			from, half-1)
		from = fmt.Sprintf("of%d", k)
	}
	fmt.Fprintf(&text, "  assign %s = %s ? %s[1] : %s[0];\n", p.Output, p.Inputs[0], from, from)
	return text.String()
}

// moduleAlone returns a module with the given name and text.
func moduleAlone(name, text string) string {
	return "\n" + Below("module "+name+" "+text+"endmodule\n")
}
