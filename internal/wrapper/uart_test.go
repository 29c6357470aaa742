package wrapper

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"ialgn/internal/testkit"
	"ialgn/netlist"
)

// uartIdleBits is the value of IDLE_BITS in the testbench.
const uartIdleBits = 30

// These are the operations of the testbench.
const (
	uartByte = iota
	uartBadStop
	uartBreak
	uartPause
	uartRate // in 1/1000 of the bit time
	uartReset
	uartErrors // the expected errors: frame_error, error
	uartGlitch // in 1/1000 of the bit time
)

// uartProgram is the program that the testbench plays.
type uartProgram struct {
	lines, expected strings.Builder
	count, answers  int
	reply           int // bytes of an answer
	errors          int
}

func (p *uartProgram) do(operation, argument int) {
	fmt.Fprintf(&p.lines, "%x%03x\n", operation, argument)
	p.count++
}

// sample sends bytes that must be answered.
func (p *uartProgram) sample(bytes, reply []uint64) {
	for _, b := range bytes {
		p.do(uartByte, int(b))
	}
	for _, b := range reply {
		fmt.Fprintf(&p.expected, "%02x\n", b)
	}
	p.answers += len(reply)
	p.reply = len(reply)
}

// rest waits until a new sample can begin, and compares the errors.
func (p *uartProgram) rest() {
	p.do(uartPause, uartIdleBits+3)
	p.do(uartErrors, p.errors)
}

// event adds a random event before a sample.
func (p *uartProgram) event(bytes []uint64, r *rand.Rand) {
	first := bytes[:r.IntN(len(bytes))]
	kind := r.IntN(7)
	if kind < 5 {
		for _, b := range first {
			p.do(uartByte, int(b))
		}
	}
	switch kind {
	case 0: // the receiver ignores the bytes after this event
		p.do(uartBadStop, int(bytes[0])&0x7f)
		p.do(uartPause, 2)
		for _, b := range bytes {
			p.do(uartByte, int(b))
		}
		p.errors = 3
	case 1:
		p.do(uartBreak, 10+r.IntN(40))
		p.errors = 3
	case 2: // the sample ends here
		if len(first) > 0 {
			p.errors |= 1
		}
	case 3:
		p.do(uartPause, uartIdleBits+p.reply*12)
		p.do(uartReset, 0)
		p.errors = 0
	case 4:
		p.do(uartPause, uartIdleBits-12) // this pause is too short to end the sample
		p.do(uartPause, 2)
		p.do(uartGlitch, 300)
		if len(first) > 0 {
			p.errors |= 1
		}
	case 5:
		p.do(uartRate, 980)
	case 6:
		p.do(uartRate, 1020)
	}
	p.rest()
}

// newUART returns a program of samples, with random events or back to back.
func newUART(t *testing.T, n *netlist.Netlist, samples int, events bool) *uartProgram {
	t.Helper()
	p, in, r := &uartProgram{reply: 16}, n.InputPorts()[0], rand.New(rand.NewPCG(7, 7))
	p.do(uartPause, uartIdleBits+3)
	for _, s := range classified(t, n, samples, r) {
		bytes := inBytes(in.Word, s.words, r)
		if events && r.IntN(2) == 0 {
			p.event(bytes, r)
		}
		p.sample(bytes, s.reply(n))
	}
	p.do(uartErrors, p.errors)
	return p
}

// run plays the program to a wrapper with the given number of clocks for each bit, and returns the testbench's
// output.
func (p *uartProgram) run(t *testing.T, dir, wrapper string, clocks int) string {
	t.Helper()
	bench, err := os.ReadFile("testdata/uart_tb.v")
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "uart_tb.v", string(bench))
	write(t, dir, "dut.v", wrapper)
	write(t, dir, "program.hex", p.lines.String())
	write(t, dir, "expected.hex", p.expected.String())
	testkit.RunSilent(t, dir, "iverilog", "-g2005", "-o", "a.vvp", "-DDUT=dut", fmt.Sprintf("-DCLOCKS=%d", clocks),
		fmt.Sprintf("-DIDLE=%d", uartIdleBits),
		fmt.Sprintf("-DLINES=%d", p.count), fmt.Sprintf("-DANSWERS=%d", p.answers), fmt.Sprintf("-DREPLY=%d", p.reply),
		"uart_tb.v", "dut.v", "core.v")
	return simulate(t, dir)
}

