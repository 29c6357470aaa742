package freeze

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"ialgn/netlist"
	"ialgn/netlist/positions"
	"ialgn/trainer/model"
)

// Positions returns a network of convolutions with the nodes of kernels once, nil if it is of a form for which there is
// only the unrolled one: without convolutions, or where layers read input bits that convolutions cannot carry to them.
// It returns an error if c is not valid or too large.
//
// The levels of a kernel become one netlist with what pools its positions. Layers that are no levels of a kernel are
// convolutions of their own. Input bits that a later convolution reads are planes of its image: those before it carry
// them there.
func Positions(c *model.Compact) (*positions.Network, error) {
	if !c.Shared() {
		return nil, nil
	}
	n := &positions.Network{Bits: c.Encoder.Bits - 1}
	var all []*kernels
	at := 0
	for at < len(c.Layers) && c.Layers[at].Grid != nil {
		k := &kernels{layers: c.Layers, first: at, end: at + 1, bits: n.Bits, scale: 1}
		for k.end < len(c.Layers) && continues(&c.Layers[k.end], &c.Layers[k.end-1]) {
			k.end++
		}
		if len(all) > 0 {
			k.scale = all[len(all)-1].scaleAfter()
		}
		k.pad()
		if !k.readable() {
			return nil, nil
		}
		all = append(all, k)
		at = k.end
	}
	if !carry(all) {
		return nil, nil
	}
	for i, k := range all {
		n.Convolutions = append(n.Convolutions, k.convolution(fmt.Sprintf("convolution %d", i+1)))
	}
	rest, err := restOf(c, at)
	if rest == nil || err != nil {
		return nil, err
	}
	n.Rest, err = Network(rest, netlist.Core)
	return n, err
}

// restOf returns the layers from one on as a network whose input bits are those of the layer before, nil if one of them
// reads other input bits. Where there is no layer left it has one that passes the bits on.
func restOf(c *model.Compact, from int) (*model.Frozen, error) {
	last := c.Layers[from-1]
	rows, columns := last.Grid.Pooled()
	f := &model.Frozen{Name: c.Name, Classes: c.Classes, Width: c.Width}
	f.Encoder.Bits, f.Encoder.BitsIn, f.Encoder.Max = 2, 1, 1
	f.Encoder.Thresholds = make([][]uint16, last.Width()*rows*columns)
	for i := range f.Encoder.Thresholds {
		f.Encoder.Thresholds[i] = []uint16{0}
	}
	if from == len(c.Layers) {
		f.Layers = []model.FrozenLayer{passed(c.Width)}
		return f, nil
	}
	for l := from; l < len(c.Layers); l++ {
		layer := model.FrozenLayer{Op: c.Layers[l].Op}
		for _, p := range c.Layers[l].Pins {
			switch {
			case p.Source == model.Input, p.Source == model.Base && c.Layers[l].Base != from-1:
				return nil, nil
			case p.Source == model.Base, l == from:
				p.Source = model.Input
			}
			layer.Pins = append(layer.Pins, p)
		}
		f.Layers = append(f.Layers, layer)
	}
	return f, nil
}

// passed returns a layer that passes input bits on.
func passed(width int) model.FrozenLayer {
	l := model.FrozenLayer{Op: model.MakeTables(width, 1), Pins: []model.FrozenPin{
		{Source: model.Input, Index: make([]uint32, width)},
	}}
	for i := range width {
		l.Op.Set(i, model.PinTable(1, 0))
		l.Pins[0].Index[i] = uint32(i)
	}
	return l
}

// continues reports whether a layer is a level of the kernels whose lower level is given: it reads that at its own
// position, each bit but once, so that nothing is computed again for another kernel.
func continues(l, below *model.CompactLayer) bool {
	g := l.Grid
	if g == nil || g.Side != 1 || g.Stride != 1 || g.Padding != 0 || below.Grid.Pool != 1 {
		return false
	}
	read := make([]bool, below.Width())
	for _, p := range l.Pins {
		if p.Source != model.Previous {
			continue
		}
		for _, i := range p.Index {
			if read[i] {
				return false
			}
			read[i] = true
		}
	}
	return true
}

// kernels are the layers from first to end-1, which are levels of the same kernels.
type kernels struct {
	layers     []model.CompactLayer
	first, end int
	bits       int // input bits of a feature

	// A pixel of the image stands for scale x scale pixels of the input's. The image has a plane for each of those in
	// carried, which have the plane of an input bit, and which of the pixels it is; carries are those of the next image.
	scale            int
	carried, carries []positions.Pixel
	padding          int // zeros on each side of the image, as far as carried bits need them

	*netlist.Builder
	at map[positions.Pixel]netlist.Net // of the input port
}

