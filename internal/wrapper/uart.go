package wrapper

import (
	_ "embed" // templates
	"fmt"
	"io"
	"strings"

	"ialgn/internal/message"
	"ialgn/netlist"
)

func uartKind() *Kind {
	return &Kind{
		// A serial line does not mark the end of a packet.
		Name: "uart", Clock: "clk", Play: playUART, Broken: []Broken{TooShort, CutOff, WrongStop},
		Bytes: true, Drops: true, Paced: true, Baud: true, Write: WriteUART, Ports: (*design).uartPorts,
		Cycles: func(_, bytes *design, o Options) int {
			hz, baud := o.Line()
			clocks := (hz + baud/2) / baud
			return max(10*clocks*bytes.words, (10*clocks+1)*bytes.resultBytes()) // one more clock between bytes
		},
		Bench: uartBench,
		BenchParameters: ` #(
    parameter BIT = 8,  // clocks of a bit
    parameter IDLE_BITS = 40
)`,
		BenchOptions: `//
// A bit has BIT clocks here, 8, the fewest that there may be, for they are what takes the time; of
// the rate that the module is written with, that is
//
//   $ iverilog -P@TOP@_tb.BIT=CLOCKS ...  or  verilator -GBIT=CLOCKS ...
`,
		Bits: func(*design, Options) int { return 8 },
		Host: &Host{Suffix: "_host.py", Write: writePython(uartHost, "serial line, such as /dev/ttyUSB1"), Live: uartLive},
	}
}

// uartHost is the host program for a serial line. uartLive is the line in a simulation.
//
//go:embed templates/host_uart.py
var uartHost string

//go:embed templates/live_uart.v
var uartLive string

// These are the defaults of serial lines. The clock is the clock of the boards that [ParseBoard] knows. Every
// terminal program offers the bit rate.
const (
	defaultClockHz = 12_000_000
	defaultBaud    = 115_200
)

// These are limits of the number of clocks per bit. With fewer clocks, bytes from a sender whose rate is 2 % off
// could not be read. The number of clocks per bit is an integer, and must be within 1 % of the exact quotient of
// clock and bit rate.
const (
	minBitClocks = 8
	maxBitClocks = 1 << 18
	maxOffBy     = 100
)

// UARTIdle is the default of IDLE_BITS. At 115,200 baud, this is 21 ms, which is longer than the time for which USB
// adapters hold bytes back.
const UARTIdle = 2400

// WriteUART writes a module that takes samples over a serial line. It answers each sample with the bytes of its
// result. Bytes have 8 data bits, no parity and one stop bit.
//
//	parameter CLOCK_HZ, BAUD, IDLE_BITS   frequency of clk, bits per second, and see below
//	input  clk, rst_n, rx
//	output tx, frame_error, error
//
// A sample is a fixed number of bytes, laid out as the package comment says. Samples may follow each other without a
// pause if an answer is shorter than a sample. A sample is dropped if a stop bit is 0, for example because of noise,
// a wrong bit rate or a break. It is also dropped if there is no room for a byte, or if the line is idle for
// IDLE_BITS bits within the sample. error is then 1 until a reset. After a wrong stop bit, frame_error is also 1.
// After a wrong stop bit, a lack of room or a reset, bytes are ignored until the line has been idle for IDLE_BITS
// bits. So after a pause of IDLE_BITS bits, a sender always begins a new sample. No byte could mark the beginning of
// a sample, because every value may be part of a sample.
//
// CLOCK_HZ / BAUD must be from 8 to 262144 and within 1 % of an integer. The sender's rate may be another 2 % off.
// IDLE_BITS must be from 12 to 8191. rst_n and rx may come from pins: both are synchronised. The registers of rst_n
// start as 0, which gives a reset after power-on on devices with initial values.
//
// WriteUART returns the errors of [WriteStream], and an error for a rate outside these limits.
func WriteUART(w io.Writer, n *netlist.Netlist, o Options) error {
	hz, baud := o.Line()
	if err := checkRate(hz, baud); err != nil {
		return err
	}
	o.Beat = 0
	d, err := newDesign(n, o, uartKind(), append(streamNames("CLOCK_HZ", "BAUD", "IDLE_BITS", "rst_n", "rx", "tx",
		"frame_error"), uartNames...)...)
	if err != nil {
		return err
	}
	d = d.asBytes()
	_, err = io.WriteString(w, d.serial(d.uartHeader(), uartModule, true,
		"@HZ@", fmt.Sprint(hz), "@BAUD@", fmt.Sprint(baud), "@IDLE@", fmt.Sprint(UARTIdle), "@BITSBELOW@", bitsBelow,
		"@AT@", fmt.Sprint(indexBits(d.words)), "@LASTIN@", fmt.Sprint(d.words-1)))
	return err
}

