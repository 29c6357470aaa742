package rtl

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ialgn/internal/hardware/pipeline"
	"ialgn/internal/netgen"
	"ialgn/internal/target"
	"ialgn/internal/testkit"
	"ialgn/internal/verify"
	"ialgn/internal/verify/verifytest"
	"ialgn/internal/verilog"
	"ialgn/internal/verilog/syntax"
	"ialgn/netlist"
)

// byClassForms returns forms of a design that are simulated class by class.
func byClassForms(t *testing.T, seed uint64) map[string]verify.Design {
	f := verifytest.Small(seed)
	auto := pipeline.Options{Auto: true, MaxLevels: 2}
	shared := netgen.Model(netgen.ModelOptions{Seed: seed, Features: 9, Width: 36, Depth: 4, Topology: "rwlgn"}).Freeze()
	return map[string]verify.Design{
		"core":         verifytest.NewDesign(t, f, netlist.Core, 2),
		"full":         verifytest.NewDesign(t, f, netlist.Full, 2),
		"shared gates": verifytest.NewDesign(t, shared, netlist.Core, 2),
		"one gate a class": verifytest.NewDesign(t, netgen.Model(netgen.ModelOptions{Seed: seed, Width: 3, Depth: 2}).Freeze(),
			netlist.Core, 0),
		"pipelined":         verifytest.Pipelined(t, verifytest.NewDesign(t, f, netlist.Core, 2), auto),
		"mapped":            verifytest.LoweredDesign(t, f, netlist.Full, "generic", 6, false),
		"mapped, shared":    verifytest.LoweredDesign(t, shared, netlist.Full, "generic", 4, false),
		"mapped, pipelined": verifytest.LoweredDesign(t, f, netlist.Full, "ice40", 4, false, auto),
	}
}

// emitByClass writes the Verilog of a design that is to be simulated class by class.
func emitByClass(t *testing.T, d verify.Design) (Files, string) {
	t.Helper()
	files := emit(t, d)
	files.ByClass = true
	text, err := os.ReadFile(files.Design)
	if err != nil {
		t.Fatal(err)
	}
	return files, string(text)
}

