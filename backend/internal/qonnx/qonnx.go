// Package qonnx writes netlists as graphs of look-up tables in QONNX, that is, ONNX with the operator LookupTable of
// the domain qonnx.custom_op.lnn (https://github.com/fastmachinelearning/qonnx/tree/main/docs/qonnx-custom-ops). FINN
// and other programs that use QONNX can read these graphs.
//
// The level of a cell is its longest path from an input. Each level becomes one LookupTable for each fan-in of its
// cells, since all tables in a LookupTable have the same number of inputs. A LookupTable reads all earlier nodes that
// its cells need. If there are several such nodes, a Concat joins them. The last LookupTable outputs the bits of the
// result in order, so that no permutation has to follow. A cell occurs twice if it is part of the result and other
// cells read it. If each layer of a network reads only the previous layer, the graph is a chain of LookupTables, one
// for each layer.
//
// The input is called x. The form of the input and of the output depends on the netlist:
//
//   - If the inputs are single bits, x holds them as uint8 values 0 or 1. If they are feature words, x is
//     float32 with integer values, and Greater compares x with thresholds. If the netlist's comparisons have
//     become gates, x is uint8 and a LookupTable takes bits from the words.
//   - For a netlist with class counts, the output is called scores and has type float32. The scores are the counts,
//     computed as sums of the counted bits. If the counts have become gates, the scores are sums of weighted digits.
//     The class is the first class with the largest score. For other netlists, the output is called bits and has the
//     bits of the output ports.
package qonnx

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"ialgn/internal/message"
	"ialgn/internal/onnx"
	"ialgn/internal/ties"
	"ialgn/netlist"
)

// Options says how to write a netlist.
type Options struct {
	Module  string   // name of the graph; empty: the netlist's name
	Header  []string // lines for the model's description
	Version string   // version of the program
}

// Domain is the domain of LookupTable. opset is the version of this domain. standardOpset is the version of ONNX's
// own operators.
const (
	Domain        = "qonnx.custom_op.lnn"
	opset         = 3
	standardOpset = 13
	irVersion     = 8 // from ONNX 1.10, the first release with version 15 of the operators
)

// These are the names of values in the graph.
const (
	inputName  = "x"
	bitsName   = "bits"
	scoresName = "scores"
)

// Write writes n. The same netlist and options give the same bytes. Write needs memory for all tables and indices:
// 8 bytes for each input of a table and one byte for each entry.
//
// It returns an error before it writes anything if n has registers (a [*netlist.KindError]), reads single bits of
// words with more than 8 bits, says which classes are uncertain, has no outputs, or is too large. Later errors come
// from w.
func Write(w io.Writer, n *netlist.Netlist, opt Options) error {
	if err := netlist.Refuse("qonnx", n, netlist.Function, netlist.Compare, netlist.Popcount, netlist.Counter,
		netlist.Argmax, netlist.Carry, netlist.Primitive); err != nil {
		return err
	}
	for _, p := range n.OutputPorts() {
		if p.Name == netlist.UncertainPort && len(probes(n)) > 0 {
			return message.WithHint(errors.New("qonnx: the result of the graph is the class counts, and no output says which "+
				"classes are uncertain"), "omit {Reject} (or {RejectShare}), and compare the lead of the largest score with the "+
				"margin")
		}
	}
	d, err := newDesign(n)
	if err != nil {
		return err
	}
	f := &file{design: d, graph: onnx.Graph{Name: opt.Module}}
	if f.graph.Name == "" {
		f.graph.Name = n.Name
	}
	f.front()
	f.levels()
	f.tail()
	doc := append([]string{}, opt.Header...)
	m := &onnx.Model{
		IRVersion: irVersion, Producer: "ialgn", ProducerVersion: opt.Version,
		Doc:    strings.Join(append(doc, f.describe()...), "\n"),
		Opsets: []onnx.Opset{{Version: standardOpset}, {Domain: Domain, Version: opset}}, Graph: f.graph,
	}
	if err := onnx.Write(w, m); err != nil {
		return fmt.Errorf("qonnx: %w", err)
	}
	return nil
}

// describe returns the lines of the model's description that describe the input and the output.
func (f *file) describe() []string {
	in := fmt.Sprintf("%s: %d bits", inputName, f.inputs)
	switch f.encoding {
	case thermometer:
		in = fmt.Sprintf("%s: %d feature words of %d bits, whole numbers", inputName, f.features, f.word)
	case words:
		in = fmt.Sprintf("%s: %d feature words of %d bits", inputName, f.features, f.word)
	}
	out := bitsName + ": those of the output ports"
	if f.classes > 0 {
		out = scoresName + ": class counts; the class is the first of the largest"
		if order := f.n.Ties(); order != nil {
			out += ", in the order " + ties.Text(order)
		}
	}
	return []string{in, out}
}

// file is a graph that is being built.
type file struct {
	*design
	graph onnx.Graph

	blocks []block
	at     []place // [net]
}

// block is a value of the graph that holds bits of the netlist. place is the position of a bit in a block.
type block struct {
	name  string
	width int
}

type place struct{ block, offset int32 }

func (f *file) node(n onnx.Node) { f.graph.Nodes = append(f.graph.Nodes, n) }

func (f *file) constant(t onnx.Tensor) string {
	f.graph.Initializers = append(f.graph.Initializers, t)
	return t.Name
}

// add adds a block and records where its nets are.
func (f *file) add(name string, nets []netlist.Net) {
	for i, v := range nets {
		if v > netlist.True {
			f.at[v] = place{int32(len(f.blocks)), int32(i)}
		}
	}
	f.blocks = append(f.blocks, block{name, len(nets)})
}

