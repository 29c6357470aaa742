// Package wrapper writes Verilog modules that connect a classifier to the outside: state around the
// module that package verilog writes for a netlist, which is combinational or a pipeline.
//
// [WriteStream] takes the words of a sample one after the other, [WriteAXIS] takes its bytes over
// AXI4-Stream, [WriteUART] over a serial line, [WriteSPI] as an SPI slave. For every wrapper:
//
//   - it is a separate file next to the file of the netlist's module, the core, which it
//     instantiates by name and by the names of its ports;
//   - data moves in clocks in which valid and ready are both 1; valid does not wait for ready,
//     and once 1, stays 1 with the same data until the data moves; no output depends on an
//     input in the same clock;
//   - reset is synchronous, and active high unless the protocol differs; it resets the
//     signals that say whether data is valid, not the data;
//   - the same netlist and options give the same bytes, and verilator -Wall, iverilog
//     -Wall and yosys check report nothing.
//
// The loader, which collects words into samples and checks the lengths of packets, is a separate
// module. Wrappers of bytes are a few lines for their protocol in front of the stream module, whose
// words are then bytes. All of them use the same byte layout for samples and results:
//
//   - the words of a port follow each other, first word first;
//   - a word of more than one bit takes whole bytes, low byte first; unused high bits are
//     ignored in samples and 0 in results;
//   - words of one bit are packed, eight to a byte, the first in the lowest bit;
//   - output ports follow each other, each starting at a new byte: for a classifier, the class
//     and, if they are a port ([netlist.WithCounts]), the counts, first class first.
//
// If the core takes the levels of features ([Levels]), the wrapper takes the features' words. One
// encoder for each word of a beat turns them into levels as they come, and only the levels that
// something reads are stored.
package wrapper

import (
	"fmt"
	"slices"
	"strings"

	"ialgn/internal/names"
	"ialgn/netlist"
)

// Options control how a wrapper is written.
type Options struct {
	// Core is the name of the netlist's module; empty: the netlist's name.
	Core string
	// Module is the name of the wrapper's module; names of modules below it begin with it. Empty:
	// the core's name and the wrapper's kind, as in digits_stream.
	Module string
	// Header lists the lines of the comment at the top.
	Header []string
	// Beat is the default of the module's parameter BEAT (words in a clock) or, for [WriteAXIS],
	// BYTES (bytes in a clock). 0: one word, or [AXISBytes].
	Beat int
	// Tag is the number of bits of a tag that comes with a sample and is output with its result, 0
	// to [netlist.MaxTag]; 0: no tag. The core has the ports that [netlist.WithTag] adds, but the
	// netlist is given without them.
	Tag int
	// ClockHz and Baud are the defaults of the module's parameters for a serial line. 0: 12 MHz and
	// 115,200 baud.
	ClockHz, Baud int
	// Levels says that the core's input port takes the levels of features. Nil: it takes the words
	// as they come.
	Levels *Levels
	// Engine, unless nil, replaces the core in wrappers of bytes. Its words have 2 to 8 bits;
	// [WriteAXIS] gives it one byte in each beat.
	Engine *Engine
}

// Levels describes the words of a core's input port. For a feature word of Word bits, bit j says
// whether the feature word exceeds Thresholds[j]; then come the bits of the feature word that Bits
// lists.
type Levels struct {
	Word       int
	Thresholds []uint64
	Bits       []int
}

// maxLevelsWord is the maximum of Levels.Word.
const maxLevelsWord = 32

// check returns an error unless the words have the given number of levels and Word suits the kind.
// Wrappers of bytes take one byte for each feature.
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

// design is a wrapper that is being written.
type design struct {
	n            *netlist.Netlist
	core, module string
	header       []string
	input        netlist.Port
	levels       *Levels
	in           int    // bits of a word at the input
	word, words  int    // bits of a word as stored; words of a sample
	beat         int    // words in a clock
	kept         []bool // [bit of the words]: something reads it
	lane         int    // bits from one word to the next if words are selected from bytes; else 0
	clocked      bool   // the core is a pipeline
	stages       int    // stages of the pipeline
	engine       *Engine
	tag          int // bits of the tag; 0: no tag
}

// newDesign checks what all wrappers require. own are the names of the wrapper's ports and signals.
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

// checkPorts returns an error for ports of the netlist whose names are invalid or used by the
// wrapper.
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

// read returns for each bit of the input port whether anything reads it.
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

// literal returns bits, lowest first, as a Verilog constant on lines with the given indentation.
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
