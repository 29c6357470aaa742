package wrapper

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ialgn/internal/freeze"
	"ialgn/internal/hardware/pipeline"
	"ialgn/internal/model"
	"ialgn/internal/netgen"
	"ialgn/internal/testkit"
	"ialgn/internal/verilog"
	"ialgn/netlist"
	"ialgn/sim"
)

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// classifier returns the netlist of a small classifier whose inputs are words of 5 bits. It does not read all words.
func classifier(t *testing.T) *netlist.Netlist {
	t.Helper()
	f := netgen.Frozen(3, netgen.FrozenOptions{
		Width: 32, Depth: 4, Features: 11, Bits: 5, BitsIn: 5, Classes: 4,
		ShareA: 0.3, ShareBinary: 0.6,
	})
	n, err := freeze.Network(f, netlist.Full)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// emit writes core and wrapper into a new folder. If stages is not 0, the core is a pipeline.
func emit(t *testing.T, n *netlist.Netlist, stages int) (dir, wrapper string) {
	t.Helper()
	return emitWith(t, n, stages, WriteStream, Options{})
}

// emitWith is like emit, for any wrapper.
func emitWith(t *testing.T, n *netlist.Netlist, stages int, writer func(io.Writer, *netlist.Netlist, Options) error,
	o Options,
) (dir, wrapper string) {
	t.Helper()
	return emitCore(t, staged(t, n, stages), writer, o)
}

// staged returns a netlist with registers.
func staged(t *testing.T, n *netlist.Netlist, stages int) *netlist.Netlist {
	t.Helper()
	core, _, err := pipeline.Insert(n, pipeline.Options{Stages: stages})
	if err != nil {
		t.Fatal(err)
	}
	return core
}

// emitCore is like emitWith, for a core that already has its registers.
func emitCore(t *testing.T, core *netlist.Netlist, writer func(io.Writer, *netlist.Netlist, Options) error,
	o Options,
) (dir, wrapper string) {
	t.Helper()
	dir = t.TempDir()
	var design, stream bytes.Buffer
	if err := verilog.Write(&design, core, verilog.Options{Module: "core"}); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "core.v", design.String())
	o.Core, o.Module, o.Header = "core", "dut", []string{"a test\n`define"}
	if err := writer(&stream, core, o); err != nil {
		t.Fatal(err)
	}
	return dir, stream.String()
}

// program is the program that the testbench plays.
type program struct {
	lines, expected strings.Builder
	beats, results  int
	width, data     int // width: words in a beat; data: bits in a beat
	packet          int
	reply           int // beats of a result; 0: one
	failed, reset   bool
	r               *rand.Rand
}

