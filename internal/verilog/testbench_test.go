package verilog

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/netlist"
)

// adder returns a netlist with an output port, a wide output port and a probe.
func adder() *netlist.Netlist {
	b := netlist.NewBuilder("adder")
	x := b.Input("x", 3, 1, nil)
	sum := netlist.Word(b.Cell(netlist.Popcount, 0, netlist.Origin{}, x...), 2)
	b.Output("parity", 1, nil, sum[:1])
	wide := make([]netlist.Net, 100)
	for i := range wide {
		wide[i] = x[i%3]
	}
	b.Output("wide", 1, nil, wide)
	b.Probe("count", sum)
	return b.Netlist()
}

// TestTestbench breaks the vectors in every way that the testbench distinguishes. The testbench must fail each time.
func TestTestbench(t *testing.T) {
	needTool(t, "iverilog", "iverilog")
	n := adder()
	good := sampleVectors(rand.New(rand.NewPCG(1, 2)), n, 30)
	var text bytes.Buffer
	if err := WriteVectors(&text, n, good); err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(text.String(), "\n")[:30]
	flipped := func(rows []uint64, row int, samples uint64) string {
		v := good
		v.Outputs, v.Probes = append([]uint64(nil), good.Outputs...), append([]uint64(nil), good.Probes...)
		if rows == nil {
			v.Probes[row] ^= samples
		} else {
			v.Outputs[row] ^= samples
		}
		var b bytes.Buffer
		if err := WriteVectors(&b, n, v); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	parity := func(s int) uint64 { return good.Outputs[0] >> s & 1 }
	count := func(s int) uint64 { return good.Probes[0]>>s&1 | good.Probes[1]>>s&1<<1 }
	wide := func(s, bit int) uint64 { return good.Outputs[1+bit] >> s & 1 }

	dir := emit(t, n, good)
	silent(t, dir, "iverilog", "-Wall", "-g2001", "-o", "adder.vvp", "adder_tb.v", "adder.v")
	silent(t, dir, "iverilog", "-Wall", "-g2001", "-DNO_PROBES", "-o", "pins.vvp", "adder_tb.v", "adder.v")
	tests := []struct {
		name, program, vectors string
		args                   []string
		want                   string
	}{
		{"good", "adder", text.String(), nil, "PASS: 30 vectors\n"},
		{"some", "adder", text.String(), []string{"+count=7"}, "PASS: 7 vectors\n"},
		{"output", "adder", flipped(good.Outputs, 0, 1<<4), nil, fmt.Sprintf(
			"sample 4: parity: got %d, want %d\nFAIL: 1 of 30 vectors\n", parity(4), 1-parity(4))},
		{"wide output", "adder", flipped(good.Outputs, 1+70, 1<<4), nil, fmt.Sprintf(
			"sample 4: wide[70]: got %d, want %d\nFAIL: 1 of 30 vectors\n", wide(4, 70), 1-wide(4, 70))},
		{"probe", "adder", flipped(nil, 1, 1<<29), nil, fmt.Sprintf(
			"sample 29: count: got %d, want %d\nFAIL: 1 of 30 vectors\n", count(29), count(29)^2)},
		{"probe not compared", "pins", flipped(nil, 1, 1<<29), nil, "PASS: 30 vectors\n"},
		{"mistake after the last", "adder", flipped(nil, 1, 1<<29), []string{"+count=29"}, "PASS: 29 vectors\n"},
		{"no vectors", "adder", "", nil, "FAIL: v.txt ends after 0 vectors\n"},
		{"too few", "adder", text.String(), []string{"+count=31"}, "FAIL: v.txt ends after 30 vectors\n"},
		{"short line", "adder", lines[0] + "1 2\n" + lines[1], nil, "FAIL: v.txt: vector 1 is not a line of 4 numbers\n"},
		{
			"long line", "adder", lines[0] + strings.TrimSpace(lines[1]) + " 1\n", nil,
			"FAIL: v.txt: vector 1 is not a line of 4 numbers\n",
		},
		{"cut line", "adder", lines[0] + lines[1][:9], nil, "FAIL: v.txt: vector 1 is not a line of 4 numbers\n"},
		{"no number", "adder", lines[0] + "hello\n", nil, "FAIL: v.txt: vector 1 is not a line of 4 numbers\n"},
		{"unknown bits", "adder", "0 x 0 0\n", nil, "sample 0: parity: got 0, want x\nFAIL: 1 of 1 vectors\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := os.WriteFile(filepath.Join(dir, "v.txt"), []byte(tt.vectors), 0o600); err != nil {
				t.Fatal(err)
			}
			args := append([]string{"vvp", tt.program + ".vvp", "+vectors=v.txt"}, tt.args...)
			out, err := tool(t, dir, args...)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, out); diff != "" {
				t.Errorf("output (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("no file", func(t *testing.T) {
		out, err := tool(t, dir, "vvp", "adder.vvp", "+vectors=none.txt")
		if diff := cmp.Diff("FAIL: cannot open none.txt\n", out); err != nil || diff != "" {
			t.Errorf("%v, output (-want +got):\n%s", err, diff)
		}
	})
}

// TestMismatchLimit makes every vector fail, and checks that only the first failures are printed.
func TestMismatchLimit(t *testing.T) {
	needTool(t, "iverilog", "iverilog")
	n := adder()
	v := sampleVectors(rand.New(rand.NewPCG(1, 2)), n, 64)
	v.Outputs[0] = ^v.Outputs[0]
	dir := emit(t, n, v)
	silent(t, dir, "iverilog", "-Wall", "-g2001", "-o", "a.vvp", "adder_tb.v", "adder.v")
	out, err := tool(t, dir, "vvp", "a.vvp")
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(out, "sample"); got != maxShown || !strings.HasSuffix(out, "FAIL: 64 of 64 vectors\n") {
		t.Errorf("%d mismatches shown, want %d and then FAIL: 64 of 64 vectors:\n%s", got, maxShown, out)
	}
}

// TestBrokenGate runs the testbench on a module with one wrong gate.
func TestBrokenGate(t *testing.T) {
	needTool(t, "iverilog", "iverilog")
	n := tiny()
	dir := emit(t, n, sampleVectors(rand.New(rand.NewPCG(1, 2)), n, 64))
	path := filepath.Join(dir, "tiny.v")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, old, new string }{
		{"gate", "assign c0_k0_l2 = c0_k0_l1;", "assign c0_k0_l2 = ~c0_k0_l1;"},
		{"comparator", "x[7:4] > 4'd7", "x[7:4] > 4'd8"},
		{"tie rule", "> best", ">= best"},
		{"popcount", "ones = {BITS{1'b0}};", "ones = {{(BITS - 1) {1'b0}}, 1'b1};"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			broken := strings.Replace(string(text), tt.old, tt.new, 1)
			if broken == string(text) {
				t.Fatalf("the module has no %q", tt.old)
			}
			if err := os.WriteFile(path, []byte(broken), 0o600); err != nil {
				t.Fatal(err)
			}
			silent(t, dir, "iverilog", "-g2001", "-o", "a.vvp", "tiny_tb.v", "tiny.v")
			if out, err := tool(t, dir, "vvp", "a.vvp"); err != nil || !strings.Contains(out, "\nFAIL: ") {
				t.Errorf("vvp: %v\n%swant FAIL", err, out)
			}
		})
	}
}

