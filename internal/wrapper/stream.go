package wrapper

import (
	_ "embed" // templates
	"fmt"
	"io"
	"slices"
	"strings"

	"ialgn/internal/message"
	"ialgn/internal/verilog"
	"ialgn/netlist"
)

func streamKind() *Kind {
	return &Kind{
		Name: "stream", Clock: "clk", Tags: true, Play: playStream, Broken: []Broken{TooShort, CutOff, TooLong},
		Write: WriteStream, Ports: (*design).streamPorts,
		Cycles: func(words, _ *design, o Options) int { return beats(words.words, max(1, o.Beat)) },
		Bench:  streamBench + handshakeBench,
		Bits:   func(d *design, _ Options) int { return d.word },
		Host:   nil, // logic on the same device computes the words, as NAME.json describes
	}
}

// WriteStream writes a module that takes the words of the netlist's input port, BEAT words in each clock. For each
// sample, it returns the values of the netlist's output ports.
//
//	parameter BEAT                      words in a clock; default as in [Options]
//	input  clk, rst
//	input  in_valid, in_data, in_last   word i of a beat has the bits from i*Word on; with
//	                                    [Levels], Word is the width of a feature word
//	output in_ready
//	output out_valid, and the netlist's output ports
//	input  out_ready
//	output error
//
// The words of a sample are a packet of ceil(words/BEAT) beats. in_last is 1 in the last beat. Bits above the last
// word of this beat are ignored. A packet that is shorter or longer than a sample is dropped as a whole. error is
// then 1 until a reset, but the next packet is accepted again. A reset drops everything that has not been output.
//
// If there is a tag ([Options.Tag]), there are two more ports, the input in_tag and the output out_tag. With each
// result, out_tag has the value that in_tag had when the last beat of the sample was taken.
//
// A bit of a sample has a register only if a cell, an output port or a probe reads the bit. Loading starts again in
// the clock after a complete sample was passed to the core, so that samples follow each other every ceil(words/BEAT)
// + 1 clocks. A result waits in a separate register. No output depends on an input in the same clock. Otherwise the
// ready signals of chained modules would form one long path.
//
// The core is the netlist's module without a clock. If the netlist has registers, the core is a pipeline with the
// additional ports clk, rst, ce, in_valid and out_valid. While ce is 0, its state does not change. out_valid is
// in_valid delayed by the pipeline's stages.
//
// WriteStream checks its arguments before it writes anything. The netlist must have exactly one input port. Its names
// must be valid in Verilog and must not be names that the wrapper uses. A beat must not have more words than a
// sample. If one of these conditions does not hold, WriteStream returns an error. Later errors come from w.
func WriteStream(w io.Writer, n *netlist.Netlist, o Options) error {
	d, err := newDesign(n, o, streamKind(), "clk", "rst", "ce", "in_valid", "in_ready", "in_data", "in_last",
		"out_valid", "out_ready", "error", "loader", "core", "sample", "sample_valid", "step", "BEAT",
		"levels", "unused_data", "lane", "lanes", "value")
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, d.file(d.streamHeader(), module{d.module, "", d.streamModule(d.module, false)},
		d.loader(d.module)))
	return err
}

// module is the text of a Verilog module.
type module struct{ name, comment, text string }

// loader returns the loader of a wrapper.
func (d *design) loader(wrapper string) module {
	name := wrapper + "_loader"
	text := strings.NewReplacer("@MODULE@", name, "@BITSBELOW@", bitsBelow).Replace(loaderModule)
	return module{name, "the words of a sample, collected", text}
}

// file returns a file of modules. The wrapper's top module comes first.
func (d *design) file(header string, top module, below ...module) string {
	text := header + "`default_nettype none\n\n" + top.text
	for _, m := range below {
		text += "\n// " + m.comment + "\n" + verilog.Below(m.text)
	}
	return text + "\n`default_nettype wire\n"
}

