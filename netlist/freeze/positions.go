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
	from := []int{0}
	for l := 1; l < len(c.Layers) && c.Layers[l-1].Grid != nil; l++ {
		if !continues(&c.Layers[l], &c.Layers[l-1]) {
			from = append(from, l)
		}
	}
	if at := from[len(from)-1]; c.Layers[at].Grid != nil { // all layers are in convolutions
		from = append(from, len(c.Layers))
	}
	n := &positions.Network{Bits: c.Encoder.Bits - 1}
	for i, carriage := range c.Carry(from) {
		k := kernels{Carriage: &carriage, layers: c.Layers}
		if !k.readable() {
			return nil, nil
		}
		n.Convolutions = append(n.Convolutions, k.convolution(fmt.Sprintf("convolution %d", i+1)))
	}
	if len(n.Convolutions) == 0 {
		return nil, nil
	}
	rest, err := restOf(c, from[len(from)-1])
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

// kernels are those of a convolution.
type kernels struct {
	*model.Carriage
	layers []model.CompactLayer

	*netlist.Builder
	at map[positions.Pixel]netlist.Net // of the input port
}

// readable reports whether all levels read the image that the lowest one reads, the level below, or input bits that
// are carried.
func (k *kernels) readable() bool {
	lowest := k.Grid()
	for l := k.From; l < k.To; l++ {
		layer := &k.layers[l]
		for _, p := range layer.Pins {
			switch image := layer.Grid.Of(p.Source); {
			case p.Source == model.Previous && l > k.From:
			case p.Source == model.Previous && k.From > 0:
			case k.Beside(l, &p):
			case p.Source == model.Input && k.From == 0 && image.SameImage(lowest):
			case p.Source == model.Base && layer.Base == k.From-1 && layer.Base >= 0 && image.SameImage(lowest):
			default:
				return false
			}
		}
	}
	return true
}

func (k *kernels) convolution(name string) positions.Convolution {
	low, top := k.Grid(), &k.layers[k.To-1]
	pool := top.Grid.Pool
	c := positions.Convolution{
		In:   positions.Image{Planes: k.Planes, Rows: low.Rows, Columns: low.Columns},
		Out:  positions.Image{Planes: top.Width() + len(k.Carries)},
		Step: low.Stride * pool, Padding: k.Padding,
	}
	c.Out.Rows, c.Out.Columns = top.Grid.Pooled()
	seen := map[positions.Pixel]bool{}
	for n := range top.Width() {
		k.eachRead(k.To-1, n, pool, func(p positions.Pixel) { seen[p] = true })
	}
	for _, bit := range k.Carries {
		seen[positions.Pixel(k.Source(bit))] = true
	}
	c.Reads = slices.SortedFunc(maps.Keys(seen), func(p, q positions.Pixel) int {
		return cmp.Or(cmp.Compare(p.Row, q.Row), cmp.Compare(p.Column, q.Column), cmp.Compare(p.Plane, q.Plane))
	})
	k.Builder, k.at = netlist.NewBuilder(netlist.Identifier(name)), map[positions.Pixel]netlist.Net{}
	for i, x := range k.Input("x", len(c.Reads), 1, nil) {
		k.at[c.Reads[i]] = x
	}
	var bits []netlist.Net
	for n := range top.Width() {
		bits = append(bits, k.pooled(n, pool))
	}
	for _, bit := range k.Carries {
		bits = append(bits, k.at[positions.Pixel(k.Source(bit))])
	}
	k.Output("h", 1, nil, bits)
	c.Kernels = k.Netlist()
	return c
}

// pixel returns what a pin of a node of level l reads, where the place of the first position's patch is moved by some
// positions.
func (k *kernels) pixel(l int, p *model.FrozenPin, node, y, x int) positions.Pixel {
	g := k.Grid()
	var at positions.Pixel
	if k.Beside(l, p) {
		at = positions.Pixel(k.Read(l, p, node))
	} else {
		e, more := int(p.Index[node]), k.Padding-g.Padding
		at = positions.Pixel{Plane: e / (g.Side * g.Side), Row: more + e/g.Side%g.Side, Column: more + e%g.Side}
	}
	at.Row, at.Column = at.Row+y*g.Stride, at.Column+x*g.Stride
	return at
}

// below reports whether a pin of level l reads the level below, and not the image.
func (k *kernels) below(l int, p *model.FrozenPin) bool {
	return p.Source == model.Previous && l > k.From
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
		return k.node(k.To-1, n, 0, 0)
	}
	or := func(in ...netlist.Net) netlist.Net {
		return k.Function(1<<(1<<len(in))-2, netlist.Origin{}, in...)
	}
	top := k.To - 1
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
