package model

import (
	"fmt"

	"ialgn/internal/encoding"
	"ialgn/internal/topology"
)

// Parts is a network of convolutions taken apart: the kernels of each convolution, which every position has, and the
// layers behind them. Each of them is a network of its own, whose input bits are features of one bit.
type Parts struct {
	Convolutions []Convolution
	Dense        *Frozen // the layers that no positions share; reads the bits of the last convolution
}

// Convolution is one of a network's.
type Convolution struct {
	// Grid is what the kernels read of the image before, and how they are pooled. Its planes are bits of a pixel. Where
	// input bits stand beside the image its patches are larger than those of the layers, with padding that makes up for
	// it.
	Grid topology.Grid
	// Kernels reads a patch, whose bit (column Side + row) Planes + plane is a pixel of it: column by column, as patches
	// move along a row. It has a node of the last layer for each kernel, and then one for each input bit that is carried
	// to later convolutions. Of pooled positions, a kernel's output is the OR of its nodes; a carried bit is that of the
	// last of them.
	Kernels *Frozen
	Carried int // how many these are
}

// Parts takes the network apart. Layers that read one pixel of what the layer before is at the same positions belong
// to the same convolution. The bits that the dense layers read stand position by position, row by row: bit (row Columns
// + column) Planes + plane. A network without such layers gets one that passes every bit on.
//
// It returns an error if the network has no convolutions, or has pins that read bits which the part has not: those of
// input bits that cannot be carried there.
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

// convolution returns the convolution of that number.
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
		back := (g.Pool - 1) * g.Stride // from the first of the positions that are pooled to the last
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

// moved returns the pixel that is so many rows and columns further on.
func (p Pixel) moved(by int) Pixel { return Pixel{p.Plane, p.Row + by, p.Column + by} }

// patch returns the grid of the kernels, with patches that have what they read beside the image, and what they carry
// on, for the last of the positions that are pooled.
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
		layer.Op.Set(i, 1) // of the lines 0 and 1 the first is the highest digit
		layer.Pins[0].Index[i] = uint32(i)
	}
	return layer
}

// part returns the layer of a part of the network, number at of the whole. Pins that reads says read a place of the
// part's input do; others read the layer before, which the first has not.
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

// bitEncoder returns the encoder of features of one bit.
func bitEncoder(names []string) encoding.Encoder {
	e := encoding.Encoder{Bits: 2, BitsIn: 1, Max: 1, Names: names, Thresholds: make([][]uint16, len(names))}
	for i := range e.Thresholds {
		e.Thresholds[i] = []uint16{0}
	}
	return e
}
