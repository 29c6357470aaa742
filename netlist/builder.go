package netlist

import "fmt"

// Builder makes a netlist cell by cell. Declare the input ports first, then add cells
// in topological order, then the outputs and probes, then call [Builder.Netlist].
//
// A Builder does not check what it is given; [Netlist.Validate] does. It panics only
// where the numbering of nets would break: an input declared after a cell, or more
// nets or cell inputs than 32 bits can number.
type Builder struct {
	n *Netlist
}

// NewBuilder returns a builder of an empty netlist. The name is a Verilog-like
// identifier.
func NewBuilder(name string) *Builder {
	return &Builder{&Netlist{Name: name, firstCellNet: 2, outStart: []Net{2}, inStart: []uint32{0}}}
}

// Grow makes room for the given number of further cells and cell inputs.
func (b *Builder) Grow(cells, inputs int) {
	n := b.n
	n.kind = grow(n.kind, cells)
	n.param = grow(n.param, cells)
	n.inStart = grow(n.inStart, cells)
	n.outStart = grow(n.outStart, cells)
	n.layer = grow(n.layer, cells)
	n.chain = grow(n.chain, cells)
	n.in = grow(n.in, inputs)
}

func grow[T any](s []T, more int) []T {
	if cap(s)-len(s) >= more {
		return s
	}
	return append(make([]T, 0, len(s)+more), s...)
}

// Input declares an input port of width bits in words of word bits and returns its
// nets, least significant bit first.
func (b *Builder) Input(name string, width, word int, labels []string) []Net {
	n := b.n
	if len(n.kind) > 0 {
		panic(fmt.Sprintf("netlist: input port %q declared after the first cell", name))
	}
	if width >= MaxPins-int(n.firstCellNet) {
		panic("netlist: more than 2^32 nets")
	}
	nets := Word(n.firstCellNet, width)
	n.firstCellNet += Net(width)
	n.outStart[0] = n.firstCellNet
	n.inputs = append(n.inputs, Port{name, word, labels, nets})
	return nets
}

// Cell adds a cell and returns the first net that it drives.
func (b *Builder) Cell(k Kind, param uint64, o Origin, in ...Net) Net {
	n := b.n
	out := n.outStart[len(n.kind)]
	if len(n.in)+len(in) >= MaxPins || out >= MaxPins-64 {
		panic("netlist: more than 2^32 nets or cell inputs")
	}
	n.kind = append(n.kind, k)
	n.param = append(n.param, param)
	n.in = append(n.in, in...)
	n.inStart = append(n.inStart, uint32(len(n.in)))
	n.outStart = append(n.outStart, out+Net(outputsOf(k, len(in), param)))
	n.layer = append(n.layer, o.Layer)
	n.chain = append(n.chain, o.Chain)
	return out
}

// Function adds a function cell with the given table and returns its output.
func (b *Builder) Function(table uint64, o Origin, in ...Net) Net {
	return b.Cell(Function, table, o, in...)
}

// Word returns the nets from first on, as many as a bus of the given width has.
func Word(first Net, width int) []Net {
	w := make([]Net, width)
	for i := range w {
		w[i] = first + Net(i)
	}
	return w
}

// Output declares an output port in words of word bits.
func (b *Builder) Output(name string, word int, labels []string, nets []Net) {
	b.n.outputs = append(b.n.outputs, Port{name, word, labels, nets})
}

// Probe declares a named internal bus that passes keep.
func (b *Builder) Probe(name string, nets []Net) {
	b.n.probes = append(b.n.probes, Port{name, len(nets), nil, nets})
}

// Primitive declares a target primitive and returns the parameter of its cells.
func (b *Builder) Primitive(p PrimitiveType) uint64 {
	b.n.primitives = append(b.n.primitives, p)
	return uint64(len(b.n.primitives) - 1)
}

// Classes sets the class of each chain.
func (b *Builder) Classes(class []uint16) { b.n.class = class }

// Positions says of which layers positions share the nodes, by ascending layers.
func (b *Builder) Positions(all []Positions) { b.n.places = all }

// Netlist returns the netlist. The builder must not be used afterwards.
func (b *Builder) Netlist() *Netlist { return b.n }
