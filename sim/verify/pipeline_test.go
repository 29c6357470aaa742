package verify

import (
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"

	"ialgn/compiler/pipeline"
	"ialgn/netlist"
)

// pipelined returns a design whose product has registers.
func pipelined(t *testing.T, d Design, o pipeline.Options) Design {
	t.Helper()
	p, r, err := pipeline.Insert(d.Product, o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Stages == 0 {
		t.Fatal("no registers")
	}
	d.Product = p
	return d
}

// TestPipelineSoftware clocks sound pipelines, and some with a broken gate, which is named.
func TestPipelineSoftware(t *testing.T) {
	f := small(61)
	s := randomSamples(f, 3000)
	for _, scope := range scopes {
		t.Run(scope.String(), func(t *testing.T) {
			t.Parallel()
			plain := newDesign(t, f, scope, 2)
			for _, o := range []pipeline.Options{{Stages: 1}, {Stages: 4}, {Auto: true, MaxLevels: 1}} {
				d := pipelined(t, plain, o)
				r, err := d.Software(t.Context(), s, 2)
				if err != nil || r.Mismatches > 0 || r.Checked != 3000 {
					t.Errorf("%+v: %+v, %v", o, r, err)
				}
			}
			r := rand.New(rand.NewPCG(9, uint64(scope)))
			for found := 0; found < 3; {
				d := plain
				var c netlist.Cell
				d.Product, c = breakGate(r, plain.Product, r.IntN(2) == 0)
				want, err := d.Software(t.Context(), s, 2)
				if err != nil {
					t.Fatal(err)
				}
				if want.Mismatches == 0 {
					continue
				}
				found++
				got, err := pipelined(t, d, pipeline.Options{Stages: 2}).Software(t.Context(), s, 2)
				if err != nil || got.Mismatches != want.Mismatches {
					t.Fatalf("cell %d is broken: %+v, want %+v, %v", c, got, want, err)
				}
				if got.First[0] != want.First[0] {
					t.Errorf("cell %d is broken: %v, without registers %v", c, got.First[0], want.First[0])
				}
			}
		})
	}
}

// TestPipelineRTL simulates pipelines, sound ones and broken ones: a gate, which is named, a
// register that is a wire, and wrong enables.
func TestPipelineRTL(t *testing.T) {
	needs(t, "iverilog", "vvp")
	f := small(62)
	s := randomSamples(f, 200)
	for _, scope := range scopes {
		t.Run(scope.String(), func(t *testing.T) {
			t.Parallel()
			d := pipelined(t, newDesign(t, f, scope, 2), pipeline.Options{Auto: true, MaxLevels: 2})
			files := emit(t, d)
			text, err := os.ReadFile(files.Design)
			if err != nil {
				t.Fatal(err)
			}
			sound := string(text)
			if r := rtl(t, d, s, files, "iverilog"); r.Mismatches != 0 || r.Checked != 200 || r.Ties == 0 {
				t.Fatalf("the sound design: %+v", r)
			}
			r := rand.New(rand.NewPCG(8, uint64(scope)))
			for found := 0; found < 3; {
				broken, layer, gate := breakAssign(t, r, sound)
				write(t, files.Design, broken)
				got := rtl(t, d, s, files, "iverilog")
				if got.Mismatches == 0 {
					continue // the gate does not matter
				}
				found++
				if m := got.First[0]; m.Layer != layer || m.Gate != gate || m.Sample < 0 {
					t.Errorf("layer %d gate %d is broken, named is %v", layer, gate, m)
				}
			}
			for found := 0; found < 3; {
				write(t, files.Design, breakRegister(t, r, sound))
				if rtl(t, d, s, files, "iverilog").Mismatches > 0 {
					found++ // others hold what does not matter
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
				write(t, files.Design, broken)
				if got := rtl(t, d, s, files, "iverilog"); got.Mismatches == 0 {
					t.Errorf("%q instead of %q: %+v", fault[1], fault[0], got)
				}
			}
		})
	}
}

var transfer = regexp.MustCompile(`\.d\(([^)]*)\), \.q\((\w+_s\d+)\)\);`)

// breakRegister makes a wire of one register at random.
func breakRegister(t *testing.T, r *rand.Rand, text string) string {
	t.Helper()
	all := transfer.FindAllStringSubmatch(text, -1)
	if len(all) < 10 {
		t.Fatalf("only %d registers in the Verilog", len(all))
	}
	m := all[r.IntN(len(all))]
	return strings.Replace(text, m[0], ".d("+m[1]+"), .q());\n  assign "+m[2]+" = "+m[1]+";", 1)
}

// TestPipelineVerilator runs a pipeline in the other simulator, which knows no unknown values.
func TestPipelineVerilator(t *testing.T) {
	needs(t, "verilator")
	t.Parallel()
	f := small(63)
	d := pipelined(t, newDesign(t, f, netlist.Core, 2), pipeline.Options{Stages: 2})
	if r := rtl(t, d, randomSamples(f, 100), emit(t, d), "verilator"); r.Mismatches != 0 || r.Checked != 100 {
		t.Errorf("%+v", r)
	}
}