// batch returns a shape with any number of samples as the first dimension, followed by dims.
func batch(dims ...int) []onnx.Dim {
	shape := []onnx.Dim{{Name: "N"}}
	for _, d := range dims {
		shape = append(shape, onnx.Dim{Size: int64(d)})
	}
	return shape
}

// front adds the input and the nodes that compute bits from the input.
func (f *file) front() {
	f.at = make([]place, f.n.Nets())
	x := onnx.Value{Name: inputName, Type: onnx.Uint8, Known: true, Shape: batch(f.features)}
	switch f.encoding {
	case thermometer:
		x.Type = onnx.Float
		f.thermometer()
	case words:
		f.words()
	default:
		x.Shape = batch(f.inputs)
		f.add(inputName, f.source)
	}
	f.graph.Inputs = []onnx.Value{x}
}

// thermometer adds the comparison of features with thresholds. If a feature has fewer thresholds than others, its
// list is filled up with a threshold so large that no word exceeds it.
func (f *file) thermometer() {
	list := make([]float32, f.features*f.most)
	for i := range list {
		list[i] = float32(uint64(1)<<f.word - 1)
	}
	for i, t := range f.thresholds {
		if f.source[i] != netlist.False {
			list[i] = float32(t)
		}
	}
	total := int64(f.features * f.most)
	axes := f.constant(onnx.Int64s("last_axis", []int64{1}, []int64{-1}))
	thresholds := f.constant(onnx.Float32s("thresholds", []int64{int64(f.features), int64(f.most)}, list))
	shape := f.constant(onnx.Int64s("code_shape", []int64{2}, []int64{-1, total}))
	f.node(onnx.Node{Name: "features", Op: "Unsqueeze", Inputs: []string{inputName, axes}, Outputs: []string{"words"}})
	f.node(onnx.Node{Name: "compare", Op: "Greater", Inputs: []string{"words", thresholds}, Outputs: []string{"codes"}})
	f.node(onnx.Node{Name: "flatten", Op: "Reshape", Inputs: []string{"codes", shape}, Outputs: []string{"code"}})
	f.node(onnx.Node{
		Name: "encode", Op: "Cast", Inputs: []string{"code"}, Outputs: []string{"code_bits"},
		Attributes: []onnx.Attribute{onnx.Int("to", int64(onnx.Uint8))},
	})
	f.add("code_bits", f.source)
}

// words adds the LookupTable that takes bits from feature words.
func (f *file) words() {
	indices, table := make([]int64, len(f.source)), make([]byte, 0, len(f.source)<<f.word)
	for i, v := range f.source {
		bit := int(v - firstInput)
		indices[i] = int64(bit / f.word)
		for word := range 1 << f.word {
			table = append(table, byte(word>>(bit%f.word)&1))
		}
	}
	f.lookup("word_bits", inputName, len(f.source), f.word, indices, table)
	f.add("word_bits", f.source)
}

// lookup adds a LookupTable. The argument name is the name of its output, and the argument from is the name of the
// value that it reads.
func (f *file) lookup(name, from string, width, inputBits int, indices []int64, table []byte) {
	m := int64(width)
	i := f.constant(onnx.Int64s(name+"_indices", []int64{m, int64(len(indices)) / m}, indices))
	t := f.constant(onnx.Bytes(name+"_table", []int64{m, int64(len(table)) / m}, table))
	f.node(onnx.Node{
		Name: name + "_lookup", Op: "LookupTable", Domain: Domain,
		Inputs: []string{from, i, t}, Outputs: []string{name},
		Attributes: []onnx.Attribute{onnx.Int("input_bits", int64(inputBits)), onnx.Int("out_bits", 1)},
	})
}

// If the bits of the last layer are counted, tail converts them to scores.
func (f *file) tail() {
	if f.classes == 0 {
		f.graph.Outputs = []onnx.Value{{
			Name: bitsName, Type: onnx.Uint8, Known: true,
			Shape: batch(len(f.wanted)),
		}}
		return
	}
	each := int64(len(f.wanted) / f.classes)
	shape := f.constant(onnx.Int64s("group_shape", []int64{3}, []int64{-1, int64(f.classes), each}))
	axes := f.constant(onnx.Int64s("group_axis", []int64{1}, []int64{-1}))
	f.node(onnx.Node{Name: "group", Op: "Reshape", Inputs: []string{bitsName, shape}, Outputs: []string{"groups"}})
	f.node(onnx.Node{
		Name: "numbers", Op: "Cast", Inputs: []string{"groups"}, Outputs: []string{"counted"},
		Attributes: []onnx.Attribute{onnx.Int("to", int64(onnx.Float))},
	})
	counted := "counted"
	if f.weights != nil {
		weights := f.constant(onnx.Float32s("weights", []int64{each}, f.weights))
		f.node(onnx.Node{Name: "digits", Op: "Mul", Inputs: []string{counted, weights}, Outputs: []string{"weighted"}})
		counted = "weighted"
	}
	f.node(onnx.Node{
		Name: "count", Op: "ReduceSum", Inputs: []string{counted, axes}, Outputs: []string{scoresName},
		Attributes: []onnx.Attribute{onnx.Int("keepdims", 0)},
	})
	f.graph.Outputs = []onnx.Value{{Name: scoresName, Type: onnx.Float, Known: true, Shape: batch(f.classes)}}
}

// wordsTooWide returns the error for feature words that are too wide to be read bit by bit.
func wordsTooWide(word int) error {
	return message.WithHint(
		fmt.Errorf("qonnx: the netlist reads single bits of feature words of %d bits; a table takes them out of at most %d",
			word, maxWord),
		"omit {LUT} and {Target} to keep comparisons, or take {Scope core}")
}
