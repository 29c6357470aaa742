package wrapper

import (
	_ "embed" // templates
	"fmt"
	"io"
	"strings"

	"ialgn/internal/message"
	"ialgn/netlist"
)

func spiKind() *Kind {
	return &Kind{
		Name: "spi", Clock: "clk", Play: playSPI, Broken: []Broken{TooShort, TooLong}, // SPI frames are not cut off
		Bytes: true, Drops: true, Paced: true, Write: WriteSPI, Ports: (*design).spiPorts,
		Cycles: func(_, bytes *design, _ Options) int {
			frame := func(bytes int) int { return 2*spiHalf*8*(1+bytes) + 2*spiHalf } // includes cs_n at the end
			if bytes.resultBytes() > bytes.words {
				// One frame sends the sample, and another frame reads the result.
				return frame(bytes.words) + frame(bytes.resultBytes())
			}
			return frame(bytes.words)
		},
		Bench: spiBench,
		Bits:  func(*design, Options) int { return 8 },
		Host:  &Host{Suffix: "_host.py", Write: writePython(spiHost, "SPI device, such as /dev/spidev0.0"), Live: spiLive},
	}
}

// spiHost is the host program for SPI. spiLive is the SPI master in a simulation.
//
//go:embed templates/host_spi.py
var spiHost string

//go:embed templates/live_spi.v
var spiLive string

// spiHalf is the minimum number of clocks of half a period of sck.
const spiHalf = 4

// WriteSPI writes a module that takes samples and returns results as an SPI slave in mode 0. In this mode, sck is 0
// while no frame is transferred. Both sides read at the rising edge of sck and change their outputs after the falling
// edge. The highest bit of a byte comes first.
//
//	input  clk, rst_n, sck, mosi, cs_n
//	output miso, ready, error
//
// While cs_n is 0, a frame is transferred. The first byte of a frame is a command. At the same time, the module
// sends a status byte:
//
//	command 0   nothing: only reads
//	        1   the following bytes are a sample, until cs_n is 1
//	status      bit 0: the bytes of a result follow; bit 1: error
//
// The bytes after the status are the oldest result that was ready when the frame began, followed by zeros. When all
// bytes of this result have been read, the next result takes its place. ready is 1 while a result waits. The module
// discards a sample that has the wrong length or ends within a byte. It also discards a sample if there is no room
// because earlier results were not read. Unknown commands are ignored. In all these cases, error is then 1 until a
// reset. The bytes of samples and results are laid out as the package comment says.
//
// All inputs are synchronised to clk. Each half of a period of sck must last at least four periods of clk. At least
// the same time must pass between an edge of cs_n and the next or previous edge of sck, and between frames. miso is
// always driven. The registers of rst_n start as 0, which gives a reset after power-on on devices with initial
// values.
//
// WriteSPI returns the errors of [WriteStream].
func WriteSPI(w io.Writer, n *netlist.Netlist, o Options) error {
	o.Beat = 0
	d, err := newDesign(n, o, spiKind(), streamNames("rst_n", "sck", "mosi", "miso", "cs_n", "ready", "ANSWER", "rst_s",
		"sck_s", "mosi_s", "cs_s",
		"rise", "fall", "first_clock", "last_clock", "bits", "data", "value", "whole", "command", "taking", "held",
		"held_valid",
		"push", "finish", "to", "left", "final_byte", "shift", "load")...)
	if err != nil {
		return err
	}
	d = d.asBytes()
	_, err = io.WriteString(w, d.serial(d.spiHeader(), spiModule, true))
	return err
}

// spiHeader returns the comment at the top of the file.
func (d *design) spiHeader() string {
	var b strings.Builder
	d.title(&b, "the module "+d.core+" as an SPI slave in mode 0")
	d.byteOrder(&b)
	fmt.Fprintf(&b, `//
// sck rests at 0, both sides read at its rising edge, the highest bit of a byte comes first.
// While cs_n is 0 there is a frame. On mosi its first byte is a command: 0 nothing, 1 the %s
// of a sample follow, and no more. On miso its first byte is a status, bit 0: the %s
// of a result follow, the oldest that was not read; bit 1: error. Further bytes are 0. A
// result is given up for the next one when all its bytes were read. ready is 1 while one waits.
// A sample of another length or with a part of a byte, one that there is no room for because
// results were not read, and another command are void, and error is 1 until a reset.
// Each half of a period of sck lasts four periods of clk or longer, and so do the times from
// cs_n to sck, from sck to cs_n and between frames. rst_n is active low; all inputs are
// synchronised here. Registers of rst_n begin as 0, so that devices with initial values begin
// with a reset. miso is driven always: other slaves on its wire need a buffer.

`, message.Plural(d.words, "byte", "bytes"), message.Plural(d.resultBytes(), "byte", "bytes"))
	return b.String()
}

//go:embed templates/spi_module.v
var spiModule string

func (d *design) spiPorts(Options) []Port {
	return []Port{
		{"clk", 0, false, "clock, rising edge, at least eight times as fast as sck"},
		{"rst_n", 0, false, "reset, active low, synchronised inside"},
		{"sck", 0, false, "clock of the bits, mode 0"},
		{"mosi", 0, false, "commands and samples"},
		{"miso", 0, true, "status and results"},
		{"cs_n", 0, false, "0: there is a frame"},
		{"ready", 0, true, "a result waits to be read"},
		errorPort,
	}
}

// spiBench sends a frame for each sample. The frame also reads the result of the previous sample. If a result has
// more bytes than a sample, there is also a frame for each result. Half periods of sck have the minimum number of
// clocks or slightly more.
//
//go:embed templates/spi_bench.v
var spiBench string

// playSPI returns a player that sends a frame for each sample.
func playSPI(p Played) Player {
	sample := p.sampleBytes()
	return Player{
		Unit: 8, Units: sample, Bench: playSPIFrames, Late: 4*64*(2+sample+p.resultBytes()) + 20*p.Engine, Quiet: usualQuiet,
	}
}

// playSPIFrames sends a frame for each sample. The frame also reads the result of the previous sample. If a result
// has more bytes than a sample, there is also a frame for each result. Half periods of sck have the minimum number
// of clocks or slightly more.
//
//go:embed templates/play_spi_frames.v
var playSPIFrames string
