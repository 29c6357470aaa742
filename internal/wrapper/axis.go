package wrapper

import (
	_ "embed" // templates
	"fmt"
	"io"
	"strings"

	"ialgn/internal/message"
	"ialgn/netlist"
)

func axisKind() *Kind {
	return &Kind{
		Name: "axis", Clock: "aclk", Tags: true, Beat: AXISBytes, Play: playAXIS, Broken: []Broken{TooShort, CutOff, TooLong},
		Bytes: true, Write: WriteAXIS, Ports: (*design).axisPorts,
		Cycles: func(_, bytes *design, o Options) int { return beats(bytes.words, o.axisBytes()) },
		Bench:  axisBench + handshakeBench,
		Bits:   func(_ *design, o Options) int { return 8 * o.axisBytes() },
		Host:   &Host{Suffix: "_host.c", Write: writeAXISHost, Live: axisLive},
	}
}

// axisLive drives the two streams in a simulation.
//
//go:embed templates/live_axis.v
var axisLive string

// axisBytes returns the number of bytes in a beat. For an engine, it is 1.
func (o Options) axisBytes() int {
	if o.Engine != nil {
		return 1
	}
	if o.Beat > 0 {
		return o.Beat
	}
	return AXISBytes
}

// AXISBytes is the default number of bytes in a beat of [WriteAXIS].
const AXISBytes = 4

// WriteAXIS writes a module with two AMBA 4 AXI4-Stream interfaces. Samples come in on s_axis. For
// each sample, the values of the netlist's output ports go out on m_axis.
//
//	parameter BYTES                                  of s_axis_tdata, 4 or as [Options] say
//	input  aclk, aresetn
//	input  s_axis_tvalid, s_axis_tdata, s_axis_tlast
//	output s_axis_tready
//	output m_axis_tvalid, m_axis_tdata, m_axis_tlast
//	input  m_axis_tready
//	output error
//
// A sample is a packet. Its bytes are laid out as the package comment says. The first byte of a beat is in the lowest
// bits of tdata. If the sample ends within the last beat, the other bytes of this beat are ignored. There is no
// tkeep, because every beat before the last one consists of bytes of the sample. A packet that is shorter or longer
// than a sample is dropped as a whole. error is then 1 until a reset, but the next packet is accepted again. A result
// is one beat, with tlast.
//
// If there is a tag ([Options.Tag]), there are two more ports, the input s_axis_tuser and the output m_axis_tuser.
// m_axis_tuser is the value of s_axis_tuser in the last beat of the sample's packet. Values of s_axis_tuser in other
// beats are ignored.
//
// The outputs tvalid and tready do not depend on inputs in the same clock. Once a tvalid is 1, it stays 1 with the
// same data until the beat is taken. aresetn is active low and synchronous, and drops everything that has not been
// output. Samples follow each other every ceil(bytes / BYTES) + 1 clocks.
//
// WriteAXIS returns the errors of [WriteStream], and an error for a negative BYTES. BYTES may exceed the number of
// bytes in a sample. Beats then have unused bytes.
func WriteAXIS(w io.Writer, n *netlist.Netlist, o Options) error {
	bytes := o.Beat
	switch {
	case o.Engine != nil && bytes <= 1:
		bytes = 1
	case o.Engine != nil:
		return fmt.Errorf("wrapper: %d bytes in a beat, the engine %s takes one", bytes, o.Engine.Module)
	case bytes == 0:
		bytes = AXISBytes
	}
	o.Beat = min(o.Beat, 0) // words
	d, err := newDesign(n, o, axisKind(), streamNames("aclk", "aresetn", "s_axis_tvalid", "s_axis_tready", "s_axis_tdata",
		"s_axis_tlast",
		"m_axis_tvalid", "m_axis_tready", "m_axis_tdata", "m_axis_tlast", "BYTES")...)
	if err != nil {
		return err
	}
	d = d.asBytes()
	d.beat = bytes
	stream := d.module + "_stream"
	wires, connections := d.resultWires()
	top := strings.NewReplacer(
		"@MODULE@", d.module, "@STREAM@", stream, "@BYTES@", fmt.Sprint(bytes), "@HIGH@", fmt.Sprint(8*d.resultBytes()-1),
		"@WIRES@", wires, "@CONNECTIONS@", connections, "@RESULT@", d.result("    "),
		"@TAGIN@", d.ofTag("    input  wire [@HIGH@:0] s_axis_tuser,\n"),
		"@TAGOUT@", d.ofTag("    output wire [@HIGH@:0] m_axis_tuser,\n"),
		"@TAGPINS@", d.ofTag("      .in_tag(s_axis_tuser),\n      .out_tag(m_axis_tuser),\n"),
	).Replace(axisModule)
	_, err = io.WriteString(w, d.file(d.axisHeader(), module{d.module, "", top}, d.inner(stream, false)...))
	return err
}