// scaleAfter returns the scale of the image that leaves the kernels.
func (k *kernels) scaleAfter() int {
	return k.scale * k.layers[k.first].Grid.Stride * k.layers[k.end-1].Grid.Pool
}

// pad makes the padding as large as input bits beside the image need it, which patches below the image led to.
func (k *kernels) pad() {
	k.padding = k.layers[k.first].Grid.Padding
	for l := k.first; l < k.end; l++ {
		if f := k.layers[l].Grid.Field; f != nil {
			k.padding = max(k.padding, (f.Padding+k.scale-1)/k.scale)
		}
	}
}

// field reports whether a pin of level l reads input bits beside its image.
func (k *kernels) field(l int, p *model.FrozenPin) bool {
	return p.Source == model.Input && k.layers[l].Grid.Field != nil
}

// readable reports whether all levels read the image that the lowest one reads, the level below, or input bits that
// can be planes of that image.
func (k *kernels) readable() bool {
	lowest := k.layers[k.first].Grid
	for l := k.first; l < k.end; l++ {
		layer := &k.layers[l]
		for _, p := range layer.Pins {
			switch image := layer.Grid.Of(p.Source); {
			case p.Source == model.Previous && l > k.first:
			case p.Source == model.Previous && k.first > 0:
			case k.field(l, &p) && k.aligned(image.Rows, image.Columns) && k.scale*lowest.Stride == image.Stride:
			case p.Source == model.Input && k.first == 0 && image.SameImage(lowest):
			case p.Source == model.Base && layer.Base == k.first-1 && layer.Base >= 0 && image.SameImage(lowest):
			default:
				return false
			}
		}
	}
	return true
}

// carry says of all kernels which input bits they carry, so that each has those that it reads, and reports whether it
// can be: the image before one that has some must end where the input's does, too.
func carry(all []*kernels) bool {
	var next []positions.Pixel
	for i := len(all) - 1; i > 0; i-- {
		k := all[i]
		k.carries = next
		need := map[positions.Pixel]bool{}
		for _, p := range next {
			need[k.before(p)] = true
		}
		k.eachField(func(p positions.Pixel) { need[p] = true })
		input := all[0].layers[0].Grid
		if k.carried = sorted(need); len(need) > 0 && !k.aligned(input.Rows, input.Columns) {
			return false
		}
		next = k.carried
	}
	all[0].carries = next
	return true
}

// aligned reports whether the image ends where the input's does, which has so many rows and columns.
func (k *kernels) aligned(rows, columns int) bool {
	g := k.layers[k.first].Grid
	return k.scale*g.Rows == rows && k.scale*g.Columns == columns
}

// sorted returns pixels in the order of their rows, columns and planes.
func sorted(set map[positions.Pixel]bool) []positions.Pixel {
	return slices.SortedFunc(maps.Keys(set), func(p, q positions.Pixel) int {
		return cmp.Or(cmp.Compare(p.Row, q.Row), cmp.Compare(p.Column, q.Column), cmp.Compare(p.Plane, q.Plane))
	})
}

func (k *kernels) convolution(name string) positions.Convolution {
	low, top := k.layers[k.first].Grid, &k.layers[k.end-1]
	pool := top.Grid.Pool
	c := positions.Convolution{
		In:   positions.Image{Planes: low.Planes, Rows: low.Rows, Columns: low.Columns},
		Out:  positions.Image{Planes: top.Width()},
		Step: low.Stride * pool, Padding: k.padding,
	}
	if k.first == 0 {
		c.In.Planes *= k.bits
	}
	c.In.Planes += len(k.carried)
	c.Out.Planes += len(k.carries)
	c.Out.Rows, c.Out.Columns = top.Grid.Pooled()
	seen := map[positions.Pixel]bool{}
	for n := range top.Width() {
		k.eachRead(k.end-1, n, pool, func(p positions.Pixel) { seen[p] = true })
	}
	for _, p := range k.carries {
		seen[k.carriedFrom(p)] = true
	}
	c.Reads = sorted(seen)
	k.Builder, k.at = netlist.NewBuilder(netlist.Identifier(name)), map[positions.Pixel]netlist.Net{}
	for i, x := range k.Input("x", len(c.Reads), 1, nil) {
		k.at[c.Reads[i]] = x
	}
	bits := make([]netlist.Net, top.Width())
	for n := range bits {
		bits[n] = k.pooled(n, pool)
	}
	for _, p := range k.carries {
		bits = append(bits, k.at[k.carriedFrom(p)])
	}
	k.Output("h", 1, nil, bits)
	c.Kernels = k.Netlist()
	return c
}

