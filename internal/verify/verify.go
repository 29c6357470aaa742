// Package verify has what a compiled design is compared with the trained network by: the design, the
// samples, and the differences that were found. The comparisons are packages below it, of growing reach,
// each against the level before:
//
//   - software: over a whole set of samples, every hidden bit of the raw netlist, and counts and
//     class of the raw and of the optimised netlist, against [model.Evaluator], the trainer's own
//     forward pass;
//   - rtl: the emitted Verilog in a Verilog simulator against our simulator on samples of the set,
//     ties of the class counts among them; what yosys made of the Verilog likewise; and what lies behind a
//     wrapper's protocol, engines and bitstreams among it;
//   - proof: the optimised netlist against the raw one for all inputs: what is counted by abc on
//     AIGER, the counts of a lowered head by its hint, its argmax by abc; and the program of a folded engine.
//
// They share stimuli (samples that tell functions apart), what the trainer gives for samples, cuts (a
// classifier without its head) and blame (the gate whose fault a difference is). A difference is named
// by sample, layer and gate wherever a gate is to blame. What could not be decided is never called
// verified.
package verify

import (
	"fmt"

	"ialgn/internal/counts"
	"ialgn/internal/encoding"
	"ialgn/internal/model"
	"ialgn/internal/positions"
	"ialgn/internal/verify/spec"
	"ialgn/netlist"
)

// Design is what is compared: the trained network, the netlist frozen from it, and
// the netlist that the compiler made of that. All three have the same inputs and
// classes; both netlists have the same scope.
type Design struct {
	Model   *model.Frozen
	Raw     *netlist.Netlist
	Product *netlist.Netlist

	// Looped, unless nil, is the network with the nodes that positions of an image share once, for the machine code that
	// classifies with it.
	Looped *positions.Network

	// Spec, unless nil, is what the model's tensors say, by a reading that shares no code with
	// freezing: the reference of a proof, which otherwise is the raw netlist.
	Spec *spec.Network

	// Hint, unless nil, says that the product was lowered, and why its counts are right.
	Hint *counts.Hint
	// Tag is the bits of the tag that the Verilog has beside the product's ports ([netlist.WithTag]); 0: there is none.
	Tag int
	// Assumed says that the product needs to be right for thermometer codes alone. It has no effect if the input port
	// carries feature words.
	Assumed bool
}

// Project returns how many bits of the input port make a thermometer code, 0 if nothing
// is assumed.
func (d Design) Project() int {
	if d.Assumed && !d.Words() {
		return d.Model.Encoder.Bits - 1
	}
	return 0
}

// Words says whether the input port has words of features.
func (d Design) Words() bool { return hasWords(&d.Model.Encoder, d.Input()) }

// Input returns the input port as the raw netlist has it: its labels say what its bits are.
func (d Design) Input() netlist.Port { return d.Raw.DataInputs()[0] }

// hasWords reports whether an input port has the words of features, and not thermometer bits. Where a
// feature is one bit of either, its label alone tells the two apart: a threshold need not be 0.
func hasWords(enc *encoding.Encoder, x netlist.Port) bool {
	if x.Word != 1 || enc.BitsIn != 1 {
		return x.Word != 1
	}
	return len(x.Labels) > 0 && x.Labels[0] == enc.Name(0)
}

// Transparent returns the design with a wire in place of each register of the product.
func (d Design) Transparent() (Design, error) {
	n, to, err := netlist.Transparent(d.Product)
	if err != nil {
		return d, err
	}
	if d.Hint != nil {
		if err := d.Hint.Check(d.Product); err != nil {
			return d, err
		}
		d.Hint = d.Hint.Map(to)
	}
	d.Product = n
	return d, nil
}

// WithTag returns the design whose product is what the Verilog has: with the tag.
func (d Design) WithTag() (Design, error) {
	n, to, err := netlist.WithTag(d.Product, d.Tag)
	if err != nil || d.Tag == 0 {
		return d, err
	}
	if d.Hint != nil {
		if err := d.Hint.Check(d.Product); err != nil {
			return d, err
		}
		d.Hint = d.Hint.Map(to)
	}
	d.Product = n
	return d, nil
}

// Samples is a set of samples in both forms that circuits read.
type Samples struct {
	Levels *encoding.Packed // levels of the model's encoder
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

// GateOf returns the gate of a [Mismatch]: -1 where the origin is none.
func GateOf(o netlist.Origin) int {
	if o.Layer == 0 {
		return -1
	}
	return int(o.Chain)
}

// Shown is how many mismatches a result lists; all are counted.
const Shown = 20

// Findings collects mismatches.
type Findings struct {
	Mismatches int        `json:"mismatches"`
	First      []Mismatch `json:"first,omitempty"`
}

// Add counts a mismatch, and lists it if it is among the first.
func (f *Findings) Add(m Mismatch) {
	f.Mismatches++
	if len(f.First) < Shown {
		f.First = append(f.First, m)
	}
}

// Rows returns the bit rows of the samples' input port x, (Len+63)/64 words a row:
// thermometer bits for a port of single bits, raw feature words for the words of a full
// design. It returns an error if the port has neither's form.
func (s Samples) Rows(enc *encoding.Encoder, x netlist.Port) ([]uint64, error) {
	return s.Range(enc, x, (s.Levels.Len()+63)/64, 0, s.Levels.Len())
}

// Range is Rows for the samples from to to-1.
func (s Samples) Range(enc *encoding.Encoder, x netlist.Port, words, from, to int) ([]uint64, error) {
	return s.Gather(enc, x, words, Consecutive(from, to))
}

// Consecutive returns the indices from to to-1.
func Consecutive(from, to int) []int32 {
	index := make([]int32, to-from)
	for i := range index {
		index[i] = int32(from + i)
	}
	return index
}

// Gather is Rows for the samples of the given indices. The size of the port alone does
// not tell the two forms apart: a feature may have as many thresholds as bits.
func (s Samples) Gather(enc *encoding.Encoder, x netlist.Port, words int, index []int32) ([]uint64, error) {
	switch bits := len(x.Nets); {
	case bits == enc.Inputs() && x.Word == 1 && !hasWords(enc, x):
		return s.Thermometer(enc, words, index), nil
	case bits == s.Words.Rows() && x.Word == enc.BitsIn:
		rows := make([]uint64, bits*words)
		s.Words.Gather(rows, words, index)
		return rows, nil
	default:
		return nil, fmt.Errorf("verify: port %s has %d bits in words of %d, but the encoder gives %d single bits and the "+
			"raw features are %d bits in words of %d; compile again",
			x.Name, bits, x.Word, enc.Inputs(), s.Words.Rows(), enc.BitsIn)
	}
}

// Thermometer returns the rows of thermometer bits of the given samples.
func (s Samples) Thermometer(enc *encoding.Encoder, words int, index []int32) []uint64 {
	planes := make([]uint64, s.Levels.Rows()*words)
	s.Levels.Gather(planes, words, index)
	x := make([]uint64, enc.Inputs()*words)
	enc.Thermometer(x, planes, words)
	return x
}
