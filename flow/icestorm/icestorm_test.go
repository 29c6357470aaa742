package icestorm_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ialgn/flow/device"
	"ialgn/flow/icestorm"
	"ialgn/flow/nextpnr"
	"ialgn/flow/yosys"
	"ialgn/internal/tool"
	"ialgn/internal/tooltest"
)

const counter = `module counter (input wire clk, input wire [3:0] step, output reg [3:0] count);
  always @(posedge clk) count <= count + step;
endmodule
`

func hx1k(t *testing.T) device.Device {
	t.Helper()
	d, err := device.Find("ice40-hx1k")
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// route returns a routed design.
func route(t *testing.T, pins string) *nextpnr.Result {
	t.Helper()
	tooltest.Find(t, "yosys")
	tooltest.Find(t, "nextpnr-ice40")
	dir := t.TempDir()
	source := filepath.Join(dir, "source.v")
	if err := os.WriteFile(source, []byte(counter), 0o666); err != nil {
		t.Fatal(err)
	}
	s, err := yosys.Synthesise(t.Context(), yosys.Options{Module: "counter", Sources: []string{source}, Target: "ice40", Dir: dir, Place: true})
	if err != nil {
		t.Fatal(err)
	}
	r, err := nextpnr.Place(t.Context(), nextpnr.Options{Device: hx1k(t), Module: "counter", Netlist: s.JSON, Dir: dir, Seed: 1, MHz: 10, Pins: pins})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestThereAndBack packs a routed design and reads it back: Verilog with the ports on the pins
// where nextpnr put them, which nextpnr takes for a constraint.
func TestThereAndBack(t *testing.T) {
	for _, name := range []string{"icepack", "iceunpack", "icetime", "icebox_vlog"} {
		tooltest.Find(t, name)
	}
	d, r, dir := hx1k(t), route(t, ""), t.TempDir()
	bin, asc, pins := filepath.Join(dir, "a b.bin"), filepath.Join(dir, "back.asc"), filepath.Join(dir, "pins.pcf")
	if err := errors.Join(icestorm.Pack(t.Context(), r.Bits, bin), icestorm.Unpack(t.Context(), bin, asc)); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(bin); err != nil || info.Size() < 30_000 {
		t.Errorf("the bitstream: %v, %v", info, err)
	}
	if mhz, err := icestorm.Fmax(t.Context(), d, asc, filepath.Join(dir, "icetime.txt")); err != nil || mhz < r.Fmax/2 || mhz > 2*r.Fmax {
		t.Errorf("icetime estimates %v MHz, %v; nextpnr %v", mhz, err, r.Fmax)
	}
	var text bytes.Buffer
	if err := icestorm.WritePins(&text, d, r.Pads); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(pins, text.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	back, err := icestorm.Verilog(t.Context(), d, asc, pins, "back")
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
	if got := icestorm.LeftOut(r); len(got) > 0 {
		t.Errorf("left out: %v", got)
	}
}

// TestLeftOut names what cannot be read back.
func TestLeftOut(t *testing.T) {
	r := &nextpnr.Result{Cells: []nextpnr.Use{
		{Cell: "ICESTORM_DSP", Used: 1},
		{Cell: "ICESTORM_LC", Used: 9},
		{Cell: "ICESTORM_PLL"},
		{Cell: "ICESTORM_SPRAM", Used: 2},
		{Cell: "SB_GB", Used: 1},
		{Cell: "SB_IO", Used: 3},
	}}
	if got := strings.Join(icestorm.LeftOut(r), " "); got != "ICESTORM_DSP ICESTORM_SPRAM" {
		t.Errorf("left out: %s", got)
	}
}

// TestFailures names what is no file of its kind.
func TestFailures(t *testing.T) {
	tooltest.Find(t, "icepack")
	dir := t.TempDir()
	path := filepath.Join(dir, "text")
	if err := os.WriteFile(path, []byte("text\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	_, timing := icestorm.Fmax(t.Context(), hx1k(t), path, filepath.Join(dir, "report"))
	for name, err := range map[string]error{
		"pack":   icestorm.Pack(t.Context(), path, filepath.Join(dir, "bin")),
		"unpack": icestorm.Unpack(t.Context(), path, filepath.Join(dir, "asc")),
		"time":   timing,
	} {
		var failed *tool.FailedError
		if !errors.As(err, &failed) || failed.Log == "" {
			t.Errorf("%s: error %v, want a FailedError with a log", name, err)
		} else if _, err := os.Stat(failed.Log); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	err := icestorm.WritePins(&bytes.Buffer{}, hx1k(t), []nextpnr.Pad{{Port: "x", X: 5, Y: 5}})
	if want := "port x is on the pad 5/5/0, which is no pin of tq144"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("a pad in the middle: error %v, want %s", err, want)
	}
}
