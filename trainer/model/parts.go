package model

import (
	"fmt"

	"ialgn/trainer/encoding"
	"ialgn/trainer/topology"
)

// Parts is a network of convolutions taken apart: the kernels of each convolution, which every position has, and the
// layers behind them. Each of them is a network of its own, whose input bits are features of one bit.
type Parts struct {
	Convolutions []Convolution
	Dense        *Frozen // the layers that no positions share; reads the bits of the last convolution
}

// Convolution is one of a network's.
type Convolution struct {
	// Grid is what the kernels read of the image before, and how they are pooled. Its planes are bits of a pixel.
	Grid topology.Grid
	// Kernels reads a patch, whose bit (column Side + row) Planes + plane is a pixel of it: column by column, as patches
	// move along a row. It has a node of the last layer for each kernel.
	Kernels *Frozen
}

// Parts takes the network apart. Layers that read one pixel of what the layer before is at the same positions belong
// to the same convolution. The bits that the dense layers read stand position by position, row by row: bit (row Columns
// + column) Planes + plane. A network without such layers gets one that passes every bit on.
//
// It returns an error if the network has no convolutions, or has nodes behind the first of them that read the input.
func (c *Compact) Parts() (*Parts, error) {
	if !c.Shared() {
		return nil, fmt.Errorf("model %q has no convolutions", c.Name)
	}
	for l := range c.Layers {
		for k := range c.Layers[l].Pins {
			if l > 0 && c.Layers[l].Pins[k].Source == Input {
				return nil, fmt.Errorf("layer %d reads the input, beside what the layer before made of it", l+1)
			}
		}
	}
	p := &Parts{}
	rest := c.Layers
	for len(rest) > 0 && rest[0].Grid != nil {
		n := 1
		for n < len(rest) && rest[n].Grid != nil && rest[n].pointwise() && rest[n-1].Grid.Pool == 1 {
			n++
		}
		convolution, err := c.convolution(len(p.Convolutions)+1, rest[:n])
		if err != nil {
			return nil, err
		}
		p.Convolutions, rest = append(p.Convolutions, *convolution), rest[n:]
	}
	var err error
	p.Dense, err = c.dense(p.Convolutions[len(p.Convolutions)-1].Grid, rest)
	return p, err
}

// pointwise reports whether nodes read nothing but the pixel at their own position.
func (l *CompactLayer) pointwise() bool {
	return l.Grid.Side == 1 && l.Grid.Stride == 1 && l.Grid.Padding == 0
}

// convolution returns the convolution of some layers, the one of that number.
func (c *Compact) convolution(number int, layers []CompactLayer) (*Convolution, error) {
	g := *layers[0].Grid
	g.Pool = layers[len(layers)-1].Grid.Pool
	if number == 1 {
		g.Planes *= c.Encoder.Bits - 1
	}
	f := &Frozen{
		Name: fmt.Sprintf("%s, kernels of convolution %d", c.Name, number), Classes: []string{"of all kernels"},
		Width: layers[len(layers)-1].Width(),
	}
	names := make([]string, g.Elements(g.Planes))
	place := make([]uint32, len(names)) // of an element of a patch among the input bits
	for e := range names {
		plane, row, column := e/(g.Side*g.Side), e/g.Side%g.Side, e%g.Side
		place[e] = uint32((column*g.Side+row)*g.Planes + plane)
		names[place[e]] = fmt.Sprintf("column %d, row %d, plane %d", column, row, plane)
	}
	f.Encoder = bitEncoder(names)
	for i := range layers {
		f.Layers = append(f.Layers, layers[i].FrozenLayer)
	}
	f.Layers[0] = layers[0].FrozenLayer.reading(func(e uint32) uint32 { return place[e] })
	return &Convolution{Grid: g, Kernels: f}, f.Validate()
}

// dense returns the network of the layers behind the convolutions, of whose last the grid and the number of kernels is.
func (c *Compact) dense(g topology.Grid, layers []CompactLayer) (*Frozen, error) {
	last := c.Layers[len(c.Layers)-len(layers)-1].Width()
	rows, columns := g.Pooled()
	f := &Frozen{Name: c.Name + ", dense layers", Classes: c.Classes, Width: c.Width}
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
		f.Layers = append(f.Layers, layers[i].FrozenLayer)
	}
	f.Layers[0] = layers[0].FrozenLayer.reading(place)
	return f, f.Validate()
}

// passing returns a layer that passes every bit on.
func passing(width int) CompactLayer {
	layer := CompactLayer{FrozenLayer: FrozenLayer{
		Op: MakeTables(width, 1), Pins: []FrozenPin{{Previous, make([]uint32, width)}},
	}}
	for i := range width {
		layer.Op.Set(i, 1) // of the lines 0 and 1 the first is the highest digit
		layer.Pins[0].Index[i] = uint32(i)
	}
	return layer
}

// reading returns a layer that reads the input, at other places.
func (l FrozenLayer) reading(place func(uint32) uint32) FrozenLayer {
	pins := make([]FrozenPin, len(l.Pins))
	for k := range pins {
		pins[k] = FrozenPin{Input, make([]uint32, len(l.Pins[k].Index))}
		for i, v := range l.Pins[k].Index {
			pins[k].Index[i] = place(v)
		}
	}
	l.Pins = pins
	return l
}

// bitEncoder returns the encoder of features of one bit.
func bitEncoder(names []string) encoding.Encoder {
	e := encoding.Encoder{Bits: 2, BitsIn: 1, Max: 1, Names: names, Thresholds: make([][]uint16, len(names))}
	for i := range e.Thresholds {
		e.Thresholds[i] = []uint16{0}
	}
	return e
}
