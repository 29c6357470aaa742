package readback

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"ialgn/internal/verify/cec"
	"ialgn/netlist"
)

// Wrapper describes a wrapper, around a core or a folded engine, that is to be proved.
type Wrapper struct {
	Kind   string // stream, axis, uart, spi or byte
	Module string
	File   string // path of the wrapper's Verilog

	Core    string // module inside the wrapper
	Input   string // port of the core
	Word    int    // bits of a word of that port
	Words   int    // words in a sample
	Read    []bool // for each bit of the port, whether something reads the bit
	Outputs []Port // output ports of the core

	Pipeline bool // the core has registers
	Engine   bool // the core is a folded engine, which takes the words itself
	Levels   *Levels
	Beat     int // words (bytes for axis) that arrive in one clock
	Tag      int // bits of the tag, which also passes through the core; 0: no tag

	ClockHz, Baud, Idle int // clock, bit rate and idle time of a serial line

	Limit time.Duration
}

// Port is an output port of Width bits, in words of Word bits.
type Port struct {
	Name        string
	Width, Word int
}

// Levels describes how feature words of Word bits become the words of the core. The core's word has one bit for each
// threshold, which says whether the feature word exceeds the threshold. After these bits come the bits of the feature
// word that the field Bits lists.
type Levels struct {
	Word       int
	Thresholds []uint64
	Bits       []int
}

// describers maps each kind of wrapper to the function that describes one clock of the wrapper.
var describers = map[string]func(Wrapper, *machine){
	"stream": Wrapper.words, "axis": Wrapper.axis, "uart": Wrapper.uart, "spi": Wrapper.spi,
	"byte": Wrapper.pins,
}

// Prove proves the wrapper without the core. It does not read the core's Verilog. The result is undecided for a kind
// that this package does not describe.
func (w Wrapper) Prove(ctx context.Context) (*clockResult, error) {
	describe, ok := describers[w.Kind]
	if !ok {
		return &clockResult{Verdict: cec.Undecided, Reason: "what a clock of a wrapper " + w.Kind +
			" has to do is described nowhere"}, nil
	}
	clock := "clk"
	if w.Kind == "axis" {
		clock = "aclk"
	}
	o := MachineOptions{Module: w.Module, Clock: clock, Files: []string{w.File}, Box: w.box(), Limit: w.Limit}
	return proveClock(ctx, o, func(m *machine) { describe(w, m) })
}

// drops reports whether the logic around the stream can declare packets void.
func (w Wrapper) drops() bool { return w.Kind == "uart" || w.Kind == "spi" }

// box returns the ports of the core as Verilog.
func (w Wrapper) box() string {
	var ports []string
	add := func(direction string, width int, names ...string) {
		for _, name := range names {
			ports = append(ports, fmt.Sprintf("%s wire [%d:0] %s", direction, width-1, name))
		}
	}
	switch {
	case w.Engine:
		add("input", 1, "clk", "rst", "in_valid", "in_last", "out_ready")
		add("input", w.Word, "in_data")
		add("output", 1, "in_ready", "out_valid", "error")
		if w.drops() {
			add("input", 1, "drop")
		}
	case w.Pipeline:
		add("input", 1, "clk", "rst", "ce", "in_valid")
		add("output", 1, "out_valid")
		fallthrough
	default:
		add("input", w.Word*w.Words, w.Input)
	}
	if w.Tag > 0 {
		add("input", w.Tag, "in_tag")
		add("output", w.Tag, "out_tag")
	}
	for _, p := range w.Outputs {
		add("output", p.Width, p.Name)
	}
	return fmt.Sprintf("module %s (%s);\nendmodule\n", w.Core, strings.Join(ports, ", "))
}

// packets holds the input signals of a stream of words.
type packets struct {
	clock, reset, valid, last, drop, ready netlist.Net // ready: the receiver can take a result
	data, tag                              word
}

// results holds the output signals of a stream of words.
type results struct {
	ready, valid, fault netlist.Net // ready: the stream can take a word
	outputs             []word
	tag                 word
}

// words describes the wrapper of kind stream.
func (w Wrapper) words(m *machine) {
	size := w.Word
	if w.Levels != nil {
		size = w.Levels.Word
	}
	r := w.stream(m, "", packets{
		clock: m.bit("clk"), reset: m.bit("rst"), valid: m.bit("in_valid"), last: m.bit("in_last"), drop: netlist.False,
		ready: m.bit("out_ready"), data: m.in("in_data", w.Beat*size), tag: m.in("in_tag", w.Tag),
	})
	m.out("out_tag", r.tag...)
	m.out("in_ready", r.ready)
	m.out("out_valid", r.valid)
	m.out("error", r.fault)
	for i, p := range w.Outputs {
		m.out(p.Name, r.outputs[i]...)
	}
}

