package rtl

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ialgn/internal/testkit"
	"ialgn/internal/verify/verifytest"
	"ialgn/netlist"
)

// TestPick checks that the choice of the simulator depends on the size of the task and on the installed simulators.
func TestPick(t *testing.T) {
	const digits, large = 1500, 50_000
	for _, c := range []struct {
		name, asked    string
		installed      string
		cells, samples int
		want           string
	}{
		{"small", "auto", "iverilog verilator", digits, 1797, "iverilog"},
		{"large", "auto", "iverilog verilator", large, 1000, "verilator"},
		{"large, few samples", "auto", "iverilog verilator", large, 10, "iverilog"},
		{"small, without iverilog", "auto", "verilator", digits, 1797, "verilator"},
		{"large, without verilator", "auto", "iverilog", large, 1000, "iverilog"},
		{"small, without either", "auto", "", digits, 1797, "iverilog"},
		{"asked for iverilog", "iverilog", "verilator", large, 1000, "iverilog"},
		{"asked for verilator", "verilator", "iverilog", digits, 1, "verilator"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for _, program := range strings.Fields(c.installed) {
				if err := os.WriteFile(filepath.Join(dir, program), nil, 0o777); err != nil {
					t.Fatal(err)
				}
			}
			t.Setenv("PATH", dir)
			if got, err := pick(c.asked, c.cells, c.samples); got != c.want || err != nil {
				t.Errorf("%s, %v, want %s", got, err, c.want)
			}
		})
	}
}

// TestTrainerIsTheJudge breaks a netlist and its Verilog in the same way. Counts and class must be compared with the
// results of the trainer, not of our simulator.
func TestTrainerIsTheJudge(t *testing.T) {
	verifytest.Needs(t, "iverilog", "vvp")
	f, other := verifytest.Small(54), verifytest.Small(55)
	wrong := verifytest.NewDesign(t, other, netlist.Core, 2)
	wrong.Model = f
	r := simulateDesign(t, wrong, verifytest.RandomSamples(f, 100), emit(t, wrong), "auto")
	if r.Mismatches == 0 || !strings.Contains(r.Simulator, "Icarus") {
		t.Errorf("another network's product: %+v", r)
	}
}

// TestVerilatorXNOR simulates a chain with two XNORs that read the same bit. verilator 5.006 computes this form
// incorrectly.
func TestVerilatorXNOR(t *testing.T) {
	testkit.Long(t, "builds with verilator")
	verifytest.Needs(t, "verilator")
	dir := t.TempDir()
	verifytest.Write(t, filepath.Join(dir, "tb.v"), `module tb;
  reg [3:0] x;
  wire a = x[1] & ~x[2];
  wire b = ~(a ^ x[0]);
  wire c = ~(b ^ x[0]);
  integer i;
  initial begin
    for (i = 0; i < 16; i = i + 1) begin
      x = i;
      #1 if (c !== (x[1] & ~x[2])) $display("x %b: c is %b", x, c);
    end
    $display("done");
    $finish;
  end
endmodule
`)
	out, err := Simulation{Dir: dir, Sources: []string{"tb.v"}, Tops: []string{"tb"}}.verilator(t.Context())
	if err != nil || !strings.HasPrefix(out.Text, "done") {
		t.Errorf("%v, %s", err, out.Text)
	}
}
