package wrapper

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"ialgn/internal/testkit"
	"ialgn/netlist"
)

// newBytes returns a program that sends samples byte by byte. Each byte of a result is a beat of nine bits. The highest
// bit is 1 for the last byte.
func newBytes(t *testing.T, n *netlist.Netlist, samples int, events bool) *program {
	t.Helper()
	p := newPackets(t, n, 1, samples, events)
	var beats strings.Builder
	for line := range strings.Lines(p.expected.String()) {
		line = strings.TrimSpace(line)
		p.reply = len(line) / 2
		for end := len(line); end > 0; end -= 2 { // the first byte is the lowest
			fmt.Fprintf(&beats, "%d%s\n", bit(end == 2), line[end-2:end])
		}
	}
	p.expected = beats
	p.results *= p.reply
	return p
}

// buildBytes compiles the testbench of AXI4-Stream for a wrapper whose bytes are beats.
func buildBytes(t *testing.T, dir, wrapper string, stages int, p *program) {
	t.Helper()
	pins, err := os.ReadFile("testdata/byte_pins.v")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(pins), "`DUT", "inner", 1) + strings.Replace(wrapper, "module dut ", "module inner ", 1)
	p.build(t, dir, "axis_tb.v", strings.Replace(text, "module byte_pins", "module dut", 1), stages, 9)
}

// TestByte plays samples to wrappers of combinational and of pipelined cores, whose results have one byte or several.
// Samples come back to back, or with stalls on either side. Some programs have packets of a wrong length and resets.
func TestByte(t *testing.T) {
	counted, err := netlist.WithCounts(classifier(t), []string{"a", "b", "c", "d"})
	if err != nil {
		t.Fatal(err)
	}
	long, err := netlist.WithCounts(random(t, netlist.Full, 3, 5), []string{"a", "b", "c", "d"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		n      *netlist.Netlist
		stages int
	}{
		{"one byte", classifier(t), 0},
		{"counts", counted, 2},
		{"a result longer than a sample", long, 0},
		{"bits", random(t, netlist.Core, 5, 5), 1},
		{"9 bits", random(t, netlist.Full, 3, 9), 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, wrapper := emitWith(t, c.n, c.stages, WriteByte, Options{})
			p := newBytes(t, c.n, 50, false)
			buildBytes(t, dir, wrapper, c.stages, p)
			out := simulate(t, dir)
			takes(t, "byte", c.n, Options{}, 50, clocks(t, out, p), c.stages+10)
			answersAfter(t, "byte", staged(t, c.n, c.stages), Options{}, out)
			clocks(t, simulate(t, dir, "+stall_in=40", "+stall_out=40", "+hold=5000"), p)
			p = newBytes(t, c.n, 150, true)
			buildBytes(t, dir, wrapper, c.stages, p)
			for i, stalls := range [][]string{{"+stall_out=80"}, {"+stall_in=40", "+stall_out=40"}, {"+stall_in=50"}} {
				if i > 0 && !testkit.Whole() {
					break
				}
				clocks(t, simulate(t, dir, stalls...), p)
			}
		})
	}
}

// TestByteFaults breaks wrappers. The testbench must name the broken rule.
func TestByteFaults(t *testing.T) {
	n, err := netlist.WithCounts(classifier(t), []string{"a", "b", "c", "d"})
	if err != nil {
		t.Fatal(err)
	}
	dir, wrapper := emitWith(t, n, 0, WriteByte, Options{})
	p := newBytes(t, n, 150, true)
	for _, f := range []fault{
		{"a wrong result", "result[{to, 3'd0}+:8]", "result[{~to, 3'd0}+:8]"},
		{"a wrong result", "out_last ? 3'd0 : to + 3'd1", "to + 3'd1"},
		{"a wrong result", "ANSWER = 3'd4", "ANSWER = 3'd3"},
		{"a wrong result", "if (rst) to <= 3'd0;", "if (rst & ~out_valid) to <= 3'd0;"},
		{"tdata changes before tready", "else if (out_valid & uio_in[4]) to", "else if (out_valid) to"},
		{"tvalid falls before tready", ".out_ready(uio_in[4] & out_last)", ".out_ready(out_last)"},
		{"a result is late", ".out_ready(uio_in[4] & out_last)", ".out_ready(uio_in[4])"},
		{"a result without tlast", "uio_oe = 8'b01101010", "uio_oe = 8'b01101011"},
		{"a result without tlast", "uio_out = {1'b0, error", "uio_out = {out_valid, error"},
		{"an unknown level", "rst = ~(rst_n & ena)", "rst = ~(rst_n | ena)"},
		{"error is wrong", "rst = ~(rst_n & ena)", "rst = ~rst_n"},
		{"an unknown level", "rst = ~(rst_n & ena)", "rst = ~ena"},
		{"error is wrong", ".in_last(uio_in[2])", ".in_last(uio_in[3])"},
		{"an output follows an input", "uo_out = result", "uo_out = {8{uio_in[2]}} & result"},
		{"an output follows an input", "in_ready, 1'b0}", "in_ready & uio_in[0], 1'b0}"},
		{"tdata changes before tready", "uo_out = result", "uo_out = {8{uio_in[7]}} & result"},
		{"a wrong result", ".in_data(ui_in)", ".in_data({ui_in[0], ui_in[7:1]})"},
	} {
		buildBytes(t, dir, f.broken(t, wrapper), 0, p)
		f.found(t, simulate(t, dir, "+stall_in=30", "+stall_out=70"))
	}
}

// TestBytePaths checks in yosys's netlist that no output depends on an input in the same clock.
func TestBytePaths(t *testing.T) {
	dir, wrapper := emitWith(t, tinyNet(), 0, WriteByte, Options{})
	if out := combinational(t, dir, wrapper); out != "" {
		t.Error(out)
	}
	f := fault{good: "in_ready, 1'b0}", bad: "in_ready & uio_in[0], 1'b0}"}
	if out := combinational(t, dir, f.broken(t, wrapper)); !strings.Contains(out, "selection is not empty") {
		t.Errorf("%q instead of %q is not found: %s", f.bad, f.good, out)
	}
}

// TestByteLint runs linters on wrappers with words of every form, and with results of one byte and of several bytes.
func TestByteLint(t *testing.T) {
	for _, n := range []*netlist.Netlist{classifier(t), random(t, netlist.Core, 2, 5), random(t, netlist.Gates, 3, 5)} {
		dir, wrapper := emitWith(t, n, 0, WriteByte, Options{})
		lint(t, dir, wrapper, "")
	}
}
