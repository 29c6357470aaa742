package wrapper

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ialgn/internal/testkit"
	"ialgn/netlist"
)

// inBytes lays out the words of a port as bytes. It shares no code with the layout that the tests check. If r is not
// nil, the unused bits between words are random.
func inBytes(word int, words []uint64, r *rand.Rand) []uint64 {
	lane := 8 * ((word + 7) / 8)
	if word == 1 {
		lane = 1
	}
	bytes := make([]uint64, (lane*len(words)+7)/8)
	for b := range 8 * len(bytes) {
		var v uint64
		switch w, k := b/lane, b%lane; {
		case w < len(words) && k < word:
			v = words[w] >> k & 1
		case r != nil:
			v = r.Uint64N(2)
		}
		bytes[b/8] |= v << (b % 8)
	}
	return bytes
}

// inHex returns bytes as one number, with the first byte lowest.
func inHex(bytes []uint64) string {
	var b strings.Builder
	for i := len(bytes) - 1; i >= 0; i-- {
		fmt.Fprintf(&b, "%02x", bytes[i])
	}
	return b.String()
}

// newPackets returns a program that sends samples as packets of bytes.
func newPackets(t *testing.T, n *netlist.Netlist, beat, samples int, events bool) *program {
	t.Helper()
	in := n.InputPorts()[0]
	p := &program{width: 8, data: 8 * beat, r: rand.New(rand.NewPCG(uint64(beat), 10))}
	for _, s := range classified(t, n, samples, p.r) {
		bytes := inBytes(in.Word, s.words, p.r)
		p.packet = (len(bytes) + beat - 1) / beat
		p.sample(bytes, inHex(s.reply(n)), events)
	}
	return p
}

// reply returns the bytes of a result. The bytes hold the class and, if the netlist has a port for the counts, the
// counts.
func (s expected) reply(n *netlist.Netlist) []uint64 {
	var bytes []uint64
	for _, p := range n.OutputPorts() {
		words := []uint64{s.class}
		if p.Name != "class_index" {
			words = s.counts
		}
		bytes = append(bytes, inBytes(p.Word, words, nil)...)
	}
	return bytes
}

// axisClassifiers returns classifiers with words of 5 bits, 1 bit and 9 bits.
func axisClassifiers(t *testing.T) map[string]*netlist.Netlist {
	t.Helper()
	return map[string]*netlist.Netlist{
		"5 bits": classifier(t), "1 bit": random(t, netlist.Core, 5, 5), "9 bits": random(t, netlist.Full, 3, 9),
	}
}

// TestAXIS plays samples to wrappers of combinational and of pipelined cores. Samples come back to back, or with
// stalls at the input and the output. Some programs have packets of a wrong length and resets.
func TestAXIS(t *testing.T) {
	classifiers := axisClassifiers(t)
	for _, c := range []struct {
		name         string
		stages, beat int
	}{{"5 bits", 0, 4}, {"1 bit", 1, 2}, {"9 bits", 2, 1}, {"9 bits", 0, 8}} {
		t.Run(fmt.Sprintf("%s/stages=%d/bytes=%d", c.name, c.stages, c.beat), func(t *testing.T) {
			n := classifiers[c.name]
			dir, wrapper := emitWith(t, n, c.stages, WriteAXIS, Options{})
			p := newPackets(t, n, c.beat, 50, false)
			p.build(t, dir, "axis_tb.v", wrapper, c.stages, 8)
			out := simulate(t, dir)
			takes(t, "axis", n, Options{Beat: c.beat}, 50, clocks(t, out, p), c.stages+10)
			answersAfter(t, "axis", staged(t, n, c.stages), Options{Beat: c.beat}, out)
			clocks(t, simulate(t, dir, "+stall_in=40", "+stall_out=40", "+hold=5000"), p)
			p = newPackets(t, n, c.beat, 150, true)
			p.build(t, dir, "axis_tb.v", wrapper, c.stages, 8)
			for i, stalls := range [][]string{{"+stall_out=80"}, {"+stall_in=40", "+stall_out=40"}, {"+stall_in=50"}} {
				if i > 1 && !testkit.Whole() {
					break
				}
				clocks(t, simulate(t, dir, stalls...), p)
			}
		})
	}
}

// axisFaults lists faults that each break a rule. The testbench must name the rule.
var axisFaults = []fault{
	{"tvalid falls before tready", "else if (out_ready) out_valid <= 1'b0", "else out_valid <= 1'b0"},
	{"tdata changes before tready", "if (core_valid & ~out_valid) begin", "if (1'b1) begin"},
	{
		"a result is late", "else if (core_valid & ~out_valid) out_valid",
		"else if (core_valid & ~out_valid & out_ready) out_valid",
	},
	{"a result without tlast", "m_axis_tlast = 1'b1", "m_axis_tlast = 1'b0"},
	{"an output follows an input", "assign in_ready = ~full", "assign in_ready = ~full & in_valid"},
	{"an output follows an input", "m_axis_tdata = {", "m_axis_tdata = {8{s_axis_tvalid}} & {"},
	{"an unknown level", "      full <= 1'b0;\n", ""},
	{"an unknown level", "      failed <= 1'b0;\n", ""},
	{"an unknown level", ".rst(~aresetn)", ".rst(1'b0)"},
	{
		"error is not sticky", "if ((in_last ^ whole) & ~skip) failed <= 1'b1",
		"if (take) failed <= (in_last ^ whole) & ~skip",
	},
	{"error is wrong", "if ((in_last ^ whole) & ~skip) failed", "if ((in_last & ~whole) & ~skip) failed"},
	{"a reset leaves something", "if (rst) out_valid <= 1'b0;", "if (rst) out_valid <= out_valid === 1'b1;"},
	{"a wrong result", "if (in_last & whole & ~skip) full", "if (in_last & ~skip) full"},
	{"a result too many", "else if (out_ready) out_valid <= 1'b0", "else if (out_ready) out_valid <= out_valid"},
	{"a wrong result", ".in_data(s_axis_tdata)", ".in_data({s_axis_tdata[7:0], s_axis_tdata[8*BYTES-1:8]})"},
	{"a wrong result", "m_axis_tdata = {", "m_axis_tdata = 8'd1 ^ {"},
	{"a wrong result", "sample[word*8+:5]", "sample[word*8+3+:5]"},
	{"a result is late", "assign in_ready = ~full", "assign in_ready = 1'b1"},
	{"a result is late", "wire step = ~(core_valid & out_valid)", "wire step = 1'b1"},
}

