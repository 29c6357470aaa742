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

// These are the operations of the testbench.
const (
	spiBegin = iota
	spiByte
	spiBits
	spiEnd
	spiReset
	spiError // an expected error
	spiReady // wait for a result
)

// spiProgram is the program that the testbench plays.
type spiProgram struct {
	lines, expected strings.Builder
	count, results  int
	reply           int // bytes of an answer
	failed          bool
}

func (p *spiProgram) do(operation, argument int) {
	fmt.Fprintf(&p.lines, "%x%03x\n", operation, argument)
	p.count++
}

// frame sends a command and bytes, followed by the given number of extra bits.
func (p *spiProgram) frame(command int, bytes []uint64, bits int) {
	p.do(spiBegin, 0)
	p.do(spiByte, command)
	for _, b := range bytes {
		p.do(spiByte, int(b))
	}
	if bits > 0 {
		p.do(spiBits, bits)
	}
	p.do(spiEnd, 0)
}

// read reads the waiting result.
func (p *spiProgram) read() { p.frame(0, make([]uint64, p.reply), 0) }

// event adds a random event before a sample, while no result waits.
func (p *spiProgram) event(bytes []uint64, r *rand.Rand) {
	first := r.IntN(len(bytes))
	switch r.IntN(6) {
	case 0: // only a part of the sample, which may be empty
		p.frame(1, bytes[:first], 0)
		p.failed = true
	case 1: // more bytes than a sample
		p.frame(1, append(bytes[:len(bytes):len(bytes)], bytes...), 0)
		p.failed = true
	case 2: // a part of a byte, after all or some of the sample
		if r.IntN(2) == 0 {
			first = len(bytes)
		}
		p.frame(1, bytes[:first], 1+r.IntN(7))
		p.failed = true
	case 3: // an unknown command
		p.frame(2+r.IntN(254), bytes, 0)
		p.failed = true
	case 4: // a reset within a frame; the frame and a waiting result are lost
		if r.IntN(2) == 0 {
			p.frame(1, bytes, 0)
			p.do(spiReady, 1)
			first = 0 // the waiting result is not read
		}
		p.do(spiBegin, 0)
		p.do(spiByte, 1)
		for _, b := range bytes[:first] {
			p.do(spiByte, int(b))
		}
		p.do(spiReset, 0)
		for range bytes {
			p.do(spiBits, 8)
		}
		p.do(spiEnd, 0)
		p.failed = false
	case 5: // an empty frame
		p.do(spiBegin, 0)
		p.do(spiEnd, 0)
		p.frame(0, bytes, 3)
	}
	p.do(spiError, bit(p.failed))
}

// newSPI returns a program of samples, with random events or back to back. In a back-to-back program, each result is
// read together with the next sample.
func newSPI(t *testing.T, n *netlist.Netlist, samples int, events bool) *spiProgram {
	t.Helper()
	p, in, r := &spiProgram{}, n.InputPorts()[0], rand.New(rand.NewPCG(8, 8))
	for _, s := range classified(t, n, samples, r) {
		bytes, reply := inBytes(in.Word, s.words, r), s.reply(n)
		p.reply = len(reply)
		if events {
			p.event(bytes, r)
		}
		p.frame(1, bytes, 0)
		for _, b := range reply {
			fmt.Fprintf(&p.expected, "%02x\n", b)
		}
		p.results++
		if events {
			p.do(spiReady, 1)
			p.read()
			p.do(spiReady, 0)
		}
	}
	if !events {
		p.read()
	}
	p.do(spiError, bit(p.failed))
	return p
}

