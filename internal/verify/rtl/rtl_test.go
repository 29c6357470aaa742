package rtl

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/verify"
	"ialgn/internal/verify/verifytest"
	"ialgn/internal/verilog"
	"ialgn/netlist"
)

// TestRead parses a testbench's output about 100 vectors.
func TestRead(t *testing.T) {
	index := make([]int32, 100)
	for i := range index {
		index[i] = int32(1000 + i)
	}
	for _, c := range []struct {
		name, out  string
		mismatches int // -1: no verdict
		first      []verify.Mismatch
	}{
		{"pass", "PASS: 100 vectors\n", 0, nil},
		{"pass after other lines", "VCD info: dumpfile trace.vcd opened for output.\nPASS: 100 vectors\ntb.v:9: $finish " +
			"called\n", 0, nil},
		{"fewer vectors", "PASS: 99 vectors\n", -1, nil},
		{"more vectors", "PASS: 1000 vectors\n", -1, nil},
		{"in a sentence", "this is a PASS: 100 vectors\n", -1, nil},
		{"samples but a pass", "sample 3: class_index: got 1, want 2\nPASS: 100 vectors\n", -1, nil},
		{
			"fail", "sample 3: class_index: got 1, want 2\nFAIL: 1 of 100 vectors\n", 1,
			[]verify.Mismatch{{Sample: 1003, Gate: -1, What: "the Verilog differs in class_index: got 1, want 2"}},
		},
		{"fail of all", "FAIL: 100 of 100 vectors\n", 100, nil},
		{"fail of none", "FAIL: 0 of 100 vectors\n", -1, nil},
		{"fail of fewer", "FAIL: 1 of 99 vectors\n", -1, nil},
		{"pass then fail", "PASS: 100 vectors\nFAIL: 2 of 100 vectors\n", -1, nil},
		{"twice a pass", "PASS: 100 vectors\nPASS: 100 vectors\n", -1, nil},
		{"fail then pass", "FAIL: 2 of 100 vectors\nPASS: 100 vectors\n", -1, nil},
		{"vectors missing", "FAIL: vectors.txt ends after 3 vectors\n", -1, nil},
		{"no file", "FAIL: cannot open vectors.txt\n", -1, nil},
		{"garbage", "Segmentation fault\x00\xff", -1, nil},
		{"nothing", "", -1, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &Run{Checked: 100}
			err := r.Read(c.out, index)
			if (err != nil) != (c.mismatches < 0) {
				t.Fatalf("error %v", err)
			}
			if err != nil && !strings.Contains(err.Error(), "no verdict over 100 vectors") {
				t.Errorf("error %v", err)
			}
			if diff := cmp.Diff(c.first, r.First); err == nil && (diff != "" || r.Mismatches != c.mismatches) {
				t.Errorf("%d mismatches (-want +got):\n%s", r.Mismatches, diff)
			}
		})
	}
}

func TestChoose(t *testing.T) {
	const classes = 2
	counts := func(ties string) (all []int32) { // one sample for each letter, where t means a tie
		for _, r := range ties {
			all = append(all, 3, map[rune]int32{'t': 3, '.': 1}[r])
		}
		return all
	}
	for _, c := range []struct {
		name, samples string
		n             int
		want          []int32
		ties          int
	}{
		{"ties first", "....t..t", 4, []int32{4, 7, 0, 2}, 2},
		{"half of them at most", "tttttttt", 4, []int32{0, 1, 2, 4}, 4},
		{"half, then others evenly", "tttt....", 4, []int32{0, 1, 2, 4}, 3},
		{"no ties", "........", 4, []int32{0, 2, 4, 6}, 0},
		{"odd", "tt.......", 3, []int32{0, 1, 3}, 2},
		{"all of them", "t.t.", 9, []int32{0, 2, 1, 3}, 2},
		{"one", "...t", 1, []int32{3}, 1},
		{"one without ties", "....", 1, []int32{0}, 0},
	} {
		got, ties := Choose(counts(c.samples), classes, c.n)
		if diff := cmp.Diff(c.want, got); diff != "" || ties != c.ties {
			t.Errorf("%s: %d ties, want %d (-want +got):\n%s", c.name, ties, c.ties, diff)
		}
	}
	if tied([]int32{5}) || !tied([]int32{0, 0}) || tied([]int32{2, 2, 3}) {
		t.Error("tied counts are mistaken")
	}
}

// TestReadDump reads the last value of each wire from a dump.
func TestReadDump(t *testing.T) {
	got, err := readDump(strings.NewReader(`$date today $end
$scope module tb $end
$scope module dut $end
$var wire 1 ! c0_k1_l2 $end
$var wire 1 " alias $end
$var wire 1 " fn_3 $end
$var wire 4 # count_0 [3:0] $end
$upscope $end
$enddefinitions $end
#0
$dumpvars
bxxxx #
x!
x"
$end
#1
b101 #
1!
0"
#2
0!
`))
	want := map[string]string{"c0_k1_l2": "0", "alias": "0", "fn_3": "0"}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("error %v (-want +got):\n%s", err, diff)
	}
}

