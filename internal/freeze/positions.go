package freeze

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"ialgn/internal/model"
	"ialgn/internal/positions"
	"ialgn/netlist"
)

// Positions returns a network of convolutions in which each kernel's nodes occur only once. It returns nil if only
// the unrolled form is possible. That is the case for a network without convolutions, or if a layer reads input bits
// that the convolutions before it cannot carry. It returns an error if c is not valid or is too large.
//
// The levels of a kernel, and the pooling of its positions, become one netlist. If a later convolution reads input
// bits, they are extra planes of its image, and the earlier convolutions pass them on.
func Positions(c *model.Compact) (*positions.Network, error) {
	if !c.Shared() {
		return nil, nil
	}
	n := &positions.Network{Bits: c.Encoder.Bits - 1}
	end := 0
	for i, carriage := range c.Carriages() {
		k := kernels{carriage: &carriage, layers: c.Layers, nodes: map[place]netlist.Net{}}
		if !k.readable() {
			return nil, nil
		}
		n.Convolutions = append(n.Convolutions, k.convolution(fmt.Sprintf("convolution %d", i+1)))
		end = carriage.To
	}
	if len(n.Convolutions) == 0 {
		return nil, nil
	}
	rest := restOf(c, end)
	if rest == nil {
		return nil, nil
	}
	var err error
	n.Rest, err = Network(rest, netlist.Core)
	return n, err
}

