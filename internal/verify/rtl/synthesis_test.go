package rtl

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ialgn/internal/hardware/pipeline"
	"ialgn/internal/target"
	"ialgn/internal/verify"
	"ialgn/internal/verify/cec"
	"ialgn/internal/verify/verifytest"
	"ialgn/internal/verilog"
	"ialgn/netlist"
)

// lastAssign matches an assignment to the output port, or to bits of the port.
var lastAssign = regexp.MustCompile(`(?m)^  assign ((?:class_index|h)(?:\[[^]]*\])?) = ([^;]*);`)

// TestSynthesised simulates and proves the netlists that yosys makes of designs, for each style of Verilog. Faults
// of the emitted Verilog must also be found in these netlists. [TestSynthesisStart] covers the other families.
func TestSynthesised(t *testing.T) {
	verifytest.Needs(t, "yosys", "iverilog", "vvp")
	f := verifytest.Small(81)
	auto := pipeline.Options{Auto: true, MaxLevels: 2}
	for _, c := range []struct {
		name   string
		d      verify.Design
		style  verilog.Style
		target *target.Family
		lut    int
	}{
		{"gates", verifytest.NewDesign(t, f, netlist.Core, 2), verilog.Gates, nil, 0},
		{"scope gates", verifytest.NewDesign(t, f, netlist.Gates, 2), verilog.Gates, target.Generic, 6},
		{"generic LUTs", verifytest.LoweredDesign(t, f, netlist.Full, "generic", 6, false), verilog.LUTs, target.Generic, 6},
		{"ice40", verifytest.LoweredDesign(t, f, netlist.Core, "ice40", 4, false, auto), verilog.LUTs, target.ICE40, 0},
		{"gowin", verifytest.LoweredDesign(t, f, netlist.Core, "gowin", 4, false, auto), verilog.LUTs, target.Gowin, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := verifytest.RandomSamples(f, 200)
			files := Files{
				Module: "net", Design: filepath.Join(t.TempDir(), "net.v"), Style: c.style, Target: c.target,
				LUT: c.lut,
			}
			var text bytes.Buffer
			if err := verilog.Write(&text, c.d.Product, verilog.Options{
				Module: "net", Style: c.style,
				Target: c.target,
			}); err != nil {
				t.Fatal(err)
			}
			verifytest.Write(t, files.Design, text.String())
			r, err := CheckSynthesised(t.Context(), c.d, s, files, "iverilog", 200, true)
			if err != nil {
				t.Fatal(err)
			}
			if r.Mismatches != 0 || r.Checked != 200 || r.ByClass || len(r.Synthesis.Cells) == 0 {
				t.Fatalf("the sound design: %+v", r)
			}
			if r.Proof == nil || r.Proof.Verdict != cec.Equivalent {
				t.Errorf("the sound design is not proved: %+v", r.Proof)
			}
			if c.target == target.ICE40 || c.target == target.Gowin {
				return // the other cases find no other faults, and yosys takes seconds for each
			}
			broken := strings.Replace(text.String(), "> best", "< best", 1)
			if broken == text.String() {
				broken = lastAssign.ReplaceAllString(broken, "  assign $1 = ~($2);")
			}
			verifytest.Write(t, files.Design, broken)
			if r, err = CheckSynthesised(t.Context(), c.d, s, files, "iverilog", 200, true); err != nil || r.Mismatches == 0 {
				t.Errorf("with another output: %+v, %v", r, err)
			}
		})
	}
}

// TestSynthesisFault breaks the netlist that yosys made, and checks that the fault is found.
func TestSynthesisFault(t *testing.T) {
	verifytest.Needs(t, "yosys", "iverilog", "vvp")
	d := verifytest.NewDesign(t, verifytest.Small(82), netlist.Core, 2)
	emitted := emit(t, d)
	emitted.LUT = 6
	files, r, err := Synthesise(t.Context(), d, emitted, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(r.Netlist)
	if err != nil {
		t.Fatal(err)
	}
	if !lastAssign.Match(text) {
		t.Fatalf("no assignment to the class:\n%.2000s", text)
	}
	verifytest.Write(t, r.Netlist, lastAssign.ReplaceAllString(string(text), "  assign $1 = ~($2);"))
	if got := simulateDesign(t, d, verifytest.RandomSamples(d.Model, 100), files, "iverilog"); got.Mismatches < 50 ||
		got.First[0].Layer != 0 {
		t.Errorf("a netlist with inverted bits: %+v", got)
	}
	if got, err := CheckText(t.Context(), d, files); err != nil || got.Verdict != cec.Different {
		t.Errorf("a netlist with inverted bits: %+v, %v", got, err)
	}
}

// TestSynthesisStart simulates and proves a synthesised pipeline. Then it makes a flip-flop start as 1. No
// simulation after a reset shows this fault, but the proof must find it.
func TestSynthesisStart(t *testing.T) {
	verifytest.Needs(t, "yosys", "abc", "iverilog", "vvp")
	for family, change := range map[*target.Family][2]string{
		target.Xilinx7: {".INIT(1'hx)", ".INIT(1'h1)"},
		target.ECP5:    {`.REGSET("RESET")`, `.REGSET("SET")`},
	} {
		t.Run(family.Name, func(t *testing.T) {
			t.Parallel()
			d := verifytest.LoweredDesign(t, verifytest.Small(83), netlist.Core, family.Name, 4, false,
				pipeline.Options{Stages: 2})
			files, r, err := Synthesise(t.Context(), d, emitTarget(t, d, family), t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(r.Netlist)
			if err != nil {
				t.Fatal(err)
			}
			changed := strings.Replace(string(text), change[0], change[1], 1)
			if changed == string(text) {
				t.Fatalf("no flip-flop has %s", change[0])
			}
			if got, err := CheckText(t.Context(), d, files); err != nil || got.Verdict != cec.Equivalent {
				t.Fatalf("the sound netlist: %+v, %v", got, err)
			}
			if got := simulateDesign(t, d, verifytest.RandomSamples(d.Model, 100), files, "iverilog"); got.Mismatches != 0 {
				t.Errorf("the sound netlist, simulated: %+v", got)
			}
			verifytest.Write(t, r.Netlist, changed)
			if got, err := CheckText(t.Context(), d, files); err != nil || got.Verdict == cec.Equivalent ||
				!strings.Contains(got.Reason, "begins with 1") {
				t.Errorf("a flip-flop that begins as 1: %+v, %v", got, err)
			}
		})
	}
}

// emitTarget is like emit, for a target to which yosys will map the design.
func emitTarget(t *testing.T, d verify.Design, family *target.Family) Files {
	t.Helper()
	files := emit(t, d)
	files.Target = family
	return files
}