// send adds the first beats of a sample as a packet. Beats beyond the sample's end are garbage.
func (p *program) send(words []uint64, beats int, last bool) {
	per := p.data / p.width
	for i := range beats {
		var digits strings.Builder // bit by bit, highest bit first
		for b := p.data - 1; b >= 0; b-- {
			bit := p.r.Uint64N(2)
			if w := i*per + b/p.width; w < len(words) {
				bit = words[w] >> (b % p.width) & 1
			}
			fmt.Fprint(&digits, bit)
		}
		end := last && i == beats-1
		whole := end && beats == p.packet
		if end != (i == p.packet-1) && i < p.packet {
			p.failed = true
		}
		p.lines.WriteString(hex(fmt.Sprintf("%d%d%d%d", bit(p.reset), bit(whole), bit(p.failed), bit(end)) + digits.String()))
		p.reset = false
		p.beats++
	}
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// hex returns binary digits as a line of hexadecimal digits.
func hex(digits string) string {
	for len(digits)%4 > 0 {
		digits = "0" + digits
	}
	var b strings.Builder
	for i := 0; i < len(digits); i += 4 {
		var v uint
		fmt.Sscanf(digits[i:i+4], "%b", &v)
		fmt.Fprintf(&b, "%x", v)
	}
	return b.String() + "\n"
}

// newProgram returns a program of samples with the results of the simulator. If events is set, there are also
// packets that are too short or too long, and resets between and within packets.
func newProgram(t *testing.T, n *netlist.Netlist, beat, samples int, events bool) *program {
	t.Helper()
	in := n.InputPorts()[0]
	words := len(in.Nets) / in.Word
	p := &program{
		width: in.Word, data: beat * in.Word, packet: (words + beat - 1) / beat,
		r: rand.New(rand.NewPCG(uint64(beat), 9)),
	}
	for _, s := range classified(t, n, samples, p.r) {
		p.sample(s.words, fmt.Sprintf("%x", s.class), events)
	}
	return p
}

// sample adds a sample with its expected result, perhaps after an event.
func (p *program) sample(words []uint64, result string, events bool) {
	if events {
		p.event(words)
	}
	p.send(words, p.packet, true)
	p.expected.WriteString(result + "\n")
	p.results++
}

// expected is a sample and its result from the netlist simulator.
type expected struct {
	words  []uint64
	class  uint64
	counts []uint64
}

// classified returns random samples with their results.
func classified(t *testing.T, n *netlist.Netlist, samples int, r *rand.Rand) []expected {
	t.Helper()
	in := n.InputPorts()[0]
	c, err := sim.NewClassifier(n, 1)
	if err != nil {
		t.Fatal(err)
	}
	stride := (samples + 63) / 64
	rows, of := make([]uint64, len(in.Nets)*stride), make([]expected, samples)
	for i := range of {
		of[i].words = make([]uint64, len(in.Nets)/in.Word)
		for b := range in.Nets {
			v := r.Uint64N(2)
			of[i].words[b/in.Word] |= v << (b % in.Word)
			rows[b*stride+i/64] |= v << (i % 64)
		}
	}
	result, err := c.Classify(t.Context(), rows, samples)
	if err != nil {
		t.Fatal(err)
	}
	for i := range of {
		of[i].class = uint64(result.Class[i])
		for _, count := range result.Counts[i*result.Classes:][:result.Classes] {
			of[i].counts = append(of[i].counts, uint64(count))
		}
	}
	return of
}

// event adds a random event before a packet.
func (p *program) event(s []uint64) {
	switch p.r.IntN(8) {
	case 0:
		p.send(s, p.packet+1+p.r.IntN(2*p.packet), true)
	case 1:
		if p.packet > 1 {
			p.send(s, 1+p.r.IntN(p.packet-1), true)
		}
	case 2, 3:
		if p.packet > 1 { // the packet either continues after the reset or does not
			first := 1 + p.r.IntN(p.packet-1)
			p.send(s, first, false)
			p.failed, p.reset = false, true
			if p.r.IntN(2) == 0 {
				p.send(s, p.packet-first, true)
			}
		}
	case 4:
		p.send(s, p.packet+1, false)
		p.failed, p.reset = false, true
	}
}

// build compiles the testbench of a program for a stream wrapper whose results have 2 bits.
func build(t *testing.T, dir, wrapper string, stages int, p *program) {
	t.Helper()
	p.build(t, dir, "stream_tb.v", wrapper, stages, 2)
}

// build compiles a testbench that plays the program.
func (p *program) build(t *testing.T, dir, name, wrapper string, stages, result int) {
	t.Helper()
	bench, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, name, string(bench))
	write(t, dir, "dut.v", wrapper)
	write(t, dir, "program.hex", p.lines.String())
	write(t, dir, "expected.hex", p.expected.String())
	args := []string{
		"iverilog", "-g2005", "-o", "a.vvp", "-DDUT=dut", fmt.Sprintf("-DRESULT=%d", result),
		fmt.Sprintf("-DDATA=%d", p.data),
		fmt.Sprintf("-DBEAT=%d", p.data/p.width), fmt.Sprintf("-DSTAGES=%d", stages), fmt.Sprintf("-DLINES=%d", p.beats),
		fmt.Sprintf("-DRESULTS=%d", p.results), fmt.Sprintf("-DREPLY=%d", max(1, p.reply)),
		name, "dut.v", "core.v",
	}
	testkit.RunSilent(t, dir, args...)
}

// simulate runs the compiled testbench and returns its output.
func simulate(t *testing.T, dir string, stalls ...string) string {
	t.Helper()
	out, err := testkit.TryTool(t, dir, append([]string{"vvp", "-n", "a.vvp"}, stalls...)...)
	if err != nil {
		t.Fatalf("vvp: %v\n%s", err, out)
	}
	return out
}

// TestStream plays samples to wrappers of combinational and of pipelined cores. Samples come back to back, or with
// stalls on either side. Some programs have packets of a wrong length and resets.
func TestStream(t *testing.T) {
	n := classifier(t)
	for i, c := range []struct{ stages, beat int }{{0, 1}, {1, 3}, {5, 11}, {0, 3}, {0, 11}, {3, 1}} {
		if i > 2 && !testkit.Whole() {
			break // every beat length was used once
		}
		t.Run(fmt.Sprintf("stages=%d/beat=%d", c.stages, c.beat), func(t *testing.T) {
			dir, wrapper := emit(t, n, c.stages)
			p := newProgram(t, n, c.beat, 60, false)
			build(t, dir, wrapper, c.stages, p)
			out := simulate(t, dir)
			takes(t, "stream", n, Options{Beat: c.beat}, 60, clocks(t, out, p), c.stages+10)
			answersAfter(t, "stream", staged(t, n, c.stages), Options{Beat: c.beat}, out)
			clocks(t, simulate(t, dir, "+stall_in=40", "+stall_out=40"), p)
			p = newProgram(t, n, c.beat, 150, true)
			build(t, dir, wrapper, c.stages, p)
			for i, stalls := range [][]string{{"+stall_out=80"}, {"+stall_in=40", "+stall_out=40"}, nil, {"+stall_in=50"}} {
				if i > 1 && !testkit.Whole() {
					break // the first two are enough for TestFaults
				}
				clocks(t, simulate(t, dir, stalls...), p)
			}
		})
	}
}

