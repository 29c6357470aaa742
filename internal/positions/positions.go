// Package positions holds networks of convolutions with the nodes of each kernel once: netlists at one position of an
// image, which whoever runs them evaluates at all others, too.
//
// A [Network] is made from a trained one by package freeze and is not changed afterwards. Pixels beyond the edges of an
// image are 0. It computes the same as the netlist of the unrolled network.
package positions

import "ialgn/netlist"

// Network is a network of convolutions, and what stands after them.
type Network struct {
	Convolutions []Convolution
	Bits         int // input bits of a feature

	// Rest is what reads the last convolution: a classifier with class_index and counts, whose input port has the bits of
	// that image, [plane][row][column].
	Rest *netlist.Netlist
}

// Convolution is what is evaluated at every position of an image.
//
// The position in row y and column x of Out reads pixels from row y Step - Padding and column x Step - Padding of In
// on, and writes a bit of each plane of Out. Pooling is part of it: it then reads the patches of four positions.
type Convolution struct {
	In, Out Image
	Step    int
	Padding int
	Reads   []Pixel          // what each bit of the netlist's input port is, from the position's first pixel on
	Kernels *netlist.Netlist // its output port has a bit for each plane of Out
}

// Image is what a convolution reads or writes.
type Image struct{ Planes, Rows, Columns int }

// Pixel is a bit of an image.
type Pixel struct{ Plane, Row, Column int }

// Bits returns the number of pixels of all planes.
func (m Image) Bits() int { return m.Planes * m.Rows * m.Columns }

// Pixel returns the one with a number, counted plane by plane and row by row.
func (m Image) Pixel(i int) Pixel {
	return Pixel{i / (m.Rows * m.Columns), i / m.Columns % m.Rows, i % m.Columns}
}

// Reach returns how many pixels rows and columns of In have with those beyond the edges, as far as positions read them.
func (c *Convolution) Reach() (rows, columns int) {
	for _, p := range c.Reads {
		rows, columns = max(rows, p.Row), max(columns, p.Column)
	}
	return max(c.Padding+c.In.Rows, (c.Out.Rows-1)*c.Step+rows+1),
		max(c.Padding+c.In.Columns, (c.Out.Columns-1)*c.Step+columns+1)
}

// Inputs returns the number of input bits.
func (n *Network) Inputs() int { return n.Convolutions[0].In.Bits() }

// Input returns the input bit that a pixel of the first image is: its planes are those of the features, each of them as
// often as a feature has bits.
func (n *Network) Input(p Pixel) int {
	in := n.Convolutions[0].In
	return ((p.Plane/n.Bits*in.Rows+p.Row)*in.Columns+p.Column)*n.Bits + p.Plane%n.Bits
}