// run plays the program to a wrapper and returns the testbench's output. Each half period of sck is 40 ns, plus a
// random time of up to jitter ns.
func (p *spiProgram) run(t *testing.T, dir, wrapper string, jitter int) string {
	t.Helper()
	bench, err := os.ReadFile("testdata/spi_tb.v")
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "spi_tb.v", string(bench))
	write(t, dir, "dut.v", wrapper)
	write(t, dir, "program.hex", p.lines.String())
	write(t, dir, "expected.hex", p.expected.String())
	testkit.RunSilent(t, dir, "iverilog", "-g2005", "-o", "a.vvp", "-DDUT=dut", fmt.Sprintf("-DJITTER=%d", jitter),
		fmt.Sprintf("-DLINES=%d", p.count),
		fmt.Sprintf("-DRESULTS=%d", p.results), fmt.Sprintf("-DREPLY=%d", p.reply), "spi_tb.v", "dut.v", "core.v")
	return simulate(t, dir)
}

// TestSPI plays samples back to back and with other frames between them. Some of these frames are too short, too long
// or cut off. Others have an unknown command, or are interrupted by a reset. The test uses every phase between the
// clocks of the two sides.
func TestSPI(t *testing.T) {
	for _, c := range []struct {
		name            string
		n               *netlist.Netlist
		stages, samples int
		events          bool
		jitter          int
	}{
		{"back to back", random(t, netlist.Full, 3, 5), 0, 60, false, 0},
		{"events", random(t, netlist.Full, 3, 5), 2, 40, true, 30},
		{"two bytes a word", random(t, netlist.Full, 2, 9), 0, 20, true, 10},
		{"a byte", random(t, netlist.Core, 2, 5), 0, 20, true, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, wrapper := emitWith(t, c.n, c.stages, WriteSPI, Options{})
			p := newSPI(t, c.n, c.samples, c.events)
			took := clocksOf(t, p.run(t, dir, wrapper, c.jitter), p.results)
			if !c.events {
				takes(t, "spi", c.n, Options{}, c.samples, took, 500)
			}
		})
	}
}

// TestSPIFaults breaks wrappers. The testbench must name the broken rule.
func TestSPIFaults(t *testing.T) {
	n := random(t, netlist.Full, 3, 5)
	dir, wrapper := emitWith(t, n, 0, WriteSPI, Options{})
	p := newSPI(t, n, 40, true)
	for _, f := range []fault{
		{"a wrong answer", "finish & held_valid & bits == 3'd0", "finish & held_valid"},
		{"the error is wrong", "| whole & command & value > 8'd1", ""},
		{"the error is wrong", "taking     <= command ? value == 8'd1", "taking     <= command ? value == 8'd0"},
		{"the error is wrong", ".in_last(finish)", ".in_last(1'b0)"},
		{"an answer is missing", "out_ready = whole & final_byte", "out_ready = 1'b0"},
		{"a wrong answer", "left       <= out_valid", "left       <= 1'b0"},
		{"the error is wrong", "{data, mosi_s[1]}", "{mosi_s[1], data}"},
		{"a wrong answer", ".in_data(held)", ".in_data(value)"},
		{"something after the answer", "left ? result[{to, 3'd0}+:8] : 8'd0", "left ? result[{to, 3'd0}+:8] : 8'd4"},
		{"miso changes between the edges", "assign miso = shift[7]", "assign miso = sck_s[1] ? shift[7] : shift[6]"},
		{"another error in the status", "{6'd0, error, out_valid}", "{7'd0, out_valid}"},
		{"a reset leaves an answer", "if (rst) out_valid <= 1'b0;", "if (rst) out_valid <= out_valid === 1'b1;"},
		{"a reset leaves an error", "      failed <= 1'b0;\n", "      failed <= failed === 1'b1;\n"},
		{"the error is wrong", "cs_s   <= 3'b000;", "cs_s   <= 3'b111;"},
		{"an unknown level", "initial rst_s = 2'b00", "initial rst_s = 2'b11"},
	} {
		f.found(t, p.run(t, dir, f.broken(t, wrapper), 20))
	}
}

// TestSPILint runs linters on wrappers with words of every form, and with results of one byte and of several bytes.
func TestSPILint(t *testing.T) {
	for _, n := range []*netlist.Netlist{classifier(t), random(t, netlist.Core, 2, 5), random(t, netlist.Gates, 3, 5)} {
		dir, wrapper := emitWith(t, n, 0, WriteSPI, Options{})
		lint(t, dir, wrapper, "")
	}
}
