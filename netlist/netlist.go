// Package netlist holds the compiler's intermediate form: a feed-forward network of cells over single-bit nets,
// from the thermometer comparators to the argmax.
//
// A [Netlist] is made with a [Builder], for example from a frozen model or from text. A pass makes a netlist from
// another netlist with a [Copier]. A netlist never changes after it is made. Nets and cells are numbered separately:
//
//   - net 0 is the constant 0 and net 1 is the constant 1. The next nets are the bits of the input ports in port
//     order. They are followed by the outputs of the cells in cell order;
//   - cell c reads the nets Inputs(c) and drives Outputs(c) consecutive nets, starting with Output(c).
//
// Since outputs are numbered in cell order, every net has exactly one driver. The cells are in topological order if
// each cell reads only nets with lower numbers than its own outputs. [Netlist.Validate] checks the topological order,
// the number of inputs and the parameter of each cell, and the names of ports and probes. It also checks that all
// data inputs of a cell are in the same pipeline stage ([Netlist.Stages]).
//
// The table of a function cell is in LUT INIT order. [Table] is the only function that converts the paper's operation
// numbers to this order.
package netlist

import (
	"math"
	"math/bits"
	"slices"
	"sort"

	"ialgn/internal/ties"
)

// Net is one bit with one driver: a constant, a bit of an input port, or an output of a cell.
type Net uint32

// These are the two constant nets of every netlist.
const (
	False Net = 0
	True  Net = 1
)

// Cell is the index of a cell, in topological order.
type Cell uint32

// Kind says what a cell computes from its ordered inputs.
type Kind uint8

// These are the kinds of cells. [Netlist.Param] returns a cell's parameter.
const (
	// Function has 0 to 6 inputs and one output. The parameter is its truth table: bit i is the output if each
	// input j equals bit j of i.
	Function Kind = iota
	// Compare reads an unsigned word, least significant bit first. Its output is 1 if word > parameter.
	Compare
	// Popcount counts the ones among its n >= 1 inputs. It has bits.Len(n) outputs, least significant bit first.
	Popcount
	// Counter is a small popcount, like the k:m compressors in adder trees. It has 2 to [MaxCounter] inputs. A
	// counter with k inputs has bits.Len(k) outputs.
	Counter
	// Argmax reads the words of C >= 1 classes, class 0 first. Each word begins with its least significant bit. The
	// parameter is made by [ArgmaxParam] from the number of bits in each word and the margin. The output is the index
	// of the largest word, in [ClassBits] bits. If several words are equally large, the output is the one of their
	// indices that comes first in [Netlist.Ties], or the lowest one if there is no such order. If the margin is not 0,
	// the cell has one more output after the index. This output is 1 if another word plus the margin is larger than the
	// largest word.
	Argmax
	// Carry returns the majority of its three inputs, which is the carry of a full adder.
	Carry
	// Register delays its first input by one clock. If the register has a second input, its value changes only in
	// clocks in which the second input is 1. A register starts at 0.
	Register
	// Primitive is a cell of a target technology. The parameter is an index into [Netlist.Primitives], which
	// declares its pins and its function.
	Primitive

	kinds = int(Primitive) + 1
)

// MaxFunctionInputs is the maximum number of inputs of a function cell, whose table has 64 bits.
const MaxFunctionInputs = 6

// MaxCounter is the maximum number of inputs of a [Counter].
const MaxCounter = 15

// MaxPins is the maximum number of nets, and the maximum number of inputs of all cells together. Nets and inputs are
// numbered in 32 bits.
const MaxPins = 1<<32 - 1

// MaxLayers is the largest layer number in an [Origin].
const MaxLayers = math.MaxUint16

// Origin says which gate of the model a cell came from. If Layer is 0, the cell does not come from a gate: it
// belongs to the encoder, the head or a pass.
type Origin struct {
	Layer uint16 // layer of the gate, from 1; 0: the cell does not come from a gate
	Chain uint32 // chain of the gate, from 0
}

// Port is a named bus, made of words with Word bits each. Labels, if present, describe the words ("pixel 12",
// "pixel 12 > 63", "class").
type Port struct {
	Name   string
	Word   int
	Labels []string
	Nets   []Net // least significant bit first
}

