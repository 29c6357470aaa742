package rtl

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ialgn/internal/hardware/pipeline"
	"ialgn/internal/testkit"
	"ialgn/internal/verify"
	"ialgn/internal/verify/verifytest"
	"ialgn/netlist"
)

// startFaults lists faults of a pipeline that have an effect only with unknown registers, gaps, stalls or resets.
// Each fault replaces a text in the pipeline's Verilog.
var startFaults = []struct{ name, from, to string }{
	{"valid bits without a reset", "if (rst) valid <= {4{1'b0}};\n    else if (ce)", "if (ce)"},
	{"a valid bit without a reset", "if (rst) valid <= {4{1'b0}};", "if (rst) valid[2:0] <= 3'b000;"},
	{"valid a stage short", "out_valid = valid[3]", "out_valid = valid[2]"},
	{
		"valid a stage long", "out_valid = valid[3]",
		"out_valid = last;\n  reg last;\n  always @(posedge clk) if (rst) last <= 1'b0; else if (ce) last <= valid[3]",
	},
	{"valid that is always high", "out_valid = valid[3]", "out_valid = 1'b1"},
	{"valid without an enable", "else if (ce) valid", "else valid"},
	{"a reset that waits for ce", "if (rst) valid", "if (rst & ce) valid"},
	{"a reset of the first stage alone", "if (rst) valid <= {4{1'b0}};", "if (rst) valid[0] <= 1'b0;"},
	{"data without an enable", "if (ce) q <= d", "q <= d"},
	{"data that hold a sample for good", "if (ce) q <= d", "if (ce && q !== 1'b1) q <= d"},
	{"data on the other edge", "always @(posedge clk) if (ce) q", "always @(negedge clk) if (ce) q"},
	{
		"an output that is never known", "  assign out_valid",
		"  reg [31:0] never;\n  wire leak = |never;\n  assign out_valid",
	},
}

// startDesign returns a pipeline of four stages and its Verilog.
func startDesign(t *testing.T) (verify.Design, Files, string) {
	t.Helper()
	d := verifytest.Pipelined(t, verifytest.NewDesign(t, verifytest.Small(91), netlist.Core, 2),
		pipeline.Options{Stages: 4})
	files := emit(t, d)
	text, err := os.ReadFile(files.Design)
	if err != nil {
		t.Fatal(err)
	}
	return d, files, string(text)
}

// breakStart replaces a text in the Verilog, so that an unknown value reaches every register of the last stage.
func breakStart(t *testing.T, sound, from, to string) string {
	t.Helper()
	broken := strings.Replace(sound, from, to, 1)
	if strings.Contains(to, "leak") {
		broken = regexp.MustCompile(`\.d\(([^)]*)\),\s+\.q\(([^)]*class_index\w*_s4[^)]*)\)`).ReplaceAllString(broken,
			".d(leak ? ~$1 : $1), .q($2)")
	}
	if broken == sound || strings.Contains(to, "leak") && !strings.Contains(broken, "leak ?") {
		t.Fatalf("the module has no %q", from)
	}
	return broken
}

// TestStart checks that a simulation that starts with unknown registers finds each fault in startFaults.
func TestStart(t *testing.T) {
	verifytest.Needs(t, "iverilog", "vvp")
	d, files, sound := startDesign(t)
	s := verifytest.RandomSamples(d.Model, 300)
	if r := simulateDesign(t, d, s, files, "iverilog"); r.Mismatches != 0 || r.Checked != 300 {
		t.Fatalf("the sound design: %+v", r)
	}
	for _, fault := range startFaults {
		t.Run(fault.name, func(t *testing.T) {
			t.Parallel()
			files := files
			files.Design = filepath.Join(t.TempDir(), "net.v")
			verifytest.Write(t, files.Design, breakStart(t, sound, fault.from, fault.to))
			if r := simulateDesign(t, d, s, files, "iverilog"); r.Mismatches == 0 {
				t.Errorf("it is not seen: %+v", r)
			}
		})
	}
}

// TestStartVerilator checks that a register that is never set is found, in a simulator without unknown values. If
// such registers started as 0, the fault would have no effect.
func TestStartVerilator(t *testing.T) {
	testkit.Long(t, "builds with verilator")
	verifytest.Needs(t, "verilator")
	t.Parallel()
	d, files, sound := startDesign(t)
	last := startFaults[len(startFaults)-1]
	verifytest.Write(t, files.Design, breakStart(t, sound, last.from, last.to))
	if r := simulateDesign(t, d, verifytest.RandomSamples(d.Model, 100), files, "verilator"); r.Mismatches == 0 {
		t.Errorf("%s: %+v", last.name, r)
	}
}