// pixel returns what a pin of a node of level l reads, where the place of the first position's patch is moved by some
// positions.
func (k *kernels) pixel(l int, p *model.FrozenPin, node, y, x int) positions.Pixel {
	g, e := k.layers[k.first].Grid, int(p.Index[node])
	if !k.field(l, p) {
		more := k.padding - g.Padding
		return positions.Pixel{
			Plane: e / (g.Side * g.Side), Row: more + y*g.Stride + e/g.Side%g.Side, Column: more + x*g.Stride + e%g.Side,
		}
	}
	bit, row, column := k.fieldBit(l, p, node)
	return positions.Pixel{Plane: k.plane(bit), Row: y*g.Stride + row, Column: x*g.Stride + column}
}

// fieldBit returns the carried bit that a pin reads of the input bits beside its image, and the row and column of its
// pixel from the first position's patch on, padding included.
func (k *kernels) fieldBit(l int, p *model.FrozenPin, node int) (bit positions.Pixel, row, column int) {
	f, e := k.layers[l].Grid.Field, int(p.Index[node])
	first := k.scale*k.padding - f.Padding // of the field, from the first input bit on that the patch stands for
	row, column = first+e/f.Side%f.Side, first+e%f.Side
	bit = positions.Pixel{Plane: e / (f.Side * f.Side), Row: row % k.scale, Column: column % k.scale}
	return bit, row / k.scale, column / k.scale
}

// plane returns the plane of the image that a carried bit is.
func (k *kernels) plane(carried positions.Pixel) int {
	if k.first == 0 {
		return carried.Plane
	}
	return k.layers[k.first].Grid.Planes + slices.Index(k.carried, carried)
}

// carriedFrom returns the pixel that is carried on as a plane of the next image.
func (k *kernels) carriedFrom(p positions.Pixel) positions.Pixel {
	return positions.Pixel{
		Plane: k.plane(k.before(p)), Row: k.padding + p.Row/k.scale, Column: k.padding + p.Column/k.scale,
	}
}

// before returns what the image before the next has of a bit that the next one carries.
func (k *kernels) before(p positions.Pixel) positions.Pixel {
	return positions.Pixel{Plane: p.Plane, Row: p.Row % k.scale, Column: p.Column % k.scale}
}

// eachField calls visit for the carried bits that nodes read.
func (k *kernels) eachField(visit func(positions.Pixel)) {
	for l := k.first; l < k.end; l++ {
		for i := range k.layers[l].Pins {
			p := &k.layers[l].Pins[i]
			if !k.field(l, p) {
				continue
			}
			for node := range p.Index {
				bit, _, _ := k.fieldBit(l, p, node)
				visit(bit)
			}
		}
	}
}

// below reports whether a pin of level l reads the level below, and not the image.
func (k *kernels) below(l int, p *model.FrozenPin) bool {
	return p.Source == model.Previous && l > k.first
}

// eachRead calls visit for what a node reads of the image at the positions that are pooled.
func (k *kernels) eachRead(l, node, pool int, visit func(positions.Pixel)) {
	for i := range k.layers[l].Pins {
		p := &k.layers[l].Pins[i]
		if k.below(l, p) {
			k.eachRead(l-1, int(p.Index[node]), pool, visit)
			continue
		}
		for at := range pool * pool {
			visit(k.pixel(l, p, node, at/pool, at%pool))
		}
	}
}

// pooled adds the nodes of a kernel at the positions that are pooled, and their OR.
func (k *kernels) pooled(n, pool int) netlist.Net {
	if pool == 1 {
		return k.node(k.end-1, n, 0, 0)
	}
	or := func(in ...netlist.Net) netlist.Net {
		return k.Function(1<<(1<<len(in))-2, netlist.Origin{}, in...)
	}
	top := k.end - 1
	three := or(k.node(top, n, 0, 0), k.node(top, n, 0, 1), k.node(top, n, 1, 0))
	return or(three, k.node(top, n, 1, 1))
}

// node adds a node of level l, and what it reads, at a position.
func (k *kernels) node(l, node, y, x int) netlist.Net {
	layer := &k.layers[l]
	in := make([]netlist.Net, len(layer.Pins))
	for i := range in {
		p := &layer.Pins[i]
		if k.below(l, p) {
			in[i] = k.node(l-1, int(p.Index[node]), y, x)
		} else {
			in[i] = k.at[k.pixel(l, p, node, y, x)]
		}
	}
	origin := netlist.Origin{Layer: uint16(l + 1), Chain: uint32(node)}
	return k.Function(netlist.Table(layer.Op.At(node), len(in)), origin, in...)
}
