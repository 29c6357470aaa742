package main

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
)

// statement is a form of statement that ialgn never writes, in the place of an assignment: W is what is driven, E
// its expression, S and T are names that it may read, N numbers names.
type statement struct {
	kind, text string
}

// implicit is the kind of nets that are not declared, which the first directive of a file has to allow.
const implicit = "implicit net"

// statements are the forms, by kinds. Programs that read Verilog differ about most of them: simulators wait
// for events, have delays, memory, four values and strengths; synthesis reads a function, and what
// comments and attributes tell it.
var statements = []statement{
	{"sensitivity list", "reg WN; always @(S) WN = E; assign W = WN;"},
	{"sensitivity list", "reg WN; always @(T) WN = E; assign W = WN;"},
	{"sensitivity list", "reg WN; always @(S or T) WN = E; assign W = WN;"},
	{"sensitivity list", "reg WN; always @(posedge S) WN = E; assign W = WN;"},
	{"sensitivity list", "reg WN; always @(negedge S) WN = E; assign W = WN;"},
	{"sensitivity list", "reg WN, WNa; always @* WNa = WN; always @(S) WN = E; assign W = WNa;"},

	{"latch", "reg WN; always @* if (S) WN = E; assign W = WN;"},
	{"latch", "reg WN; always @* if (~S) WN = E; assign W = WN;"},
	{"latch", "reg WN; always @* case (S) 1'b1: WN = E; endcase assign W = WN;"},
	{"latch", "reg WN; always @(S or T or W) if (S | T) WN = E; assign W = WN;"},
	{"latch", "wire WN; assign WN = S ? E : WN; assign W = WN;"},

	{"delay", "assign #7 W = E;"},
	{"delay", "assign #20 W = E;"},
	{"delay", "wire #20 WN = E; assign W = WN;"},
	{"delay", "reg WN; always @* WN <= #20 E; assign W = WN;"},
	{"delay", "reg WN; always @* WN = #20 E; assign W = WN;"},
	{"delay", "reg WN; always @* begin #20 WN = E; end assign W = WN;"},
	{"delay", "wire WN; buf #20 WNi (WN, E); assign W = WN;"},

	{"function", "function WN; input a; WN = E; endfunction assign W = WN(S);"},
	{"function", "function WN; input a, b; reg last; begin if (b) last = a; WN = last; end endfunction assign W = " +
		"WN(E, S);"},
	{"function", "reg WNs; initial WNs = 1'b0; function WN; input a; begin WN = a ^ WNs; WNs = ~WNs; end endfunction " +
		"assign W = WN(E);"},
	{"function", "reg WN; task WNt; begin WN = E; end endtask always @(S) WNt; assign W = WN;"},
	{"function", "reg WN; task WNt; input a; reg last; begin WN = last; last = a; end endtask always @* WNt(E); assign " +
		"W = WN;"},

	{"generate", "generate if (VERSION == 0) begin : WNg assign W = E; end else begin : WNh assign W = ~(E); end " +
		"endgenerate"},
	{"generate", "genvar WNi; generate for (WNi = 0; WNi < 1; WNi = WNi + 1) begin : WNg assign W = (E) ^ (WNi == 0); " +
		"end endgenerate"},
	{"generate", "generate case (VERSION) 0: assign W = E; default: assign W = S; endcase endgenerate"},
	{"generate", "parameter WN = 1'b1; generate if (WN) assign W = T; else assign W = E; endgenerate"},

	{"conditional text", "`ifdef SYNTHESIS\n  assign W = ~(E);\n`else\n  assign W = E;\n`endif"},
	{"conditional text", "`ifdef YOSYS\n  assign W = S;\n`else\n  assign W = E;\n`endif"},
	{"conditional text", "`ifdef __ICARUS__\n  assign W = ~(E);\n`else\n  assign W = E;\n`endif"},
	{"conditional text", "`ifndef SYNTHESIS\n  assign W = ~(E);\n`else\n  assign W = E;\n`endif"},
	{"conditional text", "`ifdef VERILATOR\n  assign W = ~(E);\n`else\n  assign W = E;\n`endif"},
	{"conditional text", "`ifdef OURS\n  assign W = ~(E);\n`else\n  assign W = E;\n`endif"},
	{"conditional text", "`define WN(a) ((a) ^ 1'b1)\n  assign W = `WN(E);"},

	{"pragma", "reg WN; always @* begin WN = ~(E);\n  // synthesis translate_off\n  WN = E;\n  // synthesis " +
		"translate_on\n  end assign W = WN;"},
	{"pragma", "reg WN; always @* begin WN = E;\n  // synopsys translate_off\n  WN = S;\n  // synopsys translate_on\n  " +
		"end assign W = WN;"},
	{"pragma", "reg WN; always @* begin WN = E; /* synthesis translate_off */ WN = ~(E); /* synthesis translate_on */ " +
		"end assign W = WN;"},
	{"pragma", "reg WN; always @* (* full_case *) case ({E}) 1'b1: WN = 1'b1; endcase assign W = WN;"},
	{"pragma", "reg WN; always @* case ({S, E}) // synopsys full_case\n  2'b01: WN = 1'b1; 2'b10: WN = 1'b0; endcase " +
		"assign W = WN;"},
	{"pragma", "reg WN; always @* begin WN = 1'b0; (* parallel_case *) case (1'b1) S: WN = 1'b0; T: WN = E; E: WN = " +
		"1'b1; endcase end assign W = WN;"},

	{"case of unknowns", "reg WN; always @* casex (E) 1'bx: WN = 1'b1; default: WN = 1'b0; endcase assign W = WN;"},
	{"case of unknowns", "reg WN; always @* casez ({S, E}) 2'b?1: WN = 1'b1; 2'b1z: WN = 1'b1; default: WN = 1'b0; " +
		"endcase assign W = WN;"},
	{"case of unknowns", "reg WN; always @* case (E) 1'b1: WN = 1'b1; 1'bz: WN = 1'b0; default: WN = S; endcase assign " +
		"W = WN;"},
	{"case of unknowns", "assign W = ((E) === 1'b1) & (S !== 1'b0);"},

	{"kind of net", "wor WN; assign WN = E; assign WN = S; assign W = WN;"},
	{"kind of net", "wand WN; assign WN = E; assign WN = S; assign W = WN;"},
	{"kind of net", "triand WN; assign WN = E; assign WN = T; assign W = WN;"},
	{"kind of net", "tri1 WN; assign WN = S ? E : 1'bz; assign W = WN;"},
	{"kind of net", "tri0 WN; assign WN = S ? E : 1'bz; assign W = WN;"},
	{"kind of net", "supply1 WN; assign W = (E) & WN & S;"},

	{"strength", "wire WN; assign (weak0, weak1) WN = E; assign WN = S ? 1'b1 : 1'bz; assign W = WN;"},
	{"strength", "wire WN; assign (pull0, pull1) WN = E; assign (strong0, strong1) WN = S ? T : 1'bz; assign W = WN;"},
	{"strength", "assign W = E; assign (supply0, supply1) W = S;"},
	{"strength", "wire WN; pullup (WN); bufif1 (WN, E, S); assign W = WN;"},

	{"force", "assign W = E; initial force W = 1'b1;"},
	{"force", "assign W = E; initial begin #12 force W = S; end"},
	{"force", "reg WN; always @* assign WN = E; initial #12 assign WN = 1'b0; assign W = WN;"},
	{"force", "assign W = E; always @(S) if (S) force W = 1'b0; else release W;"},

	{"sign", "wire signed [1:0] WN = {E, 1'b0}; assign W = WN > 0;"},
	{"sign", "assign W = $signed({1'b0, E}) < $signed({1'b0, S});"},
	{"sign", "wire signed [1:0] WN = {1'b0, E} - {1'b0, S}; assign W = (WN >>> 1) != 0;"},

	{"unknown value", "assign W = (E) ^ 1'bx;"},
	{"unknown value", "assign W = S ? E : 1'bx;"},
	{"unknown value", "assign W = S ? E : 1'bz;"},
	{"unknown value", "reg WN; always @* begin WN = 1'bx; if (S) WN = E; end assign W = WN;"},
	{"unknown value", "wire WN; assign W = (E) | WN;"},

	{implicit, "assign W = (E) & WNmissing;"},
	{implicit, "assign WNmissing = E; assign W = WNmissng;"},
	{implicit, "wire WN; buf WNi (WNb, E); assign W = WNb ^ WNa;"},

	{"second driver", "assign W = E; assign W = S;"},
	{"second driver", "assign W = E; assign W = ~(E);"},
	{"second driver", "assign W = E; wire WN = S; assign W = WN ? 1'bz : 1'b0;"},
	{"second driver", "not (W, S); assign W = E;"},

	{"hierarchical name", "wire WN = E; assign W = MODULE.WN ^ MODULE.S;"},
	{"hierarchical name", "assign W = (E) ^ replay.clk ^ 1'b1;"},
	{"hierarchical name", "generate begin : WNg wire a = ~(E); end endgenerate assign W = WNg.a;"},

	{"parameter", "parameter WN = 1'b0; assign W = WN ? E : S;"},
	{"parameter", "localparam WN = 2'd2; assign W = (E) & WN[0];"},

	{"primitive", "wire WN; nand (WN, E, S); assign W = WN;"},
	{"primitive", "wire WN; nmos (WN, E, S); assign W = WN;"},
	{"primitive", "wire WN; tranif1 (WN, W, S); assign WN = E;"},
	{"primitive", "wire WN; notif0 (WN, E, S); assign W = WN;"},

	{"system task", "reg WN; always @* WN = (E) ^ ($time > 12); assign W = WN;"},
	{"system task", "assign W = (E) ^ ($time > 12);"},
	{"system task", "assign W = E; initial begin : WNi integer i; if ($value$plusargs(\"lines=%d\", i)) force W = " +
		"1'b1; end"},
	{"system task", "reg WN; initial WN = $test$plusargs(\"lines\"); assign W = (E) ^ WN;"},

	{"event", "reg WN; event WNe; always @* if (S) -> WNe; always @(WNe) WN = E; assign W = WN;"},
	{"event", "reg WN; always begin wait (S); WN = E; @(S); end assign W = WN;"},
	{"event", "reg WN; initial forever begin #5 WN = E; #30; end assign W = WN;"},
}