// PrimitiveType declares a target primitive. It contains the names of the pins, and the function as a truth table in
// the same form as for a [Function] cell.
type PrimitiveType struct {
	Name   string
	Inputs []string
	Output string
	Table  uint64
}

// Netlist is a feed-forward network of cells; see the package comment.
type Netlist struct {
	Name string

	inputs, outputs []Port
	probes          []Port
	primitives      []PrimitiveType
	firstCellNet    Net

	kind     []Kind
	param    []uint64
	inStart  []uint32 // cell c reads in[inStart[c]:inStart[c+1]]
	in       []Net
	outStart []Net // cell c drives outStart[c] .. outStart[c+1]-1
	layer    []uint16
	chain    []uint32
	class    []uint16 // class of each chain
	offsets  []uint32 // [class]; nil if there are none
	ties     []uint16 // all classes; nil if the lowest class wins
	places   []Positions
}

// Cells returns the number of cells.
func (n *Netlist) Cells() int { return len(n.kind) }

// Nets returns the number of nets, including the two constants.
func (n *Netlist) Nets() int { return int(n.outStart[len(n.kind)]) }

// FirstCellNet returns the lowest net that is driven by a cell. The nets below it are the constants and the bits of
// the input ports.
func (n *Netlist) FirstCellNet() Net { return n.firstCellNet }

// Kind returns the kind of cell c.
func (n *Netlist) Kind(c Cell) Kind { return n.kind[c] }

// Param returns the parameter of cell c. Its meaning depends on the kind.
func (n *Netlist) Param(c Cell) uint64 { return n.param[c] }

// Inputs returns the nets that cell c reads, in pin order. The caller must not change the slice.
func (n *Netlist) Inputs(c Cell) []Net { return n.in[n.inStart[c]:n.inStart[c+1]] }

// Output returns the first net that cell c drives. If the cell has one output, the result is this output.
func (n *Netlist) Output(c Cell) Net { return n.outStart[c] }

// Outputs returns the number of nets that cell c drives.
func (n *Netlist) Outputs(c Cell) int { return int(n.outStart[c+1] - n.outStart[c]) }

// Origin returns the gate of the model that cell c came from.
func (n *Netlist) Origin(c Cell) Origin { return Origin{n.layer[c], n.chain[c]} }

// ChainClasses returns the class of each chain, that is, of each node in the last layer. If a lower layer is wider,
// its additional nodes have no class. The caller must not change the slice.
func (n *Netlist) ChainClasses() []uint16 { return n.class }

// Offsets returns the number that has to be added to the ones of each class, if the chains of the classes are counted
// outside of the netlist. The result is nil if nothing has to be added, as in every netlist that has class counts
// itself. The caller must not change the slice.
func (n *Netlist) Offsets() []uint32 { return n.offsets }

// Ties returns all classes in the order in which they win ties: of several classes with the largest count, the first
// one in the list wins. The result is nil if the lowest class wins. The order holds for every argmax of the netlist,
// whose words are the counts of the classes. It also holds for a reader that counts the chains outside of the netlist.
// Ties is never the ascending order. The caller must not change the slice.
func (n *Netlist) Ties() []uint16 { return n.ties }

// Contender returns the index of the word that has the given place, counted from 0, in the order in which the words of
// an argmax win ties.
func (n *Netlist) Contender(place int) int { return ties.At(n.ties, place) }

// Positions says that the nodes of a layer are shared between the positions of an image. The gate with chain number
// (n*Rows + y)*Columns + x is node n at row y and column x.
type Positions struct {
	Layer         uint16 // from 1
	Rows, Columns uint16 // at least 1
}

// Positions returns the layers whose nodes are shared between positions, in ascending order. The caller must not
// change the slice.
func (n *Netlist) Positions() []Positions { return n.places }

// Place returns the node and the position of a gate. If the gate's layer has no shared nodes, shared is false.
func (n *Netlist) Place(o Origin) (node, row, column uint32, shared bool) {
	i, shared := slices.BinarySearchFunc(n.places, o.Layer, func(p Positions, layer uint16) int {
		return int(p.Layer) - int(layer)
	})
	if !shared {
		return 0, 0, 0, false
	}
	rows, columns := uint32(n.places[i].Rows), uint32(n.places[i].Columns)
	return o.Chain / columns / rows, o.Chain / columns % rows, o.Chain % columns, true
}

