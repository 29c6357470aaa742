package rtl

import (
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"

	"ialgn/internal/hardware/pipeline"
	"ialgn/internal/testkit"
	"ialgn/internal/verify/verifytest"
	"ialgn/netlist"
)

// TestPipelineRTL simulates sound and broken pipelines. The faults are a broken gate, a register replaced by a wire,
// and wrong enables. The result must name the broken gate.
func TestPipelineRTL(t *testing.T) {
	verifytest.Needs(t, "iverilog", "vvp")
	f := verifytest.Small(62)
	s := verifytest.RandomSamples(f, 200)
	for _, scope := range verifytest.Scopes {
		t.Run(scope.String(), func(t *testing.T) {
			t.Parallel()
			d := verifytest.Pipelined(t, verifytest.NewDesign(t, f, scope, 2), pipeline.Options{Auto: true, MaxLevels: 2})
			files := emit(t, d)
			text, err := os.ReadFile(files.Design)
			if err != nil {
				t.Fatal(err)
			}
			sound := string(text)
			if r := simulateDesign(t, d, s, files, "iverilog"); r.Mismatches != 0 || r.Checked != 200 || r.Ties == 0 {
				t.Fatalf("the sound design: %+v", r)
			}
			r := rand.New(rand.NewPCG(8, uint64(scope)))
			for found := 0; found < 3; {
				broken, layer, gate := breakAssign(t, r, sound)
				verifytest.Write(t, files.Design, broken)
				got := simulateDesign(t, d, s, files, "iverilog")
				if got.Mismatches == 0 {
					continue // the gate does not matter
				}
				found++
				if m := got.First[0]; m.Layer != layer || m.Gate != gate || m.Sample < 0 {
					t.Errorf("layer %d gate %d is broken, named is %v", layer, gate, m)
				}
			}
			for found := 0; found < 3; {
				verifytest.Write(t, files.Design, breakRegister(t, r, sound))
				if simulateDesign(t, d, s, files, "iverilog").Mismatches > 0 {
					found++ // otherwise the registers hold bits that do not matter
				}
			}
			for _, fault := range [][2]string{
				{"if (ce) q <= d", "q <= d"},
				{"if (ce) q <= d", "if (!ce) q <= d"},
				{"else if (ce) valid", "else valid"},
				{"if (rst) valid", "if (rst & ce) valid"},
			} {
				broken := strings.Replace(sound, fault[0], fault[1], 1)
				if broken == sound {
					t.Fatalf("the module has no %q", fault[0])
				}
				verifytest.Write(t, files.Design, broken)
				if got := simulateDesign(t, d, s, files, "iverilog"); got.Mismatches == 0 {
					t.Errorf("%q instead of %q: %+v", fault[1], fault[0], got)
				}
			}
		})
	}
}

var transfer = regexp.MustCompile(`\.d\(([^)]*)\),\s+\.q\(([^)]*)\)\);`)

// breakRegister replaces a random vector of registers by wires.
func breakRegister(t *testing.T, r *rand.Rand, text string) string {
	t.Helper()
	all := transfer.FindAllStringSubmatch(text, -1)
	if len(all) < 5 {
		t.Fatalf("only %d vectors of registers in the Verilog", len(all))
	}
	m := all[r.IntN(len(all))]
	return strings.Replace(text, m[0], ".d("+m[1]+"), .q());\n  assign "+m[2]+" = "+m[1]+";", 1)
}

// TestPipelineVerilator runs a pipeline in verilator, which has no unknown values.
func TestPipelineVerilator(t *testing.T) {
	testkit.Long(t, "builds with verilator")
	verifytest.Needs(t, "verilator")
	t.Parallel()
	f := verifytest.Small(63)
	d := verifytest.Pipelined(t, verifytest.NewDesign(t, f, netlist.Core, 2), pipeline.Options{Stages: 2})
	if r := simulateDesign(t, d, verifytest.RandomSamples(f, 100), emit(t, d), "verilator"); r.Mismatches != 0 ||
		r.Checked != 100 {
		t.Errorf("%+v", r)
	}
}