// clocks returns the number of clocks that a program took according to the testbench's output. It fails the test if
// the program did not pass.
func clocks(t *testing.T, out string, p *program) (clocks int) {
	t.Helper()
	results := 0
	if _, err := fmt.Sscanf(out, "PASS: %d results in %d clocks", &results, &clocks); err != nil || results != p.results {
		t.Errorf("want %d results: %s", p.results, out)
	}
	return clocks
}

// clocksOf is like clocks, for testbenches that count answers.
func clocksOf(t *testing.T, out string, answers int) (clocks int) {
	t.Helper()
	got := 0
	if _, err := fmt.Sscanf(out, "PASS: %d answers in %d clocks", &got, &clocks); err != nil || got != answers {
		t.Errorf("want %d answers: %s", answers, out)
	}
	return clocks
}

// TestFaults breaks wrappers. The testbench must fail for each broken wrapper.
func TestFaults(t *testing.T) {
	n := classifier(t)
	for _, stages := range []int{0, 3} {
		if stages > 0 && !testkit.Whole() {
			break
		}
		dir, wrapper := emit(t, n, stages)
		p := newProgram(t, n, 3, 150, true)
		for _, f := range [][2]string{
			{"assign in_ready = ~full", "assign in_ready = 1'b1"},
			{"wire take = in_valid & ~full", "wire take = in_valid"},
			{"assign in_ready = ~full", "assign in_ready = ~full | sample_taken"},
			{"if (sample_taken) full <= 1'b0", "if (sample_taken) full <= full"},
			{"beat <= in_last ?", "beat <= whole ?"},
			{"skip <= ~in_last & (skip | whole)", "skip <= ~in_last & whole"},
			{"skip <= ~in_last & (skip | whole)", "skip <= skip | (~in_last & whole)"},
			{"if (in_last & whole & ~skip) full", "if (whole & ~skip) full"},
			{"if (in_last & whole & ~skip) full", "if (in_last & whole) full"},
			{"if (in_last & whole & ~skip) full", "if (in_last & ~skip) full"},
			{"if ((in_last ^ whole) & ~skip) failed <= 1'b1", "if (take) failed <= (in_last ^ whole) & ~skip"},
			{"if ((in_last ^ whole) & ~skip) failed", "if ((in_last & ~whole) & ~skip) failed"},
			{"      beat <= {COUNT{1'b0}};\n", ""},
			{"      skip <= 1'b0;\n", ""},
			{"      full <= 1'b0;\n", ""},
			{"      failed <= 1'b0;\n", ""},
			{"load[i/BEAT]", "load[0]"},
			{"load[i/BEAT]", "take"},
			{"i%BEAT*WORD+k", "k"},
			{"wire step = ~(core_valid & out_valid)", "wire step = 1'b1"},
			{"wire step = ~(core_valid & out_valid)", "wire step = ~(core_valid & out_valid & ~out_ready)"},
			{"if (rst) out_valid <= 1'b0;", "if (1'b0) out_valid <= 1'b0;"},
			{"else if (core_valid & ~out_valid)", "else if (core_valid)"},
			{"else if (out_ready) out_valid", "else out_valid"},
			{"if (core_valid & ~out_valid) begin", "if (core_valid) begin"},
			{"if (core_valid & ~out_valid) begin", "if (1'b1) begin"},
		} {
			build(t, dir, fault{good: f[0], bad: f[1]}.broken(t, wrapper), stages, p)
			out := simulate(t, dir, "+stall_in=30", "+stall_out=50")
			if strings.Contains(out, "PASS") { // some faults have an effect only while results wait
				out = simulate(t, dir, "+stall_out=85")
			}
			if strings.Contains(out, "PASS") {
				t.Errorf("%d stages: %q instead of %q passes: %s", stages, f[1], f[0], out)
			}
		}
	}
}

