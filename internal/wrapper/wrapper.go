// Package wrapper writes what connects a classifier to the world: Verilog with state
// around the module that package verilog writes of a netlist, which has none or is a mere
// pipeline.
//
// [WriteStream] gives the words of a sample one after the other, [WriteAXIS] its bytes over
// AXI4-Stream, [WriteUART] over a serial line, [WriteSPI] as an SPI slave. What holds for
// every wrapper:
//
//   - it is a file of its own beside that of the netlist's module, the core, which it
//     instantiates by name and by the names of its ports;
//   - data moves in clocks in which valid and ready are both 1; valid waits for no ready,
//     and once 1 stays so with the same data until then; no output depends on an input in
//     the same clock;
//   - reset is synchronous, and active high unless the protocol has it otherwise, for what
//     says whether data is valid; data itself has none;
//   - the same netlist and options give the same bytes, and verilator -Wall, iverilog
//     -Wall and yosys check have nothing to say.
//
// The loader, which turns words into samples and checks the lengths of packets, is a
// module of its own. Wrappers of bytes are a few lines of their protocol before the stream
// module, whose words are then bytes. How samples and results are laid out in bytes is the
// same for all of them:
//
//   - the words of a port follow each other, the first one first;
//   - a word of more than one bit takes whole bytes, its low byte first, and the bits above
//     it are ignored in samples and 0 in results;
//   - words of one bit are packed, eight to a byte, the first in the lowest bit;
//   - output ports follow each other, each from a byte of its own: of a classifier the class
//     and, where they are a port ([netlist.WithCounts]), the counts, the first class first.
//
// Where the core takes the levels of features ([Levels]), the wrapper takes the features'
// words, and one encoder for each word of a beat turns them into levels as they come: what is
// kept of a feature are the levels that something reads.
package wrapper

import (
	"fmt"
	"slices"
	"strings"

	"ialgn/internal/names"
	"ialgn/netlist"
)

// Options say how a wrapper is written.
type Options struct {
	// Core is the name of the netlist's module. Empty: the netlist's name.
	Core string
	// Module is the name of the wrapper's module; modules below it have names that begin
	// with it. Empty: the core's name with the wrapper's kind, as in digits_stream.
	Module string
	// Header are lines for the comment at the top.
	Header []string
	// Beat is how many words, with [WriteAXIS] bytes, come in a clock, unless the module's
	// parameter BEAT or BYTES says otherwise. 0: one word, or [AXISBytes].
	Beat int
	// Tag is the bits of a tag that comes with a sample and goes with its result, 0 to [netlist.MaxTag]; 0: there is
	// none. The core has the ports that [netlist.WithTag] adds to the netlist, which is given without them.
	Tag int
	// ClockHz and Baud are the clock and the rate of a serial line, unless the module's
	// parameters say otherwise. 0: 12 MHz and 115,200 baud.
	ClockHz, Baud int
	// Levels says that the core's port has the levels of features. Nil: it has the words as
	// they come.
	Levels *Levels
	// Engine, unless nil, is what wrappers of bytes are around in the place of the core. Its
	// words have 2 to 8 bits; [WriteAXIS] gives it a byte in a beat.
	Engine *Engine
}

// Levels says what the words of a core's port are: of feature words of Word bits, bit j is 1
// above Thresholds[j]; then come the bits of the feature word that Bits says.
type Levels struct {
	Word       int
	Thresholds []uint64
	Bits       []int
}

// maxLevelsWord are the most bits of a feature of [Levels].
const maxLevelsWord = 32

// check returns an error unless they say what so many levels of a feature are. A wrapper of
// bytes takes a byte for each feature.
func (l *Levels) check(levels int, kind *Kind) error {
	if l == nil {
		return nil
	}
	maxWord := maxLevelsWord
	if kind.Bytes {
		maxWord = 8
	}
	outside := func(b int) bool { return b < 0 || b >= l.Word }
	if len(l.Thresholds)+len(l.Bits) != levels || l.Word < 2 || l.Word > maxWord || slices.ContainsFunc(l.Bits, outside) {
		return fmt.Errorf("wrapper: words of %d bits with %d thresholds and the bits %v for %d levels: give words of 2 to "+
			"%d bits, and a threshold or a bit a level",
			l.Word, len(l.Thresholds), l.Bits, levels, maxWord)
	}
	return nil
}

// design is a wrapper that is to be written.
type design struct {
	n            *netlist.Netlist
	core, module string
	header       []string
	input        netlist.Port
	levels       *Levels
	in           int    // bits of a word as it comes
	word, words  int    // bits of a word as it is kept, words of a sample
	beat         int    // words of a clock
	kept         []bool // bits of the words that something reads
	lane         int    // where words are cut out of bytes, the bits from one word to the next; else 0
	clocked      bool   // the core is a pipeline
	stages       int    // stages of the pipeline
	engine       *Engine
	tag          int // bits of the tag; 0: there is none
}

