// Package verify has the common parts of all comparisons of a compiled design with its trained network. These are the
// design, the samples, and the differences found. Each comparison is a subpackage. The following list begins with the
// weakest comparison. Each comparison relies on the result of the previous one:
//
//   - software compares netlists with [model.Evaluator], the trainer's own forward pass, on a whole data set. It
//     compares every hidden bit of the raw netlist, and the counts and classes of both the raw and the optimised
//     netlist;
//   - rtl runs the emitted Verilog in a Verilog simulator and compares it with our simulator, on samples that include
//     ties of the class counts. It also runs the netlist that yosys makes from the Verilog, wrappers, folded engines
//     and bitstreams;
//   - proof compares the optimised netlist with the raw netlist for all inputs. abc proves that the counted bits are
//     equal, and that the argmax is right. For a lowered head, the compiler's hint guides the proof of the counts.
//     The program of a folded engine is proved in the same way.
//
// The package also has these parts. Stimuli are samples that show whether functions differ. Expected vectors are the
// trainer's values for samples. Cuts are classifiers without their heads. Blame is the search for the gate that
// causes a difference. The report of a difference names the sample. If a gate is to blame, the report also names the
// gate's layer and number. A design is never called verified if any part of the result is undecided.
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

// Design is a compiled design with everything that it is compared with. It has the trained network and two netlists.
// The raw netlist is frozen from the network. The product is the netlist that the compiler made from the raw
// netlist. All three have the same inputs and classes, and both netlists have the same scope.
type Design struct {
	Model   *model.Frozen
	Raw     *netlist.Netlist
	Product *netlist.Netlist

	// Looped, if not nil, is the network in a form that contains each node only once, even if the positions of an
	// image share the node. The machine code for classifying is made from this form.
	Looped *positions.Network

	// Spec, if not nil, is the network that the model's tensors specify. It is read by code that is independent of
	// freezing. It replaces the raw netlist as the reference of proofs.
	Spec *spec.Network

	// Hint is not nil if the product was lowered. It explains why the product's counts are right.
	Hint *counts.Hint
	// Margin is the margin of the output uncertain, or 0 if there is no such output.
	Margin int
	// Tag is the number of tag bits that the Verilog has in addition to the product's ports
	// ([netlist.WithTag]), or 0.
	Tag int
	// Assumed says that the product only has to be right for thermometer codes. Assumed has no effect if the input
	// port carries feature words.
	Assumed bool
}

// Project returns the number of input bits that form one thermometer code, or 0 if no codes are assumed.
func (d Design) Project() int {
	if d.Assumed && !d.Words() {
		return d.Model.Encoder.Bits - 1
	}
	return 0
}

// Words reports whether the input port carries feature words.
func (d Design) Words() bool { return hasWords(&d.Model.Encoder, d.Input()) }

// Input returns the input port of the raw netlist. Its labels say what the bits mean.
func (d Design) Input() netlist.Port { return d.Raw.DataInputs()[0] }

// hasWords reports whether input port x carries feature words rather than thermometer bits. If each feature is a
// single bit in both forms, only the label distinguishes the forms. The word and the thermometer bit can differ,
// because the threshold need not be 0.
func hasWords(enc *encoding.Encoder, x netlist.Port) bool {
	if x.Word != 1 || enc.BitsIn != 1 {
		return x.Word != 1
	}
	return len(x.Labels) > 0 && x.Labels[0] == enc.Name(0)
}

// Transparent returns the design with a wire instead of each register of the product.
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

// WithTag returns the design with the tag added to the product, as in the Verilog.
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

// Samples is a set of samples in the two forms in which circuits read them.
type Samples struct {
	Levels *encoding.Packed // levels of the model's encoder
	Words  *encoding.Packed // raw feature words, width BitsIn
}

// Mismatch is one difference. Layers are numbered from 1, and gates from 0. If no gate is to blame, Layer is 0 and
// Gate is -1. Sample is -1 if the difference does not belong to a sample.
type Mismatch struct {
	Sample int    `json:"sample"`
	Layer  int    `json:"layer"`
	Gate   int    `json:"gate"`
	What   string `json:"what"`
}

// String describes the mismatch on one line.
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

// GateOf returns the field Gate of a [Mismatch] with the given origin. It is the origin's chain, or -1 if the origin
// is zero.
func GateOf(o netlist.Origin) int {
	if o.Layer == 0 {
		return -1
	}
	return int(o.Chain)
}

// Shown is the largest number of mismatches that a result lists. A result counts all mismatches.
const Shown = 20

// Findings collects mismatches.
type Findings struct {
	Mismatches int        `json:"mismatches"`
	First      []Mismatch `json:"first,omitempty"`
}

// Add counts a mismatch, and lists it if the list is not full.
func (f *Findings) Add(m Mismatch) {
	f.Mismatches++
	if len(f.First) < Shown {
		f.First = append(f.First, m)
	}
}

// Rows returns the bit rows of the samples for input port x, with (Len+63)/64 words per row. A port of single bits
// gets thermometer bits. The port of a full design gets feature words. Rows returns an error if the port has neither
// form.
func (s Samples) Rows(enc *encoding.Encoder, x netlist.Port) ([]uint64, error) {
	return s.Range(enc, x, (s.Levels.Len()+63)/64, 0, s.Levels.Len())
}

// Range is like [Samples.Rows], but only for the samples with numbers n, from <= n < to.
func (s Samples) Range(enc *encoding.Encoder, x netlist.Port, words, from, to int) ([]uint64, error) {
	return s.Gather(enc, x, words, Consecutive(from, to))
}

// Consecutive returns all indices i with from <= i < to, in ascending order.
func Consecutive(from, to int) []int32 {
	index := make([]int32, to-from)
	for i := range index {
		index[i] = int32(from + i)
	}
	return index
}

// Gather is similar to [Samples.Rows], for the samples with the given indices. It does not choose the form by the
// size of the port, because a feature may have the same number of thresholds as bits.
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
