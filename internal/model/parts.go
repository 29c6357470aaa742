package model

import (
	"fmt"

	"ialgn/internal/encoding"
	"ialgn/internal/topology"
)

// Parts is a network of convolutions that is divided into several networks. Each convolution has a network of its
// kernels, which all positions share. The layers after the convolutions are another network. The input bits of each
// of these networks are features of one bit.
type Parts struct {
	Convolutions []Convolution
	Dense        *Frozen // the layers without positions, which read the bits of the last convolution
}

// Convolution is one convolution of a network.
type Convolution struct {
	// Grid says which pixels of the previous image the kernels read, and how the kernels' outputs are pooled. The
	// planes of the grid are the bits of a pixel. If the kernels read carried input bits, the grid's patches and
	// padding may be larger than in the layers.
	Grid topology.Grid
	// Kernels is a network that reads a patch. The input bit with the number (column Side + row) Planes + plane is a
	// pixel of the patch. Pixels are ordered column by column, because patches move along a row. The last layer of
	// Kernels has a node for each kernel, followed by a node for each input bit that is carried to later convolutions.
	// If positions are pooled, a kernel's output is the OR of its nodes at these positions. A carried bit is taken from
	// the last of these positions.
	Kernels *Frozen
	Carried int // number of carried input bits
}

// Parts divides the network into parts. A layer that reads only one pixel of the layer before, at its own position,
// belongs to the convolution of the layer before. The bits that the dense layers read are ordered by position, row by
// row. A bit has the number (row Columns + column) Planes + plane. If the network has no dense layers, the result
// gets a dense layer that passes every bit on.
//
// Parts returns an error if the network has no convolutions. It also returns an error if pins read input bits that
// cannot be carried to their part.
func (c *Compact) Parts() (*Parts, error) {
	if !c.Shared() || c.Steps > 0 {
		return nil, fmt.Errorf("model %q has no convolutions", c.Name)
	}
	all := c.Carriages()
	if all == nil {
		return nil, fmt.Errorf("model %q has kernels that read input bits together with images of other proportions", c.Name)
	}
	p := &Parts{}
	for i := range all {
		convolution, err := c.convolution(i+1, &all[i])
		if err != nil {
			return nil, err
		}
		p.Convolutions = append(p.Convolutions, *convolution)
	}
	var err error
	p.Dense, err = c.dense(p.Convolutions[len(p.Convolutions)-1].Grid, all[len(all)-1].To)
	return p, err
}

// convolution returns the convolution with the given number, counted from 1.
func (c *Compact) convolution(number int, k *Carriage) (*Convolution, error) {
	layers := c.Layers[k.From:k.To]
	g := k.patch()
	f := &Frozen{
		Name: fmt.Sprintf("%s, kernels of convolution %d", c.Name, number), Classes: []string{"of all kernels"},
		Width: layers[len(layers)-1].Width() + len(k.Carries),
	}
	names := make([]string, g.Elements(g.Planes))
	place := func(p Pixel) uint32 { return uint32((p.Column*g.Side+p.Row)*g.Planes + p.Plane) }
	for e := range names {
		p := Pixel{e / (g.Side * g.Side), e / g.Side % g.Side, e % g.Side}
		names[place(p)] = fmt.Sprintf("column %d, row %d, plane %d", p.Column, p.Row, p.Plane)
	}
	f.Encoder = bitEncoder(names)
	own := layers[0].Grid
	for i := range layers {
		l := &layers[i]
		reads := func(s Source) bool {
			switch s {
			case Previous:
				return i == 0
			case Input:
				return number == 1 && l.Grid.Of(s).SameImage(own)
			}
			return l.Base == k.From-1 && l.Grid.Of(s).SameImage(own)
		}
		layer, err := l.part(k.From+i, i == 0, func(p *FrozenPin, node int) (uint32, bool) {
			more, e := g.Padding-own.Padding, int(p.Index[node])
			switch {
			case k.Beside(k.From+i, p):
				return place(k.Read(k.From+i, p, node).moved(g.Padding - k.Padding)), true
			case reads(p.Source):
				return place(Pixel{e / (own.Side * own.Side), more + e/own.Side%own.Side, more + e%own.Side}), true
			}
			return 0, false
		})
		if err != nil {
			return nil, err
		}
		back := (g.Pool - 1) * g.Stride // distance from the first to the last of the pooled positions
		if len(k.Carries) > 0 {
			layer = layer.clone()
		}
		for j, bit := range k.Carries {
			if i > 0 {
				layer.pass(uint32(layers[i-1].Width() + j))
			} else {
				layer.pass(place(k.Source(bit).moved(g.Padding - k.Padding - back)))
			}
		}
		f.Layers = append(f.Layers, layer)
	}
	return &Convolution{Grid: g, Kernels: f, Carried: len(k.Carries)}, f.Validate()
}