// emit writes the Verilog of a design.
func emit(t *testing.T, d verify.Design) Files {
	t.Helper()
	return emitTo(t, d, t.TempDir())
}

// emitTo writes the Verilog of a design into a folder.
func emitTo(t *testing.T, d verify.Design, dir string) Files {
	t.Helper()
	f := Files{Module: "net", Design: filepath.Join(dir, "net.v")}
	var design bytes.Buffer
	if err := verilog.Write(&design, d.Product, verilog.Options{Module: f.Module}); err != nil {
		t.Fatal(err)
	}
	verifytest.Write(t, f.Design, design.String())
	return f
}

// TestVerilogFaults changes one place in the Verilog, but not in the netlist. The simulation must find the fault. If
// the fault is in a gate, the result must name the gate.
func TestVerilogFaults(t *testing.T) {
	verifytest.Needs(t, "iverilog", "vvp")
	f := verifytest.Small(51)
	s := verifytest.RandomSamples(f, 400)
	for _, scope := range verifytest.Scopes {
		t.Run(scope.String(), func(t *testing.T) {
			t.Parallel()
			d := verifytest.NewDesign(t, f, scope, 2)
			files := emit(t, d)
			sound, err := os.ReadFile(files.Design)
			if err != nil {
				t.Fatal(err)
			}
			if r := simulateDesign(t, d, s, files, "iverilog"); r.Mismatches != 0 || r.Checked != 400 || r.Ties == 0 {
				t.Fatalf("the sound design: %+v", r)
			}
			r := rand.New(rand.NewPCG(8, uint64(scope)))
			for found := 0; found < 4; {
				text, layer, gate := breakAssign(t, r, string(sound))
				verifytest.Write(t, files.Design, text)
				got := simulateDesign(t, d, s, files, "iverilog")
				if got.Mismatches == 0 {
					continue // the gate does not matter
				}
				found++
				if m := got.First[0]; m.Layer != layer || m.Gate != gate || m.Sample < 0 {
					t.Errorf("layer %d gate %d is broken, named is %v", layer, gate, m)
				}
			}
			if scope == netlist.Gates {
				return
			}
			verifytest.Write(t, files.Design, strings.Replace(string(sound), "> best", ">= best", 1))
			got := simulateDesign(t, d, s, files, "iverilog")
			if got.Mismatches == 0 || got.Mismatches > got.Ties {
				t.Errorf("%d samples differ by the tie rule, %d have ties", got.Mismatches, got.Ties)
			}
			if m := got.First[0]; m.Layer != 0 || m.Gate != -1 {
				t.Errorf("a gate is named for the tie rule: %v", m)
			}
		})
	}
}

// TestUncertainFaults changes the output uncertain in the Verilog, but not in the netlist. The simulation must find the
// fault.
func TestUncertainFaults(t *testing.T) {
	verifytest.Needs(t, "iverilog", "vvp")
	f := verifytest.Small(51)
	s := verifytest.RandomSamples(f, 400)
	d := verifytest.UncertainDesign(t, f, netlist.Core, 3, "", 0)
	files := emit(t, d)
	sound, err := os.ReadFile(files.Design)
	if err != nil {
		t.Fatal(err)
	}
	if r := simulateDesign(t, d, s, files, "iverilog"); r.Mismatches != 0 || r.Checked != 400 {
		t.Fatalf("the sound design: %+v", r)
	}
	for _, change := range [][2]string{{".MARGIN(3)", ".MARGIN(2)"}, {".MARGIN(3)", ".MARGIN(4)"}, {"one = 1'b0", "one = 1'b1"}} {
		text := strings.Replace(string(sound), change[0], change[1], 1)
		verifytest.Write(t, files.Design, text)
		got := simulateDesign(t, d, s, files, "iverilog")
		if text == string(sound) || got.Mismatches == 0 || !strings.Contains(got.First[0].What, netlist.UncertainPort) {
			t.Errorf("%v: %+v", change, got)
		}
	}
}

var assignment = regexp.MustCompile(`(?m)^  assign (?:c\d+_)?k(\d+)_l(\d+)(?:_n\d+)? = (.*);$`)

// breakAssign inverts a random gate, in a statement of one of the forms that the writer uses.
func breakAssign(t *testing.T, r *rand.Rand, text string) (broken string, layer, gate int) {
	t.Helper()
	all := assignment.FindAllStringSubmatchIndex(text, -1)
	if len(all) < 10 {
		t.Fatalf("only %d gates in the Verilog", len(all))
	}
	m := all[r.IntN(len(all))]
	if _, err := fmt.Sscan(text[m[2]:m[3]], &gate); err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscan(text[m[4]:m[5]], &layer); err != nil {
		t.Fatal(err)
	}
	inverted := "  wire inverted;\n  assign inverted = " + text[m[6]:m[1]] + "\n" + text[m[0]:m[6]] + "~inverted;"
	return text[:m[0]] + inverted + text[m[1]:], layer, gate
}

