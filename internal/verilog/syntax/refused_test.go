package syntax_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"ialgn/internal/verilog"
	"ialgn/internal/verilog/syntax"
	"ialgn/netlist"
)

// A change is an edit of a golden file, at the first occurrence of a text.
type change struct {
	name     string
	old, new string
}

// golden reads a golden file of package verilog's tests.
func golden(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// These texts are the end of a module, and a gate of the golden files.
const (
	end  = "endmodule\n\n// count"
	gate = "  assign c0_k0_l1 = x0_gt3 & x0_gt7;\n"
)

// inserted returns the change that inserts the given lines before the end of the module.
func inserted(name, lines string) change { return change{name, end, "  " + lines + "\n" + end} }

// instead returns the change that replaces the assignment of a gate by the given lines. The gate's wire is declared
// earlier.
func instead(name, lines string) change { return change{name, gate, "  " + lines + "\n"} }

// refusedOfGates lists changes of files without a clock. Different tools might interpret the changed files
// differently.
var refusedOfGates = []change{
	instead("sensitivity list", "reg r; always @(x0_gt3) r = ~x0_gt3 & x0_gt7;\n  assign c0_k0_l1 = r;"),
	instead("sensitivity list over lines",
		"reg r;\n  always @(x0_gt3)\n    r = ~x0_gt3 & x0_gt7;\n  assign c0_k0_l1 = r;"),
	instead("always @*", "reg r;\n  always @* r = x0_gt3 & x0_gt7;\n  assign c0_k0_l1 = r;"),
	instead("latch", "reg r;\n  always @* if (x0_gt3) r = x0_gt7;\n  assign c0_k0_l1 = r;"),
	instead("always_comb", "logic r;\n  always_comb r = x0_gt3;\n  assign c0_k0_l1 = r;"),
	instead("delay", "assign #1 c0_k0_l1 = x0_gt3 & x0_gt7;"),
	instead("delay of a wire", "wire #1 more = x0_gt3;\n  assign c0_k0_l1 = more;"),
	instead("strength", "assign (weak0, weak1) c0_k0_l1 = x0_gt3;"),
	instead("gate primitive", "and g (c0_k0_l1, x0_gt3, x0_gt7);"),
	instead("switch", "tranif1 g (c0_k0_l1, x0_gt3, x0_gt7);"),
	instead("user-defined primitive", "udp g (c0_k0_l1, x0_gt3, x0_gt7);"),
	instead("function call", "assign c0_k0_l1 = f(x0_gt3);"),
	instead("system function", "assign c0_k0_l1 = $random;"),
	instead("select of a scalar", "assign c0_k0_l1 = x0_gt3[0];"),
	instead("bit out of range", "assign c0_k0_l1 = x[8];"),
	instead("vector in a gate", "assign c0_k0_l1 = x & x0_gt3;"),
	instead("part in a gate", "assign c0_k0_l1 = x[1:0] & x0_gt3;"),
	instead("indexed part", "assign c0_k0_l1 = x[0+:1];"),
	instead("variable index", "assign c0_k0_l1 = x[x0_gt3];"),
	instead("unknown digit", "assign c0_k0_l1 = 1'bx;"),
	instead("floating", "assign c0_k0_l1 = 1'bz;"),
	instead("unsized constant", "assign c0_k0_l1 = 0;"),
	instead("constant of two bits", "assign c0_k0_l1 = {2{1'b0}};"),
	instead("constant in a gate", "assign c0_k0_l1 = x0_gt3 & 1'b1;"),
	instead("string", `assign c0_k0_l1 = "a";`),
	instead("mixed operators", "assign c0_k0_l1 = x0_gt3 & x0_gt7 | x0_gt3;"),
	instead("other operator", "assign c0_k0_l1 = x0_gt3 && x0_gt7;"),
	instead("exclusive nor", "assign c0_k0_l1 = x0_gt3 ~^ x0_gt7;"),
	instead("not", "assign c0_k0_l1 = !x0_gt3;"),
	instead("twice complemented", "assign c0_k0_l1 = ~~x0_gt3;"),
	instead("complement of three", "assign c0_k0_l1 = ~(x0_gt3 & x0_gt7 & x1_gt3);"),
	instead("complement of one", "assign c0_k0_l1 = ~(x0_gt3);"),
	instead("needless parentheses", "assign c0_k0_l1 = (x0_gt3 & x0_gt7);"),
	instead("choice by more than a bit", "assign c0_k0_l1 = (x0_gt3 & x0_gt7) ? x0_gt3 : x0_gt7;"),
	instead("choice of choices without parentheses", "assign c0_k0_l1 = x0_gt3 ? x0_gt7 : x1_gt3 ? x1_gt7 : x0_gt3;"),
	instead("comparison of gates", "assign c0_k0_l1 = x0_gt3 == x0_gt7;"),
	instead("minus", "assign c0_k0_l1 = x0_gt3 - x0_gt7;"),
	instead("shift", "assign c0_k0_l1 = x0_gt3 >> x0_gt7;"),
	instead("reduction", "assign c0_k0_l1 = &x;"),
	instead("two assignments", "assign c0_k0_l1 = x0_gt3, c0_k1_l1 = x0_gt7;"),
	instead("two statements", "assign c0_k0_l1 = x0_gt3; assign c0_k1_l1 = x0_gt7;"),
	instead("a comment behind", "assign c0_k0_l1 = x0_gt3; // data"),
	instead("a comment within", "assign c0_k0_l1 = /* data */ x0_gt3;"),
	instead("implicit wire", "assign c0_k0_l1 = more;"),
	instead("implicit target", "assign more = x0_gt3;"),
	instead("no driver", ""),
	instead("driver of an input", "assign c0_k0_l1 = x0_gt3;\n  assign x = {8{1'b0}};"),
	instead("deep expression", "assign c0_k0_l1 = "+strings.Repeat("(x0_gt3 & ", 9)+"x0_gt7"+strings.Repeat(")", 9)+";"),
	instead("primitive with too few pins", "LUT1 #(.INIT(2'h1)) c0_k0_l1_i (.O(c0_k0_l1));"),
	instead("primitive with too many pins", "LUT6 #(.INIT(64'h0000000000000001)) c0_k0_l1_i ("+
		strings.Repeat(".I0(x0_gt3), ", 9)+".O(c0_k0_l1));"),
	instead("primitive of no family", "LUT7 #(.INIT(2'h1)) c0_k0_l1_i (.I0(x0_gt3), .O(c0_k0_l1));"),
	instead("primitive of two families", "LUT2 #(.INIT(4'h1)) c0_k0_l1_i (.I0(x0_gt3), .I1(x0_gt7), .O(c0_k0_l1));\n"+
		"  wire more;\n  LUT2 #(.INIT(4'h1)) more_i (.I0(x0_gt3), .I1(x0_gt7), .F(more));"),
	instead("pins by position", "LUT1 #(.INIT(2'h1)) c0_k0_l1_i (x0_gt3, c0_k0_l1);"),
	instead("pins in another order", "LUT2 #(.INIT(4'h1)) c0_k0_l1_i (.I1(x0_gt3), .I0(x0_gt7), .O(c0_k0_l1));"),
	instead("an expression at a pin", "LUT1 #(.INIT(2'h1)) c0_k0_l1_i (.I0(~x0_gt3), .O(c0_k0_l1));"),
	instead("no parameter", "LUT1 c0_k0_l1_i (.I0(x0_gt3), .O(c0_k0_l1));"),
	instead("another parameter", "LUT1 #(.LUT_INIT(2'h1)) c0_k0_l1_i (.I0(x0_gt3), .O(c0_k0_l1));"),
	instead("a table of other bits", "LUT1 #(.INIT(4'h1)) c0_k0_l1_i (.I0(x0_gt3), .O(c0_k0_l1));"),
	instead("a table with bits to spare", "LUT1 #(.INIT(2'h4)) c0_k0_l1_i (.I0(x0_gt3), .O(c0_k0_l1));"),
	instead("a table with an unknown digit", "LUT2 #(.INIT(4'hx)) c0_k0_l1_i (.I0(x0_gt3), .I1(x0_gt7), .O(c0_k0_l1));"),
	instead("a table in decimals", "LUT1 #(.INIT(2'd1)) c0_k0_l1_i (.I0(x0_gt3), .O(c0_k0_l1));"),
	instead("an instance of the module itself", "tiny_core c0_k0_l1_i (.x(x), .class_index(c0_k0_l1));"),
	instead("a name that an instance has", "LUT1 #(.INIT(2'h1)) x0_gt3 (.I0(x0_gt7), .O(c0_k0_l1));"),
	instead("register without a clock", "tiny_core_register c0_k0_l1_i (.clk(clk), .ce(ce), .d(x0_gt3), .q(c0_k0_l1));"),
	instead("generate", "generate\n  assign c0_k0_l1 = x0_gt3;\n  endgenerate"),
	instead("generate if", "if (1) assign c0_k0_l1 = x0_gt3;"),
	instead("ifdef", "`ifdef SYNTHESIS\n  assign c0_k0_l1 = x0_gt3;\n`else\n  assign c0_k0_l1 = x0_gt7;\n`endif"),
	instead("ifndef of a simulator", "`ifndef __ICARUS__\n  assign c0_k0_l1 = x0_gt3;\n`endif"),
	instead("macro", "assign c0_k0_l1 = `x;"),
	instead("escaped name", "assign \\c0_k0_l1 = x0_gt3;"),
	instead("name in another case", "assign C0_k0_l1 = x0_gt3;"),
	instead("another unused wire", "assign c0_k0_l1 = x0_gt3;\n  wire unused_more = x[3];"),
	instead("an unused wire out of turn", "assign c0_k0_l1 = x0_gt3;\n  wire unused_7 = &{1'b0, x[3]};"),
	instead("alias", "alias c0_k0_l1 = x0_gt3;"),
	instead("pull", "pullup (c0_k0_l1);"),
	instead("semicolons", "assign c0_k0_l1 = x0_gt3;;"),
	inserted("driven twice", "assign c0_k0_l1 = x0_gt3;"),
	inserted("initial value", "initial c0_k0_l1 = 1'b1;"),
	inserted("initial of a register", "reg r = 1'b1;"),
	inserted("register", "reg r;"),
	inserted("integer", "integer i;"),
	inserted("real", "real r;"),
	inserted("time", "time t;"),
	inserted("event", "event e;"),
	inserted("tri", "tri t;"),
	inserted("wand", "wand w;"),
	inserted("wor", "wor w;"),
	inserted("trireg", "trireg w;"),
	inserted("supply0", "supply0 w;"),
	inserted("supply1", "supply1 w;"),
	inserted("tri0", "tri0 w;"),
	inserted("wire without a driver", "wire w;"),
	inserted("signed wire", "wire signed [1:0] w;"),
	inserted("vectored wire", "wire vectored [1:0] w;"),
	inserted("rising range", "wire [0:1] w;"),
	inserted("range from one", "wire [2:1] w;"),
	inserted("second name", "wire x0_gt3;"),
	inserted("second name of a port", "wire [7:0] x;"),
	inserted("reserved word", "wire wire;"),
	inserted("reserved word of SystemVerilog", "wire logic;"),
	inserted("inout", "inout w;"),
	inserted("parameter", "parameter P = 1;"),
	inserted("localparam", "localparam P = 1;"),
	inserted("version without an attribute", "localparam [31:0] VERSION = 32'h00000001;"),
	inserted("defparam", "defparam count_0_n0_i.WIDTH = 2;"),
	inserted("specify", "specify\n  endspecify"),
	inserted("function", "function f;\n    input a;\n    f = a;\n  endfunction"),
	inserted("task", "task t;\n  endtask"),
	inserted("initial block", "initial begin\n  end"),
	inserted("force", "initial force c0_k0_l1 = 1'b0;"),
	inserted("system task", "initial $display(x);"),
	inserted("system task of the module", "$info(x);"),
	inserted("assertion", "assert property (x0_gt3);"),
	inserted("import", `import "DPI-C" function int system(string s);`),
	inserted("bind", "bind tiny_core m i ();"),
	inserted("genvar", "genvar i;"),
	inserted("typedef", "typedef int t;"),
	inserted("attribute", "(* keep *)\n  wire w;"),
	inserted("include", "`include \"x\""),
	inserted("define", "`define a b"),
	inserted("undef", "`undef a"),
	inserted("celldefine", "`celldefine"),
	inserted("timescale", "`timescale 1ns / 1ps"),
	inserted("nettype", "`default_nettype wire"),
	inserted("line directive", "`line 1 \"x.v\" 0"),
	inserted("pragma", "`pragma protect"),
	inserted("unconnected drive", "`unconnected_drive pull1"),
	inserted("translate off", "// synopsys translate_off"),
	inserted("translate off without a blank", "//synopsys translate_off"),
	inserted("translate off, many blanks", "//    synthesis translate_off"),
	inserted("translate off in a block", "/* synopsys translate_off */"),
	inserted("full case", "// synopsys full_case parallel_case"),
	inserted("verilator off", "// verilator lint_off WIDTH"),
	inserted("verilator in a block", "/*verilator public*/"),
	inserted("pragma in a comment", "// pragma translate_off"),
	inserted("cadence", "// cadence translate_off"),
	inserted("ambit", "// ambit synthesis off"),
	inserted("a comment of the user's", "// see the manual"),
	inserted("a block comment", "/* data */"),
	inserted("tab", "\twire w;"),
	inserted("carriage return", "// data\r\n"),
	inserted("a character that is no ASCII", "// - µ"),
	inserted("NUL", "// - \x00"),
	{"no nettype", "`default_nettype none\n", ""},
	{"nettype wire", "`default_nettype none\n", "`default_nettype wire\n"},
	{"a timescale before", "`default_nettype none\n", "`timescale 1ns / 1ps\n`default_nettype none\n"},
	{"a macro before", "`default_nettype none\n", "`default_nettype none\n`define x y\n"},
	{"an attribute of the module", "module tiny_core (", "(* blackbox *)\nmodule tiny_core ("},
	{"a version that is not written so", "module tiny_core (", "(* ialgn_version = 32'h0000000g *)\nmodule tiny_core ("},
	{
		"a version that is not in the module", "module tiny_core (",
		"(* ialgn_version = 32'h00000001 *)\nmodule tiny_core (",
	},
	{"a module before", "module tiny_core (", "module more;\nendmodule\nmodule tiny_core ("},
	{"another name", "module tiny_core (", "module tiny_more ("},
	{"a macromodule", "module tiny_core (", "macromodule tiny_core ("},
	{"parameters", "module tiny_core (", "module tiny_core #(parameter P = 1) ("},
	{"a scalar port", "input  wire [7:0] x,", "input  wire [7:0] x,\n    input  wire more,"},
	{"a clock", "input  wire [7:0] x,", "input  wire clk,\n    input  wire [7:0] x,"},
	{"an output register", "output wire [0:0]", "output reg [0:0]"},
	{"an inout port", "output wire [0:0]", "inout wire [0:0]"},
	{"a signed port", "output wire [0:0]", "output wire signed [0:0]"},
	{"a port without a type", "output wire [0:0]", "output [0:0]"},
	{"an input behind an output", "[0:0] class_index", "[0:0] class_index,\n    input  wire [1:0] more"},
	{"an output without a driver", "[0:0] class_index", "[0:0] class_index,\n    output wire [1:0] more"},
	{"ports of the old form", "module tiny_core (\n    input  wire [7:0] x,", "module tiny_core (x,"},
	{"a comparison of another width", "x[3:0] > 4'd3", "x[3:0] > 5'd3"},
	{"a comparison of no size", "x[3:0] > 4'd3", "x[3:0] > 3"},
	{"a comparison with a sign", "x[3:0] > 4'd3", "x[3:0] > 4'sd3"},
	{"a comparison with too much", "x[3:0] > 4'd3", "x[3:0] > 4'd16"},
	{"a comparison that is never true", "x[3:0] > 4'd3", "x[3:0] > 4'd15"},
	{"a comparison with more digits than a word", "x[3:0] > 4'd3", "x[3:0] > 4'd18446744073709551619"},
	{"a comparison the other way round", "x[3:0] > 4'd3", "x[3:0] < 4'd3"},
	{"a comparison with or equal", "x[3:0] > 4'd3", "x[3:0] >= 4'd3"},
	{"a comparison of a part that rises", "x[3:0] > 4'd3", "x[0:3] > 4'd3"},
	{"a comparison out of range", "x[3:0] > 4'd3", "x[8:5] > 4'd3"},
	{"a comparison with zeros before", "x[3:0] > 4'd3", "x[3:0] > 4'd03"},
	{"a popcount of another width", ".WIDTH(3)", ".WIDTH(2)"},
	{"a popcount of fewer bits", ".WIDTH(3), .BITS(2)", ".WIDTH(3), .BITS(1)"},
	{"a popcount without a parameter", ".WIDTH(3), .BITS(2)", ".BITS(2)"},
	{"a popcount to a scalar", ".count(count_0)", ".count(c0_k0_l1)"},
	{"a popcount of a wire that is not declared", ".bits({c0_k2_l2", ".bits({c0_k2_l9"},
	{"an open pin", ".bits({c0_k2_l2, c0_k1_l2, c0_k0_l2}),", ".bits(),"},
	{"an argmax of other classes", ".CLASSES(2)", ".CLASSES(3)"},
	{"an argmax with a wide index", ".INDEX(1)", ".INDEX(2)"},
	{"an argmax of no class", ".CLASSES(2), .BITS(2)", ".CLASSES(0), .BITS(2)"},
	{"an argmax of more than there is", ".CLASSES(2), .BITS(2)", ".CLASSES(1073741824), .BITS(1073741824)"},
	{"a number without an end", ".CLASSES(2)", ".CLASSES(99999999999999999999)"},
	{"argmax ties", "> best)", ">= best)"},
	{"argmax order", "i = 1; i < CLASSES", "i = 2; i < CLASSES"},
	{"popcount from one", "i = 0; i < WIDTH", "i = 1; i < WIDTH"},
	{"a function with another variable", "    integer i;\n", "    integer i, j;\n"},
	{"a default that matters", "parameter WIDTH = 2,", "parameter WIDTH = 3,"},
	{"a comment of another kind", "// verilator lint_off DECLFILENAME", "// verilator lint_off WIDTH"},
	{"a comment less", "// verilator lint_on DECLFILENAME\n", ""},
	{"a module of operators less", "DECLFILENAME\n\n// index", "DECLFILENAME\n\n// and no index"},
	{
		"another module of operators", "\n`default_nettype wire\n",
		"\nmodule tiny_core_register;\nendmodule\n\n`default_nettype wire\n",
	},
	{"no nettype in the end", "\n`default_nettype wire\n", ""},
	{"more behind the end", "\n`default_nettype wire\n", "\n`default_nettype wire\nmodule more;\nendmodule\n"},
	{"a comment behind the end", "\n`default_nettype wire\n", "\n`default_nettype wire\n// data\n"},
	{"cut off", "endmodule\n\n// count", ""},
	{"a directive within a line", "  assign c0_k0_l1 =", "`line 3 \"x\" 0\n  assign c0_k0_l1 ="},
}

// refusedOfPipelines lists changes of a file with registers.
var refusedOfPipelines = []change{
	{"initial values", "reg [3:0] valid;", "reg [3:0] valid = 4'b1111;"},
	{"initial zeros", "reg [3:0] valid;", "reg [3:0] valid = {4{1'b0}};"},
	{"initial block", "reg [3:0] valid;", "reg [3:0] valid;\n  initial valid = 4'b1111;"},
	{"initial value by index", "  // data\n", "  initial valid[3] = 1'b1;\n  // data\n"},
	{"initial of a data register", "output reg  [WIDTH-1:0] q\n", "output reg  [WIDTH-1:0] q = 1'b1\n"},
	{
		"initial in the register's module", "  always @(posedge clk) if (ce) q <= d;",
		"  initial q = 1'b0;\n  always @(posedge clk) if (ce) q <= d;",
	},
	{"INIT of an instance", "tiny_pipeline_register #(.WIDTH(3)) x0", "tiny_pipeline_register #(.INIT(1'b1)) x0"},
	{"a width of less", "#(.WIDTH(3)) x0_s1_i", "#(.WIDTH(2)) x0_s1_i"},
	{"a width of more", "#(.WIDTH(3)) x0_s1_i", "#(.WIDTH(4)) x0_s1_i"},
	{"a width of one", "#(.WIDTH(3)) x0_s1_i", "#(.WIDTH(1)) x0_s1_i"},
	{"no width", "#(.WIDTH(3)) x0_s1_i", "x0_s1_i"},
	{"a bit of data less", "x0_gt7, x0_gt3}),", "x0_gt7}),"},
	{"a bit twice", ".q({x0_gt15_s1, x0_gt7_s1,", ".q({x0_gt15_s1, x0_gt15_s1,"},
	{"more stages than are used", "reg [3:0] valid;", "reg [4:0] valid;"},
	{"another register", "reg [3:0] valid;", "reg [3:0] other;"},
	{"two registers", "reg [3:0] valid;", "reg [3:0] valid;\n  reg [3:0] valid;"},
	{"no register", "  reg [3:0] valid;\n", ""},
	{"other edge", "posedge clk)\n    if (rst)", "negedge clk)\n    if (rst)"},
	{"both edges", "always @(posedge clk)\n", "always @(posedge clk or negedge clk)\n"},
	{"asynchronous reset", "always @(posedge clk)\n", "always @(posedge clk or posedge rst)\n"},
	{"list without a clock", "always @(posedge clk)\n", "always @(rst)\n"},
	{"blocking", "if (rst) valid <=", "if (rst) valid ="},
	{"delayed", "if (rst) valid <=", "if (rst) valid <= #1"},
	{"reset by less", "if (rst)", "if (rst & ce)"},
	{"enable left out", "else if (ce) valid", "else valid"},
	{"reset to ones", "valid <= {4{1'b0}}", "valid <= {4{1'b1}}"},
	{"another bit", "{valid[2:0], in_valid}", "{valid[2:0], 1'b1}"},
	{"out of another stage", "out_valid = valid[3]", "out_valid = valid[2]"},
	{"out gated", "out_valid = valid[3]", "out_valid = valid[3] & ce"},
	{"done twice", "  // data\n", "  always @(posedge clk)\n    if (rst) valid <= {4{1'b0}};\n    else if (ce) valid " +
		"<= {valid[2:0], in_valid};\n\n  assign out_valid = valid[3];\n\n  // data\n"},
	{"data by the clock", "assign c0_k0_l1 = x0_gt3_s1 &", "assign c0_k0_l1 = clk &"},
	{"data by the enable", "assign c0_k0_l1 = x0_gt3_s1 &", "assign c0_k0_l1 = ce &"},
	{"data by the reset", "assign c0_k0_l1 = x0_gt3_s1 &", "assign c0_k0_l1 = rst &"},
	{"data by a valid bit", "assign c0_k0_l1 = x0_gt3_s1 &", "assign c0_k0_l1 = valid[0] &"},
	{"data by in_valid", "assign c0_k0_l1 = x0_gt3_s1 &", "assign c0_k0_l1 = in_valid &"},
	{"another clock", "_s1_i (.clk(clk)", "_s1_i (.clk(ce)"},
	{"the clock inverted", "_s1_i (.clk(clk)", "_s1_i (.clk(~clk)"},
	{"another enable", ".ce(ce), .d({x0_gt15,", ".ce(1'b1), .d({x0_gt15,"},
	{"no enable", ".ce(ce), .d({x0_gt15,", ".d({x0_gt15,"},
	{"an expression for data", ".d({x0_gt15,", ".d({~x0_gt15,"},
	{"a word for data", ".d({x0_gt15,", ".d({x,"},
	{"data unconnected", ".d({x0_gt15, x0_gt7, x0_gt3})", ".d()"},
	{"a bit of a bus for q", ".q({x0_gt15_s1,", ".q({count_0[0],"},
	{"registers as a latch", "always @(posedge clk) if (ce)", "always @* if (ce)"},
	{"registers without an enable", "if (ce) q <= d", "q <= d"},
	{"no reset", "    input  wire rst,\n", ""},
	{"no out_valid", "    output wire out_valid,\n", ""},
	{
		"ports in another order", "    input  wire clk,\n    input  wire rst,\n",
		"    input  wire rst,\n    input  wire clk,\n",
	},
	{"a vector of clocks", "input  wire clk", "input  wire [0:0] clk"},
}

// refusedOfLUTs lists changes of a file for iCE40.
var refusedOfLUTs = []change{
	{"a LUT of another target", "SB_LUT4 #(.LUT_INIT(16'h6666))", "LUT4 #(.INIT(16'h6666))"},
	{"a table of fewer digits", "16'h6666", "16'h666"},
	{"capital digits", "16'hdddd", "16'hDDDD"},
	{"a pin twice", ".I1(x1_gt7)", ".I0(x1_gt7)"},
	{"a pin less", ".I1(x1_gt7), ", ""},
	{"a constant at the output", ".O(c1_k3_l1)", ".O(1'b0)"},
	{"a constant of more bits", ".I2(1'b0)", ".I2({2{1'b0}})"},
	{"a vector at a pin", ".I0(x1_gt3)", ".I0(x)"},
}

// TestRefused checks that each changed file is refused. The error must name the line and tell the user how to fix the
// problem.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		file, module string
		changes      []change
	}{
		{"tiny.v", "tiny_core", refusedOfGates},
		{"tiny_pipeline.v", "tiny_pipeline", refusedOfPipelines},
		{"tiny_ice40.v", "tiny_luts", refusedOfLUTs},
	} {
		sound := golden(t, c.file)
		for _, change := range c.changes {
			t.Run(c.file+"/"+change.name, func(t *testing.T) { refused(t, sound, c.module, change) })
		}
	}
}