// axis describes the wrapper of kind axis.
func (w Wrapper) axis(m *machine) {
	r := w.stream(m, "stream.", packets{
		clock: m.bit("aclk"), reset: m.not(m.bit("aresetn")), valid: m.bit("s_axis_tvalid"), last: m.bit("s_axis_tlast"),
		drop: netlist.False, ready: m.bit("m_axis_tready"), data: m.in("s_axis_tdata", 8*w.Beat),
		tag: m.in("s_axis_tuser", w.Tag),
	})
	m.out("m_axis_tuser", r.tag...)
	m.out("s_axis_tready", r.ready)
	m.out("m_axis_tvalid", r.valid)
	m.out("m_axis_tlast", netlist.True)
	m.out("error", r.fault)
	var all word
	for _, b := range w.bytes(r.outputs) {
		all = append(all, b...)
	}
	m.out("m_axis_tdata", all...)
}

// pins describes the wrapper of kind byte.
func (w Wrapper) pins(m *machine) {
	pins := m.in("uio_in", 8)
	_, valid, _ := w.inner(m)
	to := m.in("to", indexBits(w.replyBytes()))
	last := m.equal(to, uint64(w.replyBytes()-1))
	takes := m.and(valid, pins[4])
	reset := m.not(m.and(m.bit("rst_n"), m.bit("ena")))
	r := w.stream(m, "stream.", packets{
		clock: m.bit("clk"), reset: reset, valid: pins[0], last: pins[2], drop: netlist.False,
		ready: m.and(pins[4], last), data: m.in("ui_in", 8),
	})
	m.cleared("to", reset, to, when{m.and(takes, last), constant(0, len(to))}, when{takes, m.increment(to)})
	m.out("uo_out", m.at(w.bytes(r.outputs), to, 8)...)
	m.out("uio_out", netlist.False, r.ready, netlist.False, r.valid, netlist.False, last, r.fault, netlist.False)
	m.out("uio_oe", constant(0x6a, 8)...)
}

// bytes returns a result in the order in which its bytes are sent. Words of one bit are packed into bytes. Each
// longer word begins at a new byte. The class and the bit uncertain after it are one word.
func (w Wrapper) bytes(outputs []word) (list []word) {
	for i, p := range w.Outputs {
		all := outputs[i]
		switch {
		case p.Name == "uncertain":
			continue
		case p.Name == "class_index" && i+1 < len(outputs) && w.Outputs[i+1].Name == "uncertain":
			all, p.Word = append(append(word{}, all...), outputs[i+1]...), p.Word+1
		}
		for piece := range chunks(all, p.Word) {
			for b := range chunks(piece, 8) {
				list = append(list, append(append(word{}, b...), constant(0, 8-len(b))...))
			}
		}
	}
	return list
}

// chunks yields the words of a port. If words have one bit, chunks yields all words together as one.
func chunks(all word, size int) func(func(word) bool) {
	if size <= 1 {
		size = len(all)
	}
	return func(yield func(word) bool) {
		for low := 0; low < len(all); low += size {
			if !yield(all[low:min(low+size, len(all))]) {
				return
			}
		}
	}
}

// lane returns the number of bits that a word takes in the bytes of a result. A word of several bits takes whole
// bytes.
func (w Wrapper) lane() int {
	if w.Word == 1 {
		return 1
	}
	return (w.Word + 7) / 8 * 8
}

// units returns the number of units that the stream takes for a sample. A unit is a word of the core, or a byte.
func (w Wrapper) units() int {
	if w.Kind == "stream" || w.Levels != nil {
		return w.Words
	}
	return (w.lane()*w.Words + 7) / 8
}

// Around sets the fields that describe the core, from the netlist of the core. These are the input port, the bits of
// this port that are read, and the output ports.
func (w *Wrapper) Around(n *netlist.Netlist) {
	x := n.DataInputs()[0]
	w.Input, w.Word, w.Words = x.Name, x.Word, len(x.Nets)/x.Word
	read := map[netlist.Net]bool{}
	for c := range netlist.Cell(n.Cells()) {
		for _, v := range n.Inputs(c) {
			read[v] = true
		}
	}
	for _, p := range slices.Concat(n.OutputPorts(), n.Probes()) {
		for _, v := range p.Nets {
			read[v] = true
		}
	}
	w.Read, w.Outputs = nil, nil
	for _, v := range x.Nets {
		w.Read = append(w.Read, read[v])
	}
	for _, p := range n.OutputPorts() {
		w.Outputs = append(w.Outputs, Port{p.Name, len(p.Nets), max(1, p.Word)})
	}
	clock, err := n.Pipeline()
	w.Pipeline = err == nil && clock != nil && !w.Engine
}
