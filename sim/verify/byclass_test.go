package verify

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ialgn/backend/verilog"
	"ialgn/compiler/pipeline"
	"ialgn/internal/modelgen"
	"ialgn/netlist"
)

// forms of a design that are simulated class by class.
func byClassForms(t *testing.T, seed uint64) map[string]Design {
	f := small(seed)
	auto := pipeline.Options{Auto: true, MaxLevels: 2}
	shared := modelgen.New(modelgen.Options{Seed: seed, Features: 9, Width: 36, Depth: 4, Topology: "rwlgn"}).Freeze()
	return map[string]Design{
		"core":              newDesign(t, f, netlist.Core, 2),
		"full":              newDesign(t, f, netlist.Full, 2),
		"shared gates":      newDesign(t, shared, netlist.Core, 2),
		"one gate a class":  newDesign(t, modelgen.New(modelgen.Options{Seed: seed, Width: 3, Depth: 2}).Freeze(), netlist.Core, 0),
		"pipelined":         pipelined(t, newDesign(t, f, netlist.Core, 2), auto),
		"mapped":            loweredDesign(t, f, netlist.Full, "generic", 6, false),
		"mapped, shared":    loweredDesign(t, shared, netlist.Full, "generic", 4, false),
		"mapped, pipelined": loweredDesign(t, f, netlist.Full, "ice40", 4, false, auto),
	}
}

// emitByClass writes the Verilog of a design that is to be simulated class by class.
func emitByClass(t *testing.T, d Design) (RTLFiles, string) {
	t.Helper()
	files := emit(t, d)
	files.ByClass = true
	text, err := os.ReadFile(files.Design)
	if err != nil {
		t.Fatal(err)
	}
	return files, string(text)
}

// TestByClass simulates sound designs class by class, and broken ones: each gate that matters
// is found, and named where it has a wire of its own.
func TestByClass(t *testing.T) {
	needs(t, "iverilog", "vvp")
	for name, d := range byClassForms(t, 71) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := randomSamples(d.Model, 150)
			files, sound := emitByClass(t, d)
			if r := rtl(t, d, s, files, "iverilog"); r.Mismatches != 0 || r.Checked != 150 || !r.ByClass {
				t.Fatalf("the sound design: %+v", r)
			}
			if len(assignment.FindAllString(sound, 10)) < 10 {
				return // mapped to nearly nothing but the head
			}
			r := rand.New(rand.NewPCG(8, 1))
			for found := 0; found < 2; {
				broken, layer, gate := breakAssign(t, r, sound)
				write(t, files.Design, broken)
				whole := files
				whole.ByClass = false
				want, got := rtl(t, d, s, whole, "iverilog"), rtl(t, d, s, files, "iverilog")
				if (want.Mismatches > 0) != (got.Mismatches > 0) {
					t.Fatalf("layer %d gate %d is broken: %d differ as a whole, %d by class", layer, gate, want.Mismatches, got.Mismatches)
				}
				if got.Mismatches == 0 {
					continue // the gate does not matter
				}
				found++
				if m := got.First[0]; m.Layer != layer || m.Gate != gate || m.Sample < 0 {
					t.Errorf("layer %d gate %d is broken, named is %v", layer, gate, m)
				}
			}
		})
	}
}

// TestByClassHead breaks the head: the argmax is judged by the trainer's counts, and a count by
// nothing but itself.
func TestByClassHead(t *testing.T) {
	needs(t, "iverilog", "vvp")
	for name, d := range byClassForms(t, 72) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := randomSamples(d.Model, 150)
			files, sound := emitByClass(t, d)
			if strings.Contains(sound, "> best") {
				write(t, files.Design, strings.Replace(sound, "> best", ">= best", 1))
			} else {
				last := regexp.MustCompile(`(?m)^  assign class_index_b0 = ([^;]*);`)
				if !last.MatchString(sound) {
					t.Fatal("the lowest bit of the class is no cell")
				}
				write(t, files.Design, last.ReplaceAllString(sound, "  assign class_index_b0 = ~($1);"))
			}
			r := rtl(t, d, s, files, "iverilog")
			if r.Mismatches == 0 || r.Mismatches > r.Checked {
				t.Fatalf("a broken argmax: %+v", r)
			}
			for _, m := range r.First {
				if !strings.Contains(m.What, "class_index") {
					t.Errorf("more than the class differs: %v", m)
				}
			}
		})
	}
}

