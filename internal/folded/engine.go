// Package folded writes folded engines, which are circuits that contain only part of a network and compute the whole
// network in many clocks. There are three kinds of [Engine]. [Chains] (fold.go) runs a program of steps.
// [PositionsShape] (positions.go) computes one position of a convolution in each clock. [StepsShape] (steps.go)
// contains the layers of one step of a recurrent network.
//
// An engine's module has the same ports as the module of kind stream in package wrapper, but no parameter:
//
//	input  clk, rst
//	input  in_valid, in_data, in_last   one feature's word in each clock
//	output in_ready
//	output out_valid, class_index
//	input  out_ready
//	output error
//
// A sample is a packet of words. in_last is 1 with the last word. A packet of another length is dropped as a whole,
// and error is then 1 until a reset. A class stays on class_index, with out_valid, until a clock in which out_ready
// is 1.
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
	// Outside returns the engine's ports and encoder.
	Outside() *Frame
	// Check returns an error if the engine is impossible.
	Check() error
	// WriteVerilog writes the module, with the header lines in the comment at its top. The text does not depend on
	// the functions of the modules inside or on the contents of the memories.
	WriteVerilog(w io.Writer, header []string) error
	// Memories returns the memories that are initialised from files.
	Memories() []Memory
	// Clocks returns how many clocks samples take.
	Clocks() Clocks
}

// Clocks says how many clocks samples take if a word comes in every clock and results are taken immediately.
type Clocks struct {
	Cycles  float64 // from one sample to the next, on average
	Latency int     // from the edge that takes a sample's first word to the first edge that can take its class
}

// Suffix is the end of the name of an engine's module, after the name of the netlist's module.
const Suffix = "_fold"

// Frame is the part that all engines share: the ports, and the encoder that turns words into
// levels.
type Frame struct {
	Module     string
	Drop       bool       // the engine has an input port drop; a 1 discards the packet so far and sets error
	WordBits   int        // bits of in_data
	Thresholds [][]uint16 // [feature][threshold], in ascending order; all features have the same number of thresholds
	Classes    int
}

// Outside returns f.
func (f *Frame) Outside() *Frame { return f }

// Check returns an error if the module's name is not a Verilog identifier.
func (f *Frame) Check() error {
	if err := names.CheckIdentifier(f.Module); err != nil {
		return fmt.Errorf("engine: module: %w", err)
	}
	return nil
}

// Features returns the number of words of a sample.
func (f *Frame) Features() int { return len(f.Thresholds) }

// PerFeature returns the number of thresholds of a feature, which is also the highest level.
func (f *Frame) PerFeature() int { return len(f.Thresholds[0]) }

// LevelBits is the width of a level in bits.
func (f *Frame) LevelBits() int { return bits.Len(uint(f.PerFeature())) }

// FeatureBits is the width of a feature's number in bits.
func (f *Frame) FeatureBits() int { return Width(f.Features()) }

// Width is the width in bits of a number below n.
func Width(n int) int { return max(1, bits.Len(uint(n-1))) }

// Uniform returns the thresholds of every feature if all features have the same thresholds, and otherwise nil.
func (f *Frame) Uniform() []uint16 {
	for _, t := range f.Thresholds {
		if !slices.Equal(t, f.Thresholds[0]) {
			return nil
		}
	}
	return f.Thresholds[0]
}

// Encoder returns the encoder from words to levels. featureBits is the width of a feature's number.
func (f *Frame) Encoder(featureBits int) *Encoder {
	return &Encoder{
		WordBits: f.WordBits, Steps: f.PerFeature(), Uniform: f.Uniform(), FeatureBits: featureBits,
		File: f.Module + "_thresholds.hex",
	}
}

// Memories returns the memory of thresholds. If all features have the same thresholds, there is no such memory.
func (f *Frame) Memories() []Memory {
	e := f.Encoder(f.FeatureBits())
	if e.Uniform != nil {
		return nil
	}
	return []Memory{e.Memory(f.Thresholds)}
}

// Head returns the beginning of the comment at the top: the kind of the module, the header lines
// and facts about this module.
func (f *Frame) Head(what string, header []string, facts ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "// Module %s: a %s\n//\n", f.Module, what)
	for _, line := range slices.Concat(header, facts) {
		fmt.Fprintf(&b, "// - %s\n", line)
	}
	return b.String()
}

// Counter returns the Verilog of a register with the name at: its declaration, its reset and its counting statement.
// The register holds the number of words of the current packet so far. The number is the address of the encoder's
// thresholds. If all features have the same thresholds, the three texts are empty.
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

// Fill fills in a template of the module. It replaces the given marks, as the function [Fill] does, and also the
// marks that all engines share. @PORTS@ becomes the beginning of the module. @DROPPED@ becomes the end of the block
// that counts the words of a packet. @RESULT@ becomes the end of the module, which takes the class from the signal
// winner when the signal decided is 1. The signal decided must not be 1 while the previous class is still waiting.
// The argument reset holds assignments, indented by six columns. When a packet is dropped, the module executes these
// assignments, clears skip and sets failed.
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

// Fill returns a template with marks replaced by values. marks lists names and values alternately. The mark for a
// name is the name between two @. Values may contain marks.
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
