// Package steps writes a recurrent classifier as an engine that has the layers of a step once: combinational logic, the
// core, with registers for the state in a loop around it.
//
// A sample comes word by word, step by step. Words become levels, and with the last word of a step the core makes the
// next state of the step's thermometer bits and the state; at the first step it reads zeros in the state's place. After
// the last step a second module, the head, makes the class of the state, while the words of the next sample come. So a
// sample takes as many clocks as it has words, and nothing of it is stored but the levels of a step and the state. Two
// samples at most are on their way to a class, which takes longer for samples of fewer than seven words.
//
// An engine does not know what the core and the head compute. They are modules of their own, whose ports are those of
// scopes gates and core: x of the core has the step's thermometer bits, then the state, and h is the next state.
package steps

import (
	_ "embed" // the template
	"errors"
	"fmt"
	"io"
	"math/bits"
	"strings"

	"ialgn/backend/levels"
	"ialgn/backend/ports"
	"ialgn/netlist"
	"ialgn/netlist/names"
)

// Shape is what the Verilog of an engine depends on.
type Shape struct {
	Module     string
	Drop       bool // the engine has an input drop, as wrappers of bytes need it: the packet so far is void
	Steps      int  // of a sample, to which its features belong in equal shares
	WordBits   int
	Thresholds [][]uint16 // of each feature, ascending and equally many
	State      int        // bits of the state
	Classes    int
	Core, Head string // the modules
}

// The ends of the names of modules, after that of the netlist's.
const (
	Suffix     = "_fold"
	CoreSuffix = Suffix + "_step"
	HeadSuffix = Suffix + "_head"
)

// Check returns an error if there is no such engine.
func (s *Shape) Check() error {
	if err := names.CheckIdentifier(s.Module); err != nil {
		return fmt.Errorf("steps: module: %w", err)
	}
	if s.Steps < 1 || len(s.Thresholds) < s.Steps || len(s.Thresholds)%s.Steps != 0 {
		return fmt.Errorf("steps: %d features for %d steps", len(s.Thresholds), s.Steps)
	}
	if s.State < 1 {
		return errors.New("steps: there is no state")
	}
	return nil
}

// Cost is what an engine takes of memory and of time.
type Cost struct {
	Steps     int     `json:"steps"`          // of a sample
	Words     int     `json:"words"`          // of a step
	Cycles    float64 `json:"cycles"`         // clocks from one sample to the next, at least, on average
	Latency   int     `json:"latency_cycles"` // clocks that a sample takes, as package wrapper defines it
	StateBits int     `json:"state_bits"`
	LevelBits int     `json:"level_bits"` // of the levels of a step
}

// afterWords are the clocks from that with the last word of a sample to the first that can take its class: a word, what
// it exceeds, its level, the step's levels, the state, the class, and that it is shown.
const afterWords = 7

// Cost returns what the engine takes.
//
// The first word of a sample is taken in the clock after the class of the last sample but one, n + afterWords clocks
// after the first word of that sample of n words. So two samples take n + afterWords clocks, or 2 n where that is more.
func (s *Shape) Cost() Cost {
	n := len(s.Thresholds)
	return Cost{
		Steps: s.Steps, Words: s.words(), Cycles: max(float64(n), float64(n+afterWords)/2), Latency: n - 1 + afterWords,
		StateBits: s.State, LevelBits: s.words() * s.levelBits(),
	}
}

// words returns the number of words of a step.
func (s *Shape) words() int { return len(s.Thresholds) / s.Steps }

// perWord returns the number of thermometer bits of a word.
func (s *Shape) perWord() int { return len(s.Thresholds[0]) }

// levelBits is the width of a level.
func (s *Shape) levelBits() int { return bits.Len(uint(s.perWord())) }

// width is that of a number below n.
func width(n int) int { return max(1, bits.Len(uint(n-1))) }

// encoder returns what makes levels of words.
func (s *Shape) encoder() *levels.Encoder {
	return &levels.Encoder{
		WordBits: s.WordBits, Steps: s.perWord(), Uniform: levels.Uniform(s.Thresholds),
		FeatureBits: width(len(s.Thresholds)), File: s.Module + "_thresholds.hex",
	}
}

// Memories returns what the memories hold that files fill: the thresholds where they are not the same for all features.
func (s *Shape) Memories() []levels.Memory {
	e := s.encoder()
	if e.Uniform != nil {
		return nil
	}
	return []levels.Memory{e.Memory(s.Thresholds)}
}

