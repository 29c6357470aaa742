package model

import (
	"cmp"
	"maps"
	"slices"

	"ialgn/internal/topology"
)

// Carriage says how input bits get to the kernels of a convolution that read them beside its image: they are planes of
// that image, and the convolutions before it carry them there.
type Carriage struct {
	From, To int // the levels of the kernels are the layers From to To-1

	// Padding are the zeros on each side of the image as far as kernels read it: those of its grid, or more for the
	// carried bits, which the patches below a patch lead to.
	Padding int
	// Planes are those of the image; those of Carried come after the ones that the kernels before wrote.
	Planes  int
	Carried []CarriedBit
	Carries []CarriedBit // those of the next image, which the convolution writes

	layers []CompactLayer
	scale  int // a pixel of the image stands for scale x scale of the input's
}

// CarriedBit is what a plane of an image has of the input's: a plane of that, and which of the pixels that a pixel of
// the image stands for.
type CarriedBit struct{ Plane, Row, Column int }

// Pixel is a bit of an image, from the first position's patch on, padding included.
type Pixel struct{ Plane, Row, Column int }

// Carriages returns what is carried in each convolution, none if the network has no convolutions or if input bits
// cannot be carried to those that read them: the rows and columns of an image that has some, times the strides and
// pooling before, must be those of the input's.
func (c *Compact) Carriages() []Carriage {
	if !c.Shared() || c.Steps > 0 {
		return nil
	}
	from := c.convolutions()
	all := make([]Carriage, len(from)-1)
	input := c.Layers[0].Grid
	scale := 1
	for i := range all {
		k := &all[i]
		*k = Carriage{From: from[i], To: from[i+1], layers: c.Layers, scale: scale}
		g := k.Grid()
		k.Padding, k.Planes = g.Padding, g.Planes
		if i == 0 {
			k.Planes *= c.Encoder.Bits - 1
		}
		if !k.pad() {
			return nil
		}
		scale *= g.Stride * c.Layers[k.To-1].Grid.Pool
	}
	for i := len(all) - 1; i > 0; i-- {
		k := &all[i]
		need := map[CarriedBit]bool{}
		for _, p := range k.Carries {
			need[k.before(p)] = true
		}
		k.eachRead(func(bit CarriedBit, _, _ int) { need[bit] = true })
		if len(need) > 0 && !k.aligned(input) {
			return nil
		}
		k.Carried = slices.SortedFunc(maps.Keys(need), compareCarried)
		k.Planes += len(k.Carried)
		all[i-1].Carries = k.Carried
	}
	return all
}

// convolutions returns at which layers convolutions begin, and at last where they end. A layer that reads one pixel of
// what the layer before is at the same positions belongs to the same convolution, unless a later layer reads that one
// as its image, too.
func (c *Compact) convolutions() []int {
	from, l := []int{0}, 1
	for ; l < len(c.Layers) && c.Layers[l].Grid != nil; l++ {
		image := slices.ContainsFunc(c.Layers, func(above CompactLayer) bool { return above.Base == l-1 })
		if !c.Layers[l].pointwise() || c.Layers[l-1].Grid.Pool > 1 || image {
			from = append(from, l)
		}
	}
	return append(from, l)
}

// pointwise reports whether nodes read nothing but the pixel at their own position.
func (l *CompactLayer) pointwise() bool {
	return l.Grid.Side == 1 && l.Grid.Stride == 1 && l.Grid.Padding == 0
}

// Grid returns that of the lowest level.
func (k *Carriage) Grid() *topology.Grid { return k.layers[k.From].Grid }

// pad makes the padding as large as the input bits beside the image need it, and reports whether their pixels lie in
// the same way in those of the image.
func (k *Carriage) pad() bool {
	for l := k.From; l < k.To; l++ {
		for i := range k.layers[l].Pins {
			if !k.Beside(l, &k.layers[l].Pins[i]) {
				continue
			}
			f := k.layers[l].Grid.Field
			if !k.aligned(f) || k.scale*k.Grid().Stride != f.Stride {
				return false
			}
			k.Padding = max(k.Padding, (f.Padding+k.scale-1)/k.scale)
		}
	}
	return true
}

// aligned reports whether the image ends where the input's does.
func (k *Carriage) aligned(input *topology.Grid) bool {
	g := k.Grid()
	return k.scale*g.Rows == input.Rows && k.scale*g.Columns == input.Columns
}

// Beside reports whether a pin of layer l reads input bits beside the image.
func (k *Carriage) Beside(l int, p *FrozenPin) bool {
	return p.Source == Input && k.From > 0 && k.layers[l].Grid.Field != nil
}

// Read returns what the pin of a node reads that reads beside the image.
func (k *Carriage) Read(l int, p *FrozenPin, node int) Pixel {
	bit, row, column := k.read(l, p, node)
	return Pixel{k.plane(bit), row, column}
}

func (k *Carriage) read(l int, p *FrozenPin, node int) (bit CarriedBit, row, column int) {
	f, e := k.layers[l].Grid.Field, int(p.Index[node])
	first := k.scale*k.Padding - f.Padding // of the field, from the first pixel on that the patch stands for
	row, column = first+e/f.Side%f.Side, first+e%f.Side
	return CarriedBit{e / (f.Side * f.Side), row % k.scale, column % k.scale}, row / k.scale, column / k.scale
}

// reads returns what nodes read beside the image.
func (k *Carriage) reads() (all []Pixel) {
	k.eachRead(func(bit CarriedBit, row, column int) { all = append(all, Pixel{k.plane(bit), row, column}) })
	return all
}

// eachRead calls visit for the bits that nodes read beside the image, with the rows and columns of their pixels.
func (k *Carriage) eachRead(visit func(bit CarriedBit, row, column int)) {
	for l := k.From; l < k.To; l++ {
		for i := range k.layers[l].Pins {
			p := &k.layers[l].Pins[i]
			if !k.Beside(l, p) {
				continue
			}
			for node := range p.Index {
				visit(k.read(l, p, node))
			}
		}
	}
}

// Source returns the pixel of the image that is carried on: that of the first position.
func (k *Carriage) Source(next CarriedBit) Pixel {
	return Pixel{k.plane(k.before(next)), k.Padding + next.Row/k.scale, k.Padding + next.Column/k.scale}
}

// before returns what this image has of a bit that the next one carries.
func (k *Carriage) before(next CarriedBit) CarriedBit {
	return CarriedBit{next.Plane, next.Row % k.scale, next.Column % k.scale}
}

// plane returns the number of the plane that holds a carried bit. The first image is the input's, and has them all.
func (k *Carriage) plane(bit CarriedBit) int {
	if k.From == 0 {
		return bit.Plane
	}
	at, _ := slices.BinarySearchFunc(k.Carried, bit, compareCarried)
	return k.Planes - len(k.Carried) + at
}

func compareCarried(p, q CarriedBit) int {
	return cmp.Or(cmp.Compare(p.Row, q.Row), cmp.Compare(p.Column, q.Column), cmp.Compare(p.Plane, q.Plane))
}