// restOf returns a network of its own with layer number from and all later layers. The input bits of this network are
// the outputs of layer from - 1. restOf returns nil if one of its layers reads other input bits. If there is no layer
// with this number, the network has one layer that passes the bits on.
func restOf(c *model.Compact, from int) *model.Frozen {
	last := c.Layers[from-1]
	rows, columns := last.Grid.Pooled()
	f := &model.Frozen{Name: c.Name, Classes: c.Classes, Width: c.Width, Offsets: c.Offsets, Ties: c.Ties}
	f.Encoder.Bits, f.Encoder.BitsIn, f.Encoder.Max = 2, 1, 1
	f.Encoder.Thresholds = make([][]uint16, last.Width()*rows*columns)
	for i := range f.Encoder.Thresholds {
		f.Encoder.Thresholds[i] = []uint16{0}
	}
	if from == len(c.Layers) {
		f.Layers = []model.FrozenLayer{passed(c.Width)}
		return f
	}
	for l := from; l < len(c.Layers); l++ {
		layer := model.FrozenLayer{Op: c.Layers[l].Op}
		for _, p := range c.Layers[l].Pins {
			switch {
			case p.Source == model.Input, p.Source == model.Base && c.Layers[l].Base != from-1:
				return nil
			case p.Source == model.Base, l == from:
				p.Source = model.Input
			}
			layer.Pins = append(layer.Pins, p)
		}
		f.Layers = append(f.Layers, layer)
	}
	return f
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

// kernels builds the kernels of a convolution.
type kernels struct {
	carriage *model.Carriage
	layers   []model.CompactLayer

	*netlist.Builder
	at    map[positions.Pixel]netlist.Net // maps each pixel to its input net
	nodes map[place]netlist.Net
}

// place identifies a node of a level at one of the pooled positions.
type place struct{ level, node, y, x int }

// readable reports whether each level reads only the level below, the image that the lowest level reads, or carried
// input bits.
func (k *kernels) readable() bool {
	lowest := k.carriage.Grid()
	for l := k.carriage.From; l < k.carriage.To; l++ {
		layer := &k.layers[l]
		for _, p := range layer.Pins {
			switch image := layer.Grid.Of(p.Source); {
			case p.Source == model.Previous && l > k.carriage.From:
			case p.Source == model.Previous && k.carriage.From > 0:
			case k.carriage.Beside(l, &p):
			case p.Source == model.Input && k.carriage.From == 0 && image.SameImage(lowest):
			case p.Source == model.Base && layer.Base == k.carriage.From-1 && layer.Base >= 0 && image.SameImage(lowest):
			default:
				return false
			}
		}
	}
	return true
}

func (k *kernels) convolution(name string) positions.Convolution {
	low, top := k.carriage.Grid(), &k.layers[k.carriage.To-1]
	pool := top.Grid.Pool
	c := positions.Convolution{
		In:   positions.Image{Planes: k.carriage.Planes, Rows: low.Rows, Columns: low.Columns},
		Out:  positions.Image{Planes: top.Width() + len(k.carriage.Carries)},
		Step: low.Stride * pool, Padding: k.carriage.Padding,
	}
	c.Out.Rows, c.Out.Columns = top.Grid.Pooled()
	seen := map[positions.Pixel]bool{}
	k.eachRead(pool, func(p positions.Pixel) { seen[p] = true })
	for _, bit := range k.carriage.Carries {
		seen[positions.Pixel(k.carriage.Source(bit))] = true
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
	for _, bit := range k.carriage.Carries {
		bits = append(bits, k.at[positions.Pixel(k.carriage.Source(bit))])
	}
	k.Output("h", 1, nil, bits)
	c.Kernels = k.Netlist()
	return c
}

// pixel returns the pixel that a pin of a node of level l reads, for the position y rows and x columns after the
// first.
func (k *kernels) pixel(l int, p *model.FrozenPin, node, y, x int) positions.Pixel {
	g := k.carriage.Grid()
	var at positions.Pixel
	if k.carriage.Beside(l, p) {
		at = positions.Pixel(k.carriage.Read(l, p, node))
	} else {
		e, more := int(p.Index[node]), k.carriage.Padding-g.Padding
		at = positions.Pixel{Plane: e / (g.Side * g.Side), Row: more + e/g.Side%g.Side, Column: more + e%g.Side}
	}
	at.Row, at.Column = at.Row+y*g.Stride, at.Column+x*g.Stride
	return at
}

// below reports whether a pin of level l reads the level below instead of the image.
func (k *kernels) below(l int, p *model.FrozenPin) bool {
	return p.Source == model.Previous && l > k.carriage.From
}

// eachRead calls visit for each pixel of the image that the kernels depend on, at all pooled positions.
func (k *kernels) eachRead(pool int, visit func(positions.Pixel)) {
	used := make([]bool, k.layers[k.carriage.To-1].Width()) // [node of the level]: used by a kernel
	for i := range used {
		used[i] = true
	}
	for l := k.carriage.To - 1; l >= k.carriage.From; l-- {
		var below []bool
		if l > k.carriage.From {
			below = make([]bool, k.layers[l-1].Width())
		}
		for i := range k.layers[l].Pins {
			p := &k.layers[l].Pins[i]
			for node, read := range used {
				switch {
				case !read:
				case k.below(l, p):
					below[p.Index[node]] = true
				default:
					for at := range pool * pool {
						visit(k.pixel(l, p, node, at/pool, at%pool))
					}
				}
			}
		}
		used = below
	}
}

// pooled adds a kernel's nodes at all pooled positions, and their OR.
func (k *kernels) pooled(n, pool int) netlist.Net {
	if pool == 1 {
		return k.node(k.carriage.To-1, n, 0, 0)
	}
	or := func(in ...netlist.Net) netlist.Net {
		return k.Function(1<<(1<<len(in))-2, netlist.Origin{}, in...)
	}
	top := k.carriage.To - 1
	three := or(k.node(top, n, 0, 0), k.node(top, n, 0, 1), k.node(top, n, 1, 0))
	return or(three, k.node(top, n, 1, 1))
}

// node adds a node of level l at a position, and all nodes that it reads.
func (k *kernels) node(l, node, y, x int) netlist.Net {
	if net, ok := k.nodes[place{l, node, y, x}]; ok {
		return net
	}
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
	net := k.Function(netlist.Table(layer.Op.At(node), len(in)), origin, in...)
	k.nodes[place{l, node, y, x}] = net
	return net
}