// TestByClass simulates sound and broken designs class by class. The simulation must find each broken gate that
// matters, and must name the gate if it has its own wire.
func TestByClass(t *testing.T) {
	verifytest.Needs(t, "iverilog", "vvp")
	for name, d := range byClassForms(t, 71) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := verifytest.RandomSamples(d.Model, 150)
			files, sound := emitByClass(t, d)
			if r := simulateDesign(t, d, s, files, "iverilog"); r.Mismatches != 0 || r.Checked != 150 || !r.ByClass {
				t.Fatalf("the sound design: %+v", r)
			}
			if len(assignment.FindAllString(sound, 10)) < 10 {
				return // almost all of the mapped design is the head
			}
			r := rand.New(rand.NewPCG(8, 1))
			for found := 0; found < 2; {
				broken, layer, gate := breakAssign(t, r, sound)
				verifytest.Write(t, files.Design, broken)
				whole := files
				whole.ByClass = false
				want, got := simulateDesign(t, d, s, whole, "iverilog"), simulateDesign(t, d, s, files, "iverilog")
				if (want.Mismatches > 0) != (got.Mismatches > 0) {
					t.Fatalf("layer %d gate %d is broken: %d differ as a whole, %d by class", layer, gate, want.Mismatches,
						got.Mismatches)
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

// TestByClassHead breaks the head. The argmax is simulated with the trainer's counts as its input, and each count is
// simulated alone.
func TestByClassHead(t *testing.T) {
	verifytest.Needs(t, "iverilog", "vvp")
	for name, d := range byClassForms(t, 72) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := verifytest.RandomSamples(d.Model, 150)
			files, sound := emitByClass(t, d)
			verifytest.Write(t, files.Design, breakHead(t, sound))
			r := simulateDesign(t, d, s, files, "iverilog")
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

// headWords matches the first two words of an argmax, or the bits of the class.
var headWords = regexp.MustCompile(`((?:\.counts\(|assign class_index = )\{[^;]*?)([\w\[\]]+),(\s+)([\w\[\]]+)([,}])`)

// breakHead exchanges two words of the argmax, or two bits of the class.
func breakHead(t *testing.T, sound string) string {
	t.Helper()
	at := headWords.FindStringSubmatchIndex(sound)
	if at == nil {
		t.Fatal("there is neither an argmax nor a class of several bits")
	}
	return sound[:at[0]] + string(headWords.ExpandString(nil, "$1$4,$3$2$5", sound, at)) + sound[at[1]:]
}

// TestPartsAreLines checks that each part of a design consists of lines of the design's file, in their order. Every
// line that drives something must be in some part. No part may have a line that it does not need.
func TestPartsAreLines(t *testing.T) {
	for name, d := range byClassForms(t, 73) {
		files, text := emitByClass(t, d)
		source, err := parseSource([]byte(text), files.Module)
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
			for k, kept := range part.kept {
				if kept {
					all[k] = true
				}
			}
			if i == 0 {
				first = part.cells()
			}
		}
		for i, st := range source.Statements {
			if roleOf(st.Form) == drives && !all[i] && st.Form != syntax.Unused {
				t.Errorf("%s: in no part: %s", name, source.Text[st.From:st.To])
			}
		}
		if len(d.Product.Probes()) > 1 && first > len(all)*3/4 && !strings.Contains(name, "shared") {
			t.Errorf("%s: the part of one class has %d of %d statements", name, first, len(all))
		}
	}
}

// TestParseSource parses a small file. It also checks that files with forms that the writer does not write are
// refused.
func TestParseSource(t *testing.T) {
	const sound = "// Module m\n`default_nettype none\n\nmodule m (\n    input  wire [3:0] x,\n    output wire [17:0] " +
		"h\n);\n  wire a, b;\n  assign a = x[0];\n" +
		"  LUT2 #(.INIT(4'h8)) b_i (.I0(a), .I1(x[1]), .F(b));\n  assign h[15:0] = {16{1'b0}};\n  assign h[17:16] = {a, " +
		"b};\nendmodule\n\n`default_nettype wire\n"
	s, err := parseSource([]byte(sound), "m")
	if err != nil || s.part([]string{"h"}, nil).cells() != 4 || s.part([]string{"b"}, nil).cells() != 2 ||
		s.part([]string{"a"}, nil).cells() != 1 {
		t.Fatalf("the sound file: %v", err)
	}
	if p := s.part([]string{"h"}, map[string]bool{"b": true}); p.cells() != 3 || !p.needs("a") || !p.needs("b") ||
		p.needs("c") {
		t.Errorf("cut at b: %d cells", p.cells())
	}
	broken := strings.Replace(sound, "assign a = x[0];", "reg r; always @(x) r = x[0]; assign a = r;", 1)
	if _, err := parseSource([]byte(broken), "m"); err == nil || !strings.Contains(err.Error(), "line 9: ") {
		t.Errorf("a form that is not written: %v", err)
	}
}

// TestByClassTargets simulates designs of every target and style class by class, with and without a pipeline. It
// simulates each design as it is, and with one changed table.
func TestByClassTargets(t *testing.T) {
	verifytest.Needs(t, "iverilog", "vvp")
	for _, f := range target.Families() {
		for _, style := range []verilog.Style{verilog.Gates, verilog.LUTs} {
			for _, p := range []pipeline.Options{{}, {Stages: 3}} {
				if !testkit.Whole() && (style == verilog.Gates) == (p.Stages == 0) {
					continue
				}
				t.Run(fmt.Sprintf("%s-%d-%d", f, style, p.Stages), func(t *testing.T) {
					t.Parallel()
					d := verifytest.LoweredDesign(t, verifytest.Small(75), netlist.Full, f.Name, 4, false, p)
					byClassTarget(t, d, verilog.Options{Module: "net", Style: style, Target: f})
				})
			}
		}
	}
}

// table matches the last digit of the table of a LUT, in a cell of a class.
var table = regexp.MustCompile(`'h[0-9a-f]*([0-9a-f])\)\) c\d`)

func byClassTarget(t *testing.T, d verify.Design, o verilog.Options) {
	t.Helper()
	var text bytes.Buffer
	if err := verilog.Write(&text, d.Product, o); err != nil {
		t.Fatal(err)
	}
	sound, s := text.String(), verifytest.RandomSamples(d.Model, 150)
	files := Files{
		Module: o.Module, Design: filepath.Join(t.TempDir(), "net.v"), Style: o.Style, Target: o.Target,
		ByClass: true,
	}
	verifytest.Write(t, files.Design, sound)
	if r := simulateDesign(t, d, s, files, "iverilog"); r.Mismatches != 0 || r.Checked != 150 || !r.ByClass {
		t.Fatalf("the sound design: %+v", r)
	}
	if o.Style == verilog.Gates {
		return // TestByClass already breaks these designs
	}
	tables := table.FindAllStringSubmatchIndex(sound, -1)
	if len(tables) == 0 {
		t.Fatal("no LUT of a class")
	}
	shown := 0
	for _, at := range tables[:min(len(tables), 6)] {
		if shown == 2 {
			break
		}
		verifytest.Write(t, files.Design, sound[:at[2]]+string("123456789abcdef0"[strings.IndexByte("0123456789abcdef",
			sound[at[2]])])+sound[at[3]:])
		whole := files
		whole.ByClass = false
		want, got := simulateDesign(t, d, s, whole, "iverilog"), simulateDesign(t, d, s, files, "iverilog")
		if (want.Mismatches > 0) != (got.Mismatches > 0) {
			t.Fatalf("a changed table: %d differ as a whole, %d by class", want.Mismatches, got.Mismatches)
		}
		if got.Mismatches > 0 {
			shown++
		}
	}
	if shown == 0 {
		t.Error("no changed table shows")
	}
}

// TestByClassErrors checks the errors for simulations that are impossible.
func TestByClassErrors(t *testing.T) {
	verifytest.Needs(t, "iverilog", "vvp")
	d := verifytest.NewDesign(t, verifytest.Small(74), netlist.Gates, 2)
	files := emit(t, d)
	files.ByClass = true
	if _, err := Check(t.Context(), d, verifytest.RandomSamples(d.Model, 5), files, "iverilog", 5); err == nil ||
		!strings.Contains(err.Error(), "no class counts") {
		t.Errorf("scope gates: %v", err)
	}
	var b bytes.Buffer
	err := verilog.WriteTestbench(&b, d.Product, verilog.Options{Module: "m", Compare: []string{"count_0"}})
	if err == nil || b.Len() > 0 || !strings.Contains(err.Error(), fmt.Sprintf("no output port or probe %q", "count_0")) {
		t.Errorf("a bus that is not there: %v", err)
	}
}