// TestUART plays samples back to back, at the exact rate, 2 % too fast, and 2 % too slow. It also plays samples with
// wrong stop bits, breaks, early ends, glitches and resets.
func TestUART(t *testing.T) {
	for _, c := range []struct {
		name    string
		n       *netlist.Netlist
		stages  int
		clocks  int
		samples int
		events  bool
	}{
		{"back to back", random(t, netlist.Full, 3, 5), 0, 8, 60, false},
		{"events", random(t, netlist.Full, 3, 5), 2, 8, 40, true},
		{"two bytes a word", random(t, netlist.Full, 2, 9), 0, 13, 20, true},
		{"a byte", random(t, netlist.Core, 2, 5), 0, 100, 10, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, wrapper := emitWith(t, c.n, c.stages, WriteUART, Options{})
			p := newUART(t, c.n, c.samples, c.events)
			took := clocksOf(t, p.run(t, dir, wrapper, c.clocks), p.answers)
			if !c.events {
				takes(t, "uart", c.n, Options{ClockHz: 12_000_000, Baud: 12_000_000 / c.clocks}, c.samples, took, 800)
			}
		})
	}
}

// TestUARTFaults breaks wrappers. The testbench must name the broken rule.
func TestUARTFaults(t *testing.T) {
	n := random(t, netlist.Full, 3, 5)
	dir, wrapper := emitWith(t, n, 0, WriteUART, Options{})
	p := newUART(t, n, 40, true)
	for _, f := range []fault{
		{"a wrong answer", "broken    <= ~line", "broken    <= 1'b0"},
		{"a wrong answer", "received  <= line;", "received  <= 1'b1;"},
		{"a wrong answer", "if (rx_bits == 4'd0) receiving <= ~line", "if (rx_bits == 4'd0) receiving <= 1'b1"},
		{"errors are wrong", "(quiet & at != ", "(1'b0 & at != "},
		{"errors are wrong", "if (broken) failed", "if (drop) failed"},
		{"a wrong answer", "receiving <= ~line & ~waiting", "receiving <= ~line"},
		{"a wrong answer", "{line, rx_byte[7:1]}", "{rx_byte[6:0], line}"},
		{"errors are wrong", "rx_timer  <= HALF[TIMER-1:0]", "rx_timer  <= BIT[TIMER-1:0]"},
		{
			"a bit of another length", "tx_timer <= BIT[TIMER-1:0];\n      tx_bits  <= tx_bits",
			"tx_timer <= HALF[TIMER-1:0];\n      tx_bits  <= tx_bits",
		},
		{"an answer without start or stop bit", "tx_bits  <= 4'd10", "tx_bits  <= 4'd8"},
		{"a wrong answer", "wire out_ready = next", "wire out_ready = 1'b0 & next"},
		{"an unknown level", "initial rst_s = 2'b00", "initial rst_s = 2'b11"},
		{"a reset leaves an error", "failed  <= 1'b0;", "failed  <= failed === 1'b1;"},
	} {
		f.found(t, p.run(t, dir, f.broken(t, wrapper), 8))
	}
}

// TestUARTLint runs linters on wrappers with words of every form, and with results of one byte and of several bytes.
func TestUARTLint(t *testing.T) {
	for _, n := range []*netlist.Netlist{classifier(t), random(t, netlist.Core, 2, 5), random(t, netlist.Gates, 3, 5)} {
		dir, wrapper := emitWith(t, n, 0, WriteUART, Options{})
		lint(t, dir, wrapper, "BAUD", 115200, 9600)
	}
}

// TestUARTRefused checks that rates that the receiver cannot handle are refused.
func TestUARTRefused(t *testing.T) {
	n := random(t, netlist.Core, 2, 5)
	for _, c := range []struct {
		hz, baud int
		want     string
	}{
		{12_000_000, 115_200, ""},
		{0, 1_000_000, ""},
		{0, 1_500_000, ""},
		{0, 1_600_000, "give a clock of 8 to 262144 times"},
		{0, 30, "give a clock of 8 to 262144 times"},
		{0, -1, "give a clock of"},
		{10_000_000, 921_600, "no whole number of clocks"},
	} {
		var out strings.Builder
		err := WriteUART(&out, n, Options{Core: "core", ClockHz: c.hz, Baud: c.baud})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) ||
			out.Len() > 0) {
			t.Errorf("%d Hz, %d baud: %v, want %q", c.hz, c.baud, err, c.want)
		}
	}
}
