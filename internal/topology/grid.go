package topology

import "fmt"

// Grid says at which positions of an image the nodes of a layer are evaluated, and which pixels they read there.
//
// An image has planes of rows and columns. The patch of the position at row y and column x is a square of Side x Side
// pixels in all planes. It begins at row y*Stride - Padding and column x*Stride - Padding of the image. Pixels
// outside the image are 0. The elements of a patch are its pixels, and the pixel in a plane, row and column has the
// number (plane*Side + row)*Side + column. In an image of input bits, each plane of features is replaced by one plane
// for each bit of a feature. If a feature has b bits, plane f*b + j has bit j of the features in plane f.
type Grid struct {
	Planes  int `json:"planes"` // planes of the layer before, or of the features
	Rows    int `json:"rows"`
	Columns int `json:"columns"`

	Side    int `json:"side"`
	Stride  int `json:"stride"`
	Padding int `json:"padding"`

	Pool int `json:"pool"` // 2 if the layer's output is the OR of each two by two positions; 1 without pooling

	// Field is the grid for pins that read input bits in a layer after the first, or nil. At each position, they read
	// the patch of the input image on which the position depends. Positions at the edges depend on pixels beyond the
	// edges, which are padding in Field.
	Field *Grid `json:"field,omitempty"`

	// Base is the grid for pins with source [Base], or nil. These pins read the patch that the kernel's lowest level
	// reads.
	Base *Grid `json:"base,omitempty"`
}

// Of returns the grid for pins with source s. This is Field for input bits, Base for the lowest level's patch, and
// otherwise g itself.
func (g *Grid) Of(s Source) *Grid {
	switch {
	case s == Input && g.Field != nil:
		return g.Field
	case s == Base && g.Base != nil:
		return g.Base
	}
	return g
}

// SameImage reports whether two grids have the same image, positions and patches.
func (g *Grid) SameImage(as *Grid) bool {
	one, other := *g, *as
	for _, x := range []*Grid{&one, &other} {
		x.Pool, x.Field, x.Base = 1, nil, nil
	}
	return one == other
}

// field is the part of the input image on which a position of a layer depends, along one axis.
type field struct{ side, stride, start int }

// read returns the field of the layer above the layer with field f. The patches of the layer above are squares of
// side x side positions of the layer below. The stride and the padding are also numbers of these positions.
func (f field) read(side, stride, padding int) field {
	return field{f.side + (side-1)*f.stride, f.stride * stride, f.start - padding*f.stride}
}

// MaxSide limits the side, the stride and the padding of a field.
const MaxSide = 1 << 12

// Under returns a grid with the patches of the input image on which the positions of a layer depend. grids holds the
// grids of all layers up to and including this layer. Under returns nil if the patches are larger than MaxSide.
func Under(grids []*Grid) *Grid {
	under := field{1, 1, 0}
	for i, g := range grids {
		if under = under.read(g.Side, g.Stride, g.Padding); max(under.side, under.stride, -under.start) > MaxSide {
			return nil
		}
		if i < len(grids)-1 {
			under = under.read(g.Pool, g.Pool, 0)
		}
	}
	first := grids[0]
	return &Grid{
		Planes: first.Planes, Rows: first.Rows, Columns: first.Columns,
		Side: under.side, Stride: under.stride, Padding: -under.start, Pool: 1,
	}
}

// check refuses a field of convolution i that is much larger than the image, because nearly all of the field would be
// outside the image, where there are no input bits to choose. The argument image is the longer side of the image.
func (f field) check(i, image int) *Fault {
	most := min(4*image+16, MaxSide)
	if max(f.side, f.stride, -f.start) <= most {
		return nil
	}
	return &Fault{
		"anchored", fmt.Sprintf("a kernel of convolution %d reads %d pixels of an image of %d, want at most %d", i+1,
			max(f.side, f.stride, -f.start), image, most),
		"use fewer convolutions, smaller patches or strides, or model.anchored: 0",
	}
}

// Size returns the number of rows and columns of positions.
func (g *Grid) Size() (rows, columns int) {
	along := func(n int) int { return (n+2*g.Padding-g.Side)/g.Stride + 1 }
	return along(g.Rows), along(g.Columns)
}

// Positions returns the number of positions.
func (g *Grid) Positions() int {
	rows, columns := g.Size()
	return rows * columns
}

// Pooled returns the number of rows and columns of the layer's output.
func (g *Grid) Pooled() (rows, columns int) {
	rows, columns = g.Size()
	return rows / g.Pool, columns / g.Pool
}

// Elements returns the number of elements of a patch with the given number of planes.
func (g *Grid) Elements(planes int) int { return planes * g.Side * g.Side }

// MaxPositions returns the largest number of positions of a convolution in a network that reads images with the given
// number of pixels. The limit is needed because padding can make more positions than there are pixels, and a short
// header in a model file must not make a network take an unlimited amount of memory.
func MaxPositions(pixels int) int { return max(4*pixels, 1<<8) }

// FrozenLayers returns the number of layers of the frozen network. Pooling counts as a separate layer.
func (k *Keys) FrozenLayers() int {
	n := k.Depth
	if !k.convolves() {
		return n
	}
	convolutions, fault := k.convolutions()
	if fault != nil {
		return n
	}
	for _, c := range convolutions {
		n += c.Pool - 1
	}
	return n
}

// Outputs returns the number of bits that leave the layer.
func (l *Layer) Outputs() int {
	if l.Grid == nil {
		return l.Width
	}
	rows, columns := l.Grid.Pooled()
	return l.Width * rows * columns
}
