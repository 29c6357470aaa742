package flow_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ialgn/internal/flow"
	"ialgn/internal/target"
	"ialgn/internal/tool"
)

// needYosys skips the test where yosys is missing.
func needYosys(t *testing.T) {
	t.Helper()
	if _, err := tool.Find("yosys"); err != nil {
		t.Skip(err)
	}
}

// source writes a Verilog file with the given body of a module m. The file's name must not appear in a command.
func source(t *testing.T, body string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a; b $(c) \"d\".v")
	text := "module m (input wire clk, input wire [3:0] x, output wire y);\n" + body + "\nendmodule\n"
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

const sound = "reg q;\nalways @(posedge clk) q <= ^x;\nassign y = q & x[0];"

// memory is a design with logic, a register, and a memory that a file fills. The words are narrower than the block
// RAM of every family, so that some data pins are not used.
const memory = "(* ram_style = \"block\" *) reg [2:0] m [0:255];\ninitial $readmemh(\"words.hex\", m);\n" +
	"reg [2:0] q;\nreg r;\nalways @(posedge clk) begin q <= m[{x, x}]; r <= ^x; end\nassign y = ^q & r;"

// words holds the contents of the memory.
var words = []flow.YosysMemory{{Name: "words.hex", Text: []byte(strings.Repeat("1\n6\n3\n2\n", 64))}}