// axisHeader returns the comment at the top of the file.
func (d *design) axisHeader() string {
	var b strings.Builder
	d.title(&b, "the module "+d.core+" between two AXI4-Streams")
	d.byteOrder(&b)
	b.WriteString(`//
// A packet on s_axis is a sample: BYTES bytes in a beat, the first in the lowest bits of
// tdata, and tlast with the last of them; bytes beyond the sample in that beat are ignored.
// There is no tkeep: all bytes of a beat count. A packet of another length is dropped as a
// whole and error is 1 until a reset; the next packet is right again. A packet on m_axis is a
// result, in one beat.
// A beat moves where tvalid and tready are both 1 at a rising edge of aclk. tvalid waits for
// no tready, and stays, as its data do, until the beat has moved; no output depends on an
// input in the same clock. aresetn is synchronous and active low: results and packets that
// are on their way are dropped, and error is 0 again.
`)
	b.WriteString(d.ofTag("// m_axis_tuser is the tag of the result's sample: what s_axis_tuser was in the last beat\n" +
		"// of its packet. In other beats s_axis_tuser is ignored.\n"))
	b.WriteString("\n")
	return b.String()
}

// streamNames returns the given names and the names that the modules of all byte wrappers use.
func streamNames(own ...string) []string {
	return append(own, "clk", "rst", "ce", "in_valid", "in_ready", "in_data", "in_last", "drop", "out_valid", "out_ready",
		"error", "loader",
		"core", "sample", "sample_valid", "step", "BEAT", "levels", "unused_data", "lane", "lanes", "value", "features",
		"unused_sample", "stream", "group", "word", "groups", "words", "result")
}

//go:embed templates/axis_module.v
var axisModule string

func (d *design) axisPorts(o Options) []Port {
	b := d.asBytes()
	bytes := o.axisBytes()
	ports := []Port{
		{"aclk", 0, false, "clock, rising edge"},
		{"aresetn", 0, false, "synchronous reset, active low"},
		{"s_axis_tvalid", 0, false, "there is a beat of a sample"},
		{"s_axis_tready", 0, true, "it is taken at the next edge"},
		{"s_axis_tdata", 8 * bytes, false, fmt.Sprintf("%s of the %d of a sample, the first lowest",
			message.Plural(bytes, "byte", "bytes"), b.words)},
		{"s_axis_tlast", 0, false, "it is the last of a sample"},
		{"m_axis_tvalid", 0, true, "there is a result"},
		{"m_axis_tready", 0, false, "it is taken at the next edge"},
		{"m_axis_tdata", 8 * b.resultBytes(), true, "the " + message.Plural(b.resultBytes(), "byte", "bytes") +
			" of the result, the first lowest"},
		{"m_axis_tlast", 0, true, "always 1, a result is one beat"},
	}
	if d.tag > 0 {
		ports = append(ports, Port{"s_axis_tuser", d.tag, false, "tag of the sample, in its last beat"},
			Port{"m_axis_tuser", d.tag, true, "tag of the result's sample"})
	}
	return append(ports, errorPort)
}

// axisBench connects the pins of AXI4-Stream to handshakeBench.
//
//go:embed templates/axis_bench.v
var axisBench string

// playAXIS returns a player that sends samples as beats of AXI4-Stream.
func playAXIS(p Played) Player {
	bytes := AXISBytes
	if p.Engine > 0 {
		bytes = 1
	}
	tag, low := "", 8*p.resultBytes()
	if p.Tag > 0 {
		tag = fmt.Sprintf(".s_axis_tuser(in_tag), .m_axis_tuser(result[%d:%d]), ", low+p.Tag-1, low)
	}
	pins := strings.NewReplacer("@LOW@", fmt.Sprint(low-1), "@TUSER@", tag).Replace(playAXISPins)
	return handshakePlayer(8*bytes, (p.sampleBytes()+bytes-1)/bytes, pins, p)
}

//go:embed templates/play_axis_pins.v
var playAXISPins string
