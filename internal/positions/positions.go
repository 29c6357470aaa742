// Package positions holds networks of convolutions in which the nodes of each kernel exist once. A convolution is a
// netlist for one position of an image, and the netlist is evaluated at every position.
//
// Package freeze makes a [Network] from a trained network. A Network is not changed afterwards. Pixels beyond the
// edges of an image are 0. The network computes the same function as the netlist of the unrolled network. If kernels
// of a later convolution read input bits, these bits are additional planes of the images of the earlier convolutions.
// This is possible only if all these images cover the same pixels of the input.
package positions

import "ialgn/netlist"

// Network is a network of convolutions, and the rest of the network after them.
type Network struct {
	Convolutions []Convolution
	Bits         int // input bits of each feature

	// Rest is the part of the network after the last convolution. It is a classifier with class_index and counts. Its
	// input port has the bits of the last image, [plane][row][column].
	Rest *netlist.Netlist
}

// Convolution is a netlist that is evaluated at every position of an image.
//
// The position in row y and column x of Out writes a bit of each plane of Out. It reads a patch of In. The patch
// begins at row y*Step - Padding and column x*Step - Padding. Pooling is part of the netlist, which then reads the
// patches of four positions.
type Convolution struct {
	In, Out Image
	Step    int
	Padding int
	Reads   []Pixel          // [bit of the input port]: pixel that the bit reads, relative to the position's first pixel
	Kernels *netlist.Netlist // the output port has a bit for each plane of Out
}

// Image is the size of an image that a convolution reads or writes.
type Image struct{ Planes, Rows, Columns int }

// Pixel is a bit of an image.
type Pixel struct{ Plane, Row, Column int }

// Bits returns the number of pixels in all planes.
func (m Image) Bits() int { return m.Planes * m.Rows * m.Columns }

// Pixel returns the pixel with the given number, counted plane by plane and row by row.
func (m Image) Pixel(i int) Pixel {
	return Pixel{i / (m.Rows * m.Columns), i / m.Columns % m.Rows, i % m.Columns}
}

// Reach returns the number of rows and the number of columns of In, including rows and columns beyond the edges that
// positions read.
func (c *Convolution) Reach() (rows, columns int) {
	for _, p := range c.Reads {
		rows, columns = max(rows, p.Row), max(columns, p.Column)
	}
	return max(c.Padding+c.In.Rows, (c.Out.Rows-1)*c.Step+rows+1),
		max(c.Padding+c.In.Columns, (c.Out.Columns-1)*c.Step+columns+1)
}

// Inputs returns the number of input bits.
func (n *Network) Inputs() int { return n.Convolutions[0].In.Bits() }

// Input returns the number of the input bit for a pixel of the image that the first convolution reads. This image has
// one plane for each bit of each plane of features.
func (n *Network) Input(p Pixel) int {
	in := n.Convolutions[0].In
	return ((p.Plane/n.Bits*in.Rows+p.Row)*in.Columns+p.Column)*n.Bits + p.Plane%n.Bits
}