// InputPorts returns the input ports. The caller must not change the slice.
func (n *Netlist) InputPorts() []Port { return n.inputs }

// OutputPorts returns the output ports. The caller must not change the slice.
func (n *Netlist) OutputPorts() []Port { return n.outputs }

// Probes returns the named internal buses, such as the class counts. Passes preserve probes as they preserve output
// ports, but a probe needs no pin of the device. The caller must not change the slice.
func (n *Netlist) Probes() []Port { return n.probes }

// Primitives returns the declared target primitives. The caller must not change the slice.
func (n *Netlist) Primitives() []PrimitiveType { return n.primitives }

// Driver returns the cell that drives net v, and the index of v among the outputs of this cell. If v is a constant or
// a bit of an input port, ok is false. Driver costs O(log cells), or O(1) if all earlier cells have one output.
func (n *Netlist) Driver(v Net) (c Cell, pin int, ok bool) {
	if v < n.firstCellNet || int(v) >= n.Nets() {
		return 0, 0, false
	}
	if i := int(v - n.firstCellNet); i < len(n.kind) && n.outStart[i] == v {
		return Cell(i), 0, true
	}
	i := sort.Search(len(n.kind), func(i int) bool { return n.outStart[i+1] > v })
	return Cell(i), int(v - n.outStart[i]), true
}

// outputsOf returns the number of outputs of a cell with kind k, n inputs and the given parameter.
func outputsOf(k Kind, inputs int, param uint64) int {
	switch k {
	case Popcount, Counter:
		return bits.Len(uint(inputs))
	case Argmax:
		width, margin := ArgmaxForm(param)
		outputs := ClassBits(inputs / max(width, 1))
		if margin > 0 {
			outputs++
		}
		return outputs
	default:
		return 1
	}
}

// These are the names of the output ports of a head, if a netlist has them: the class index, and the bit that is 1 if
// the largest class count leads the second largest by less than the margin.
const (
	ClassPort     = "class_index"
	UncertainPort = "uncertain"
)

// ArgmaxParam returns the parameter of an [Argmax] cell whose words have width bits. If margin is 0, the cell has no
// output for uncertain results. Both arguments must be below 2^32; [Netlist.Validate] requires a margin below 2^width.
func ArgmaxParam(width, margin int) uint64 { return uint64(uint32(width)) | uint64(margin)<<32 }

// ArgmaxForm returns the arguments with which [ArgmaxParam] made the parameter of an [Argmax] cell.
func ArgmaxForm(param uint64) (width, margin int) { return int(uint32(param)), int(param >> 32) }

// ArgmaxWidth returns the number of bits in each word that argmax c reads.
func (n *Netlist) ArgmaxWidth(c Cell) int {
	width, _ := ArgmaxForm(n.param[c])
	return width
}

// Margin returns the margin of argmax c, or 0 if it has none.
func (n *Netlist) Margin(c Cell) int {
	_, margin := ArgmaxForm(n.param[c])
	return margin
}

// IndexBits returns the number of outputs of argmax c that hold the index. These are the first outputs. An argmax with
// a margin has one output more, for uncertain results.
func (n *Netlist) IndexBits(c Cell) int { return ClassBits(len(n.Inputs(c)) / n.ArgmaxWidth(c)) }

// ClassBits returns the width in bits of a class index: max(1, ceil(log2 classes)).
func ClassBits(classes int) int { return max(1, bits.Len(uint(max(classes, 1)-1))) }

// Table converts an operation number of the paper to a function table in LUT INIT order, for 1 to 6 pins. Bit i of
// the table is the output for pin 0 = bit 0 of i, pin 1 = bit 1 of i and so on. In the paper's number, each line of
// the truth table is one binary digit. The line in which all pins are 0 is the highest digit. Within the number of a
// line, pin 0 is the highest digit. For example, AND with two pins is operation 1 and table 0b1000.
func Table(op uint64, pins int) (table uint64) {
	if pins == 2 {
		return uint64(bits.Reverse8(uint8(op))>>4&0b1001) | op&0b0110
	}
	for i := range uint64(1) << pins {
		line := bits.Reverse64(i) >> (64 - pins)
		table |= op >> (uint64(1)<<pins - 1 - line) & 1 << i
	}
	return table
}
