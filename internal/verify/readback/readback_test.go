package readback

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ialgn/compiler"
	"ialgn/internal/freeze"
	"ialgn/internal/hardware"
	"ialgn/internal/hardware/lut"
	"ialgn/internal/hardware/pipeline"
	"ialgn/internal/netgen"
	"ialgn/internal/target"
	"ialgn/internal/testkit"
	"ialgn/internal/tool"
	"ialgn/internal/verify/cec"
	"ialgn/internal/verilog"
	"ialgn/netlist"
)

// design is a netlist with its Verilog.
type design struct {
	n       *netlist.Netlist
	o       verilog.Options
	verilog string
	cells   string // definitions of its primitives, if it has any
}

func needs(t *testing.T) {
	t.Helper()
	for _, name := range []string{"yosys", "abc"} {
		if _, err := tool.Find(name); err != nil {
			t.Skip(err)
		}
	}
}

// small returns the raw netlist of a random network in which most gates matter.
func small(t *testing.T, scope netlist.Scope) *netlist.Netlist {
	t.Helper()
	n, err := freeze.Network(netgen.Model(netgen.ModelOptions{Seed: 5, Features: 9, Width: 42, Depth: 5, Bits: 5}).Freeze(),
		scope)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// written returns a netlist with its Verilog as a design.
func written(t *testing.T, n *netlist.Netlist, o verilog.Options) design {
	t.Helper()
	o.Module = "net"
	var text, cells strings.Builder
	if err := verilog.Write(&text, n, o); err != nil {
		t.Fatal(err)
	}
	if err := verilog.WriteCells(&cells, n, o); err != nil {
		t.Fatal(err)
	}
	return design{n, o, text.String(), cells.String()}
}

// lowered returns the design of a network that is lowered to hardware.
func lowered(t *testing.T, scope netlist.Scope, family string, k int, o verilog.Options, p pipeline.Options) design {
	t.Helper()
	c := compiler.Options{Level: compiler.LevelRepeat, Restructure: true}
	n, _, err := c.Optimise(t.Context(), small(t, scope))
	if err != nil {
		t.Fatal(err)
	}
	h := hardware.Options{K: k, Objective: lut.Balanced, Threads: 1, Pipeline: p}
	if h.Target, err = target.Find(family); err != nil {
		t.Fatal(err)
	}
	d, err := h.Lower(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	o.Target = h.Target
	return written(t, d.Netlist, o)
}

// prove compares a text with the design. The text is the design's Verilog, perhaps changed.
func (d design) prove(t *testing.T, text string) *Result { return d.proveAs(t, text, false) }

// proveAs compares a text with the design. If anyForm is set, the text may have forms that package verilog does not
// write.
func (d design) proveAs(t *testing.T, text string, anyForm bool) *Result {
	t.Helper()
	dir := t.TempDir()
	files := []string{filepath.Join(dir, "a file; with $a name.v")}
	if err := os.WriteFile(files[0], []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if d.cells != "" {
		files = append(files, filepath.Join(dir, "cells.v"))
		if err := os.WriteFile(files[1], []byte(d.cells), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	r, err := Prove(t.Context(), d.n, Options{Module: "net", Files: files, Samples: samples(d.n), Synthesised: anyForm})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func samples(n *netlist.Netlist) [][]uint64 {
	r, all := rand.New(rand.NewPCG(7, 7)), make([][]uint64, 20)
	for w := range all {
		all[w] = make([]uint64, len(n.DataInputs()[0].Nets))
		for i := range all[w] {
			all[w][i] = r.Uint64()
		}
	}
	return all
}

// TestProved proves every form of Verilog that the writer writes. The short tests prove each form in only one scope.
// This scope varies from form to form. The long tests prove every form in every scope.
func TestProved(t *testing.T) {
	needs(t)
	luts := verilog.Options{Style: verilog.LUTs}
	for i, scope := range []netlist.Scope{netlist.Gates, netlist.Core, netlist.Full} {
		for j, form := range []struct {
			name, family string
			k            int
			o            verilog.Options
			p            pipeline.Options
		}{
			{"lut 6", "generic", 6, verilog.Options{}, pipeline.Options{}},
			{"lut 4 as LUTs", "generic", 4, luts, pipeline.Options{}},
			{"ice40", "ice40", 4, verilog.Options{}, pipeline.Options{}},
			{"xilinx7 as LUTs", "xilinx7", 6, luts, pipeline.Options{}},
			{"pipeline", "generic", 6, verilog.Options{}, pipeline.Options{Stages: 3}},
			{"ice40 pipeline", "ice40", 4, luts, pipeline.Options{Stages: 2}},
			{name: "raw"},
		} {
			if !testkit.Whole() && (i+j)%3 != 0 {
				continue
			}
			t.Run(fmt.Sprintf("%v/%s", scope, form.name), func(t *testing.T) {
				t.Parallel()
				d := written(t, small(t, scope), verilog.Options{})
				if form.family != "" {
					d = lowered(t, scope, form.family, form.k, form.o, form.p)
				}
				if r := d.prove(t, d.verilog); r.Verdict != cec.Equivalent || r.Wires < 40 || r.Differ != nil {
					t.Errorf("%+v", r)
				}
			})
		}
	}
}

// change is one edit of a text.
type change struct {
	name     string
	old, new string // the first match of the regular expression old is replaced
	want     string // part of the reason
}

// apply makes the edit, and fails if the edit changes nothing.
func (c change) apply(t *testing.T, text string) string {
	t.Helper()
	at := regexp.MustCompile(c.old).FindStringSubmatchIndex(text)
	if at == nil {
		t.Fatalf("%s: %q is not in the text", c.name, c.old)
	}
	part := regexp.MustCompile(c.old).ReplaceAllString(text[at[0]:at[1]], c.new)
	return text[:at[0]] + part + text[at[1]:]
}

// refused checks that no edited text is proved, both with and without the check that a text has only known forms.
func (d design) refused(t *testing.T, changes []change) {
	t.Helper()
	for _, c := range changes {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			text := c.apply(t, d.verilog)
			if r := d.proveAs(t, text, true); r.Verdict == cec.Equivalent || !strings.Contains(r.Reason, c.want) {
				t.Errorf("%+v", r)
			}
			if r := d.prove(t, text); r.Verdict == cec.Equivalent || r.Reason == "" {
				t.Errorf("as a file of ours: %+v", r)
			}
		})
	}
}

// TestChanged checks that no changed combinational file is proved.
func TestChanged(t *testing.T) {
	needs(t)
	d := written(t, small(t, netlist.Core), verilog.Options{})
	d.refused(t, []change{
		{"operator", `(assign c\d+_k\d+_l5 = [^;&|]*)&`, "$1|", "count_"},
		{"complement", `(assign c\d+_k\d+_l5 = )([^;]*);`, "$1~($2);", "count_"},
		{"wire", `(assign c\d+_k\d+_l5 = ~?)x\[\d+\]`, "${1}x[0]", ""},
		{"argmax ties", ` > best\)`, " >= best)", "class_index"},
		{"argmax order", `i = 1; i < CLASSES`, "i = 2; i < CLASSES", "class_index"},
		{"popcount", `i = 0; i < WIDTH`, "i = 1; i < WIDTH", "count_"},
		{"class group", `(\.bits\(\{)[^,]*`, "${1}c2_k41_l5", ""},
		{"no driver", `assign c0_k1_l3 = [^;]*;`, "", "no driver"},
		{
			"no driver, a name like another", `(assign c0_k1_l3 = )([^;]*);`, "wire \\a# , \\a= ; assign \\a# = $2; ${1}\\a= ;",
			"no driver",
		},
		{"two drivers", `(assign c0_k1_l3 = [^;]*;)`, "$1 $1", "more than one driver"},
		{"unknown digit", `(assign c0_k1_l3 = )[^;]*;`, "${1}1'bx;", "x or z"},
		{"out of range", `(assign c0_k1_l3 = )[^;]*;`, "${1}x[1000];", "yosys"},
		{"latch", `endmodule`, "reg q; always @* if (x[0]) q = x[1];\n wire unused_q = q; endmodule", ""},
		{"extra input", `input  wire`, "input wire more,\n input wire", "more"},
		{"extra output", `input  wire`, "output wire more,\n input wire", "more"},
		{
			"sum with a sign", `(assign c0_k1_l3 = )([^;]*);`,
			"wire signed [1:0] s = x[1:0]; wire signed [3:0] t = s + s; ${1}t[3];", "with a sign",
		},
		{
			"register with a reset", `(assign c0_k1_l3 = )([^;]*);`,
			"reg r; always @(posedge x[0] or posedge x[1]) if (x[1]) r <= 0; else r <= $2; ${1}r;", "the netlist has none",
		},
		{"loop", `(assign c0_k1_l3 = )([^;]*);`, "${1}c0_k1_l4 ^ ($2);", ""},
		{"register", `(assign c0_k1_l3 = )([^;]*);`, "reg r; always @(posedge x[0]) r <= $2; ${1}r;", "the netlist has none"},
		{"other module", `module net `, "module another ", "yosys"},
		{"no module", `endmodule`, "", "yosys"},
	})
}

// TestChangedMargin checks that no changed file of a netlist with an output uncertain is proved.
func TestChangedMargin(t *testing.T) {
	needs(t)
	n, err := freeze.WithMargin(netgen.Model(netgen.ModelOptions{Seed: 5, Features: 9, Width: 42, Depth: 5}).Freeze(),
		netlist.Core, 3)
	if err != nil {
		t.Fatal(err)
	}
	d := written(t, n, verilog.Options{})
	if r := d.prove(t, d.verilog); r.Verdict != cec.Equivalent {
		t.Fatalf("%+v", r)
	}
	d.refused(t, []change{
		{"margin", `\.MARGIN\(3\)`, ".MARGIN(2)", "uncertain"},
		{"margin reached", `< MARGIN`, "<= MARGIN", "uncertain"},
		{"the first class left out", `i = 0; i < CLASSES`, "i = 1; i < CLASSES", "uncertain"},
		{"one word", `one = 1'b0`, "one = 1'b1", "uncertain"},
		{"argmax ties", ` > best\)`, " >= best)", "class_index"},
	})
}

// TestChangedTies checks that netlists with a tie order are proved, and that no changed file is proved. The long test
// tier has all changes, and also a margin.
func TestChangedTies(t *testing.T) {
	needs(t)
	f := netgen.Model(netgen.ModelOptions{Seed: 5, Features: 9, Width: 24, Depth: 3, Ties: true}).Freeze()
	margins, changes := []int{0}, 1
	if testkit.Whole() {
		margins, changes = []int{0, 3}, 3
	}
	for _, margin := range margins {
		n, err := freeze.WithMargin(f, netlist.Core, margin)
		if err != nil {
			t.Fatal(err)
		}
		d := written(t, n, verilog.Options{})
		if r := d.prove(t, d.verilog); r.Verdict != cec.Equivalent {
			t.Fatalf("margin %d: %+v", margin, r)
		}
		d.refused(t, []change{
			{"order", `\.ORDER\(6'h\w+\)`, ".ORDER(6'h24)", "class_index"}, // 0 1 2
			{"ties", ` > best\)`, " >= best)", "class_index"},
			{"first class", `largest = ORDER\[INDEX-1:0\]`, "largest = 0", "class_index"},
		}[:changes])
	}
}

// refusal is the grammar's message about a form that the writer does not write.
const refusal = "which this program never writes"

// TestHarmless proves texts that describe the same circuit in another form. If package verilog does not write the
// form, the text can be proved as a netlist made by yosys. As an emitted file, it is always refused.
func TestHarmless(t *testing.T) {
	needs(t)
	d := written(t, small(t, netlist.Full), verilog.Options{})
	for _, c := range []change{
		{"order", `(?s)(  assign c0_k2_l4 = [^;]*;\n)(.*?)\nendmodule`, "$2\n${1}endmodule", ""},
		{"a gate in other words", `(  assign \w+_l3 = )(\w+) & (\w+);`, "$1~(~$2 | ~$3);", ""},
		{"twice complemented", `(assign c0_k1_l3 = )([^;]*);`, "${1}~~($2);", refusal},
		{"unused", `endmodule`, "wire unused_more = x[3]; endmodule", refusal},
		{"combinational always", `  assign c0_k1_l3 = ([^;]*);`, "  reg r; always @* r = $1; assign c0_k1_l3 = r;", refusal},
	} {
		text := c.apply(t, d.verilog)
		if r := d.proveAs(t, text, true); r.Verdict != cec.Equivalent {
			t.Errorf("%s: %+v", c.name, r)
		}
		if r := d.prove(t, text); (r.Verdict == cec.Equivalent) != (c.want == "") || !strings.Contains(r.Reason, c.want) {
			t.Errorf("%s, as a file of ours: %+v", c.name, r)
		}
	}
	renamed := strings.ReplaceAll(d.verilog, "c0_k1_l3", "c9_k99_l9")
	if r := d.prove(t, renamed); r.Verdict != cec.Equivalent {
		t.Errorf("a wire has another name: %+v", r)
	}
	swapped := strings.NewReplacer("c0_k1_l3", "c0_k2_l3", "c0_k2_l3", "c0_k1_l3").Replace(d.verilog)
	if r := d.prove(t, swapped); r.Verdict == cec.Different {
		t.Errorf("two wires have each other's names: %+v", r)
	}
}

// TestReadOtherwise checks that a text is refused if yosys reads it as a gate and simulators read it as something
// else. The proof with yosys alone would accept this text.
func TestReadOtherwise(t *testing.T) {
	needs(t)
	d := written(t, small(t, netlist.Core), verilog.Options{})
	const gate = `  assign (c0_k1_l3) = ([^;]*?)(c0_\w+)([^;]*);`
	for _, c := range []change{
		{"sensitivity list", gate, "  reg r; always @($3) r = $2$3$4; assign $1 = r;", refusal},
		{"delay", gate, "  assign #5 $1 = $2$3$4;", refusal},
		{"ifdef", gate, "`ifdef YOSYS\n  assign $1 = $2$3$4;\n`else\n  assign $1 = 1'b0;\n`endif", refusal},
	} {
		text := c.apply(t, d.verilog)
		if r := d.proveAs(t, text, true); r.Verdict != cec.Equivalent {
			t.Errorf("%s: yosys does not read it as the gate: %+v", c.name, r)
		}
		if r := d.prove(t, text); r.Verdict == cec.Equivalent || !strings.Contains(r.Reason, c.want) {
			t.Errorf("%s, as a file of ours: %+v", c.name, r)
		}
	}
}

// TestRegisters checks that no change of a pipeline's registers is proved.
func TestRegisters(t *testing.T) {
	needs(t)
	d := lowered(t, netlist.Core, "generic", 6, verilog.Options{}, pipeline.Options{Stages: 3})
	instance := `net_register #\(\.WIDTH\((\d+)\)\) (\w+)_i \(\.clk\(clk\), \.ce\(ce\),\s+\.d\(([^)]+)\),\s+\.q\(([^)]+)\)\);`
	const register = "net_register #(.WIDTH($1)) ${2}_i "
	d.refused(t, []change{
		{"no enable", `if \(ce\) q <= d`, "q <= d", "while ce is 0"},
		{"other enable", `if \(ce\) q <= d`, "if (!ce) q <= d", "while ce is 0"},
		{"falling edge", `(?s)(module net_register.*?)posedge`, "${1}negedge", "yosys"},
		{"complement", `if \(ce\) q <= d`, "if (ce) q <= ~d", "differs"},
		{"a wire for a register", instance, "assign $4 = $3;", "registers from the inputs"},
		{"one more", instance, "wire [$1-1:0] more; net_register #(.WIDTH($1)) ${2}_j (.clk(clk), .ce(ce), .d($3), .q(more));\n" +
			register + "(.clk(clk), .ce(ce), .d(more), .q($4));", "registers from the inputs"},
		{"enabled by data", instance, register + "(.clk(clk), .ce(x[0]), .d($3), .q($4));", "while ce is 0"},
		{"clocked by the enable", instance, register + "(.clk(ce), .ce(ce), .d($3), .q($4));", "clock"},
		{"of other data", instance, register + "(.clk(clk), .ce(ce), .d({$1{x[1]}}), .q($4));", ""},
		{"cleared data", instance, register + "(.clk(clk), .ce(ce), .d($3 & {$1{~rst}}), .q($4));", "rst"},
		{"enable in data", instance, register + "(.clk(clk), .ce(ce), .d($3 & {$1{in_valid}}), .q($4));", "in_valid"},
		{"output gated", `(assign class_index = )([^;]*);`, "${1}($2) & {2{ce}};", "ce"},
		{"valid without a reset", `if \(rst\)`, "if (rst & in_valid)", "rst"},
		{"valid too short", `assign out_valid = valid\[2\]`, "assign out_valid = valid[1]", "in_valid"},
		{"valid bits that begin as 1", `reg \[2:0\] valid;`, "reg [2:0] valid = 3'b111;", "begins with 1"},
		{"a valid bit that begins as 1", `  // data`, "  initial valid[2] = 1'b1;\n  // data", "begins with 1"},
		{"data that begins as 1", `output reg  \[WIDTH-1:0\] q`, "output reg  [WIDTH-1:0] q = {WIDTH{1'b1}}", "begins with 1"},
		{"no registers", `always @\(posedge clk\)\s+if \(ce\) q <= d`, "always @* q = d", "registers from the inputs"},
		{"valid bits with an asynchronous reset", `always @\(posedge clk\)\s+if \(rst\)`, "always @(posedge clk or posedge rst)\n" +
			"    if (rst)", "out_valid"},
		{
			"data with an asynchronous reset", `always @\(posedge clk\)\s+if \(ce\) q <= d`,
			"always @(posedge clk or posedge ce) if (ce) q <= {WIDTH{1'b0}}; else q <= d", "while ce is 0",
		},
		{"valid of every clock", `\{valid\[1:0\], in_valid\}`, "{valid[1:0], 1'b1}", "in_valid"},
		{"valid from ce", `assign out_valid = valid\[2\]`, "assign out_valid = valid[2] & ce", "out_valid"},
	})
}

// TestConstantReset proves a netlist of yosys whose registers have an asynchronous reset that is never active, and a
// table with an undefined bit that a constant input does not select. The models of some families have both.
func TestConstantReset(t *testing.T) {
	needs(t)
	d := lowered(t, netlist.Core, "generic", 6, verilog.Options{}, pipeline.Options{Stages: 2})
	const data = `always @\(posedge clk\)\s+if \(ce\) q <= d`
	unused := change{"", data, "wire sr = 1'b0 & ce;\n  always @(posedge clk or posedge sr) if (sr) q <= 0; else if (ce) q <= d", ""}
	if r := d.proveAs(t, unused.apply(t, d.verilog), true); r.Verdict != cec.Equivalent {
		t.Errorf("a constant reset: %+v", r)
	}
	for select_, want := range map[string]cec.Verdict{"1'b0": cec.Equivalent, "ce": cec.Undecided} {
		table := change{"", data, "wire [0:0] t = 1'b0;\n  wire u = " + select_ + " ? t[1] : t[0];\n" +
			"  always @(posedge clk) if (ce) q <= d ^ {WIDTH{u}}", ""}
		if r := d.proveAs(t, table.apply(t, d.verilog), true); r.Verdict != want {
			t.Errorf("an undefined bit that %s selects: %+v", select_, r)
		}
	}
}

// TestUnknown checks that unknown digits are found. Without this check, yosys would replace them by some value.
func TestUnknown(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "assign x = 1'b0;": 0, "a\nb = 4'b1x01;": 2, "4'hZ": 1, "'bz": 1, "'x": 1, "8'sb??": 1, "4'd z": 1,
		"s ? 1'b0 : 1'h1": 0, "3'dx": 1, "x_z": 0, "// it's 'x and 4'bz\n": 0, "// 'x\n a = 'x": 2, "a; // 'x": 1,
		"4'b10_x":   1,
		"\n\n1'B X": 3,
	} {
		if got := unknown([]byte(text)); got != want {
			t.Errorf("%q: line %d, want %d", text, got, want)
		}
	}
}

// TestTools checks that a missing or crashing tool is an error and not a verdict.
func TestTools(t *testing.T) {
	n := small(t, netlist.Core)
	d := written(t, n, verilog.Options{})
	path := filepath.Join(t.TempDir(), "net.v")
	if err := os.WriteFile(path, []byte(d.verilog), 0o666); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", "")
	if r, err := Prove(t.Context(), n, Options{Module: "net", Files: []string{path}}); err == nil ||
		!strings.Contains(err.Error(), "package yosys") {
		t.Errorf("%+v, %v", r, err)
	}
}
