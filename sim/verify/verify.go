// Package verify checks that a compiled design computes what was trained.
//
// Three checks of growing reach, each against the level before:
//
//   - [Software]: over a whole set of samples, every hidden bit of the raw netlist,
//     and counts and class of the raw and of the optimised netlist, against
//     [model.Evaluator], the trainer's own forward pass;
//   - [RTL]: the emitted Verilog in a Verilog simulator against our simulator on
//     samples of the set, ties of the class counts among them;
//   - [Formal]: the optimised gates against the raw gates for all inputs, by abc on
//     AIGER.
//
// A difference is named by sample, layer and gate wherever a gate is to blame. What
// could not be decided is never called verified.
package verify

import (
	"fmt"

	"ialgn/netlist"
	"ialgn/trainer/encoding"
	"ialgn/trainer/model"
)

// Design is what is compared: the trained network, the netlist frozen from it, and
// the netlist that the compiler made of that. All three have the same inputs and
// classes; both netlists have the same scope.
type Design struct {
	Model   *model.Frozen
	Raw     *netlist.Netlist
	Product *netlist.Netlist
}

// Samples is a set of samples in both forms that circuits read.
type Samples struct {
	Levels *encoding.Packed // of the model's encoder
	Words  *encoding.Packed // raw feature words, width BitsIn
}

// Mismatch is one difference. Layer and Gate count from 1 and 0 and are 0 and -1 where
// no gate is to blame; Sample is -1 where the difference is not of a sample.
type Mismatch struct {
	Sample int    `json:"sample"`
	Layer  int    `json:"layer"`
	Gate   int    `json:"gate"`
	What   string `json:"what"`
}

// String returns a line for a person.
func (m Mismatch) String() string {
	s := m.What
	if m.Sample >= 0 {
		s = fmt.Sprintf("sample %d: %s", m.Sample, s)
	}
	if m.Layer > 0 {
		s += fmt.Sprintf(" (layer %d, gate %d)", m.Layer, m.Gate)
	}
	return s
}

// shown is how many mismatches a result lists; all are counted.
const shown = 20

// findings collects mismatches.
type findings struct {
	Mismatches int        `json:"mismatches"`
	First      []Mismatch `json:"first,omitempty"`
}

func (f *findings) add(m Mismatch) {
	f.Mismatches++
	if len(f.First) < shown {
		f.First = append(f.First, m)
	}
}

// Rows returns the bit rows of the samples' input port x for a netlist of that many
// input bits, (Len+63)/64 words a row: thermometer bits, or raw feature words for a
// full design. It returns an error if the netlist reads neither.
func (s Samples) Rows(enc *encoding.Encoder, inputs int) ([]uint64, error) {
	words := (s.Levels.Len() + 63) / 64
	return s.rows(enc, inputs, words, 0, s.Levels.Len())
}

// rows is Rows for the samples from to to-1.
func (s Samples) rows(enc *encoding.Encoder, inputs, words, from, to int) ([]uint64, error) {
	index := make([]int32, to-from)
	for i := range index {
		index[i] = int32(from + i)
	}
	return s.gather(enc, inputs, words, index)
}

// gather is Rows for the samples of the given indices.
func (s Samples) gather(enc *encoding.Encoder, inputs, words int, index []int32) ([]uint64, error) {
	switch inputs {
	case enc.Inputs():
		planes := make([]uint64, s.Levels.Rows()*words)
		s.Levels.Gather(planes, words, index)
		x := make([]uint64, enc.Inputs()*words)
		enc.Thermometer(x, planes, words)
		return x, nil
	case s.Words.Rows():
		x := make([]uint64, s.Words.Rows()*words)
		s.Words.Gather(x, words, index)
		return x, nil
	}
	return nil, fmt.Errorf("verify: the netlist reads %d bits, but the encoder gives %d and the raw features have %d", inputs, enc.Inputs(), s.Words.Rows())
}
