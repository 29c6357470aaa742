package testkit

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ialgn/internal/netgen"
	"ialgn/netlist"
)

// TestClocked runs a testbench on a handwritten module that delays its input by a clock, and on a module without a
// delay.
func TestClocked(t *testing.T) {
	if _, err := exec.LookPath("iverilog"); err != nil {
		t.Skip("iverilog is not installed: make tools")
	}
	b := netlist.NewBuilder("delay")
	x := b.Input("x", 3, 1, nil)
	var y []netlist.Net
	for _, v := range x {
		y = append(y, b.Cell(netlist.Register, 0, netlist.Origin{}, v))
	}
	b.Output("y", 1, nil, y)
	bench, want, err := ClockedBench(b.Netlist(), rand.New(rand.NewPCG(1, 2)))
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(want, "\n"); lines != clocks {
		t.Errorf("%d lines to print, want %d", lines, clocks)
	}
	const head = "module delay(input clk, input [2:0] x, output reg [2:0] y);\ninitial y = 0;\n"
	if got := simulate(t, bench, head+"always @(posedge clk) y <= x;\nendmodule\n"); got != want {
		t.Errorf("the delay prints\n%s, want\n%s", got, want)
	}
	if got := simulate(t, bench, head+"always @* y = x;\nendmodule\n"); got == want {
		t.Error("a module without a delay prints the same")
	}
}

func simulate(t *testing.T, bench, module string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"tb.v": bench, "dut.v": module} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"iverilog", "-g2001", "-o", "a.vvp", "tb.v", "dut.v"}, {"vvp", "-n", "a.vvp"}} {
		cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		if args[0] == "vvp" {
			return string(out)
		}
	}
	return ""
}

// TestSteps checks that the same seed gives the same testbench, and that every netlist gets a testbench.
func TestSteps(t *testing.T) {
	for seed := range uint64(20) {
		n := netgen.Netlist(seed, netgen.NetlistOptions{Registers: true})
		a, wantA, err := ClockedBench(n, rand.New(rand.NewPCG(seed, 1)))
		if err != nil {
			t.Fatal(err)
		}
		if b, wantB, _ := ClockedBench(n, rand.New(rand.NewPCG(seed, 1))); a != b || wantA != wantB {
			t.Errorf("seed %d: two testbenches of one seed differ", seed)
		}
	}
}
