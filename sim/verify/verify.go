// Package verify checks that a compiled design computes what was trained.
//
// Three checks of growing reach, each against the level before:
//
//   - [Software]: over a whole set of samples, every hidden bit of the raw netlist,
//     and counts and class of the raw and of the optimised netlist, against
//     [model.Evaluator], the trainer's own forward pass;
//   - [RTL]: the emitted Verilog in a Verilog simulator against our simulator on
//     samples of the set, ties of the class counts among them;
//   - [Formal]: the optimised netlist against the raw one for all inputs: what is counted
//     by abc on AIGER, the counts of a lowered head by its hint, its argmax by abc.
//
// [Design.Synthesised] and [Design.Bitstream] are level RTL once more, of what yosys made of the
// Verilog and of what is in a bitstream.
//
// A difference is named by sample, layer and gate wherever a gate is to blame. What
// could not be decided is never called verified.
package verify

import (
	"fmt"

	"ialgn/netlist"
	"ialgn/netlist/counts"
	"ialgn/sim/verify/spec"
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

	// Spec, unless nil, is what the model's tensors say, by a reading that shares no code with
	// freezing: the reference of [Design.Formal], which otherwise is the raw netlist.
	Spec *spec.Network

	// Hint, unless nil, says that the product was lowered, and why its counts are right.
	Hint *counts.Hint
	// Assumed says that the product needs to be right for thermometer codes alone. It means
	// nothing where the input port has words.
	Assumed bool
}

// project returns how many bits of the input port make a thermometer code, 0 if nothing
// is assumed.
func (d Design) project() int {
	if d.Assumed && !d.words() {
		return d.Model.Encoder.Bits - 1
	}
	return 0
}

// words says whether the input port has words of features.
func (d Design) words() bool { return hasWords(&d.Model.Encoder, d.input()) }

// input returns the input port as the raw netlist has it: its labels say what its bits are.
func (d Design) input() netlist.Port { return d.Raw.DataInputs()[0] }

// hasWords reports whether an input port has the words of features, and not thermometer bits. Where a
// feature is one bit of either, its label alone tells the two apart: a threshold need not be 0.
func hasWords(enc *encoding.Encoder, x netlist.Port) bool {
	if x.Word != 1 || enc.BitsIn != 1 {
		return x.Word != 1
	}
	return len(x.Labels) > 0 && x.Labels[0] == enc.Name(0)
}

// random returns random samples that the product must be right for.
func (d Design) random() stimulus {
	s := random(len(d.Raw.InputPorts()[0].Nets))
	if bits := d.project(); bits > 0 {
		s.project(bits)
	}
	return s
}

// transparent returns the design with a wire in place of each register of the product.
func (d Design) transparent() (Design, error) {
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

// cut returns a netlist without its head.
func (d Design) cut(n *netlist.Netlist, h *counts.Hint) (*cut, error) {
	r, err := findRoots(n, h)
	if err != nil {
		return nil, err
	}
	return newCut(n, r, d.project())
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

// Rows returns the bit rows of the samples' input port x, (Len+63)/64 words a row:
// thermometer bits for a port of single bits, raw feature words for the words of a full
// design. It returns an error if the port has neither's form.
func (s Samples) Rows(enc *encoding.Encoder, x netlist.Port) ([]uint64, error) {
	return s.rows(enc, x, (s.Levels.Len()+63)/64, 0, s.Levels.Len())
}

// rows is Rows for the samples from to to-1.
func (s Samples) rows(enc *encoding.Encoder, x netlist.Port, words, from, to int) ([]uint64, error) {
	return s.gather(enc, x, words, consecutive(from, to))
}

// consecutive returns the indices from to to-1.
func consecutive(from, to int) []int32 {
	index := make([]int32, to-from)
	for i := range index {
		index[i] = int32(from + i)
	}
	return index
}

// gather is Rows for the samples of the given indices. The size of the port alone does
// not tell the two forms apart: a feature may have as many thresholds as bits.
func (s Samples) gather(enc *encoding.Encoder, x netlist.Port, words int, index []int32) ([]uint64, error) {
	switch bits := len(x.Nets); {
	case bits == enc.Inputs() && x.Word == 1 && !hasWords(enc, x):
		return s.thermometer(enc, words, index), nil
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

// thermometer returns the rows of thermometer bits of the given samples.
func (s Samples) thermometer(enc *encoding.Encoder, words int, index []int32) []uint64 {
	planes := make([]uint64, s.Levels.Rows()*words)
	s.Levels.Gather(planes, words, index)
	x := make([]uint64, enc.Inputs()*words)
	enc.Thermometer(x, planes, words)
	return x
}
