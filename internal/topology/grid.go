package topology

import "fmt"

// Grid says at which positions of an image the nodes of a layer are evaluated, and what they read there.
//
// An image has planes of rows and columns. The patch of a position are the Side x Side pixels of all planes that begin
// Stride times the position's row and column, less Padding, from the image's upper left corner; pixels beyond its edges
// are 0. Element (plane Side + row) Side + column of the patch is a pixel of it. Of the input bits the planes are those
// of the features, each of them as often as a feature has bits: plane f b + j has bit j of plane f.
type Grid struct {
	Planes  int `json:"planes"` // of the layer before, or of the features
	Rows    int `json:"rows"`
	Columns int `json:"columns"`

	Side    int `json:"side"`
	Stride  int `json:"stride"`
	Padding int `json:"padding"`

	Pool int `json:"pool"` // 2: what leaves the layer is the OR of each two by two positions; 1: all positions

	// Field, unless nil, is what pins read whose source are input bits, in a layer after the first: the patch of the
	// same position in the input's image, which has pixels beyond the edges as far as positions lead there.
	Field *Grid `json:"field,omitempty"`

	// Base, unless nil, is what pins read whose source is [Base]: the patch of the kernel's lowest level.
	Base *Grid `json:"base,omitempty"`
}

// Of returns what pins of a source read: the input bits' field, the lowest level's patch, or the image of the layer
// before.
func (g *Grid) Of(s Source) *Grid {
	switch {
	case s == Input && g.Field != nil:
		return g.Field
	case s == Base && g.Base != nil:
		return g.Base
	}
	return g
}

// SameImage reports whether positions and patches of two grids are those of one image.
func (g *Grid) SameImage(as *Grid) bool {
	one, other := *g, *as
	for _, x := range []*Grid{&one, &other} {
		x.Pool, x.Field, x.Base = 1, nil, nil
	}
	return one == other
}

// field is the part of the input's image that a position of a layer depends on, along one axis.
type field struct{ side, stride, start int }

// read returns the field of the positions of a layer of patches of so many positions of this one, side, stride and
// padding being counted in these.
func (f field) read(side, stride, padding int) field {
	return field{f.side + (side-1)*f.stride, f.stride * stride, f.start - padding*f.stride}
}

// MaxSide is the largest side, stride and padding of a field.
const MaxSide = 1 << 12

// Under returns the field of a layer, given all grids from the first layer's to its own: the patches of the input's
// image that its positions depend on. It returns nil if these are larger than a field can be.
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

// check refuses a field of convolution i that is much larger than the image, whose longer side is given: nearly all of
// it would lie beyond the edges, where there is nothing to choose.
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

// Pooled returns the number of rows and columns of what leaves the layer.
func (g *Grid) Pooled() (rows, columns int) {
	rows, columns = g.Size()
	return rows / g.Pool, columns / g.Pool
}

// Elements returns the number of elements of a patch, of so many planes.
func (g *Grid) Elements(planes int) int { return planes * g.Side * g.Side }

// MaxPositions returns how many positions a convolution may have of a network that reads so many pixels. Padding can
// make more of them than there are pixels, and a header of a few lines is not to decide how much memory a network
// takes.
func MaxPositions(pixels int) int { return max(4*pixels, 1<<8) }

// FrozenLayers returns the number of layers of the frozen network: pooling is a layer of its own.
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
