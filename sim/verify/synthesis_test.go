package verify

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ialgn/backend/verilog"
	"ialgn/compiler/pipeline"
	"ialgn/netlist"
	"ialgn/sim/verify/cec"
	"ialgn/target"
)

// lastAssign is the assignment to the output port, or to bits of it.
var lastAssign = regexp.MustCompile(`(?m)^  assign ((?:class_index|h)(?:\[[^]]*\])?) = ([^;]*);`)

// TestSynthesised simulates what yosys makes of designs, for each way to write one, and finds
// what is wrong with the emitted Verilog there, too.
func TestSynthesised(t *testing.T) {
	needs(t, "yosys", "iverilog", "vvp")
	f := small(81)
	auto := pipeline.Options{Auto: true, MaxLevels: 2}
	for _, c := range []struct {
		name   string
		d      Design
		style  verilog.Style
		target *target.Family
		lut    int
	}{
		{"gates", newDesign(t, f, netlist.Core, 2), verilog.Gates, nil, 0},
		{"scope gates", newDesign(t, f, netlist.Gates, 2), verilog.Gates, target.Generic, 6},
		{"generic LUTs", loweredDesign(t, f, netlist.Full, "generic", 6, false), verilog.LUTs, target.Generic, 6},
		{"ice40", loweredDesign(t, f, netlist.Core, "ice40", 4, false, auto), verilog.LUTs, target.ICE40, 0},
		{"gowin", loweredDesign(t, f, netlist.Core, "gowin", 4, false, auto), verilog.LUTs, target.Gowin, 0},
		{"xilinx7", loweredDesign(t, f, netlist.Core, "xilinx7", 6, false, auto), verilog.Gates, target.Xilinx7, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := randomSamples(f, 200)
			files := RTLFiles{
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
			write(t, files.Design, text.String())
			r, err := c.d.Synthesised(t.Context(), s, files, "iverilog", 200, true)
			if err != nil {
				t.Fatal(err)
			}
			if r.Mismatches != 0 || r.Checked != 200 || r.ByClass || len(r.Synthesis.Cells) == 0 {
				t.Fatalf("the sound design: %+v", r)
			}
			if r.Proof == nil || r.Proof.Verdict != cec.Equivalent {
				t.Errorf("the sound design is not proved: %+v", r.Proof)
			}
			if c.target == target.ICE40 || c.target == target.Gowin || c.target == target.Xilinx7 {
				return // nothing new, for seconds of yosys each
			}
			broken := strings.Replace(text.String(), "> best", "< best", 1)
			if broken == text.String() {
				broken = lastAssign.ReplaceAllString(broken, "  assign $1 = ~($2);")
			}
			write(t, files.Design, broken)
			if r, err = c.d.Synthesised(t.Context(), s, files, "iverilog", 200, true); err != nil || r.Mismatches == 0 {
				t.Errorf("with another output: %+v, %v", r, err)
			}
		})
	}
}

// TestSynthesisFault breaks the netlist that yosys made.
func TestSynthesisFault(t *testing.T) {
	needs(t, "yosys", "iverilog", "vvp")
	d := newDesign(t, small(82), netlist.Core, 2)
	emitted := emit(t, d)
	emitted.LUT = 6
	files, r, err := d.Synthesise(t.Context(), emitted, t.TempDir())
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
	write(t, r.Netlist, lastAssign.ReplaceAllString(string(text), "  assign $1 = ~($2);"))
	if got := rtl(t, d, randomSamples(d.Model, 100), files, "iverilog"); got.Mismatches < 50 || got.First[0].Layer != 0 {
		t.Errorf("a netlist with inverted bits: %+v", got)
	}
	if got, err := d.Verilog(t.Context(), files); err != nil || got.Verdict != cec.Different {
		t.Errorf("a netlist with inverted bits: %+v, %v", got, err)
	}
}

// TestSynthesisStart has a flip-flop of a synthesised pipeline begin as 1, which the netlist does
// not say: no simulation behind a reset shows it.
func TestSynthesisStart(t *testing.T) {
	needs(t, "yosys", "abc")
	for family, change := range map[*target.Family][2]string{
		target.Xilinx7: {".INIT(1'hx)", ".INIT(1'h1)"},
		target.ECP5:    {`.REGSET("RESET")`, `.REGSET("SET")`},
	} {
		t.Run(family.Name, func(t *testing.T) {
			t.Parallel()
			d := loweredDesign(t, small(83), netlist.Core, family.Name, 4, false, pipeline.Options{Stages: 2})
			files, r, err := d.Synthesise(t.Context(), emitTarget(t, d, family), t.TempDir())
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
			if got, err := d.Verilog(t.Context(), files); err != nil || got.Verdict != cec.Equivalent {
				t.Fatalf("the sound netlist: %+v, %v", got, err)
			}
			write(t, r.Netlist, changed)
			if got, err := d.Verilog(t.Context(), files); err != nil || got.Verdict == cec.Equivalent ||
				!strings.Contains(got.Reason, "begins with 1") {
				t.Errorf("a flip-flop that begins as 1: %+v, %v", got, err)
			}
		})
	}
}

// emitTarget is emit for a target that yosys is to map to.
func emitTarget(t *testing.T, d Design, family *target.Family) RTLFiles {
	t.Helper()
	files := emit(t, d)
	files.Target = family
	return files
}