// streamHeader returns the comment at the top of the file.
func (d *design) streamHeader() string {
	var b strings.Builder
	d.title(&b, "samples for the module "+d.core+", word after word")
	fmt.Fprintf(&b, `//
// A sample is a packet of %d words of %d bits, BEAT of them in a clock, the first in the
// lowest bits of in_data; in_last is 1 with the last.
// %s
// Data moves in clocks in which valid and ready are both 1. A packet of another length is
// dropped and error is 1 until a reset. rst is synchronous and active high.
%s
`, d.words, d.in, d.keeps(), d.ofTag("// out_tag is what in_tag was in the clock that took the last word of the result's sample.\n"))
	return b.String()
}

// title writes the first lines of every header.
func (d *design) title(b *strings.Builder, what string) {
	fmt.Fprintf(b, "// Module %s: %s\n", d.module, what)
	for i, s := range d.header {
		if i == 0 {
			b.WriteString("//\n")
		}
		fmt.Fprintf(b, "// - %s\n", netlist.Printable(s))
	}
}

// keptBits returns the number of bits of a sample that have registers.
func (d *design) keptBits() (kept int) {
	for _, read := range d.kept {
		if read {
			kept++
		}
	}
	return kept
}

// streamModule returns the stream module with the given name. If drop is set, the module has the loader's input
// drop.
func (d *design) streamModule(name string, drop bool) string {
	var ports, wires, connections, results strings.Builder
	for _, p := range d.outputs() {
		high := len(p.Nets) - 1
		fmt.Fprintf(&ports, "    output reg [%d:0] %s,\n", high, p.Name)
		fmt.Fprintf(&wires, "  wire [%d:0] core_%s;\n", high, p.Name)
		fmt.Fprintf(&connections, ",\n      .%s(core_%s)", p.Name, p.Name)
		fmt.Fprintf(&results, "      %s <= core_%s;\n", p.Name, p.Name)
	}
	pins, valid := "", "  wire core_valid = sample_valid;\n"
	if d.clocked {
		pins = ".clk(clk),\n      .rst(rst),\n      .ce(step),\n      .in_valid(sample_valid),\n      " +
			".out_valid(core_valid),\n      "
		valid = "  wire core_valid;\n"
	}
	dropPort, dropPin, sample := "", "1'b0", "sample"
	if drop {
		dropPort, dropPin = "    input  wire drop,\n", "drop"
	}
	features := ""
	if d.lane > 0 {
		features, sample = d.features(), "features"
	}
	data, encoder := "in_data", ""
	if d.levels != nil {
		data, encoder = "levels", d.encoder()
	}
	return strings.NewReplacer(
		"@TAGPORT@", d.ofTag("    input  wire [@HIGH@:0] in_tag,\n"), "@TAGPIN@", d.ofTag(".in_tag(sample_tag),\n      "),
		"@TAG@", d.ofTag(sampleTag),
		"@IN@", fmt.Sprint(d.in), "@DATA@", data, "@ENCODER@", encoder, "@MODULE@", name, "@DROP@", dropPort, "@DROPPIN@",
		dropPin, "@FEATURES@", features, "@SAMPLE@", sample, "@CORE@", d.core, "@WORDS@", fmt.Sprint(d.words), "@WORD@",
		fmt.Sprint(d.word),
		"@BITS@", fmt.Sprint(d.words*d.word-1), "@DEFAULT@", fmt.Sprint(d.beat), "@READ@", literal(d.kept, "          "),
		"@PORTS@", ports.String(), "@WIRES@", wires.String()+valid, "@PINS@", pins, "@INPUT@", d.input.Name,
		"@OUTPUTS@", connections.String(), "@RESULTS@", results.String(),
	).Replace(streamModule)
}

