// This file writes a recurrent classifier as an engine that has the layers of a step once: combinational logic, the
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

package folded

import (
	_ "embed" // the template
	"errors"
	"fmt"
	"io"
	"strings"
)

// StepsShape is what the Verilog of an engine depends on.
type StepsShape struct {
	Frame
	Steps      int    // of a sample, to which its features belong in equal shares
	State      int    // bits of the state
	Core, Head string // the modules
}

// The ends of the names of modules, after that of the netlist's.
const (
	CoreSuffix = Suffix + "_step"
	HeadSuffix = Suffix + "_head"
)

// Check returns an error if there is no such engine.
func (s *StepsShape) Check() error {
	if err := s.Frame.Check(); err != nil {
		return err
	}
	if s.Steps < 1 || len(s.Thresholds) < s.Steps || len(s.Thresholds)%s.Steps != 0 {
		return fmt.Errorf("steps: %d features for %d steps", len(s.Thresholds), s.Steps)
	}
	if s.State < 1 {
		return errors.New("steps: there is no state")
	}
	return nil
}

// StepsCost is what an engine takes of memory and of time.
type StepsCost struct {
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
func (s *StepsShape) Cost() StepsCost {
	c := s.Clocks()
	return StepsCost{
		Steps: s.Steps, Words: s.words(), Cycles: c.Cycles, Latency: c.Latency, StateBits: s.State,
		LevelBits: s.words() * s.LevelBits(),
	}
}

// Clocks returns how long samples take.
//
// The first word of a sample is taken in the clock after the class of the last sample but one, n + afterWords clocks
// after the first word of that sample of n words. So two samples take n + afterWords clocks, or 2 n where that is more.
func (s *StepsShape) Clocks() Clocks {
	n := s.Features()
	return Clocks{Cycles: max(float64(n), float64(n+afterWords)/2), Latency: n - 1 + afterWords}
}

// words returns the number of words of a step.
func (s *StepsShape) words() int { return len(s.Thresholds) / s.Steps }

//go:embed templates/steps_engine.v
var stepsTemplate string

// WriteVerilog writes the engine's module, which has the ports and the protocol of [Engine]: a packet is a
// sample, of a word for each feature.
func (s *StepsShape) WriteVerilog(w io.Writer, header []string) error {
	if err := s.Check(); err != nil {
		return err
	}
	words, bit := s.words(), s.LevelBits()
	shifted := "level"
	if words > 1 {
		shifted = fmt.Sprintf("{level, levels[%d:%d]}", words*bit-1, bit)
	}
	declared, reset, step := s.Counter()
	_, err := io.WriteString(w, s.head(header)+s.Fill(stepsTemplate,
		"      place <= @PLACES@'d0;\n      moment <= @MOMENTS@'d0;\n"+reset,
		"AT", declared, "ATRESET", reset, "ATSTEP", step, "ENCODER", s.Encoder(s.FeatureBits()).Verilog(),
		"BITS", s.bits(), "LEVEL", bit-1, "PLACE", Width(words)-1, "PLACES", Width(words),
		"LASTPLACE", words-1, "MOMENT", Width(s.Steps)-1, "MOMENTS", Width(s.Steps),
		"LASTMOMENT", s.Steps-1, "LASTLEVEL", words*bit-1, "SHIFTED", shifted, "LASTBIT", words*s.PerFeature()-1,
		"STEPS", s.PerFeature(), "STATES", s.State, "LASTSTATE", s.State-1, "CORE", s.Core, "HEAD", s.Head))
	return err
}

// head returns the comment at the top.
func (s *StepsShape) head(header []string) string {
	c := s.Clocks()
	return s.Frame.Head("recurrent classifier, a step at a time", header,
		fmt.Sprintf("%d steps of %d features of %d bits with %d thresholds each, %d classes", s.Steps, s.words(), s.WordBits,
			s.PerFeature(), s.Classes),
		fmt.Sprintf("a state of %d bits, which %s makes of itself and a step; its class by %s", s.State, s.Core, s.Head),
		fmt.Sprintf("a sample every %v clocks at most, its class %d clocks after its first word at least", c.Cycles,
			c.Latency)) + `//
// A sample is a packet of a word for each feature, step by step, a word in a clock in which in_valid
// and in_ready are both 1; in_last is 1 with the last. A packet of another length is dropped and
// error is 1 until a reset. The class stays on class_index, with out_valid, until a clock in which
// out_ready is 1. rst is synchronous and active high.

`
}

// bits returns the thermometer bits of a step.
func (s *StepsShape) bits() string {
	var b strings.Builder
	for f := range s.words() {
		for j := range s.PerFeature() {
			at := f * s.LevelBits()
			fmt.Fprintf(&b, "  assign x[%d] = levels[%d:%d] > %d'd%d;\n", f*s.PerFeature()+j, at+s.LevelBits()-1, at,
				s.LevelBits(), j)
		}
	}
	return b.String()
}
