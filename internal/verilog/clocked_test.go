package verilog

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ialgn/internal/hardware/pipeline"
	"ialgn/internal/target"
	"ialgn/internal/testkit"
	"ialgn/netlist"
)

// clockedCases calls f with a pipeline of each netlist that cases or narrowCases gives, together with the netlist
// before pipelining.
func clockedCases(
	t *testing.T, all func(*testing.T, int, int, func(*testing.T, *rand.Rand, *netlist.Netlist)), count int,
	f func(t *testing.T, r *rand.Rand, n, p *netlist.Netlist),
) {
	const first = 1 // with seed 0, no output depends on an input
	all(t, first, count, func(t *testing.T, r *rand.Rand, n *netlist.Netlist) {
		o := []pipeline.Options{{Auto: true, MaxLevels: 2}, {Stages: 1}, {Stages: 2}, {Stages: 5}}[r.IntN(4)]
		p, report, err := pipeline.Insert(n, o)
		if err == nil && report.Stages == 0 { // too shallow for more than one stage
			p, report, err = pipeline.Insert(n, pipeline.Options{Stages: 1})
		}
		if err != nil {
			t.Fatal(err)
		}
		if report.Stages == 0 {
			t.Fatal("it has no registers: begin with another seed")
		}
		f(t, r, n, p)
	})
}

// TestClocked simulates pipelines with gaps, stalls and resets, and compares the results with the oracle.
func TestClocked(t *testing.T) {
	needTool(t, "iverilog", "iverilog")
	clockedCases(t, cases, randomCases(), func(t *testing.T, r *rand.Rand, n, p *netlist.Netlist) {
		samples := 200
		if n.Nets() > 5000 {
			samples = 5
		}
		dir := emit(t, p, sampleVectors(r, n, samples))
		silent(t, dir, "iverilog", "-Wall", "-g2001", "-o", "a.vvp", n.Name+"_tb.v", n.Name+".v")
		out, err := tool(t, dir, "vvp", "a.vvp")
		if want := fmt.Sprintf("PASS: %d vectors\n", samples); err != nil || out != want {
			t.Errorf("vvp: %v\n%swant %s", err, out, want)
		}
		if out, err := tool(t, dir, "vvp", "a.vvp", "+count=1"); err != nil || out != "PASS: 1 vectors\n" {
			t.Errorf("vvp: %v\n%s", err, out)
		}
	})
}

// TestClockedLint checks that verilator prints no warning for pipelines and their testbenches. TestLint checks wide
// ports.
func TestClockedLint(t *testing.T) {
	needTool(t, "verilator", "verilator")
	clockedCases(t, narrowCases, slowCases(), func(t *testing.T, r *rand.Rand, n, p *netlist.Netlist) {
		dir := emit(t, p, sampleVectors(r, n, 1))
		silent(t, dir, "verilator", "--lint-only", "-Wall", n.Name+".v")
		silent(t, dir, "verilator", "--lint-only", "--timing", "-Wall", "--top-module", n.Name+"_tb", n.Name+"_tb.v", n.Name+
			".v")
	})
}

// TestClockedSynthesis has yosys check and synthesise pipelines, and simulates the result with the same testbench.
// The result must have no latch. Wide ports are left out, because they would show no other faults.
func TestClockedSynthesis(t *testing.T) {
	needTool(t, "yosys", "yosys")
	needTool(t, "iverilog", "iverilog")
	clockedCases(t, narrowCases, slowCases(), func(t *testing.T, r *rand.Rand, n, p *netlist.Netlist) {
		dir := emit(t, p, sampleVectors(r, n, 200))
		script := fmt.Sprintf("read_verilog %[1]s.v; hierarchy -check -top %[1]s; proc; check -assert; select "+
			"-assert-none t:$dlatch; "+
			"flatten; synth -noabc -top %[1]s; check -assert; select -assert-none t:$_DLATCH_*; write_verilog -noattr synth.v",
			n.Name)
		silent(t, dir, "yosys", "-q", "-p", script)
		silent(t, dir, "iverilog", "-g2001", "-DNO_PROBES", "-o", "a.vvp", n.Name+"_tb.v", "synth.v")
		if out, err := tool(t, dir, "vvp", "a.vvp"); err != nil || out != "PASS: 200 vectors\n" {
			t.Errorf("vvp: %v\n%s", err, out)
		}
	})
}