//go:embed templates/engine.v
var engine string

// WriteVerilog writes the engine's module, which has the ports and the protocol of package ports: a packet is a
// sample, of a word for each feature.
func (s *Shape) WriteVerilog(w io.Writer, header []string) error {
	if err := s.Check(); err != nil {
		return err
	}
	parts := append(s.counter(), "@ENCODER@", s.encoder().Verilog(), "@BITS@", s.bits())
	text := strings.NewReplacer(parts...).Replace(engine)
	words, bit, last := s.words(), s.levelBits(), netlist.ClassBits(s.Classes)-1
	shifted := "level"
	if words > 1 {
		shifted = fmt.Sprintf("{level, levels[%d:%d]}", words*bit-1, bit)
	}
	text = strings.NewReplacer(
		"@WORD@", fmt.Sprint(s.WordBits-1), "@INDEX@", fmt.Sprint(last), "@LEVEL@", fmt.Sprint(bit-1),
		"@PLACE@", fmt.Sprint(width(words)-1), "@PLACES@", fmt.Sprint(width(words)), "@LASTPLACE@", fmt.Sprint(words-1),
		"@MOMENT@", fmt.Sprint(width(s.Steps)-1), "@MOMENTS@", fmt.Sprint(width(s.Steps)), "@LASTMOMENT@",
		fmt.Sprint(s.Steps-1), "@LASTLEVEL@", fmt.Sprint(words*bit-1), "@SHIFTED@", shifted, "@LASTBIT@",
		fmt.Sprint(words*s.perWord()-1), "@STEPS@", fmt.Sprint(s.perWord()), "@STATES@", fmt.Sprint(s.State), "@LASTSTATE@",
		fmt.Sprint(s.State-1), "@CORE@", s.Core, "@HEAD@", s.Head,
	).Replace(text)
	_, err := io.WriteString(w, s.head(header)+text)
	return err
}

// head returns the comment at the top.
func (s *Shape) head(header []string) string {
	var b strings.Builder
	cost := s.Cost()
	fmt.Fprintf(&b, "// Module %s: a recurrent classifier, a step at a time\n//\n", s.Module)
	for _, line := range header {
		fmt.Fprintf(&b, "// - %s\n", line)
	}
	fmt.Fprintf(&b, "// - %d steps of %d features of %d bits with %d thresholds each, %d classes\n", s.Steps, s.words(),
		s.WordBits, s.perWord(), s.Classes)
	fmt.Fprintf(&b, "// - a state of %d bits, which %s makes of itself and a step; its class by %s\n", s.State, s.Core,
		s.Head)
	fmt.Fprintf(&b, "// - a sample every %v clocks at most, its class %d clocks after its first word at least\n",
		cost.Cycles, cost.Latency)
	b.WriteString(`//
// A sample is a packet of a word for each feature, step by step, a word in a clock in which in_valid
// and in_ready are both 1; in_last is 1 with the last. A packet of another length is dropped and
// error is 1 until a reset. The class stays on class_index, with out_valid, until a clock in which
// out_ready is 1. rst is synchronous and active high.

`)
	return b.String()
}

// counter returns what counts the words of a sample, for thresholds that differ from feature to feature, and what drops
// packets.
func (s *Shape) counter() []string {
	var declared, reset, step string
	if s.encoder().Uniform == nil {
		n := width(len(s.Thresholds))
		declared = fmt.Sprintf("  reg [%d:0] at;  // words of this packet so far, if it is not too long\n", n-1)
		reset = fmt.Sprintf("      at <= %d'd0;\n", n)
		step = fmt.Sprintf("        at <= in_last | whole ? %d'd0 : at + %[1]d'd1;\n", n)
	}
	outside := ports.Ports{Module: s.Module, WordBits: s.WordBits, Classes: s.Classes, Drop: s.Drop}
	return append(outside.Replacements("      place <= @PLACES@'d0;\n      moment <= @MOMENTS@'d0;\n"+reset),
		"@AT@", declared, "@ATRESET@", reset, "@ATSTEP@", step)
}

// bits returns the thermometer bits of a step.
func (s *Shape) bits() string {
	var b strings.Builder
	for f := range s.words() {
		for j := range s.perWord() {
			at := f * s.levelBits()
			fmt.Fprintf(&b, "  assign x[%d] = levels[%d:%d] > %d'd%d;\n", f*s.perWord()+j, at+s.levelBits()-1, at,
				s.levelBits(), j)
		}
	}
	return b.String()
}