// TestAXISFaults breaks wrappers. The testbench must name the broken rule.
func TestAXISFaults(t *testing.T) {
	n := classifier(t)
	dir, wrapper := emitWith(t, n, 0, WriteAXIS, Options{})
	p := newPackets(t, n, 4, 150, true)
	for _, f := range axisFaults {
		p.build(t, dir, "axis_tb.v", f.broken(t, wrapper), 0, 8)
		stalls := []string{"+stall_in=30", "+stall_out=70"}
		if f.rule == "a result too many" { // if more results follow, the testbench reports a wrong result instead
			stalls = nil
		}
		f.found(t, simulate(t, dir, stalls...))
	}
}

// combinational returns the complaint of yosys if the synthesised wrapper has a latch or an output that depends on
// an input in the same clock.
func combinational(t *testing.T, dir, wrapper string) string {
	t.Helper()
	write(t, dir, "dut.v", wrapper)
	out, err := testkit.TryTool(t, dir, "yosys", "-q", "-p",
		"read_verilog dut.v core.v; synth -flatten -top dut; dffunmap; opt_clean; check -assert; "+
			"select -assert-none t:$_*DFF* t:$_*LATCH* %u t:$_DFF_P_ %d; select -assert-min 8 t:$_DFF_P_; "+
			"select -assert-none i:* o:* %ci*:-$_DFF_P_ %i")
	if err == nil {
		return ""
	}
	return out
}

// TestAXISPaths checks in yosys's netlist that no output depends on an input in the same clock. It also checks that
// such a dependency would be found.
func TestAXISPaths(t *testing.T) {
	b := netlist.NewBuilder("paths")
	x := b.Input("x", 40, 8, nil)
	b.Output("class_index", 2, nil, []netlist.Net{x[7], b.Function(0b0110, netlist.Origin{}, x[6], x[33])})
	n := b.Netlist()
	for _, stages := range []int{0, 2} {
		dir, wrapper := emitWith(t, n, stages, WriteAXIS, Options{Beat: 2})
		if out := combinational(t, dir, wrapper); out != "" {
			t.Errorf("%d stages: %s", stages, out)
		}
		if stages > 0 {
			break
		}
		for _, f := range []fault{
			{good: "m_axis_tlast = 1'b1", bad: "m_axis_tlast = m_axis_tready"},
			{good: "assign in_ready = ~full", bad: "assign in_ready = ~full | sample_taken & in_valid"},
			{good: "m_axis_tdata = {", bad: "m_axis_tdata = {8{s_axis_tvalid}} & {"},
		} {
			out := combinational(t, dir, f.broken(t, wrapper))
			if !strings.Contains(out, "selection is not empty") {
				t.Errorf("%q instead of %q is not found: %s", f.bad, f.good, out)
			}
		}
	}
}

// lint checks that linters print no warning for a wrapper, with all warnings on. If values for a parameter are given,
// lint checks the wrapper with each value.
func lint(t *testing.T, dir, wrapper, parameter string, values ...int) {
	t.Helper()
	write(t, dir, "dut.v", wrapper)
	if len(values) == 0 {
		testkit.RunSilent(t, dir, "verilator", "--lint-only", "-Wall", "--top-module", "dut", "dut.v", "core.v")
		testkit.RunSilent(t, dir, "iverilog", "-g2001", "-Wall", "-s", "dut", "-o", "a.vvp", "dut.v", "core.v")
	}
	for _, v := range values {
		testkit.RunSilent(t, dir, "verilator", "--lint-only", "-Wall", fmt.Sprintf("-G%s=%d", parameter, v), "--top-module",
			"dut", "dut.v", "core.v")
		testkit.RunSilent(t, dir, "iverilog", "-g2001", "-Wall", fmt.Sprintf("-Pdut.%s=%d", parameter, v), "-s", "dut", "-o",
			"a.vvp", "dut.v", "core.v")
	}
}

// TestAXISLint runs linters on wrappers with words of every form, with gates alone, and with beats from one byte to
// more than a sample.
func TestAXISLint(t *testing.T) {
	for name, n := range axisClassifiers(t) {
		dir, wrapper := emitWith(t, n, 0, WriteAXIS, Options{})
		t.Log(name)
		lint(t, dir, wrapper, "BYTES", 1, 8)
	}
	dir, wrapper := emitWith(t, random(t, netlist.Gates, 40, 5), 2, WriteAXIS, Options{Beat: 3})
	lint(t, dir, wrapper, "BYTES", 3)
}
