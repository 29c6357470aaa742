package rtl

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"ialgn/internal/hardware/pipeline"
	"ialgn/internal/target"
	"ialgn/internal/testkit"
	"ialgn/internal/verify/cec"
	"ialgn/internal/verify/verifytest"
	"ialgn/netlist"
)

// mutant is a change of a netlist that yosys made.
type mutant struct{ name, old, new string }

// mutants lists five faults for each family that no program here places: another table, exchanged inputs, an input at a
// constant, a register without its enable, and a register that inverts its data.
var mutants = map[*target.Family][]mutant{
	target.Intel: {
		{"table", `(MISTRAL_ALUT4 #\(\s*\.LUT\(16'h)(\w)`, "${1}5"},
		{"exchanged inputs", `(?s)(MISTRAL_ALUT3 .*?)\.A\(([^)]*)\),\s*\.B\(([^)]*)\)`, "${1}.A(${3}), .B(${2})"},
		{"constant input", `(?s)(MISTRAL_ALUT4 .*?)\.B\([^)]*\)`, "${1}.B(1'h1)"},
		{"no enable", `(?s)(MISTRAL_FF .*?)\.ENA\(ce\)`, "${1}.ENA(1'h1)"},
		{"inverted data", `(?s)(MISTRAL_FF .*?)\.DATAIN\(([^)]*)\)`, "${1}.DATAIN(~${2})"},
	},
	target.PolarFire: {
		{"table", `(CFG4 #\(\s*\.INIT\(16'h)(\w)`, "${1}5"},
		{"exchanged inputs", `(?s)(CFG4 .*?)\.A\(([^)]*)\),\s*\.B\(([^)]*)\)`, "${1}.A(${3}), .B(${2})"},
		{"constant input", `(?s)(CFG4 .*?)\.B\([^)]*\)`, "${1}.B(1'h1)"},
		{"no enable", `(?s)(SLE .*?)\.EN\(ce\)`, "${1}.EN(1'h1)"},
		{"latch", `(?s)(SLE .*?)\.LAT\(1'h0\)`, "${1}.LAT(1'h1)"},
	},
	target.Efinix: {
		{"table", `(EFX_LUT4 #\(\s*\.LUTMASK\(16'h)(\w)`, "${1}5"},
		{"exchanged inputs", `(?s)(LUTMASK\(16'h.*?)\.I0\(([^)]*)\),\s*\.I1\(([^)]*)\)`, "${1}.I0(${3}), .I1(${2})"},
		{"constant input", `(?s)(LUTMASK\(16'h.*?)\.I1\([^)]*\)`, "${1}.I1(1'h1)"},
		{"no enable", `(?s)(EFX_FF .*?)\.CE\(ce\)`, "${1}.CE(1'h1)"},
		{"inverted data", `D_POLARITY\(1'h1\)`, "D_POLARITY(1'h0)"},
	},
	target.GateMate: {
		{"table", `(CC_LUT4 #\(\s*\.INIT\(16'h)(\w)`, "${1}5"},
		{"exchanged inputs", `(?s)(CC_LUT4 .*?)\.I0\(([^)]*)\),\s*\.I1\(([^)]*)\)`, "${1}.I0(${3}), .I1(${2})"},
		{"constant input", `(?s)(CC_LUT4 .*?)\.I1\([^)]*\)`, "${1}.I1(1'h1)"},
		{"no enable", `(?s)(CC_DFF .*?)\.EN\(ce\)`, "${1}.EN(1'h1)"},
		{"falling edge", `CLK_INV\(1'h0\)`, "CLK_INV(1'h1)"},
	},
}

// TestSynthesisMutants simulates and proves the netlists that yosys makes of a pipeline for families that no program
// here places. Then it changes each netlist in five ways, and the proof must find each change. The short tests have one
// family.
func TestSynthesisMutants(t *testing.T) {
	verifytest.Needs(t, "yosys", "abc", "iverilog", "vvp")
	for family, list := range mutants {
		if family != target.Efinix && !testkit.Whole() {
			continue
		}
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
			if got, err := CheckText(t.Context(), d, files); err != nil || got.Verdict != cec.Equivalent {
				t.Fatalf("the sound netlist: %+v, %v", got, err)
			}
			if got := simulateDesign(t, d, verifytest.RandomSamples(d.Model, 100), files, "iverilog"); got.Mismatches != 0 {
				t.Errorf("the sound netlist, simulated: %+v", got)
			}
			for _, m := range list {
				at := regexp.MustCompile(m.old).FindStringSubmatchIndex(string(text))
				if at == nil {
					t.Errorf("%s: no place for it in\n%.3000s", m.name, text)
					continue
				}
				part := regexp.MustCompile(m.old).ReplaceAllString(string(text[at[0]:at[1]]), m.new)
				changed := string(text[:at[0]]) + part + string(text[at[1]:])
				if changed == string(text) {
					t.Errorf("%s: changes nothing", m.name)
				}
				verifytest.Write(t, r.Netlist, changed)
				got, err := CheckText(t.Context(), d, files)
				if err != nil || got.Verdict == cec.Equivalent || got.Reason == "" && len(got.Differ) == 0 {
					t.Errorf("%s: %+v, %v", m.name, got, err)
				}
			}
			if strings.Contains(string(text), "'hx") {
				t.Error("the netlist has unknown values")
			}
		})
	}
}