// newDesign checks what all wrappers need; own are the names that the wrapper's ports
// have.
func newDesign(n *netlist.Netlist, o Options, kind *Kind, own ...string) (*design, error) {
	d := &design{
		n: n, core: o.Core, module: o.Module, header: o.Header, beat: max(1, o.Beat), engine: o.Engine, tag: o.Tag,
	}
	if d.core == "" {
		d.core = n.Name
	}
	if d.module == "" {
		d.module = d.core + "_" + kind.Name
	}
	for _, name := range []string{d.core, d.module, d.module + "_stream_loader"} {
		if err := names.CheckIdentifier(name); err != nil {
			return nil, fmt.Errorf("wrapper: module: %w", err)
		}
	}
	if d.core == d.module {
		return nil, fmt.Errorf("wrapper: the module and its core are both called %q, choose another name for one", d.core)
	}
	if err := o.checkTag(kind); err != nil {
		return nil, err
	}
	clock, err := n.Pipeline()
	if err != nil {
		return nil, fmt.Errorf("wrapper: %w", err)
	}
	if d.clocked = clock != nil; d.clocked {
		d.stages = clock.Stages
	}
	inputs, outputs := n.DataInputs(), n.OutputPorts()
	if len(inputs) != 1 || len(outputs) == 0 {
		return nil, fmt.Errorf("wrapper: netlist %q has %d input ports and %d output ports, need one and at least one",
			n.Name, len(inputs), len(outputs))
	}
	if o.Tag > 0 {
		own = slices.Concat(own, tagNames)
	}
	if err := checkPorts(slices.Concat(outputs, inputs), own); err != nil {
		return nil, err
	}
	d.input = inputs[0]
	if err := o.checkEngine(d.input.Word); err != nil {
		return nil, err
	}
	d.word = d.input.Word
	d.words = len(d.input.Nets) / d.word
	d.kept = d.read()
	d.in, d.levels = d.word, o.Levels
	if d.levels != nil {
		d.in = d.levels.Word
	}
	if err := d.levels.check(d.word, kind); err != nil {
		return nil, err
	}
	if o.Beat < 0 || d.beat > d.words {
		return nil, fmt.Errorf("wrapper: %d words in a clock are out of range, a sample has %d: give 1 to %d", o.Beat,
			d.words, d.words)
	}
	return d, nil
}

// checkPorts refuses ports of the netlist whose names the wrapper cannot have, or has itself.
func checkPorts(ports []netlist.Port, own []string) error {
	for _, p := range ports {
		if err := names.CheckPort(p.Name); err != nil {
			return fmt.Errorf("wrapper: port: %w", err)
		}
		if slices.Contains(own, p.Name) || strings.HasPrefix(p.Name, "core_") {
			return fmt.Errorf("wrapper: port %q has a name that the wrapper uses itself, choose another name", p.Name)
		}
	}
	return nil
}

// read says of each bit of the input port whether anything reads it.
func (d *design) read() []bool {
	reads := make([]bool, d.n.FirstCellNet())
	mark := func(nets []netlist.Net) {
		for _, v := range nets {
			if int(v) < len(reads) {
				reads[v] = true
			}
		}
	}
	for c := range netlist.Cell(d.n.Cells()) {
		mark(d.n.Inputs(c))
	}
	for _, ports := range [][]netlist.Port{d.n.OutputPorts(), d.n.Probes()} {
		for _, p := range ports {
			mark(p.Nets)
		}
	}
	kept := make([]bool, len(d.input.Nets))
	for i, v := range d.input.Nets {
		kept[i] = reads[v]
	}
	return kept
}

// literal returns bits, the lowest first, as a constant of Verilog on lines with the given
// indentation.
func literal(bits []bool, indent string) string {
	const piece = 256
	var pieces []string
	for low := 0; low < len(bits); low += piece {
		part := bits[low:min(low+piece, len(bits))]
		digits := make([]byte, (len(part)+3)/4)
		for i := range digits {
			digit := 0
			for b, set := range part[4*i : min(4*i+4, len(part))] {
				if set {
					digit |= 1 << b
				}
			}
			digits[len(digits)-1-i] = "0123456789abcdef"[digit]
		}
		pieces = append(pieces, fmt.Sprintf("%s%d'h%s", indent, len(part), digits))
	}
	slices.Reverse(pieces)
	return "{\n" + strings.Join(pieces, ",\n") + "}"
}