// TestLint checks that linters print no warning for wrappers, with all warnings on, and that yosys does not
// complain. It uses a small classifier and classifiers of MNIST's size.
func TestLint(t *testing.T) {
	size := netgen.Paper(30, 2)
	size.BitsIn = 4 // iverilog takes seconds for words of 8 bits, and the number of words is the same
	mnist := netgen.Frozen(1, size)
	for _, c := range []struct {
		name  string
		model *model.Frozen
		scope netlist.Scope
		beats []int
	}{
		{"small", netgen.Frozen(1, netgen.FrozenOptions{}), netlist.Full, []int{1, 2, 5, 6}},
		{"gates", netgen.Frozen(1, netgen.FrozenOptions{}), netlist.Gates, []int{1, 7, 18}},
		{"one word", netgen.Frozen(1, netgen.FrozenOptions{Features: 1}), netlist.Full, []int{1}},
		{"mnist", mnist, netlist.Full, []int{4}},
		{"mnist core", mnist, netlist.Core, []int{2352}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !testkit.Whole() && c.model == mnist {
				t.Skip("ten seconds")
			}
			n, err := freeze.Network(c.model, c.scope)
			if err != nil {
				t.Fatal(err)
			}
			dir, wrapper := emit(t, n, 0)
			write(t, dir, "dut.v", wrapper)
			for _, beat := range c.beats {
				testkit.RunSilent(t, dir, "verilator", "--lint-only", "-Wall", fmt.Sprintf("-GBEAT=%d", beat), "--top-module", "dut",
					"dut.v", "core.v")
				testkit.RunSilent(t, dir, "iverilog", "-g2001", "-Wall", fmt.Sprintf("-Pdut.BEAT=%d", beat), "-s", "dut", "-o",
					"a.vvp", "dut.v", "core.v")
				testkit.RunSilent(t, dir, "yosys", "-q", "-p", fmt.Sprintf(
					"read_verilog dut.v core.v; chparam -set BEAT %d dut; hierarchy -check -top dut; proc; check -assert", beat))
			}
		})
	}
}

// TestRegisters counts the registers that yosys finds. There must be one register for each bit that is read, and a
// few for the protocol.
func TestRegisters(t *testing.T) {
	b := netlist.NewBuilder("registers")
	x := b.Input("x", 40, 8, nil)
	b.Output("y", 1, nil, []netlist.Net{x[7], b.Function(0b0110, netlist.Origin{}, x[6], x[33]), netlist.True, x[7]})
	n := b.Netlist()
	dir, wrapper := emit(t, n, 0)
	write(t, dir, "dut.v", wrapper)
	out, err := testkit.TryTool(t, dir, "yosys", "-p",
		"read_verilog dut.v core.v; hierarchy -top dut; proc; flatten; opt_clean; select -count w:*.value")
	if err != nil {
		t.Fatal(err)
	}
	if want := "\n3 objects."; !strings.Contains(out, want) {
		t.Errorf("want %s:\n%s", want, out)
	}
}

// TestWriteRefusesNetlistsWithoutAnInterface checks that netlists without a suitable interface are refused before
// anything is written.
func TestWriteRefusesNetlistsWithoutAnInterface(t *testing.T) {
	good := func(b *netlist.Builder) { b.Output("y", 1, nil, b.Input("x", 6, 3, nil)) }
	for _, c := range []struct {
		name string
		make func(b *netlist.Builder)
		o    Options
		want string
	}{
		{"a good one", good, Options{Beat: 2}, ""},
		{"too wide a beat", good, Options{Beat: 3}, "3 words in a clock are out of range, a sample has 2"},
		{"a negative beat", good, Options{Beat: -1}, "-1 words in a clock"},
		{"a module that is its core", good, Options{Core: "a", Module: "a"}, `both called "a"`},
		{"a module of no name", good, Options{Module: "1"}, "module: "},
		{
			"a port of the wrapper", func(b *netlist.Builder) { b.Output("out_valid", 1, nil, b.Input("x", 1, 1, nil)) },
			Options{},
			`port "out_valid"`,
		},
		{
			"a wire of the wrapper", func(b *netlist.Builder) { b.Output("y", 1, nil, b.Input("core_y", 1, 1, nil)) },
			Options{},
			`port "core_y"`,
		},
		{"no output", func(b *netlist.Builder) { b.Input("x", 1, 1, nil) }, Options{}, "0 output ports"},
		{"two inputs", func(b *netlist.Builder) { b.Input("a", 1, 1, nil); good(b) }, Options{}, "2 input ports"},
	} {
		b := netlist.NewBuilder("core")
		c.make(b)
		var out strings.Builder
		err := WriteStream(&out, b.Netlist(), c.o)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) ||
			out.Len() > 0) {
			t.Errorf("%s: error %v and %d bytes, want %q", c.name, err, out.Len(), c.want)
		}
	}
}

// random returns a small classifier with the given number of features, each with the given number of bits.
func random(t *testing.T, scope netlist.Scope, features, bits int) *netlist.Netlist {
	t.Helper()
	f := netgen.Frozen(4, netgen.FrozenOptions{
		Width: 32, Depth: 4, Features: features, Bits: 5, BitsIn: bits, Classes: 4,
		ShareA: 0.3, ShareBinary: 0.6,
	})
	n, err := freeze.Network(f, scope)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
