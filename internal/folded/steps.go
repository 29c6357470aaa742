// This file writes a recurrent classifier as an engine that contains the layers of one step once. These layers are
// combinational logic, called the core. Registers around the core feed the state back.
//
// A sample comes word by word, step by step. Words become levels. With the last word of a step, the core computes the
// next state from the step's thermometer bits and the state; in the first step the state is all zeros. After the last
// step a second module, the head, computes the class from the state, while the words of the next sample come. So a
// sample takes one clock for each word, and the engine stores only the levels of one step and the state. At most two
// samples are being processed, which slows down samples of fewer than seven words.
//
// An engine does not know what the core and the head compute. They are separate modules with the ports of scopes
// gates and core. The core's input x has the thermometer bits of the step, followed by the state. The core's output h
// is the next state.

package folded

import (
	_ "embed" // the template
	"errors"
	"fmt"
	"io"
	"strings"
)

// StepsShape holds everything on which the Verilog of an engine depends.
type StepsShape struct {
	Frame
	Steps      int    // number of steps in a sample, among which the features are divided equally
	State      int    // bits of the state
	Core, Head string // names of the modules
}

// These are the ends of the names of the core's module and the head's module.
const (
	CoreSuffix = Suffix + "_step"
	HeadSuffix = Suffix + "_head"
)

// Check returns an error if the engine is impossible.
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

// StepsCost holds the amounts of memory and time that an engine takes.
type StepsCost struct {
	Steps     int     `json:"steps"`          // steps of a sample
	Words     int     `json:"words"`          // words of a step
	Cycles    float64 `json:"cycles"`         // clocks from one sample to the next, on average
	Latency   int     `json:"latency_cycles"` // clocks from a sample to its result, as package wrapper defines it
	StateBits int     `json:"state_bits"`
	LevelBits int     `json:"level_bits"` // bits of the levels of a step
}

// afterWords is the number of clocks from the last word of a sample to the first clock in which its class can be
// taken. One clock each is needed for the word, the comparison with thresholds, the word's level, the levels of the
// step, the state, the class, and the output of the class.
const afterWords = 7

// Cost returns the memory and the time that the engine takes.
func (s *StepsShape) Cost() StepsCost {
	c := s.Clocks()
	return StepsCost{
		Steps: s.Steps, Words: s.words(), Cycles: c.Cycles, Latency: c.Latency, StateBits: s.State,
		LevelBits: s.words() * s.LevelBits(),
	}
}

// Clocks returns how many clocks samples take.
//
// With n words in a sample, the first word of a sample is taken in the clock after the class of the sample before the
// last. That clock is n + afterWords clocks after the first word of that earlier sample. So two samples take n +
// afterWords clocks, or 2 n clocks if 2 n is larger.
func (s *StepsShape) Clocks() Clocks {
	n := s.Features()
	return Clocks{Cycles: max(float64(n), float64(n+afterWords)/2), Latency: n - 1 + afterWords}
}

// words returns the number of words of a step.
func (s *StepsShape) words() int { return len(s.Thresholds) / s.Steps }

//go:embed templates/steps_engine.v
var stepsTemplate string

// WriteVerilog writes the engine's module, with the ports and the protocol of [Engine]. A packet is
// a sample, with one word for each feature.
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

// bits returns the assignments of a step's thermometer bits.
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