func TestWriteVectors(t *testing.T) {
	b := netlist.NewBuilder("net")
	x := b.Input("x", 5, 1, nil)
	b.Output("y", 1, nil, x[:1])
	b.Probe("p", x[3:])
	n := b.Netlist()
	v := Vectors{
		Samples: 66, Words: 2,
		Inputs:  []uint64{1, 0, 0, 2, 0, 0, 0, 0, 2, 2}, // sample 0: x = 1; 1: x = 16; 65: x = 18
		Outputs: []uint64{2, 0},
		Probes:  []uint64{0, 0, 1, 2},
	}
	var out bytes.Buffer
	if err := WriteVectors(&out, n, v); err != nil {
		t.Fatal(err)
	}
	want := "01 0 2\n10 1 0\n" + strings.Repeat("00 0 0\n", 63) + "12 0 2\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("vectors (-want +got):\n%s", diff)
	}

	v.Words = 1
	if err := WriteVectors(io.Discard, n, v); err == nil || !strings.Contains(err.Error(),
		"1 words a row do not hold 66 samples") {
		t.Errorf("too few words a row: got error %v", err)
	}
	v.Words, v.Probes = 2, v.Probes[:3]
	if err := WriteVectors(io.Discard, n, v); err == nil || !strings.Contains(err.Error(),
		"3 words for the probes of net") {
		t.Errorf("too few rows: got error %v", err)
	}
}