// others are changes of what occurs once in a file: directives, attributes, parameters, registers.
var others = map[string][]rewrite{
	"initial value": rewrites(
		`(?m)^(  reg (\[\d+:0\] )?valid);`, `${1}; initial valid = ~0;`,
		`(?m)^(  reg (\[\d+:0\] )?valid);`, `${1} = ~0;`,
		`(?m)^(  reg (\[\d+:0\] )?valid);`, `${1}; initial begin valid = 0; #12 valid = ~0; end`,
		`(?m)^(  always @\(posedge clk\)\n    if \(rst\) valid)`, "  initial valid[0] = 1'b1;\n${1}",
	),
	"assignment in a register": rewrites(
		`q <= d;`, `q = d;`,
		`q <= d;`, `q <= #12 d;`,
		`q <= d;`, `begin q <= d; q <= q; end`,
		`always @\(posedge clk\) if \(ce\) q`, `always @(posedge clk or posedge d) if (ce) q`,
		`always @\(posedge clk\) if \(ce\) q`, `always @(clk) if (ce & clk) q`,
		`always @\(posedge clk\) if \(ce\) q <= d;`, `always @* if (clk & ce) q = d;`,
		`valid <= \{(valid\[[^,]*), in_valid\}`, `{valid, valid[0]} = {${1}, in_valid, in_valid}`,
	),
	"attribute": rewrites(
		`(?m)^module (dut_\w+) #?\(`, `(* blackbox *) ${0}`,
		`(?m)^module (dut_(?:popcount|argmax|register))`, `(* whitebox, blackbox *) ${0}`,
		"(?m)^module (dut_(?:popcount|argmax|register))", "`celldefine\n${0}",
	),
	"overridden parameter": rewrites(
		`(?m)^(  dut_\w+ #\([^\n]*\) (\w+) \(\n?)`, "  defparam ${2}.WIDTH = 1;\n${1}",
		`(?m)^(  dut_\w+ #\([^\n]*\) (\w+) \(\n?)`, "  defparam ${2}.BITS = 1;\n${1}",
		`(?m)^(  \w*LUT\d #\([^\n]*\) (\w+) \()`, "  defparam ${2}.INIT = 0;\n${1}",
		`\.WIDTH\((\d)\)`, `.WIDTH(${1} - 1)`,
		`\.BITS\((\d)\)`, `.BITS(${1} - 1)`,
	),
	"directive": rewrites(
		"(?m)^(`default_nettype none\n)", "${1}`define clk ~clk\n`define assign assign\n",
		`(?m)^(  localparam \[31:0\] VERSION = )`, "`timescale 10ns / 1ns\n${1}",
		`(?m)^  assign (\w+) = (.*);$`, "  /* */ assign ${1} = /* ~( */ ~(${2});",
		`(?m)^  assign (\w+) = (.*);$`, "  assign ${1} = ${2} // ;\n  | 1'b1;",
		`(?m)^endmodule\n`, "  initial if (0) $$finish;\nendmodule\nmodule replay_more; initial force replay.dut.ce = "+
			"1'b0; endmodule\n",
	),
}

