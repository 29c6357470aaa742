package wrapper

import (
	_ "embed" // templates
	"fmt"
	"io"
	"strings"

	"ialgn/netlist"
)

func byteKind() *Kind {
	return &Kind{
		Name: "byte", Clock: "clk", Play: playByte, Broken: []Broken{TooShort, CutOff, TooLong},
		Bytes: true, Write: WriteByte, Ports: (*design).bytePorts,
		Cycles: func(_, bytes *design, _ Options) int { return beats(bytes.words, 1) },
		Reply:  (*design).resultBytes,
		Bench:  byteBench + handshakeBench,
		Bits:   func(*design, Options) int { return 8 },
		Host:   &Host{Suffix: "_host.py", Write: writePython(byteHost, "GPIO chip, such as /dev/gpiochip0"), Live: byteLive},
	}
}

// byteHost is the host program for the pins. byteLive has the pins in a simulation.
//
//go:embed templates/host_byte.py
var byteHost string

//go:embed templates/live_byte.v
var byteLive string

// WriteByte writes a module for a chip that several projects share. It has the pins that shuttles such as Tiny
// Tapeout give to a project: eight inputs, eight outputs, and eight pins whose direction the project sets. A sample
// comes in byte by byte, and its result goes out byte by byte.
//
//	input  clk, rst_n, ena
//	input  ui_in[7:0]     a byte of a sample
//	output uo_out[7:0]    a byte of a result
//	input  uio_in[7:0]    bit 0: in_valid, bit 2: in_last, bit 4: out_ready
//	output uio_out[7:0]   bit 1: in_ready, bit 3: out_valid, bit 5: out_last, bit 6: error
//	output uio_oe[7:0]    01101010: the directions of these bits, 1 for an output
//
// A byte of a sample is taken at a rising edge of clk at which in_valid and in_ready are 1. in_last is 1 with the last
// byte of a sample. A byte of a result is given at an edge at which out_valid and out_ready are 1. out_last is 1 with
// the last byte of a result. Samples and results are laid out as the package comment says.
//
// A packet that is shorter or longer than a sample is dropped as a whole. error is then 1 until a reset, but the next
// packet is accepted again. No output depends on an input in the same clock. rst_n is active low and synchronous. It
// drops everything that has not been output. While ena is 0, because another project has the pins, the module is
// reset, too. All pins are synchronous to clk, so the other side drives clk or uses it.
//
// Samples follow each other every bytes + 1 clocks, or every result's bytes + 1 clocks if this is longer.
//
// WriteByte returns the errors of [WriteStream].
func WriteByte(w io.Writer, n *netlist.Netlist, o Options) error {
	o.Beat = 0
	d, err := newDesign(n, o, byteKind(), streamNames("rst_n", "ena", "ui_in", "uo_out", "uio_in", "uio_out", "uio_oe",
		"ANSWER", "unused_pins", "to", "out_last")...)
	if err != nil {
		return err
	}
	d = d.asBytes()
	_, err = io.WriteString(w, d.serial(d.byteHeader(), byteModule, false))
	return err
}

// byteHeader returns the comment at the top of the file.
func (d *design) byteHeader() string {
	var b strings.Builder
	d.title(&b, "the module "+d.core+" on the pins of a project on a shared chip")
	d.byteOrder(&b)
	b.WriteString(`//
// A byte of a sample, at ui_in, moves where in_valid (uio_in[0]) and in_ready (uio_out[1]) are
// both 1 at a rising edge of clk; in_last (uio_in[2]) is 1 with a sample's last byte.
// A byte of a result, at uo_out, moves where out_valid (uio_out[3]) and out_ready (uio_in[4])
// are; out_last (uio_out[5]) is 1 with a result's last byte.
// Valid waits for no ready, and stays, as the byte does, until the byte has moved; no output
// depends on an input in the same clock. A packet of another length is dropped as a whole and
// error (uio_out[6]) is 1 until a reset; the next packet is right again.
// uio_oe says which bits of uio are outputs. Bit 7 is an input that nothing reads.
// All pins are synchronous to clk. rst_n = 0 and ena = 0 are a reset: results and packets that
// are on their way are dropped, and error is 0 again. There is no other reset after power-on.

`)
	return b.String()
}

//go:embed templates/byte_module.v
var byteModule string

func (d *design) bytePorts(Options) []Port {
	b := d.asBytes()
	return []Port{
		{"clk", 0, false, "clock, rising edge"},
		{"rst_n", 0, false, "synchronous reset, active low"},
		{"ena", 0, false, "0: another project has the pins, as a reset"},
		{"ui_in", 8, false, fmt.Sprintf("a byte of the %d of a sample", b.words)},
		{"uo_out", 8, true, fmt.Sprintf("a byte of the %d of a result", b.resultBytes())},
		{"uio_in", 8, false, "bit 0: in_valid, 2: in_last, 4: out_ready"},
		{"uio_out", 8, true, "bit 1: in_ready, 3: out_valid, 5: out_last, 6: error"},
		{"uio_oe", 8, true, "01101010: which bits of uio are outputs"},
	}
}

// byteBench connects the pins to handshakeBench.
//
//go:embed templates/byte_bench.v
var byteBench string

// playByte returns a player that sends samples byte by byte, and collects the bytes of results.
func playByte(p Played) Player { return handshakePlayer(8, p.sampleBytes(), playBytePins, p) }

//go:embed templates/play_byte_pins.v
var playBytePins string
