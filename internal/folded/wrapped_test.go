package folded

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ialgn/internal/testkit"
	"ialgn/internal/wrapper"
	"ialgn/netlist"
)

// wrapped writes an engine with a byte wrapper around it. It returns the folder, the engine's netlist and the
// wrapper's netlist.
func wrapped(t *testing.T, lanes int, drop bool, write1 func(io.Writer, *netlist.Netlist,
	wrapper.Options) error,
) (string, *netlist.Netlist) {
	t.Helper()
	f := models()["constant chains"]
	n := optimised(t, f)
	e, err := NewChains(n, Options{Core: "net", Lanes: lanes, Thresholds: f.Encoder.Thresholds, Drop: drop})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write(t, dir, e)
	var text bytes.Buffer
	if err := write1(&text, n, wrapper.Options{
		Core: "net", Module: "dut",
		Engine: &wrapper.Engine{Module: e.Module, Cycles: float64(e.Cost().Cycles)},
	}); err != nil {
		t.Fatal(err)
	}
	put(t, dir, "dut.v", text.String())
	testkit.RunSilent(t, dir, "verilator", "--lint-only", "-Wall", "--top-module", "dut", "dut.v", "net_fold.v")
	testkit.RunSilent(t, dir, "iverilog", "-g2001", "-Wall", "-s", "dut", "-o", "a.vvp", "dut.v", "net_fold.v")
	testkit.RunSilent(t, dir, "yosys", "-q", "-p",
		"read_verilog dut.v net_fold.v; hierarchy -check -top dut; proc; check -assert")
	return dir, n
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// play compiles a testbench of package wrapper, with longer waiting times for an engine, and returns its output for
// the program.
func play(t *testing.T, dir, bench, program, expected string, defines ...string) string {
	t.Helper()
	text, err := os.ReadFile("../wrapper/testdata/" + bench)
	if err != nil {
		t.Fatal(err)
	}
	slower := strings.NewReplacer("late > `STAGES + 3", "late > 600", "n < 100 ", "n < 600 ", "20 * `LINES + 5000",
		"100000")
	put(t, dir, bench, slower.Replace(string(text)))
	put(t, dir, "program.hex", program)
	put(t, dir, "expected.hex", expected)
	args := []string{
		"iverilog", "-g2005", "-o", "b.vvp", "-DDUT=dut",
		fmt.Sprintf("-DLINES=%d", strings.Count(program, "\n")),
	}
	for _, d := range defines {
		args = append(args, "-D"+d)
	}
	testkit.RunSilent(t, dir, append(args, bench, "dut.v", "net_fold.v")...)
	out, err := testkit.TryTool(t, dir, "vvp", "-n", "b.vvp")
	if err != nil {
		t.Fatalf("vvp: %v\n%s", err, out)
	}
	return out
}

// TestAXIS plays packets of bytes to an engine between two AXI4-Streams. Some packets have a wrong length.
func TestAXIS(t *testing.T) {
	dir, n := wrapped(t, 1, false, wrapper.WriteAXIS)
	p := packetsOf(t, n, 8, 40, true)
	out := play(t, dir, "axis_tb.v", p.lines.String(), p.expected.String(), "DATA=8", "RESULT=8", "BEAT=1", "REPLY=1",
		"STAGES=2", fmt.Sprintf("RESULTS=%d", p.results))
	if !strings.HasPrefix(out, "PASS: 40 results") {
		t.Error(out)
	}
	if out, err := testkit.TryTool(t, dir, "iverilog", "-g2001", "-Pdut.BYTES=2", "-s", "dut", "-o", "c.vvp", "dut.v",
		"net_fold.v"); err == nil || !strings.Contains(out, "the_engine_takes_a_byte_in_a_beat") {
		t.Errorf("two bytes in a beat: %v, %s", err, out)
	}
}

// TestUART sends samples over a serial line. Samples that end early are void.
func TestUART(t *testing.T) {
	dir, n := wrapped(t, 2, true, wrapper.WriteUART)
	p := packetsOf(t, n, 8, 30, false)
	var program, expected strings.Builder
	do := func(operation, argument int) { fmt.Fprintf(&program, "%x%03x\n", operation, argument) }
	do(3, 40)
	for i, sample := range p.all {
		if i%5 == 4 { // an incomplete sample, then the line is idle
			for _, word := range sample[:1+i%len(sample)%(len(sample)-1)] {
				do(0, int(^word&0xff))
			}
			do(3, 40)
			do(6, 1)
		}
		for _, word := range sample {
			do(0, int(word|p.r.Uint64N(256)>>p.word<<p.word))
		}
		fmt.Fprintf(&expected, "%02x\n", p.classes[i])
	}
	out := play(t, dir, "uart_tb.v", program.String(), expected.String(), "CLOCKS=8", "IDLE=30", "ANSWERS=30", "REPLY=30")
	if !strings.HasPrefix(out, "PASS: 30 answers") {
		t.Error(out)
	}
}

// TestSPI sends samples in frames and reads the results. Frames that are too short or too long have no result.
func TestSPI(t *testing.T) {
	dir, n := wrapped(t, 4, true, wrapper.WriteSPI)
	p := packetsOf(t, n, 8, 30, false)
	var program, expected strings.Builder
	do := func(operation, argument int) { fmt.Fprintf(&program, "%x%03x\n", operation, argument) }
	frame := func(bytes ...uint64) {
		do(0, 0)
		for _, b := range bytes {
			do(1, int(b))
		}
		do(3, 0)
	}
	for i, sample := range p.all {
		switch i % 6 {
		case 3:
			frame(append([]uint64{1}, sample[1:]...)...)
			do(5, 1)
		case 5:
			frame(append([]uint64{1, 0}, sample...)...)
		}
		frame(append([]uint64{1}, sample...)...)
		do(6, 1)
		frame(0, 0)
		fmt.Fprintf(&expected, "%02x\n", p.classes[i])
	}
	out := play(t, dir, "spi_tb.v", program.String(), expected.String(), "RESULTS=30", "REPLY=1", "JITTER=10")
	if !strings.HasPrefix(out, "PASS: 30 answers") {
		t.Error(out)
	}
}

// TestWrongWords checks that byte wrappers refuse engines whose words are not bytes, and beats of more than one byte.
func TestWrongWords(t *testing.T) {
	for name, bytes := range map[string]int{"wide": 1, "one feature": 1, "chains": 2} {
		n := optimised(t, models()[name])
		err := wrapper.WriteAXIS(io.Discard, n, wrapper.Options{Engine: &wrapper.Engine{Module: "e"}, Beat: bytes})
		if err == nil || !strings.Contains(err.Error(), "the engine e takes") {
			t.Errorf("%s, %d bytes: %v", name, bytes, err)
		}
	}
}