// statementKinds returns the names of the kinds of statements, in order.
func statementKinds() (names []string) {
	for _, s := range statements {
		if !slices.Contains(names, s.kind) {
			names = append(names, s.kind)
		}
	}
	for _, name := range []string{
		"initial value", "assignment in a register", "attribute", "overridden parameter",
		"directive",
	} {
		if others[name] != nil {
			names = append(names, name)
		}
	}
	return names
}

// scalarAssign is an assignment of one bit that a statement can take the place of; lutInstance is the same in
// primitives, whose output pin comes last.
var (
	scalarAssign = regexp.MustCompile(`(?m)^  assign (\w+) =\s+([^;]+);`)
	lutInstance  = regexp.MustCompile(`(?m)^  (?:SB_)?LUT\d #\([^;]*\.\w+\((\w+)\)\);`)
	netNames     = regexp.MustCompile(`\b(?:x\[\d+\]|[a-z]\w*_l\d+(?:_s\d+)?|x\d+_\w+|count_\d+_\w+|class_index_n\w+)`)
	xBits        = regexp.MustCompile(`\bx\[\d+\]`)
)

// textStatement returns what writes a statement of a kind in a text.
func textStatement(kind string) func(*design, *rand.Rand) *textChange {
	if rules, ok := others[kind]; ok {
		return func(d *design, r *rand.Rand) *textChange { return editOne(r, d.text, rules) }
	}
	forms := slices.DeleteFunc(slices.Clone(statements), func(s statement) bool { return s.kind != kind })
	return func(d *design, r *rand.Rand) *textChange {
		return d.writeStatement(r, d.text, forms[r.IntN(len(forms))])
	}
}

