// Package folded has what folded engines share. A folded engine is a circuit that has less of a network than all of it,
// and goes through that in many clocks. Packages fold, positions and steps are the kinds, each an implementation of
// [Engine].
//
// An engine's module has the ports of package wrapper's stream module without the parameter:
//
//	input  clk, rst
//	input  in_valid, in_data, in_last   a feature's word a clock
//	output in_ready
//	output out_valid, class_index
//	input  out_ready
//	output error
//
// Samples are packets of words, in_last 1 with the last. A packet of another length is dropped as a whole, and error
// is 1 from then on until a reset. A class stays on class_index, with out_valid, until a clock in which out_ready is 1.
package folded

import (
	_ "embed" // templates
	"fmt"
	"io"
	"math/bits"
	"slices"
	"strings"

	"ialgn/internal/names"
	"ialgn/netlist"
)

// Engine is a folded engine.
type Engine interface {
	// Outside returns what is around it.
	Outside() *Frame
	// Check returns an error if there is no such engine.
	Check() error
	// WriteVerilog writes the module, with some lines in the comment at its top. It does not depend on what the modules
	// within it compute, nor on what is in the memories.
	WriteVerilog(w io.Writer, header []string) error
	// Memories returns the memories that files fill.
	Memories() []Memory
	// Clocks returns how long samples take.
	Clocks() Clocks
}

// Clocks are how many clocks samples take, with a word in every clock and results that are taken at once.
type Clocks struct {
	Cycles  float64 // from one sample to the next, in the long run
	Latency int     // from the edge that takes the first word of a sample to the first edge that can take its class
}

// Suffix ends the name of an engine's module, after the name of the netlist's module.
const Suffix = "_fold"

// Frame is what every engine has: its ports, and what makes levels of words.
type Frame struct {
	Module     string
	Drop       bool       // there is a port drop; with 1 on it, the packet so far is void, which is an error
	WordBits   int        // bits of in_data
	Thresholds [][]uint16 // of each feature, ascending and equally many
	Classes    int
}

// Outside returns f.
func (f *Frame) Outside() *Frame { return f }

// Check returns an error if the module cannot have its name.
func (f *Frame) Check() error {
	if err := names.CheckIdentifier(f.Module); err != nil {
		return fmt.Errorf("engine: module: %w", err)
	}
	return nil
}

// Features returns the number of words of a sample.
func (f *Frame) Features() int { return len(f.Thresholds) }

// PerFeature returns how many thresholds a feature has, which is the highest level.
func (f *Frame) PerFeature() int { return len(f.Thresholds[0]) }

// LevelBits is the width of a level.
func (f *Frame) LevelBits() int { return bits.Len(uint(f.PerFeature())) }

// FeatureBits is the width of a feature's number.
func (f *Frame) FeatureBits() int { return Width(f.Features()) }

// Width is the width of a number below n.
func Width(n int) int { return max(1, bits.Len(uint(n-1))) }

// Uniform returns the thresholds that all features have, nil if they differ.
func (f *Frame) Uniform() []uint16 {
	for _, t := range f.Thresholds {
		if !slices.Equal(t, f.Thresholds[0]) {
			return nil
		}
	}
	return f.Thresholds[0]
}

// Encoder returns what makes levels of words, where a feature's number has some bits.
func (f *Frame) Encoder(featureBits int) *Encoder {
	return &Encoder{
		WordBits: f.WordBits, Steps: f.PerFeature(), Uniform: f.Uniform(), FeatureBits: featureBits,
		File: f.Module + "_thresholds.hex",
	}
}

// Memories returns the memory of thresholds, none where they are the same for all features.
func (f *Frame) Memories() []Memory {
	e := f.Encoder(f.FeatureBits())
	if e.Uniform != nil {
		return nil
	}
	return []Memory{e.Memory(f.Thresholds)}
}

// Head returns the beginning of the comment at the top: what the module is, the header, and what is particular to it.
func (f *Frame) Head(what string, header []string, facts ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "// Module %s: a %s\n//\n", f.Module, what)
	for _, line := range slices.Concat(header, facts) {
		fmt.Fprintf(&b, "// - %s\n", line)
	}
	return b.String()
}

// Counter returns the register at, the number of words of this packet so far, where the encoder reads it: its
// declaration, what resets it and what counts. They are empty where thresholds are the same for all features.
func (f *Frame) Counter() (declared, reset, step string) {
	if f.Uniform() != nil {
		return "", "", ""
	}
	n := f.FeatureBits()
	return fmt.Sprintf("  reg [%d:0] at;  // words of this packet so far, if it is not too long\n", n-1),
		fmt.Sprintf("      at <= %d'd0;\n", n),
		fmt.Sprintf("        at <= in_last | whole ? %d'd0 : at + %[1]d'd1;\n", n)
}

//go:embed templates/module.v
var module string

//go:embed templates/result.v
var result string

// Fill returns a template of the module, with the marks of the [Fill] and those of the outside: @PORTS@ is its
// beginning, @DROPPED@ the end of what counts the words of a packet, and @RESULT@ its end, which takes the class from
// winner in a clock in which decided is 1, and only comes to it when the class before it no longer waits. The lines
// reset, assignments six columns in, are what a packet that is dropped resets besides skip and failed.
func (f *Frame) Fill(template, reset string, marks ...any) string {
	drop, dropped := "", ""
	if f.Drop {
		drop = "    input  wire drop,  // the packet so far is void, an error; not in a clock with in_valid\n"
		dropped = "      if (drop) begin\n" + strings.ReplaceAll(reset, "      ", "        ") +
			"        skip <= 1'b0;\n        failed <= 1'b1;\n      end\n"
	}
	return Fill(template, append(marks, "PORTS", module, "DROPPED", dropped, "RESULT", result, "MODULE", f.Module, "WORD",
		f.WordBits-1, "INDEX", netlist.ClassBits(f.Classes)-1, "DROP", drop)...)
}

// Fill returns a template with values in place of marks. A mark is a name between two @, and follows its name in marks.
// Values may have marks, too.
func Fill(template string, marks ...any) string {
	pairs := make([]string, len(marks))
	for i, m := range marks {
		pairs[i] = fmt.Sprint(m)
		if i%2 == 0 {
			pairs[i] = "@" + pairs[i] + "@"
		}
	}
	for r, before := strings.NewReplacer(pairs...), ""; template != before; {
		before, template = template, r.Replace(template)
	}
	return template
}
