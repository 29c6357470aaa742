package model

import (
	"cmp"
	"maps"
	"slices"

	"ialgn/internal/topology"
)

// Carriage describes how one convolution gets the input bits that its kernels read in addition to its image. These
// bits become additional planes of the image. Earlier convolutions pass these bits on.
type Carriage struct {
	From, To int // the convolution consists of the layers From .. To-1

	// Padding is the number of zeros on each side of the image. It equals the grid's padding, unless a kernel reads
	// input bits that are further out than the kernel's patch. The padding is then larger.
	Padding int
	// Planes counts the image's planes. The first planes are the outputs of the previous convolution's kernels. One
	// plane for each bit of Carried follows.
	Planes  int
	Carried []CarriedBit
	Carries []CarriedBit // planes of the next image that this convolution writes

	layers []CompactLayer
	scale  int // a pixel of the image covers scale x scale pixels of the input
}

// CarriedBit identifies a plane of carried bits. Plane is a plane of the input. Each pixel of the image covers
// several pixels of the input, and Row and Column select one pixel of the input.
type CarriedBit struct{ Plane, Row, Column int }

// Pixel is a bit of an image. Row and Column count from the corner of the padded image, where the patch of the
// first position begins.
type Pixel struct{ Plane, Row, Column int }

// Carriages returns a Carriage for each convolution. It returns nil if the network has no convolutions or is
// recurrent. It also returns nil if input bits cannot be carried to the kernels that read them. An image can have
// carried bits only if its size, multiplied by all strides and pooling factors before it, is the input's size.
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

// convolutions returns the first layer of each convolution and, as the last element, the layer after the last
// convolution. A pointwise layer belongs to the convolution of the layer before it, unless the layer before it is
// pooled or is also the base of a later layer.
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

// pointwise reports whether the layer's nodes read only the pixel at their own position.
func (l *CompactLayer) pointwise() bool {
	return l.Grid.Side == 1 && l.Grid.Stride == 1 && l.Grid.Padding == 0
}

// Grid returns the grid of the convolution's lowest level.
func (k *Carriage) Grid() *topology.Grid { return k.layers[k.From].Grid }

// pad enlarges Padding until the padded image covers all input bits that the kernels read. It returns false if the
// pixels of the input do not divide evenly into pixels of the image.
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

// aligned reports whether the size of the image, multiplied by its scale, is the input's size.
func (k *Carriage) aligned(input *topology.Grid) bool {
	g := k.Grid()
	return k.scale*g.Rows == input.Rows && k.scale*g.Columns == input.Columns
}

// Beside reports whether a pin of layer l reads carried input bits instead of bits of the image.
func (k *Carriage) Beside(l int, p *FrozenPin) bool {
	return p.Source == Input && k.From > 0 && k.layers[l].Grid.Field != nil
}

// Read returns the pixel that pin p of a node reads. The pin must read carried input bits.
func (k *Carriage) Read(l int, p *FrozenPin, node int) Pixel {
	bit, row, column := k.read(l, p, node)
	return Pixel{k.plane(bit), row, column}
}

func (k *Carriage) read(l int, p *FrozenPin, node int) (bit CarriedBit, row, column int) {
	f, e := k.layers[l].Grid.Field, int(p.Index[node])
	first := k.scale*k.Padding - f.Padding // start of the field, in input pixels from the corner of the padded image
	row, column = first+e/f.Side%f.Side, first+e%f.Side
	return CarriedBit{e / (f.Side * f.Side), row % k.scale, column % k.scale}, row / k.scale, column / k.scale
}

// reads returns the pixels of all carried bits that nodes read.
func (k *Carriage) reads() (all []Pixel) {
	k.eachRead(func(bit CarriedBit, row, column int) { all = append(all, Pixel{k.plane(bit), row, column}) })
	return all
}

// eachRead calls visit for each carried bit that a node reads, with the row and column of its pixel.
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

// Source returns the pixel of this image that becomes a carried bit of the next image at its first position. The
// argument next is the carried bit.
func (k *Carriage) Source(next CarriedBit) Pixel {
	return Pixel{k.plane(k.before(next)), k.Padding + next.Row/k.scale, k.Padding + next.Column/k.scale}
}

// before returns the carried bit of this image from which the next image takes a carried bit. The argument next is
// the carried bit of the next image.
func (k *Carriage) before(next CarriedBit) CarriedBit {
	return CarriedBit{next.Plane, next.Row % k.scale, next.Column % k.scale}
}

// plane returns the number of the plane that holds a carried bit. The first image is the input itself, which holds
// all carried bits.
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