// checkRate returns an error for a rate outside the limits of [WriteUART].
func checkRate(hz, baud int) error {
	if baud < 1 || hz < minBitClocks*baud || hz > maxBitClocks*baud || hz > 1<<31-1 {
		return fmt.Errorf("wrapper: %d baud of a clock of %d Hz are out of range, give a clock of %d "+
			"to %d times the baud rate", baud, hz, minBitClocks, maxBitClocks)
	}
	clocks := (hz + baud/2) / baud
	if off := clocks*baud - hz; max(off, -off) > hz/maxOffBy {
		return fmt.Errorf("wrapper: a bit of %d baud is no whole number of clocks of %d Hz within 1 %%, give another "+
			"rate, such as %d", baud, hz, hz/clocks)
	}
	return nil
}

// uartNames lists the names that the module uses in addition to streamNames.
var uartNames = []string{
	"BIT", "HALF", "IDLE", "TIMER", "QUIET", "ONE", "SAMPLE", "ANSWER", "bits_below", "limit", "rst_s", "rx_s", "line",
	"receiving", "received", "broken", "rx_timer", "rx_bits", "rx_byte",
	"idle", "quiet", "waiting", "at", "overrun", "failed", "frame", "tx_timer", "tx_bits", "to", "next",
}

// uartHeader returns the comment at the top of the file.
func (d *design) uartHeader() string {
	var b strings.Builder
	d.title(&b, "the module "+d.core+" on a serial line")
	d.byteOrder(&b)
	fmt.Fprintf(&b, `//
// The line has 8 data bits, no parity and one stop bit. Each sample of %s is answered by
// the %s of its result. Samples may follow each other without a pause, as long as an
// answer is shorter.
// A stop bit that is 0 (noise, another rate, a break), a byte that there is no room for, and
// IDLE_BITS idle bits within a sample drop this sample, and error is 1 until a reset; so is
// frame_error for a stop bit. After the first two, as after a reset, bytes are ignored until
// the line has been idle for IDLE_BITS bits: a sender that pauses so long begins a sample.
// CLOCK_HZ / BAUD is from %d to %d, and the integer next to it within 1 %% of it; a sender
// may be 2 %% off. IDLE_BITS is from 12 to 8191.
// rst_n is active low; it and rx are synchronised here. Registers of rst_n begin as 0, so that
// devices with initial values begin with a reset.

`, message.Plural(d.words, "byte", "bytes"), message.Plural(d.resultBytes(), "byte", "bytes"), minBitClocks, maxBitClocks)
	return b.String()
}

//go:embed templates/uart_module.v
var uartModule string

func (d *design) uartPorts(Options) []Port {
	return []Port{
		{"clk", 0, false, "clock of CLOCK_HZ, rising edge"},
		{"rst_n", 0, false, "reset, active low, synchronised inside"},
		{"rx", 0, false, "serial line: the bytes of samples"},
		{"tx", 0, true, "serial line: the bytes of results"},
		{"frame_error", 0, true, "a stop bit was 0; 1 until a reset"},
		errorPort,
	}
}

// uartBench sends one byte after another, with pauses between some samples. It sends no sample while more than one
// answer is outstanding. It receives answers at the same time.
//
//go:embed templates/uart_bench.v
var uartBench string

// quickIdle is a number of idle bits that takes little time but is longer than the player's pauses.
const quickIdle = 40

// playUART returns a player that sends bytes at the rate of the line.
func playUART(p Played) Player {
	hz, baud := p.Options.Line()
	clocks := hz/baud + 1 // clocks of one bit
	sample := p.sampleBytes()
	parameters, idle := "", UARTIdle
	if p.Quick {
		parameters, idle = "#(.CLOCK_HZ(@HZ@), .BAUD(@BAUD@), .IDLE_BITS(@IDLE@)) ", quickIdle
	}
	ahead := "0" // if an engine is slower than the line, the sender waits for each answer
	if p.Engine <= 10*(hz/baud)*sample {
		ahead = "1"
	}
	bench := strings.NewReplacer("@HZ@", fmt.Sprint(hz), "@BAUD@", fmt.Sprint(baud), "@IDLE@", fmt.Sprint(idle), "@AHEAD@",
		ahead).
		Replace(strings.Replace(playUARTBytes, "@PARAMETERS@", parameters, 1))
	return Player{
		Unit: 8, Units: sample, Bench: bench, Late: clocks * (UARTIdle + 30*(sample+p.resultBytes())), Quiet: 30 * clocks,
	}
}

// playUARTBytes sends bytes with a separate clock. It begins the next sample only when at most one answer is
// outstanding. Sometimes it also pauses before a sample.
//
//go:embed templates/play_uart_bytes.v
var playUARTBytes string
