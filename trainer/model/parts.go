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
// It returns an error if the network has no convolutions, or has pins that read bits which the part has not: those of
// input bits beside the image of the convolution before.
func (c *Compact) Parts() (*Parts, error) {
	if !c.Shared() || c.Steps > 0 {
		return nil, fmt.Errorf("model %q has no convolutions", c.Name)
	}
	p := &Parts{}
	at := 0
	for at < len(c.Layers) && c.Layers[at].Grid != nil {
		to := at + 1
		for to < len(c.Layers) && c.Layers[to].Grid != nil && c.Layers[to].pointwise() && c.Layers[to-1].Grid.Pool == 1 {
			to++
		}
		convolution, err := c.convolution(len(p.Convolutions)+1, at, to)
		if err != nil {
			return nil, err
		}
		p.Convolutions, at = append(p.Convolutions, *convolution), to
	}
	var err error
	p.Dense, err = c.dense(p.Convolutions[len(p.Convolutions)-1].Grid, at)
	return p, err
}

// pointwise reports whether nodes read nothing but the pixel at their own position.
func (l *CompactLayer) pointwise() bool {
	return l.Grid.Side == 1 && l.Grid.Stride == 1 && l.Grid.Padding == 0
}

// convolution returns the convolution of the layers from to to-1, the one of that number.
func (c *Compact) convolution(number, from, to int) (*Convolution, error) {
	layers := c.Layers[from:to]
	g := *layers[0].Grid
	g.Field, g.Base = nil, nil
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
		l := &layers[i]
		reads := func(s Source) bool {
			switch s {
			case Previous:
				return i == 0
			case Input:
				return number == 1 && l.Grid.Of(s).SameImage(layers[0].Grid)
			}
			return l.Base == from-1 && l.Grid.Of(s).SameImage(layers[0].Grid)
		}
		layer, err := l.part(from+i, i == 0, reads, func(e uint32) uint32 { return place[e] })
		if err != nil {
			return nil, err
		}
		f.Layers = append(f.Layers, layer)
	}
	return &Convolution{Grid: g, Kernels: f}, f.Validate()
}

// dense returns the network of the layers from from on, behind the convolutions, of whose last the grid is.
func (c *Compact) dense(g topology.Grid, from int) (*Frozen, error) {
	layers := c.Layers[from:]
	last := c.Layers[from-1].Width()
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
		l := &layers[i]
		reads := func(s Source) bool { return s == Previous && i == 0 || s == Base && l.Base == from-1 }
		layer, err := l.part(from+i, i == 0, reads, place)
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
		layer.Op.Set(i, 1) // of the lines 0 and 1 the first is the highest digit
		layer.Pins[0].Index[i] = uint32(i)
	}
	return layer
}

// part returns the layer of a part of the network, number at of the whole. Pins of the sources that reads says read
// the part's input, at other places; others the layer before, which the first has not.
func (l *CompactLayer) part(at int, first bool, reads func(Source) bool, place func(uint32) uint32) (FrozenLayer,
	error,
) {
	layer := FrozenLayer{Op: l.Op}
	for _, p := range l.Pins {
		switch {
		case reads(p.Source):
			index := make([]uint32, len(p.Index))
			for i, v := range p.Index {
				index[i] = place(v)
			}
			p = FrozenPin{Input, index}
		case p.Source != Previous || first:
			return layer, fmt.Errorf("layer %d reads bits of another place than the image or the layer before it (%v)", at+1,
				p.Source)
		}
		layer.Pins = append(layer.Pins, p)
	}
	return layer, nil
}

// bitEncoder returns the encoder of features of one bit.
func bitEncoder(names []string) encoding.Encoder {
	e := encoding.Encoder{Bits: 2, BitsIn: 1, Max: 1, Names: names, Thresholds: make([][]uint16, len(names))}
	for i := range e.Thresholds {
		e.Thresholds[i] = []uint16{0}
	}
	return e
}