var refusal = regexp.MustCompile(`^line \d+: .+, which this program never writes: the file was changed, compile again$`)

func refused(t *testing.T, sound, module string, c change) {
	text := strings.Replace(sound, c.old, c.new, 1)
	if text == sound {
		t.Fatalf("%q is not in the file", c.old)
	}
	switch err := syntax.Check([]byte(text), module); {
	case err == nil:
		t.Error("accepted")
	case !refusal.MatchString(err.Error()) || strings.Count(err.Error(), "\n") > 0:
		t.Errorf("the error %v", err)
	default:
		t.Log(err)
	}
}

// TestRefusedLine checks that the error names the first line that is not accepted.
func TestRefusedLine(t *testing.T) {
	sound := golden(t, "tiny.v")
	at := strings.Index(sound, gate)
	text := sound[:at] + "  reg r; always @(x0_gt3) r = x0_gt3;\n" + sound[at:]
	want := "line " + lineOf(sound, at) + ": "
	if err := syntax.Check([]byte(text), "tiny_core"); err == nil || !strings.HasPrefix(err.Error(), want) ||
		!strings.Contains(err.Error(), `"reg r; always`) {
		t.Errorf("%v, want %s", err, want)
	}
}

func lineOf(text string, at int) string { return strconv.Itoa(1 + strings.Count(text[:at], "\n")) }