// writeStatement puts a statement in the place of an assignment, or after a primitive.
func (d *design) writeStatement(r *rand.Rand, text string, form statement) *textChange {
	places := append(scalarAssign.FindAllStringSubmatchIndex(text, -1),
		lutInstance.FindAllStringSubmatchIndex(text, -1)...)
	at, ok := pick(r, places)
	if !ok {
		return nil
	}
	name := text[at[2]:at[3]]
	before, expression := driver(text, at, name)
	reads := netNames.FindAllString(text[at[0]:at[1]], -1)
	reads = slices.DeleteFunc(reads, func(s string) bool { return s == name })
	any, ok := pick(r, xBits.FindAllString(text, -1))
	if len(reads) == 0 || !ok {
		return nil
	}
	s := reads[r.IntN(len(reads))]
	words := strings.NewReplacer("WN", name+"_m", "MODULE", d.options.Module)
	by := before + "  " + substitute(words.Replace(form.text), map[string]string{
		"W": name, "E": expression, "S": s,
		"T": any,
	})
	c := replaceAt(text, at[0], at[1], by, form.kind)
	if c != nil && form.kind == implicit {
		c.text = strings.Replace(c.text, "`default_nettype none", "`default_nettype wire", 1)
	}
	if c != nil {
		c.what = fmt.Sprintf("%s: line %d becomes %q", form.kind, strings.Count(text[:at[0]], "\n")+1, by)
	}
	return c
}

// driver returns the expression of an assignment; of a primitive it returns a wire and what drives that.
func driver(text string, at []int, name string) (before, expression string) {
	if len(at) > 4 {
		return "", text[at[4]:at[5]]
	}
	instance, expression := text[at[0]:at[1]], name+"_lut"
	cut := strings.LastIndex(instance, "("+name+")")
	return "  wire " + expression + ";\n" + instance[:cut+1] + expression + instance[cut+1+len(name):] + "\n", expression
}

var letters = regexp.MustCompile(`\b[WEST]\b`)

// substitute puts texts in the place of letters that stand alone.
func substitute(form string, by map[string]string) string {
	return letters.ReplaceAllStringFunc(form, func(s string) string { return by[s] })
}
