// Package wrapper writes Verilog modules that connect a classifier to the outside. A wrapper adds registers around
// the module that package verilog writes for a netlist. This inner module is called the core. It is combinational or
// a pipeline.
//
// [WriteStream] writes a wrapper that takes a sample word by word. The other wrappers take the bytes of a sample:
// [WriteAXIS] over AXI4-Stream, [WriteUART] over a serial line, [WriteSPI] as an SPI slave and [WriteByte] on the pins
// of a project on a shared chip. The following holds for every wrapper:
//
//   - the wrapper is a separate file. It instantiates the core by the names of its module and ports;
//   - data is transferred in each clock in which valid and ready are both 1. valid does not wait for ready. Once
//     valid is 1, it stays 1 with the same data until the transfer. No output depends on an input in the same clock;
//   - reset is synchronous, and active high unless the protocol differs. It resets only the signals that say whether
//     data is valid, not the data;
//   - the same netlist and options give the same file. verilator -Wall, iverilog -Wall and yosys check report
//     nothing.
//
// The loader, which collects words into samples and checks the lengths of packets, is a separate module. Wrappers
// that transfer bytes contain the stream module, with bytes as its words, and a few lines for their protocol. They
// all use the same byte layout for samples and results:
//
//   - the words of a port come in order;
//   - a word of more than one bit takes whole bytes, the low byte first. Unused high bits are ignored in samples and
//     are 0 in results;
//   - words of one bit are packed, eight to a byte, the first in the lowest bit;
//   - each output port begins at a new byte. For a classifier, the class comes first. If the netlist has a port for
//     the counts ([netlist.WithCounts]), the counts follow in the order of the classes;
//   - if the netlist says whether the class is uncertain, this bit is directly above the highest bit of the class.
//
// If the core takes the levels of features ([Levels]), the wrapper takes feature words. For each word of a beat, the
// wrapper has one encoder, which converts arriving words to levels. A level is stored only if something reads it.
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
	// Core is the name of the netlist's module. If it is empty, the netlist's name is used.
	Core string
	// Module is the name of the wrapper's module. The names of modules inside begin with this name. If it is empty,
	// the name is the core's name followed by the wrapper's kind, as in digits_stream.
	Module string
	// Header lists the lines of the comment at the top.
	Header []string
	// Beat is the default of the module's parameter BEAT, the number of words per clock. For [WriteAXIS], it is the
	// default of BYTES, the number of bytes per clock. 0 means one word, or [AXISBytes] bytes.
	Beat int
	// Tag is the number of bits of a tag, from 0 (no tag) to [netlist.MaxTag]. A tag comes with a sample and is
	// output with the sample's result. The core's module must have the ports that [netlist.WithTag] adds, but the
	// netlist argument of the write functions has no such ports.
	Tag int
	// ClockHz and Baud are the defaults of the module's parameters for a serial line. If they are 0, the defaults
	// are 12 MHz and 115,200 baud.
	ClockHz, Baud int
	// Levels says that the core's input port takes the levels of features. If Levels is nil, the port takes the words
	// that the wrapper receives.
	Levels *Levels
	// Engine, if not nil, replaces the core in wrappers that transfer bytes. The engine's words have 2 to 8 bits. The
	// wrapper of [WriteAXIS] takes one byte in each beat for an engine.
	Engine *Engine
}

// Levels describes the words of a core's input port. Each of these words is computed from a feature word of Word
// bits. Bit j of the computed word says whether the feature word exceeds Thresholds[j]. After the bits for all
// thresholds come the bits of the feature word that the field Bits lists.
type Levels struct {
	Word       int
	Thresholds []uint64
	Bits       []int
}

// maxLevelsWord is the maximum of Levels.Word.
const maxLevelsWord = 32

// check returns an error if the words do not have the given number of levels, or Word does not suit the kind of
// wrapper. Wrappers that transfer bytes take one byte for each feature.
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
	word, words  int    // word: bits of a stored word; words: number of words in a sample
	beat         int    // words in a clock
	kept         []bool // for each bit of the words: whether something reads the bit
	lane         int    // if words are made from bytes: bits from one word to the next; else 0
	clocked      bool   // the core is a pipeline
	stages       int    // stages of the pipeline
	engine       *Engine
	tag          int // bits of the tag; 0: no tag
}

// newDesign checks the requirements that all wrappers share. The argument own lists the names of the wrapper's ports
// and signals.
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

// read returns a list with one element for each bit of the input port. The element says whether anything reads this
// bit.
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

// literal returns the bits as a Verilog constant, on lines with the given indentation. The first bit is the lowest.
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