// encoder returns the logic that turns the words of a beat into levels.
func (d *design) encoder() string {
	var levels []string // the highest first
	for _, b := range slices.Backward(d.levels.Bits) {
		levels = append(levels, fmt.Sprintf("\n        value[%d]", b))
	}
	for _, t := range slices.Backward(d.levels.Thresholds) {
		levels = append(levels, fmt.Sprintf("\n        value > %d'd%d", d.levels.Word, t))
	}
	return strings.NewReplacer(
		"@LEVELS@", fmt.Sprint(d.word), "@IN@", fmt.Sprint(d.in), "@WORD@", fmt.Sprint(d.levels.Word),
		"@HIGH@", fmt.Sprint(d.levels.Word-1), "@ABOVE@", strings.Join(levels, ","),
	).Replace(`  // what the network reads of each word of the beat
  wire [BEAT*@LEVELS@-1:0] levels;
  wire unused_data = &{1'b0, in_data};
  genvar lane;
  generate
    for (lane = 0; lane < BEAT; lane = lane + 1) begin : lanes
      wire [@HIGH@:0] value = in_data[lane*@IN@+:@WORD@];
      assign levels[lane*@LEVELS@+:@LEVELS@] = {@ABOVE@
      };
    end
  endgenerate

`)
}

// sampleTag declares the register for the tag of the sample that is in the loader. The tag came with the last beat of
// this sample.
const sampleTag = `  reg [@HIGH@:0] sample_tag;
  always @(posedge clk) if (in_valid & in_ready) sample_tag <= in_tag;

`

// streamModule is the template of the stream module. The core stops only while it has a result and the previous
// result has not been taken yet. When the previous result is taken, the core waits for one more clock, so that its
// enable does not depend on out_ready.
//
//go:embed templates/stream_module.v
var streamModule string

func (d *design) streamPorts(Options) []Port {
	ports := []Port{
		{"clk", 0, false, "clock, rising edge"},
		{"rst", 0, false, "synchronous reset, active high"},
		{"in_valid", 0, false, "there is a word at in_data"},
		{"in_ready", 0, true, "it is taken at the next edge"},
		{"in_data", d.beat * d.in, false, fmt.Sprintf("%s of %d bits of the %d of a sample",
			message.Plural(d.beat, "word", "words"), d.in, d.words)},
		{"in_last", 0, false, "it is the last of a sample"},
	}
	if d.tag > 0 {
		ports = append(ports, Port{netlist.TagInPort, d.tag, false, "tag of the sample, in the clock of its last word"})
	}
	ports = append(ports, []Port{
		{"out_valid", 0, true, "there is a result"},
		{"out_ready", 0, false, "it is taken at the next edge"},
	}...)
	for _, p := range d.n.OutputPorts() {
		ports = append(ports, Port{p.Name, len(p.Nets), true, "of the result"})
	}
	if d.tag > 0 {
		ports = append(ports, Port{netlist.TagOutPort, d.tag, true, "tag of the result's sample"})
	}
	return append(ports, errorPort)
}

// streamBench connects the pins of the stream module to handshakeBench.
//
//go:embed templates/stream_bench.v
var streamBench string

// playStream returns a player that sends words by valid and ready. Each output port has its own pins.
func playStream(p Played) Player {
	pins, low := "", 0
	if p.Drop {
		pins = ",\n    .drop(1'b0)"
	}
	for _, out := range p.Outputs {
		pins += fmt.Sprintf(",\n    .%s(result[%d:%d])", out.Name, low+len(out.Nets)-1, low)
		low += len(out.Nets)
	}
	if p.Tag > 0 {
		pins += fmt.Sprintf(",\n    .in_tag(in_tag), .out_tag(result[%d:%d])", low+p.Tag-1, low)
	}
	words := len(p.Input.Nets) / p.Input.Word
	return handshakePlayer(p.Input.Word, words, strings.Replace(playStreamPins, "@OUTPUTS@", pins, 1), p)
}

//go:embed templates/play_stream_pins.v
var playStreamPins string