func simulateDesign(t *testing.T, d verify.Design, s verify.Samples, files Files, simulator string) *Run {
	t.Helper()
	r, err := Check(t.Context(), d, s, files, simulator, s.Levels.Len())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// oddNames are folder names that have a special meaning for some program.
var oddNames = []string{"a \"b\" 'c'\nd", `$(touch x)\`, "-o", " *.v", "#%d${HOME}"}

func oddFolder(t *testing.T, name string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestPaths simulates designs in folders with odd names, as a whole and class by class. In one design, a gate is
// broken, and the result must name this gate.
func TestPaths(t *testing.T) {
	verifytest.Needs(t, "iverilog", "vvp")
	f := verifytest.Small(54)
	s := verifytest.RandomSamples(f, 20)
	d := verifytest.NewDesign(t, f, netlist.Core, 2)
	for _, name := range oddNames {
		files := emitTo(t, d, oddFolder(t, name))
		for _, files.ByClass = range []bool{false, true} {
			if r := simulateDesign(t, d, s, files, "iverilog"); r.Mismatches > 0 || r.Checked == 0 {
				t.Errorf("%q: %+v", name, r)
			}
		}
		text, err := os.ReadFile(files.Design)
		if err != nil {
			t.Fatal(err)
		}
		broken := assignment.ReplaceAllStringFunc(string(text), func(line string) string {
			wire, value, _ := strings.Cut(strings.TrimSuffix(line, ";"), " = ")
			return wire + " = ~(" + value + ");"
		})
		files.ByClass = false
		verifytest.Write(t, files.Design, broken)
		if r := simulateDesign(t, d, s, files, "iverilog"); r.Mismatches == 0 || r.First[0].Gate < 0 {
			t.Errorf("%q: with inverted gates: %+v", name, r)
		}
	}
}

// TestVerilator runs one design in verilator, in a folder with an odd name. The C++ compiler does not optimise, since
// building takes longer than the simulation.
func TestVerilator(t *testing.T) {
	verifytest.Needs(t, "verilator")
	t.Setenv("MAKEFLAGS", "OPT_FAST=-O0 OPT_SLOW=-O0 OPT_GLOBAL=-O0")
	f := verifytest.Small(52)
	s := verifytest.RandomSamples(f, 100)
	d := verifytest.NewDesign(t, f, netlist.Full, 2)
	files := emitTo(t, d, oddFolder(t, oddNames[0]))
	text, err := os.ReadFile(files.Design)
	if err != nil {
		t.Fatal(err)
	}
	verifytest.Write(t, files.Design, strings.Replace(string(text), "> best", "< best", 1))
	r := simulateDesign(t, d, s, files, "verilator")
	if r.Mismatches == 0 || r.Checked != 100 || !strings.Contains(r.Simulator, "Verilator") {
		t.Errorf("with the smallest count's class: %+v", r)
	}
	for _, m := range r.First {
		if !strings.Contains(m.What, "class_index") {
			t.Errorf("more than the class differs: %v", m)
		}
	}
}

// TestRTLErrors checks cases without a result: an unknown simulator, Verilog that does not compile, and a testbench
// that gives no verdict.
func TestRTLErrors(t *testing.T) {
	verifytest.Needs(t, "iverilog", "vvp")
	f := verifytest.Small(53)
	s := verifytest.RandomSamples(f, 20)
	d := verifytest.NewDesign(t, f, netlist.Core, 2)
	run := func(files Files, simulator string) error {
		_, err := Check(t.Context(), d, s, files, simulator, 20)
		return err
	}
	if err := run(emit(t, d), "vcs"); err == nil || !strings.Contains(err.Error(), "give auto, iverilog or verilator") {
		t.Errorf("simulator vcs: %v", err)
	}
	files := emit(t, d)
	verifytest.Write(t, files.Design, "module net(; endmodule")
	if err := run(files, "iverilog"); err == nil || !strings.Contains(err.Error(), "syntax error") {
		t.Errorf("damaged Verilog: %v", err)
	}
	files = emit(t, d)
	text, err := os.ReadFile(files.Design)
	if err != nil {
		t.Fatal(err)
	}
	verifytest.Write(t, files.Design, strings.Replace(string(text), "endmodule",
		"initial $display(\"PASS: 7 vectors\");\nendmodule",
		1))
	if err := run(files, "iverilog"); err == nil || !strings.Contains(err.Error(), "no verdict") {
		t.Errorf("a design that prints a verdict itself: %v", err)
	}
	t.Setenv("PATH", "")
	if err := run(files, "iverilog"); err == nil || !strings.Contains(err.Error(), "package iverilog") {
		t.Errorf("without iverilog: %v", err)
	}
}
