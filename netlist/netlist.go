// Package netlist holds the compiler's intermediate form: a feed-forward network of
// cells over single-bit nets, from the thermometer comparators to the argmax.
//
// A [Netlist] is built by a [Builder] (from a frozen model, from text, or by a pass
// that copies another netlist with a [Copier]) and is never changed afterwards. Nets
// and cells are separate index spaces in compact arrays:
//
//   - net 0 is the constant 0, net 1 the constant 1, then come the bits of the input
//     ports in port order, then the outputs of the cells in cell order;
//   - cell c reads the nets Inputs(c) and drives Outputs(c) consecutive nets from
//     Output(c) on.
//
// Because outputs are numbered in cell order, every net has one driver by
// construction and the cells stand in topological order exactly when each reads only
// nets below its own. [Netlist.Validate] checks what construction cannot give: that
// order, each kind's arity and parameter, port and probe names, and that all data
// inputs of a cell stand in the same pipeline stage ([Netlist.Stages]).
//
// A function cell's table is in LUT INIT order; [Table] is the one place that turns
// the paper's operation numbers into it.
package netlist

import (
	"math"
	"math/bits"
	"slices"
	"sort"
)

// Net is one bit with one driver: a constant, a bit of an input port, or an output of
// a cell.
type Net uint32

// The two constant nets of every netlist.
const (
	False Net = 0
	True  Net = 1
)

// Cell is the index of a cell, in topological order.
type Cell uint32

// Kind says what a cell computes from its ordered inputs.
type Kind uint8

// The kinds of cells. The parameter is what [Netlist.Param] returns.
const (
	// Function has 0 to 6 inputs and one output; the parameter is its table: bit i is
	// the output where input j equals bit j of i.
	Function Kind = iota
	// Compare reads an unsigned word, least significant bit first, and gives one bit:
	// word > parameter, strictly.
	Compare
	// Popcount counts the ones among its n >= 1 inputs; it has bits.Len(n) outputs,
	// least significant first.
	Popcount
	// Counter is a small popcount, the k:m compressor of adder trees, with 2 to
	// [MaxCounter] inputs and bits.Len(k) outputs.
	Counter
	// Argmax reads C >= 1 words of parameter bits each, class 0 first, each least
	// significant bit first; it gives the index of the largest word, the lowest index
	// where several are equal, in max(1, bits.Len(C-1)) outputs.
	Argmax
	// Carry gives the majority of its three inputs: the carry of a full adder.
	Carry
	// Register gives its first input delayed by one clock; with a second input, only
	// in clocks where that is 1. It starts at 0.
	Register
	// Primitive is a cell of a target technology; the parameter is an index into
	// [Netlist.Primitives], which declares its pins and its function.
	Primitive

	kinds = int(Primitive) + 1
)

// MaxFunctionInputs is the widest function cell: a table of 64 bits.
const MaxFunctionInputs = 6

// MaxCounter is the widest [Counter].
const MaxCounter = 15

// MaxPins bounds the number of nets and of cell inputs, which are numbered in 32 bits.
const MaxPins = 1<<32 - 1

// MaxLayers is the largest layer that an [Origin] can name.
const MaxLayers = math.MaxUint16

// Origin says which gate of the model a cell came from. The zero Layer means none:
// the cell belongs to the encoder, the head or a pass.
type Origin struct {
	Layer uint16 // layer of the gate, from 1; 0: the cell comes from no gate
	Chain uint32 // chain of the gate, from 0
}

// Port is a named bus. A bus holds words of Word bits; Labels, when present, says
// what each word means ("pixel 12", "pixel 12 > 63", "class").
type Port struct {
	Name   string
	Word   int
	Labels []string
	Nets   []Net // least significant bit first
}

// PrimitiveType declares a target primitive: the names of its pins and its function,
// a table as that of a [Function] cell.
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
	places   []Positions
}

// Cells returns the number of cells.
func (n *Netlist) Cells() int { return len(n.kind) }

// Nets returns the number of nets, the two constants included.
func (n *Netlist) Nets() int { return int(n.outStart[len(n.kind)]) }

// FirstCellNet returns the lowest net that a cell drives; the nets below it are the
// constants and the input ports' bits.
func (n *Netlist) FirstCellNet() Net { return n.firstCellNet }

// Kind returns the kind of cell c.
func (n *Netlist) Kind(c Cell) Kind { return n.kind[c] }

// Param returns the parameter of cell c; its meaning depends on the kind.
func (n *Netlist) Param(c Cell) uint64 { return n.param[c] }

// Inputs returns the nets that cell c reads, in pin order. The caller must not change
// the slice.
func (n *Netlist) Inputs(c Cell) []Net { return n.in[n.inStart[c]:n.inStart[c+1]] }

// Output returns the first net that cell c drives, which for a kind with one output
// is its output.
func (n *Netlist) Output(c Cell) Net { return n.outStart[c] }

// Outputs returns the number of nets that cell c drives.
func (n *Netlist) Outputs(c Cell) int { return int(n.outStart[c+1] - n.outStart[c]) }

// Origin returns the gate of the model that cell c came from.
func (n *Netlist) Origin(c Cell) Origin { return Origin{n.layer[c], n.chain[c]} }

// ChainClasses returns the class of each chain: of the nodes of the last layer, by their number. A wider layer
// below has nodes without a class. The caller must not change the slice.
func (n *Netlist) ChainClasses() []uint16 { return n.class }

// Positions says that the gates of a layer are nodes that the positions of an image share: chain (n Rows + y) Columns +
// x is node n at row y and column x.
type Positions struct {
	Layer         uint16 // from 1
	Rows, Columns uint16 // at least 1
}

// Positions returns those layers whose nodes positions share, by ascending layers. The caller must not change the
// slice.
func (n *Netlist) Positions() []Positions { return n.places }

// Place returns node and position of a gate, if positions share the nodes of its layer.
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

// Probes returns the named internal buses, such as the class counts. Passes keep a
// probe as they keep an output port, but it costs no pin. The caller must not change
// the slice.
func (n *Netlist) Probes() []Port { return n.probes }

// Primitives returns the declared target primitives. The caller must not change the
// slice.
func (n *Netlist) Primitives() []PrimitiveType { return n.primitives }

// Driver returns the cell that drives net v and which of its outputs v is; ok is
// false for a constant and for a bit of an input port. It costs O(log cells), and
// O(1) where all cells before it have one output.
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

// outputsOf returns how many outputs a cell of kind k with n inputs has.
func outputsOf(k Kind, inputs int, param uint64) int {
	switch k {
	case Popcount, Counter:
		return bits.Len(uint(inputs))
	case Argmax:
		if param == 0 {
			return 1
		}
		return ClassBits(inputs / int(min(param, uint64(inputs)+1)))
	default:
		return 1
	}
}

// ClassPort is the output port of the class, where a netlist has one.
const ClassPort = "class_index"

// ClassBits returns the width of a class index among the given number of classes:
// max(1, ceil(log2 classes)).
func ClassBits(classes int) int { return max(1, bits.Len(uint(max(classes, 1)-1))) }

// Table returns the function table, in LUT INIT order, of an operation in the paper's numbering with the
// given number of pins, 1 to 6: bit i of the table is the output for pin 0 = bit 0 of i, pin 1 = bit 1 of
// i and so on. In the paper's numbering the lines of the truth table are the digits of a binary number,
// the line of zeros first, and in a line pin 0 is the highest digit. Of two pins, AND is operation 1 and
// table 0b1000.
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
