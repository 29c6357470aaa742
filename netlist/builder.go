package netlist

import "fmt"

// Builder makes a netlist cell by cell. Declare the input ports first, then add cells in topological order, then
// outputs and probes, and finally call [Builder.Netlist].
//
// A Builder does not check its arguments; [Netlist.Validate] does. A Builder panics only if net numbers would become
// wrong. This happens if an input is declared after a cell, or if there are more nets or cell inputs than 32 bits can
// number.
type Builder struct {
	n *Netlist
}

// NewBuilder returns a builder with an empty netlist. The name must satisfy [CheckName].
func NewBuilder(name string) *Builder {
	return &Builder{&Netlist{Name: name, firstCellNet: 2, outStart: []Net{2}, inStart: []uint32{0}}}
}

// Grow makes room for the given number of additional cells and cell inputs.
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

// Input declares an input port with the given width in bits. The port consists of words with the given number of
// bits. Input returns the port's nets, least significant bit first.
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

// Cell adds a cell and returns the first net that the cell drives.
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

// Function adds a function cell with the given table and returns its output net.
func (b *Builder) Function(table uint64, o Origin, in ...Net) Net {
	return b.Cell(Function, table, o, in...)
}

// Word returns a bus of the given width: consecutive nets that begin with the net first.
func Word(first Net, width int) []Net {
	w := make([]Net, width)
	for i := range w {
		w[i] = first + Net(i)
	}
	return w
}

// Output declares an output port. The port consists of words with the given number of bits.
func (b *Builder) Output(name string, word int, labels []string, nets []Net) {
	b.n.outputs = append(b.n.outputs, Port{name, word, labels, nets})
}

// Probe declares a named internal bus. Passes preserve it.
func (b *Builder) Probe(name string, nets []Net) {
	b.n.probes = append(b.n.probes, Port{name, len(nets), nil, nets})
}

// Primitive declares a target primitive. It returns the parameter for cells of this primitive.
func (b *Builder) Primitive(p PrimitiveType) uint64 {
	b.n.primitives = append(b.n.primitives, p)
	return uint64(len(b.n.primitives) - 1)
}

// Classes sets the class of each chain.
func (b *Builder) Classes(class []uint16) { b.n.class = class }

// Offsets sets the numbers that [Netlist.Offsets] returns, one for each class.
func (b *Builder) Offsets(offsets []uint32) { b.n.offsets = offsets }

// Ties sets the order that [Netlist.Ties] returns.
func (b *Builder) Ties(order []uint16) { b.n.ties = order }

// Positions declares the layers whose nodes are shared between positions, in ascending order of layers.
func (b *Builder) Positions(all []Positions) { b.n.places = all }

// Netlist returns the netlist. The builder must not be used afterwards.
func (b *Builder) Netlist() *Netlist { return b.n }