// TestSynthesise synthesises for every target, with a memory if the family has block RAM.
func TestSynthesise(t *testing.T) {
	needYosys(t)
	for _, c := range []struct {
		target *target.Family
		lut    int
		cell   string // a cell that the netlist must have
		ram    string // cell type of the family's block RAM
	}{
		{nil, 0, "$_XNOR_", ""},
		{target.Generic, 4, "$lut", ""},
		{target.ICE40, 0, "SB_LUT4", "SB_RAM40_4K"},
		{target.ECP5, 0, "LUT4", "DP16KD"},
		{target.Gowin, 0, "LUT4", "SP"},
		{target.Xilinx7, 0, "FDRE", "RAMB18E1"},
		{target.Intel, 0, "MISTRAL_FF", ""}, // yosys makes no block RAM of so small a memory
		{target.PolarFire, 0, "SLE", ""},
		{target.Efinix, 0, "EFX_FF", "EFX_RAM_5K"},
		{target.GateMate, 0, "CC_DFF", "CC_BRAM_20K"},
	} {
		t.Run(c.target.String(), func(t *testing.T) {
			t.Parallel()
			o := flow.YosysOptions{Module: "m", Target: c.target, LUT: c.lut, Dir: t.TempDir()}
			if o.Sources = []string{source(t, sound)}; c.ram != "" {
				o.Sources, o.Memories = []string{source(t, memory)}, words
			}
			r, err := flow.Yosys(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			if r.Cells[c.cell] == 0 && r.Cells["$_XOR_"] == 0 || !strings.HasPrefix(r.Tool, "Yosys ") || r.CPU <= 0 {
				t.Errorf("%+v", r)
			}
			if c.ram != "" && r.Cells[c.ram] != 1 {
				t.Errorf("cells %v, want one %s", r.Cells, c.ram)
			}
			if text, err := os.ReadFile(r.Netlist); err != nil || !strings.Contains(string(text), "module m(") {
				t.Errorf("the netlist: %v", err)
			}
			for _, path := range append(r.Library.Files, r.Library.Includes...) {
				if _, err := os.Stat(path); err != nil {
					t.Error(err)
				}
			}
			if (len(r.Library.Files) > 0) != (c.target.OrGeneric().Synthesis.Library != "") {
				t.Errorf("library %+v", r.Library)
			}
		})
	}
}

// TestPlace synthesises a design with a bus of unread bits, and writes the netlist that nextpnr reads.
func TestPlace(t *testing.T) {
	needYosys(t)
	const body = "reg [2:0] q;\nwire [2:0] d;\nassign d[0] = x[0] & x[1];\nassign d[2] = x[2] ^ x[3];\n" +
		"assign d[1] = d[0] | d[2];\nalways @(posedge clk) q <= {d[2], 1'b0, d[0]};\nassign y = q[2] ^ q[0];"
	r, err := flow.Yosys(t.Context(), flow.YosysOptions{
		Module: "m", Sources: []string{source(t, body)}, Target: target.ICE40, Dir: t.TempDir(), Place: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(r.JSON)
	if err != nil || !strings.Contains(string(text), `"SB_LUT4"`) || !strings.Contains(string(text), `"m"`) {
		t.Errorf("the netlist for nextpnr: %v, %.200s", err, text)
	}
}

// TestSynthesisRefusesUnsoundVerilog checks that yosys returns an error with a log for unsound Verilog.
func TestSynthesisRefusesUnsoundVerilog(t *testing.T) {
	needYosys(t)
	for _, c := range []struct{ name, body, want string }{
		{"a latch", "reg q;\nalways @* if (x[0]) q = x[1];\nassign y = q;", "Assertion failed"},
		{"a memory", "reg m [0:15];\nalways @(posedge clk) m[x] <= x[0];\nassign y = m[x];", "Assertion failed"},
		{"no driver", "wire q;\nassign y = q & x[0];", "Found 1 problems"},
		{"two drivers", "wire q = x[0];\nassign q = x[1];\nassign y = q;", "Found 1 problems"},
		{"a loop", "wire a, b;\nassign a = b & x[0];\nassign b = a | x[1];\nassign y = a;", "Found 1 problems"},
		{"an unknown value", "assign y = 1'bx;", "unknown value"},
		{"a floating value", "assign y = 1'bz;", "value"},
		{"a module that is missing", "other o (.x(x), .y(y));", "other"},
		{"no Verilog", "assign y = ;", "syntax error"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			_, err := flow.Yosys(t.Context(), flow.YosysOptions{Module: "m", Sources: []string{source(t, c.body)}, Dir: dir})
			var failed *tool.FailedError
			if !errors.As(err, &failed) || !strings.Contains(err.Error(), c.want) || filepath.Dir(failed.Log) != dir {
				t.Errorf("error %v, want an error of yosys with %q", err, c.want)
			}
		})
	}
}

// TestUnknownZeroed checks that an unknown value is found, although the last steps of synth_gowin replace it by 0.
func TestUnknownZeroed(t *testing.T) {
	needYosys(t)
	o := flow.YosysOptions{
		Module: "m", Sources: []string{source(t, "assign y = 1'bx;")}, Target: target.Gowin,
		Dir: t.TempDir(),
	}
	if _, err := flow.Yosys(t.Context(), o); err == nil || !strings.Contains(err.Error(), "unknown value") {
		t.Errorf("error %v, want an error about an unknown value", err)
	}
}

// TestOptions checks that meaningless options are refused.
func TestOptions(t *testing.T) {
	path := []string{source(t, sound)}
	for _, c := range []struct {
		o    flow.YosysOptions
		want string
	}{
		{flow.YosysOptions{Module: "m; shell x", Sources: path}, `module "m; shell x": must be a simple identifier`},
		{flow.YosysOptions{Sources: path}, "must be a simple identifier"},
		{flow.YosysOptions{Module: "m"}, "no source files"},
		{flow.YosysOptions{Module: "m", Sources: path, Target: target.ICE40, LUT: 6}, "without cells of its own has a choice"},
		{flow.YosysOptions{Module: "m", Sources: path, LUT: 7}, "from 2 to 6"},
	} {
		c.o.Dir = t.TempDir()
		if _, err := flow.Yosys(t.Context(), c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.o, err, c.want)
		}
	}
	t.Setenv("PATH", "")
	var missing *tool.MissingError
	if _, err := flow.Yosys(t.Context(), flow.YosysOptions{
		Module: "m", Sources: path,
		Dir: t.TempDir(),
	}); !errors.As(err, &missing) {
		t.Errorf("without yosys: %v", err)
	}
}

// TestMemoryNames refuses names of files that yosys could interpret as something else.
func TestMemoryNames(t *testing.T) {
	needYosys(t)
	for _, name := range []string{"../words.hex", "words", "a b.hex", "synth.ys"} {
		o := flow.YosysOptions{
			Module: "m", Sources: []string{source(t, memory)}, Dir: t.TempDir(),
			Memories: []flow.YosysMemory{{Name: name}},
		}
		if _, err := flow.Yosys(t.Context(), o); err == nil || !strings.Contains(err.Error(), "plain name") {
			t.Errorf("memory %q: %v", name, err)
		}
	}
	if l, err := flow.Cells(target.ICE40); err != nil || len(l.Files) != 1 {
		t.Errorf("cells of ice40: %+v, %v", l, err)
	}
}