func readText(t *testing.T, dir, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// tinyPipeline returns the netlist of tiny as a pipeline in which each stage is one level deep.
func tinyPipeline(t *testing.T) *netlist.Netlist {
	t.Helper()
	p, _, err := pipeline.Insert(tiny(), pipeline.Options{Auto: true, MaxLevels: 1})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestClockedGolden(t *testing.T) {
	var module, bench bytes.Buffer
	opt := Options{Module: "tiny_pipeline", Header: []string{"model tiny"}}
	if err := Write(&module, tinyPipeline(t), opt); err != nil {
		t.Fatal(err)
	}
	if err := WriteTestbench(&bench, tinyPipeline(t), opt); err != nil {
		t.Fatal(err)
	}
	golden(t, "tiny_pipeline.v", module.Bytes())
	golden(t, "tiny_pipeline_tb.v", bench.Bytes())
}

// TestClockedLUTs writes a pipeline in the style LUTs, lints it and simulates it. TestLUTs checks the other
// families.
func TestClockedLUTs(t *testing.T) {
	needTool(t, "iverilog", "iverilog")
	needTool(t, "verilator", "verilator")
	families := []*target.Family{target.Generic, target.ICE40}
	if testkit.Whole() {
		families = target.Families()
	}
	for _, family := range families {
		n := luts(rand.New(rand.NewPCG(3, 7)), family.LUT.Most)
		p, _, err := pipeline.Insert(n, pipeline.Options{Auto: true, MaxLevels: 1})
		if err != nil {
			t.Fatal(err)
		}
		dir := emitLUTs(t, p, family, sampleVectors(rand.New(rand.NewPCG(1, 8)), n, 200))
		name := n.Name
		silent(t, dir, "verilator", "--lint-only", "-Wall", "--top-module", name, name+".v", name+"_cells.v")
		silent(t, dir, "iverilog", "-Wall", "-g2001", "-o", "a.vvp", name+"_tb.v", name+".v", name+"_cells.v")
		if out, err := tool(t, dir, "vvp", "a.vvp"); err != nil || out != "PASS: 200 vectors\n" {
			t.Errorf("%s: vvp: %v\n%s", family, err, out)
		}
	}
}

// TestClockedFaults breaks the Verilog in every way that makes a pipeline wrong. The testbench must fail each time.
func TestClockedFaults(t *testing.T) {
	needTool(t, "iverilog", "iverilog")
	dir := emit(t, tinyPipeline(t), sampleVectors(rand.New(rand.NewPCG(1, 2)), tiny(), 64))
	sound := readText(t, dir, "tiny.v")
	for _, tt := range []struct{ name, old, new string }{
		{"a register removed", ".counts({count_1_1_s4, count_1_0_s4, ", ".counts({count_1_1_s4, count_1[0], "},
		{"a register removed before a probe", "c0_k2_l2_s3, c0_k1_l2_s3, c0_k0_l2_s3", "c0_k2_l2_s3, c0_k1_l2_s3, c0_k0_l2"},
		{
			"a register too many", "count_1_0_s4}));",
			"kept})); tiny_register kept_i (.clk(clk), .ce(ce), .d(kept), .q(count_1_0_s4));",
		},
		{"data moves in a stall", "if (ce) q <= d", "q <= d"},
		{
			"a register moves in a stall", "count_0_s4_i (.clk(clk), .ce(ce)", "count_0_s4_i (.clk(clk), .ce(1'b1)",
		},
		{"data moves in stalls alone", "if (ce) q <= d", "if (!ce) q <= d"},
		{"data waits for samples", "c0_s2_i (.clk(clk), .ce(ce)", "c0_s2_i (.clk(clk), .ce(ce & in_valid)"},
		{"valid moves in a stall", "else if (ce) valid", "else valid"},
		{"no reset", "if (rst) valid <= {4{1'b0}};\n    else if (ce) valid", "if (ce) valid"},
		{
			"reset waits for ce", "if (rst) valid <= {4{1'b0}};\n    else if (ce)",
			"if (rst & ce) valid <= {4{1'b0}};\n    else if (ce)",
		},
		{"reset of some stages", "valid <= {4{1'b0}}", "valid <= {valid[2:0] & 3'd4, 1'b0}"},
		{
			"reset is asynchronous", "always @(posedge clk)\n    if (rst) valid",
			"always @(posedge clk or posedge rst)\n    if (rst) valid",
		},
		{"valid too early", "out_valid = valid[3]", "out_valid = valid[2]"},
		{
			"valid too late", "assign out_valid = valid[3];",
			"reg late; always @(posedge clk) if (ce) late <= valid[3] & ~rst;\n  assign out_valid = late;",
		},
		{"valid stays", "{valid[2:0], in_valid}", "{valid[2:0], in_valid} | {valid[3], 3'd0}"},
		{"never valid", "out_valid = valid[3]", "out_valid = 1'b0 & valid[3]"},
		{
			"what stands in a gap reaches a sample", "c0_k0_l1}),", "c0_k0_l1 | (x0_gt3 & ~x0_gt3)}),",
		},
		{"a gate", "c0_k1_l1 = x0_gt7_s1 | x0_gt15_s1", "c0_k1_l1 = x0_gt7_s1 & x0_gt15_s1"},
		{
			"data of the sample before", "x1_gt3_s2}));",
			"kept})); tiny_register kept_i (.clk(clk), .ce(ce), .d(kept), .q(x1_gt3_s2));",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			broken := strings.Replace(sound, tt.old, tt.new, 1)
			if broken == sound {
				t.Fatalf("the module has no %q", tt.old)
			}
			broken = strings.Replace(broken, "\n  // data\n", "\n  wire kept;\n", 1)
			if err := os.WriteFile(filepath.Join(dir, "broken.v"), []byte(broken), 0o600); err != nil {
				t.Fatal(err)
			}
			silent(t, dir, "iverilog", "-g2001", "-o", "a.vvp", "tiny_tb.v", "broken.v")
			out, err := tool(t, dir, "vvp", "a.vvp")
			if err != nil || !strings.Contains(out, "\nFAIL: ") || !strings.HasPrefix(out, "sample ") {
				t.Errorf("vvp: %v\n%swant FAIL", err, out)
			}
		})
	}
}
