package flow_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ialgn/internal/flow"
	"ialgn/internal/target"
	"ialgn/internal/testkit"
	"ialgn/internal/tool"
)

const counter = `module counter (input wire clk, input wire [3:0] step, output reg [3:0] count);
  always @(posedge clk) count <= count + step;
endmodule
`

func hx1k(t *testing.T) target.Device {
	t.Helper()
	d, err := target.FindDevice("ice40-hx1k")
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// route returns a routed design.
func route(t *testing.T, pins string) *flow.Result {
	t.Helper()
	return routeDesign(t, counter, pins)
}

// routeDesign returns a routed design of a module counter.
func routeDesign(t *testing.T, text, pins string, memories ...flow.YosysMemory) *flow.Result {
	t.Helper()
	testkit.FindTool(t, "yosys")
	testkit.FindTool(t, "nextpnr-ice40")
	dir := t.TempDir()
	source := filepath.Join(dir, "source.v")
	if err := os.WriteFile(source, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	s, err := flow.Yosys(t.Context(), flow.YosysOptions{
		Module: "counter", Sources: []string{source},
		Target: target.ICE40, Dir: dir, Place: true, Memories: memories,
	})
	if err != nil {
		t.Fatal(err)
	}
	r, err := flow.Nextpnr(t.Context(), flow.PlaceOptions{
		Device: hx1k(t), Module: "counter", Netlist: s.JSON, Dir: dir,
		Seed: 1, MHz: 10, Pins: pins,
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestThereAndBack packs a routed design and reads it back. The Verilog must have the ports on the pins where
// nextpnr put them. nextpnr must accept these pins as constraints.
func TestThereAndBack(t *testing.T) {
	for _, name := range []string{"icepack", "iceunpack", "icetime", "icebox_vlog"} {
		testkit.FindTool(t, name)
	}
	d, r, dir := hx1k(t), route(t, ""), t.TempDir()
	bin, asc, pins := filepath.Join(dir, "a b.bin"), filepath.Join(dir, "back.asc"), filepath.Join(dir, "pins.pcf")
	if err := errors.Join(flow.Pack(t.Context(), r.Bits, bin), flow.Unpack(t.Context(), bin, asc)); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(bin); err != nil || info.Size() < 30_000 {
		t.Errorf("the bitstream: %v, %v", info, err)
	}
	if mhz, err := flow.Fmax(t.Context(), d, asc, filepath.Join(dir, "icetime.txt")); err != nil || mhz < r.Fmax/2 ||
		mhz > 2*r.Fmax {
		t.Errorf("icetime estimates %v MHz, %v; nextpnr %v", mhz, err, r.Fmax)
	}
	var text bytes.Buffer
	if err := flow.WritePins(&text, d, r.Pads); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(pins, text.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	back, err := flow.UnpackedVerilog(t.Context(), d, asc, pins, "back")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"module back (", "input clk", `input \step[3] `, `output \count[0] `} {
		if !strings.Contains(back, part) {
			t.Errorf("the Verilog lacks %q:\n%.300s", part, back)
		}
	}
	for i, p := range route(t, pins).Pads {
		if p != r.Pads[i] {
			t.Errorf("with the pins as constraints, %+v is at %+v", r.Pads[i], p)
		}
	}
	if got := flow.LeftOut(r); len(got) > 0 {
		t.Errorf("left out: %v", got)
	}
}

// TestLeftOut checks that LeftOut names the kinds of cells that cannot be read back.
func TestLeftOut(t *testing.T) {
	r := &flow.Result{Cells: []flow.Use{
		{Cell: "ICESTORM_DSP", Used: 1},
		{Cell: "ICESTORM_LC", Used: 9},
		{Cell: "ICESTORM_PLL"},
		{Cell: "ICESTORM_SPRAM", Used: 2},
		{Cell: "SB_GB", Used: 1},
		{Cell: "SB_IO", Used: 3},
	}}
	if got := strings.Join(flow.LeftOut(r), " "); got != "ICESTORM_DSP ICESTORM_SPRAM" {
		t.Errorf("left out: %s", got)
	}
}

// TestFailures checks that errors about files of the wrong kind name these files.
func TestFailures(t *testing.T) {
	testkit.FindTool(t, "icepack")
	dir := t.TempDir()
	path := filepath.Join(dir, "text")
	if err := os.WriteFile(path, []byte("text\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	_, timing := flow.Fmax(t.Context(), hx1k(t), path, filepath.Join(dir, "report"))
	for name, err := range map[string]error{
		"pack":   flow.Pack(t.Context(), path, filepath.Join(dir, "bin")),
		"unpack": flow.Unpack(t.Context(), path, filepath.Join(dir, "asc")),
		"time":   timing,
	} {
		var failed *tool.FailedError
		if !errors.As(err, &failed) || failed.Log == "" {
			t.Errorf("%s: error %v, want a FailedError with a log", name, err)
		} else if _, err := os.Stat(failed.Log); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	err := flow.WritePins(&bytes.Buffer{}, hx1k(t), []flow.Pad{{Port: "x", X: 5, Y: 5}})
	if want := "port x is on the pad 5/5/0, which is no pin of tq144"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("a pad in the middle: error %v, want %s", err, want)
	}
}

// TestFill replaces the contents of a memory in a routed design, and checks that a missing memory is reported.
func TestFill(t *testing.T) {
	for _, name := range []string{"yosys", "nextpnr-ice40", "icebram"} {
		testkit.FindTool(t, name)
	}
	dir, r := t.TempDir(), rand.New(rand.NewPCG(7, 7))
	words := func(name string) string {
		var text strings.Builder
		for range 512 {
			fmt.Fprintf(&text, "%02x\n", r.IntN(256))
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	before, after := words("words.hex"), words("after.hex")
	text, err := os.ReadFile(before)
	if err != nil {
		t.Fatal(err)
	}
	routed := routeDesign(t, `module counter (input wire clk, input wire [8:0] at, output reg [7:0] word);
  (* ram_style = "block" *) reg [7:0] words [0:511];
  initial $readmemh("words.hex", words);
  always @(posedge clk) word <= words[at];
endmodule
`, "", flow.YosysMemory{Name: "words.hex", Text: text})
	if routed.Used("ICESTORM_RAM") != 1 || len(flow.LeftOut(routed)) > 0 {
		t.Fatalf("cells %+v", routed.Cells)
	}
	filled, again := filepath.Join(dir, "filled.asc"), filepath.Join(dir, "again.asc")
	there := []flow.IceMemory{{From: before, To: after}}
	back := []flow.IceMemory{{From: after, To: before}}
	if err := errors.Join(flow.Fill(t.Context(), routed.Bits, filled, there),
		flow.Fill(t.Context(), filled, again, back)); err != nil {
		t.Fatal(err)
	}
	if a, b := ramData(t, routed.Bits), ramData(t, again); a != b || a == ramData(t, filled) || a == "" {
		t.Error("filled there and back, the memory is another, or was the same on the way")
	}
	var failed *tool.FailedError
	if err := flow.Fill(t.Context(), routed.Bits, filled, back); !errors.As(err, &failed) ||
		!strings.Contains(err.Error(), "No memory instances were replaced") {
		t.Errorf("a memory that is not there: %v", err)
	}
}

// ramData returns the contents of the block RAMs of a configuration.
func ramData(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var data strings.Builder
	within := false
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, ".") {
			within = strings.HasPrefix(line, ".ram_data")
		}
		if within {
			data.WriteString(line)
		}
	}
	return data.String()
}
