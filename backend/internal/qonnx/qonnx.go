// Package qonnx writes netlists as graphs of look-up tables in QONNX: ONNX with the operator LookupTable of the domain
// qonnx.custom_op.lnn (https://github.com/fastmachinelearning/qonnx/tree/main/docs/qonnx-custom-ops), which FINN and
// other programs around QONNX read.
//
// Every level of the netlist, the longest way from an input, is a LookupTable, or one for each fan-in of its cells,
// for all tables of such a node have as many slots. It reads the nodes before it that its cells read, joined by
// Concat where there are several. The last LookupTable has the bits of the result in order, so that nothing has to be
// permuted behind it: a cell that is both read by others and a result stands twice. A network whose layers read each
// other alone is a chain of LookupTables, a node a layer.
//
// What goes in is x, and what comes out depends on what the netlist has:
//
//   - inputs of single bits are x, uint8, and 0 or 1; feature words are x, too, float32 and whole numbers, compared
//     with thresholds by Greater in front; words of a netlist whose comparisons have become gates are uint8, and a
//     LookupTable takes bits out of them;
//   - a netlist with class counts gives scores, float32, which are the counts, summed of the bits that are counted or
//     of the digits of counts that have become gates. The class is the first of the largest. Another netlist gives
//     bits, the bits of its output ports.
package qonnx

import (
	"fmt"
	"io"
	"strings"

	"ialgn/internal/message"
	"ialgn/internal/onnx"
	"ialgn/netlist"
)

// Options says how a netlist is written.
type Options struct {
	Module  string   // the name of the graph; empty: the netlist's
	Header  []string // lines for the description of the model
	Version string   // of the program
}

// Domain is the domain of LookupTable, opset the version of it that is written, and of ONNX's own operators.
const (
	Domain        = "qonnx.custom_op.lnn"
	opset         = 3
	standardOpset = 13
	irVersion     = 8 // of ONNX 1.10, the first with version 15 of its operators
)

// Names of values in the graph.
const (
	inputName  = "x"
	bitsName   = "bits"
	scoresName = "scores"
)

// Write writes n. The same netlist and options give the same bytes. It takes memory for all tables and indices: 8
// bytes a slot and a byte an entry.
//
// It returns an error before it writes anything: a [*netlist.KindError] if n has registers, and an error if it reads
// words of more than 8 bits as bits, has no outputs, or is too large; later, the error of w.
func Write(w io.Writer, n *netlist.Netlist, opt Options) error {
	if err := netlist.Refuse("qonnx", n, netlist.Function, netlist.Compare, netlist.Popcount, netlist.Counter,
		netlist.Argmax, netlist.Carry, netlist.Primitive); err != nil {
		return err
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

// describe says what goes in and comes out.
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
	}
	return []string{in, out}
}

// file is a graph that is being made.
type file struct {
	*design
	graph onnx.Graph

	blocks []block
	at     []place // by net
}

// block is a value of the graph with bits of the netlist, and place where one of them is.
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

// add notes a block, and where its nets are.
func (f *file) add(name string, nets []netlist.Net) {
	for i, v := range nets {
		if v > netlist.True {
			f.at[v] = place{int32(len(f.blocks)), int32(i)}
		}
	}
	f.blocks = append(f.blocks, block{name, len(nets)})
}

// batch returns the shape of a value with an open number of samples.
func batch(dims ...int) []onnx.Dim {
	shape := []onnx.Dim{{Name: "N"}}
	for _, d := range dims {
		shape = append(shape, onnx.Dim{Size: int64(d)})
	}
	return shape
}

// front makes the input, and bits of it.
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

// thermometer compares features with thresholds. Where a feature has fewer than others, no word exceeds the rest.
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

// words takes bits out of feature words.
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

// lookup adds a LookupTable of a name, which is that of its output, too.
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

// tail makes scores of the bits of the last layer, if they are counted.
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

// wordsTooWide is the error of feature words that would be read bit by bit.
func wordsTooWide(word int) error {
	return message.WithHint(fmt.Errorf("qonnx: the netlist reads single bits of feature words of %d bits, which a "+
		"table takes "+
		"out of at most %d", word, maxWord), "leave out {LUT} and {Target}, so that comparisons stay, or take {Scope core}")
}