// moved returns the pixel whose row and column are larger by the given number.
func (p Pixel) moved(by int) Pixel { return Pixel{p.Plane, p.Row + by, p.Column + by} }

// patch returns the grid of the kernels. Its patches are large enough for the carried bits that the kernels read.
// They also include the carried bits that are passed on from the last of the pooled positions.
func (k *Carriage) patch() topology.Grid {
	g := *k.Grid()
	g.Planes, g.Field, g.Base, g.Pool = k.Planes, nil, nil, k.layers[k.To-1].Grid.Pool
	more := k.Padding - g.Padding
	for _, bit := range k.Carries {
		p := k.Source(bit).moved(g.Padding - k.Padding - (g.Pool-1)*g.Stride)
		more = max(more, -p.Row, -p.Column, p.Row-g.Side+1, p.Column-g.Side+1)
	}
	for _, p := range k.reads() {
		p = p.moved(g.Padding - k.Padding)
		more = max(more, -p.Row, -p.Column, p.Row-g.Side+1, p.Column-g.Side+1)
	}
	g.Side, g.Padding = g.Side+2*more, g.Padding+more
	return g
}

// dense returns the network of the layers after the convolutions. The parameter from is the number of the first of
// these layers. g is the grid of the last convolution.
func (c *Compact) dense(g topology.Grid, from int) (*Frozen, error) {
	layers := c.Layers[from:]
	last := c.Layers[from-1].Width()
	rows, columns := g.Pooled()
	f := &Frozen{Name: c.Name + ", dense layers", Classes: c.Classes, Width: c.Width, Offsets: c.Offsets, Ties: c.Ties}
	names := make([]string, last*rows*columns)
	for i := range names {
		names[i] = fmt.Sprintf("row %d, column %d, kernel %d", i/last/columns, i/last%columns, i%last)
	}
	f.Encoder = bitEncoder(names)
	place := func(i uint32) uint32 {
		kernel, position := int(i)/(rows*columns), int(i)%(rows*columns)
		return uint32(position*last + kernel)
	}
	if len(layers) == 0 {
		layers = []CompactLayer{passing(len(names))}
	}
	for i := range layers {
		l := &layers[i]
		reads := func(s Source) bool { return s == Previous && i == 0 || s == Base && l.Base == from-1 }
		layer, err := l.part(from+i, i == 0, func(p *FrozenPin, node int) (uint32, bool) {
			return place(p.Index[node]), reads(p.Source)
		})
		if err != nil {
			return nil, err
		}
		f.Layers = append(f.Layers, layer)
	}
	return f, f.Validate()
}

// passing returns a layer that passes every bit on.
func passing(width int) CompactLayer {
	layer := CompactLayer{FrozenLayer: FrozenLayer{
		Op: MakeTables(width, 1), Pins: []FrozenPin{{Previous, make([]uint32, width)}},
	}}
	for i := range width {
		layer.Op.Set(i, 1) // f(0) is the higher digit, f(1) is the lower digit
		layer.Pins[0].Index[i] = uint32(i)
	}
	return layer
}

// part returns a layer of a part of the network. at is the layer's number in the whole network. The parameter reads
// is a function. For a pin that reads the part's input, this function returns the place of the bit in the input. All
// other pins must read the layer before. The first layer of a part has no such pins.
func (l *CompactLayer) part(at int, first bool, reads func(p *FrozenPin, node int) (place uint32, ok bool),
) (FrozenLayer, error) {
	layer := FrozenLayer{Op: l.Op}
	for i := range l.Pins {
		p := l.Pins[i]
		if _, ok := reads(&p, 0); ok {
			index := make([]uint32, len(p.Index))
			for node := range index {
				index[node], _ = reads(&p, node)
			}
			p = FrozenPin{Input, index}
		} else if p.Source != Previous || first {
			return layer, fmt.Errorf("layer %d reads bits of another place than the image or the layer before it (%v)", at+1,
				p.Source)
		}
		layer.Pins = append(layer.Pins, p)
	}
	return layer, nil
}

// bitEncoder returns an encoder whose features have one bit each.
func bitEncoder(names []string) encoding.Encoder {
	e := encoding.Encoder{Bits: 2, BitsIn: 1, Max: 1, Names: names, Thresholds: make([][]uint16, len(names))}
	for i := range e.Thresholds {
		e.Thresholds[i] = []uint16{0}
	}
	return e
}