// TestPartsAreLines holds that a part of a design is made of lines of its file, in their order,
// that all parts together have every line that drives something, and that a part has none
// that is not needed.
func TestPartsAreLines(t *testing.T) {
	for name, d := range byClassForms(t, 73) {
		files, text := emitByClass(t, d)
		source, err := parseSource([]byte(text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		all, first := map[int]bool{}, 0
		for i, p := range slices.Concat(d.Product.Probes(), d.Product.OutputPorts()) {
			part := source.part([]string{p.Name}, nil)
			var b bytes.Buffer
			if err := part.write(&b, ""); err != nil {
				t.Fatal(err)
			}
			rest := text
			for line := range strings.Lines(b.String()) {
				_, after, ok := strings.Cut(rest, line)
				if !ok {
					t.Fatalf("%s: %s: a line that is not in %s, or not there: %q", name, p.Name, files.Module, line)
				}
				rest = after
			}
			for k := range part.kept {
				all[k] = true
			}
			if i == 0 {
				first = part.cells()
			}
		}
		for i, st := range source.statements {
			if st.role == drives && !all[i] && !strings.HasPrefix(st.drives[0], "unused_") {
				t.Errorf("%s: in no part: %s", name, st.text)
			}
		}
		if len(d.Product.Probes()) > 1 && first > len(all)*3/4 && !strings.Contains(name, "shared") {
			t.Errorf("%s: the part of one class has %d of %d statements", name, first, len(all))
		}
	}
}

// TestParseRefuses reads files that are not as they were written.
func TestParseRefuses(t *testing.T) {
	const sound = "// m\nmodule m (\n    input  wire [3:0] x,\n    output wire [1:0] h\n);\n  wire a, b;\n  assign a = x[0];\n" +
		"  m_popcount #(.WIDTH(2), .BITS(1)) b_i (\n      .bits({a, x[1]}),\n      .count(b));\n  assign h[0:0] = b;\n  assign h[1:1] = a;\nendmodule\n"
	if s, err := parseSource([]byte(sound)); err != nil || s.part([]string{"h"}, nil).cells() != 4 || s.part([]string{"a"}, nil).cells() != 1 {
		t.Fatalf("the sound file: %v", err)
	}
	for _, c := range []struct{ name, from, to, want string }{
		{"two statements", "x[0];", "x[0]; assign b = a;", "line 7"},
		{"a comment behind", "x[0];", "x[0]; // a", "line 7"},
		{"a directive", "  wire a, b;", "`define a b\n  wire a, b;", "line 6"},
		{"an initial block", "  wire a, b;", "  initial a = b;", "line 6"},
		{"driven twice", "  assign h[0:0]", "  assign b = x[2];\n  assign h[0:0]", "line 11 of the Verilog: b is driven a second time"},
		{"a bit driven twice", "h[1:1]", "h[0:0]", "h is driven a second time"},
		{"a whole and a bit", "assign h[1:1]", "assign h", "h is driven a second time"},
		{"an unknown module", ".count(b)", ".sum(b)", "nothing that ialgn writes"},
		{"an escaped name", "assign a =", "assign \\a =", "line 7"},
		{"no end", "endmodule", "", "has no end"},
		{"a module before", "module m", "module n;\nendmodule\nmodule m", "does not begin with one module"},
	} {
		text := strings.Replace(sound, c.from, c.to, 1)
		if _, err := parseSource([]byte(text)); text == sound || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}

// TestByClassErrors asks for what cannot be.
func TestByClassErrors(t *testing.T) {
	needs(t, "iverilog", "vvp")
	d := newDesign(t, small(74), netlist.Gates, 2)
	files := emit(t, d)
	files.ByClass = true
	if _, err := d.RTL(t.Context(), randomSamples(d.Model, 5), files, "iverilog", 5); err == nil || !strings.Contains(err.Error(), "no class counts") {
		t.Errorf("scope gates: %v", err)
	}
	var b bytes.Buffer
	err := verilog.WriteTestbench(&b, d.Product, verilog.Options{Module: "m", Compare: []string{"count_0"}})
	if err == nil || b.Len() > 0 || !strings.Contains(err.Error(), fmt.Sprintf("no output port or probe %q", "count_0")) {
		t.Errorf("a bus that is not there: %v", err)
	}
}