// TestCutOff checks that golden files are refused after truncation at any place.
func TestCutOff(t *testing.T) {
	for file, module := range map[string]string{"tiny_pipeline.v": "tiny_pipeline", "tiny_ice40.v": "tiny_luts"} {
		sound := golden(t, file)
		for end := range len(sound) {
			if err := syntax.Check([]byte(sound[:end]), module); err == nil {
				t.Fatalf("%s: the first %d of %d bytes are accepted", file, end, len(sound))
			}
		}
	}
}

// TestCellsRefused checks that models of primitives that differ from ours are refused.
func TestCellsRefused(t *testing.T) {
	const file = "tiny_xilinx7_cells.v"
	sound := golden(t, file)
	if err := syntax.CheckCells([]byte(sound)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []change{
		{"another choice", "of1[1] : of1[0]", "of1[0] : of1[1]"},
		{"another name", "module LUT2", "module LUT3"},
		{"an end less", verilog.AnyTool, ""},
		{"another condition", "`ifndef SYNTHESIS", "`ifdef SYNTHESIS"},
		{"another macro", "`ifndef SYNTHESIS", "`ifndef VERILATOR"},
		{"an alternative", verilog.AnyTool, "`else\n" + verilog.AnyTool},
		{"an initial value", "endmodule", "  initial ;\nendmodule"},
		{"more behind", "\n`default_nettype wire\n", "\nmodule m;\nendmodule\n\n`default_nettype wire\n"},
		{"translate off", "// What", "// synopsys translate_off\n// What"},
		{"no end", "\n`default_nettype wire\n", ""},
	} {
		text := strings.Replace(sound, c.old, c.new, 1)
		if err := syntax.CheckCells([]byte(text)); text == sound || err == nil || !refusal.MatchString(err.Error()) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	const begin, end = "\n// verilator lint_off", "lint_on DECLFILENAME\n"
	first, rest, _ := strings.Cut(sound, begin)
	model, _, _ := strings.Cut(rest, end)
	twice := first + begin + model + end + begin + rest
	if err := syntax.CheckCells([]byte(twice)); err == nil {
		t.Error("a model twice is accepted")
	}
}

// TestRefusedOrder checks that only tie orders with each class once are read.
func TestRefusedOrder(t *testing.T) {
	b := netlist.NewBuilder("m")
	x := b.Input("x", 3, 1, nil)
	b.Ties([]uint16{2, 0, 1})
	first := b.Cell(netlist.Argmax, netlist.ArgmaxParam(1, 0), netlist.Origin{}, x...)
	b.Output(netlist.ClassPort, 2, nil, netlist.Word(first, 2))
	var text strings.Builder
	if err := verilog.Write(&text, b.Netlist(), verilog.Options{}); err != nil {
		t.Fatal(err)
	}
	if err := syntax.Check([]byte(text.String()), "m"); err != nil {
		t.Fatal(err)
	}
	for name, order := range map[string]string{
		"class twice": "6'h02", "no class": "6'h13", "digits": "6'h012", "width": "8'h12", "base": "6'd18", "no digits": "6'h",
		"letter": "6'h1g", "bits beyond": "6'h52",
	} {
		t.Run(name, func(t *testing.T) { refused(t, text.String(), "m", change{name, "6'h12", order}) })
	}
}
