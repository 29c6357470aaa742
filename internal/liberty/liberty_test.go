package liberty

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ialgn/internal/testkit"
)

// example is the library of the repository.
var example = filepath.Join("..", "..", "examples", "chips", "cells.lib")

// installed returns the Liberty files of Debian's packages qflow-tech that are installed.
func installed() []string {
	files, _ := filepath.Glob("/usr/share/qflow/tech/*/*.lib") // the pattern is valid
	return files
}

// read reads a library.
func read(t testing.TB, path string) *Library {
	t.Helper()
	l, _, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestExample checks what is read of the library in the repository.
func TestExample(t *testing.T) {
	l := read(t, example)
	want := []string{"INV", "BUF", "NAND2", "NAND3", "NOR2", "AOI21", "OAI21", "XOR2", "FA", "DFF"}
	if l.Name != "example_cells" || !slices.Equal(l.Usable(), want) || len(l.SHA256) != 64 {
		t.Errorf("library %q of %q", l.Name, l.Usable())
	}
	a := l.FullAdder()
	if a == nil || a.Cell.Name != "FA" || !slices.Equal(a.Inputs, []string{"A", "B", "CI"}) || a.Sum != "S" || a.Carry != "CO" {
		t.Errorf("full adder %+v", a)
	}
	if nand := l.NAND2(); nand == nil || nand.Name != "NAND2" || nand.Area != 24 {
		t.Errorf("NAND2 %+v", nand)
	}
	if !l.Registers() || !l.Timed() || !l.Cell("DFF").IsRegister() || l.Cell("FA").IsRegister() || l.Cell("none") != nil {
		t.Error("registers or delays are not found")
	}
}

// TestQflow reads the libraries of Debian. Only their latches, their pads and their buffers that can be switched off are
// unusable.
func TestQflow(t *testing.T) {
	files := installed()
	if len(files) == 0 {
		t.Skip("no Liberty files: install qflow-tech-osu018")
	}
	for _, path := range files {
		l := read(t, path)
		for _, c := range l.Cells {
			if odd := oddCell.MatchString(c.Name); odd != (c.Unusable != "") {
				t.Errorf("%s: cell %s: %q", path, c.Name, c.Unusable)
			}
		}
		if a := l.FullAdder(); a == nil || a.Cell.Name != "FAX1" || !l.Registers() || !l.Timed() || l.NAND2().Name != "NAND2X1" {
			t.Errorf("%s: full adder %+v", path, a)
		}
	}
}

// oddCell matches the names of Debian's cells that are not gates or flip-flops.
var oddCell = regexp.MustCompile(`^(LATCH|TBUFX\d|PADINOUT|PADFC|PADNC|PADVDD|PADGND)$`)

// TestFunction compares functions with values that follow from the order of the operators, and the text in Verilog with
// the function.
func TestFunction(t *testing.T) {
	for text, want := range map[string]string{
		"A":                    "A",
		"!A'":                  "~~A",
		"A B + C":              "((A & B) | C)",
		"A & B ^ C":            "(A & (B ^ C))",
		"A*B|C*!(A+B)'":        "((A & B) | (C & ~~(A | B)))",
		"(!((A B)+C))":         "~((A & B) | C)",
		"A^B^C":                "(A ^ B ^ C)",
		"(A B)C 1":             "((A & B) & C & 1'b1)",
		"0":                    "1'b0",
		" ( A ) ( ! B ) ":      "(A & ~B)",
		"A !B":                 "(A & ~B)",
		"D[1] + a_b":           "(D[1] | a_b)",
		"((A ^ B) ^ CI) & EN'": "(((A ^ B) ^ CI) & ~EN)",
	} {
		f, err := parseFunction(text)
		if err != nil || f.String() != want {
			t.Errorf("%q: %v, %v, want %s", text, f, err, want)
		}
	}
	for _, text := range []string{"", "A +", "(A", "A)", "!", "A @ B", "'A", strings.Repeat("!", 5000) + "A"} {
		if f, err := parseFunction(text); err == nil {
			t.Errorf("%.20q: %.60v, want an error", text, f)
		}
	}
	f, err := parseFunction("(A B) + (C !A)")
	if err != nil {
		t.Fatal(err)
	}
	if table, ok := f.table("A", "B", "C"); !ok || table != 0b11011000 {
		t.Errorf("table %08b, %v", table, ok)
	}
	if _, ok := f.table("A", "B"); ok {
		t.Error("a table without the pin C")
	}
}

// TestModels simulates the models of all cells of the libraries. The outputs for all inputs must be the values of the
// functions, and registers must take their input at the edge of the clock.
func TestModels(t *testing.T) {
	iverilog, vvp := testkit.FindTool(t, "iverilog"), testkit.FindTool(t, "vvp")
	for _, path := range append(installed(), example) {
		l := read(t, path)
		models, err := l.Models(l.Usable())
		if err != nil {
			t.Fatal(err)
		}
		var bench, want strings.Builder
		bench.WriteString("module bench;\nreg [15:0] i;\nreg clk;\n")
		var run strings.Builder
		for _, c := range l.usable() {
			inputs, outputs := c.ports()
			if c.register != nil {
				continue
			}
			line := c.Name + " " + c.Name + "_i ("
			for k, name := range inputs {
				line += "." + name + "(i[" + string(rune('0'+k)) + "]), "
			}
			for _, p := range outputs {
				bench.WriteString("wire " + c.Name + "_" + p.Name + ";\n")
				run.WriteString("for (i = 0; i < " + power(len(inputs)) + "; i = i + 1) begin #1 $write(\"%b\", " +
					c.Name + "_" + p.Name + "); end\n$write(\"\\n\");\n")
				line += "." + p.Name + "(" + c.Name + "_" + p.Name + "), "
				for i := range 1 << len(inputs) {
					v := p.Function.Value(func(name string) bool { return i>>slices.Index(inputs, name)&1 == 1 })
					want.WriteString(map[bool]string{true: "1", false: "0"}[v])
				}
				want.WriteString("\n")
			}
			bench.WriteString(strings.TrimSuffix(line, ", ") + ");\n")
		}
		bench.WriteString("initial begin\n" + run.String() + "end\nendmodule\n")
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "b.v"), []byte(models+bench.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		testkit.RunTool(t, iverilog, dir, "-Wall", "-Wno-timescale", "-s", "bench", "-o", "b", "b.v")
		if got := testkit.RunTool(t, vvp, dir, "-n", "b"); got != want.String() {
			t.Errorf("%s: simulated\n%swant\n%s", path, got, want.String())
		}
	}
}

func power(n int) string { return "1 << " + string(rune('0'+n)) }

// TestRegister compares the model of a flip-flop with a clear and a preset with a text that was checked by hand.
func TestRegister(t *testing.T) {
	l, err := Parse(`library (l) { cell (R) { ff (IQ, IQN) { next_state : "D"; clocked_on : "!CK"; clear : "C"; preset : "!P"; }
	  pin (D CK C P) { direction : input; } pin (Q) { direction : output; function : "IQ"; }
	  pin (QN) { direction : output; function : "IQN"; } } }`)
	if err != nil {
		t.Fatal(err)
	}
	text, err := l.Models([]string{"R"})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"always @(negedge CK or posedge C or negedge P)", "if (C) IQ <= 1'b0;", "if (~P) IQ <= 1'b1;", "IQ <= D;",
		"assign Q = IQ;", "assign QN = IQN;", "wire IQN = ~IQ;",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if _, err := l.Models([]string{"S"}); err == nil {
		t.Error("a model of a cell that the library lacks")
	}
}

// TestRefused checks that faults in a file are errors that name the line.
func TestRefused(t *testing.T) {
	for text, want := range map[string]string{
		"":                                  "the file is empty",
		"/* x":                              "line 1: a comment has no end",
		"library (l)\n{ cell (A) { area":    "line 2: \"\" follows \"area\", want a colon",
		"library (l) {\n":                   "line 1: the group \"library\" has no end",
		"library (l) {}":                    "line 1: the library has no cells",
		"cell (A) {}":                       "line 1: the outermost group is \"cell\"",
		"library (l) {} x":                  "line 1: \"x\" follows the end of the library",
		"area : 3;":                         "line 1: want a group",
		"library (l) {\narea : ;\n}":        "line 2: an attribute has no value",
		"library (l) {\nname (\"a;\n}":      "line 2: a string has no end",
		"library (l) {\nname (a\n}":         "line 3: \"}\" is not a name",
		"library (l) { include_file (f); }": "line 1: include_file",
		"library (l) {\ntime_unit : 1m; }":  "line 2: time_unit \"1m\": want a time",
		"library (l) {\n\ncell (A) { area : x; } }":                        "line 3: area \"x\": want a number",
		"library (l) { cell (A) { area : -1; } }":                          "area is below 0",
		"library (l) { cell () {} }":                                       "a cell has no name",
		"library (l) { cell (A) {}\ncell (A) {} }":                         "line 2: cell \"A\" occurs twice",
		"library (l) { cell (A) { pin (Y) {\nfunction : \"A +\"; } } }":    "line 2: function \"A +\": it ends without",
		strings.Repeat("library (l) {\n", 50):                              "line 33: more than 32 nested groups",
		timing("cell_rise (t) { values (\"1\"); }"):                        "there is no lu_table_template \"t\"",
		timing("cell_rise (scalar) { values (\"1, 2\"); }"):                "2 values, the indices have room for 1",
		timing("cell_rise (scalar) { values (\"nan\"); }"):                 "values: \"nan\" is not a number",
		timing("cell_rise (scalar) { }"):                                   "the table has no values",
		timing("cell_rise (load) { values (\"1, 2\"); }"):                  "the table has no index_1",
		timing("cell_rise (load) { index_1 (\"2, 1\"); values (\"1\"); }"): "index_1: want ascending numbers",
	} {
		_, err := Parse(text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, want %s", text, err, want)
		}
	}
	if _, _, err := Read(filepath.Join(t.TempDir(), "none.lib")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	path := filepath.Join(t.TempDir(), "bad.lib")
	if err := os.WriteFile(path, []byte("library (l) {\n}"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, _, err := Read(path); err == nil || !strings.HasPrefix(err.Error(), path+":1: ") {
		t.Errorf("error %v, want one that begins with %s:1:", err, path)
	}
}

// timing returns a library with a table of delays.
func timing(table string) string {
	return `library (l) { lu_table_template (load) { variable_1 : total_output_net_capacitance; }
	cell (A) { pin (Y) { direction : output; timing () { related_pin : "A"; ` + table + ` } } } }`
}

// TestUnusable checks that cells of other forms have a reason why they cannot be used.
func TestUnusable(t *testing.T) {
	const output = `pin (Y) { direction : output; function : "A"; } pin (A) { direction : input; }`
	for cell, want := range map[string]string{
		"(A) {" + output + "}":                                                "",
		"(A) { latch (q, n) {} " + output + "}":                               "it has a latch",
		"(A) { bus (b) {} " + output + "}":                                    "it has a bus",
		"(A) { pin (A) { direction : input; } }":                              "it has no output",
		"(A) { pin (Y) { direction : output; } }":                             "its output Y has no function",
		"(A) { pin (Y) { direction : output; function : \"B\"; } }":           "a function reads B, which is not an input",
		"(A) { pin (Y) { direction : inout; } }":                              "a pin is neither an input nor an output",
		"(A) {" + output + " pin (A) { direction : input; } }":                "it has two pins A",
		"(module) {" + output + "}":                                           "reserved word",
		"(A) { ff (IQ, N) {} " + output + "}":                                 "no name, next_state or clocked_on",
		"(A) { ff (A, N) { next_state : A; clocked_on : A; } " + output + "}": "its state has the name of a pin",
	} {
		l, err := Parse("library (l) { cell " + cell + " }")
		if err != nil {
			t.Errorf("%s: %v", cell, err)
			continue
		}
		if got := l.Cells[0].Unusable; (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", cell, got, want)
		}
	}
}

// TestTable compares the values of a table between and beyond its numbers with values computed by hand.
func TestTable(t *testing.T) {
	l, err := Parse(`library (l) { lu_table_template (t) { variable_1 : total_output_net_capacitance;
	  variable_2 : input_net_transition; index_1 ("1, 2"); index_2 ("10, 20, 40"); }
	  cell (A) { pin (Y) { direction : output; timing () { related_pin : "A";
	    cell_rise (t) { values ("1, 2, 4", \
	                            "3, 4, 8"); } } } } }`)
	if err != nil {
		t.Fatal(err)
	}
	table := l.Cells[0].Pins[0].arcs[0].delay[rising]
	for _, c := range []struct{ load, slew, want float64 }{
		{1, 10, 1}, {2, 40, 8}, {1.5, 10, 2}, {1, 30, 3}, {1.5, 30, 4.5}, {0, 10, -1}, {3, 60, 18},
	} {
		if got := table.at(point{load: c.load, slew: c.slew}); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("load %v, transition %v: %v, want %v", c.load, c.slew, got, c.want)
		}
	}
}

// TestMutatedText checks that changes of a library's text cause errors or other libraries, and never a panic.
func TestMutatedText(t *testing.T) {
	text, err := os.ReadFile(example)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	words := regexp.MustCompile(`\w+|\S`).FindAllIndex(text, -1)
	rounds := 200
	if testkit.Whole() {
		rounds = 20_000
	}
	for range rounds {
		changed := string(text)
		for range 1 + r.IntN(3) {
			from, to := words[r.IntN(len(words))], words[r.IntN(len(words))]
			end := min(from[1], len(changed))
			changed = changed[:min(from[0], end)] + string(text[to[0]:to[1]]) + changed[end:]
		}
		tryParse(changed)
	}
}

// tryParse parses a text, and uses the library if there is no error.
func tryParse(text string) {
	l, err := Parse(text)
	if err != nil {
		return
	}
	l.FullAdder()
	l.NAND2()
	l.Timed()
	if _, err := l.Models(l.Usable()); err != nil {
		panic(err)
	}
}

// FuzzParse looks for texts that make the reader panic.
func FuzzParse(f *testing.F) {
	f.Add(timing(`cell_rise (load) { index_1 ("1, 2"); values ("1, 2"); }`))
	f.Add(`library (l) { time_unit : "10ps"; cell (A) { area : 3; dont_use : true; pin (A B) { direction : input; }
	  pin (Y) { direction : output; function : "!(A B') + A^B"; } } // comment
	cell (F) { ff (I, N) { next_state : "D"; clocked_on : "C"; } /* comment */ } }`)
	f.Fuzz(func(_ *testing.T, text string) { tryParse(text) })
}
