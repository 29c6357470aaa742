package model

import (
	"errors"
	"fmt"

	"ialgn/trainer/topology"
)

// The limits keep every product of positions, planes and nodes within an int64.
const maxImageSide = 1 << 16

// checkGrid checks the grid of section i, if it has one: its image is what stands before, and it has positions.
func (m *Model) checkGrid(i int) error {
	s := &m.Sections[i]
	g := s.Grid
	if g == nil {
		return nil
	}
	if err := checkSizes(g); err != nil {
		return err
	}
	if err := m.checkField(g.Field); err != nil {
		return err
	}
	if b := g.Base; b != nil && (checkSizes(b) != nil || b.Pool != 1 || b.Field != nil || b.Base != nil) {
		return fmt.Errorf("grid %+v: its base %+v is no image", *g, *b)
	}
	before, what := m.before(i), "bits of the layer before"
	if i == 0 {
		before, what = m.Encoder.Features(), "features"
	}
	switch {
	case !hasPositions(g):
		return fmt.Errorf("grid %+v has no positions", *g)
	case s.Layers != 1:
		return fmt.Errorf("%d layers of nodes that positions share, want 1", s.Layers)
	case i > 0 && m.Sections[i-1].Grid == nil:
		return errors.New("positions share its nodes, but not those of the section before")
	case g.Planes > before || g.Planes*g.Rows*g.Columns != before:
		return fmt.Errorf("an image of %d planes of %d x %d for %d %s", g.Planes, g.Rows, g.Columns, before, what)
	case s.Width > maxGates/g.Positions():
		return fmt.Errorf("%d nodes at %d positions", s.Width, g.Positions())
	}
	return nil
}

// hasPositions reports whether patches fit the image of a grid whose sizes are checked, and something is left of it
// after pooling.
func hasPositions(g *topology.Grid) bool {
	if g.Padding < 0 || g.Padding >= g.Side || g.Pool != 1 && g.Pool != 2 || g.Side > min(g.Rows, g.Columns)+2*g.Padding {
		return false
	}
	rows, columns := g.Pooled()
	return rows > 0 && columns > 0
}

// checkShared checks the source of a pin of section i where that has to do with nodes that positions share.
func (m *Model) checkShared(i int, p *Pin) error {
	switch g := m.Sections[i].Grid; {
	case p.Source == Base && m.Base(i) < 0:
		return fmt.Errorf("source %v, but no convolution stands before that has it", p.Source)
	case g != nil && (p.Source == Spine || i > 0 && p.Source == Input && g.Field == nil):
		return fmt.Errorf("source %v of nodes that positions share, which have no %v and no field of input bits", p.Source,
			Spine)
	}
	return nil
}

// checkSizes checks that the sizes of a grid are within their ranges.
func checkSizes(g *topology.Grid) error {
	for _, n := range []int{g.Rows, g.Columns, g.Side, g.Stride} {
		if n < 1 || n > maxImageSide {
			return fmt.Errorf("grid %+v: %d, want 1 to %d", *g, n, maxImageSide)
		}
	}
	if g.Planes < 1 || g.Planes > maxGates {
		return fmt.Errorf("grid %+v: %d planes", *g, g.Planes)
	}
	return nil
}

// checkField checks a section's field of input bits, if it has one.
func (m *Model) checkField(f *topology.Grid) error {
	if f == nil {
		return nil
	}
	if err := checkSizes(f); err != nil {
		return fmt.Errorf("field: %w", err)
	}
	if f.Pool != 1 || f.Field != nil || f.Base != nil || f.Padding < 0 || f.Padding > maxImageSide ||
		f.Planes > m.Encoder.Features() || f.Planes*f.Rows*f.Columns != m.Encoder.Features() {
		return fmt.Errorf("field %+v is none of the %d features", *f, m.Encoder.Features())
	}
	return nil
}

// frozenLayers returns how many layers the section has in a frozen network: pooling is a layer of its own.
func (s *Section) frozenLayers() int {
	if s.Grid != nil && s.Grid.Pool > 1 {
		return s.Layers + 1
	}
	return s.Layers
}

// blankLayers returns the layers of a frozen network for a section, with their arrays still zero.
func (s *Section) blankLayers() (all []FrozenLayer) {
	width := s.Width
	if s.Grid != nil {
		width *= s.Grid.Positions()
	}
	for range s.Layers {
		all = append(all, s.blankLayer(width))
	}
	if s.frozenLayers() > s.Layers {
		all = append(all, blankPool(s.Outputs()))
	}
	return all
}

func (s *Section) blankLayer(width int) FrozenLayer {
	layer := FrozenLayer{Op: MakeTables(width, len(s.Pins))}
	for k := range s.Pins {
		layer.Pins = append(layer.Pins, FrozenPin{frozenSource(s.Pins[k].Source), make([]uint32, width)})
	}
	return layer
}

// poolPins is the number of positions that pooling takes the OR of.
const poolPins = 4

func blankPool(width int) FrozenLayer {
	layer := FrozenLayer{Op: MakeTables(width, poolPins)}
	for range poolPins {
		layer.Pins = append(layer.Pins, FrozenPin{Previous, make([]uint32, width)})
	}
	return layer
}

// unroll writes the nodes of a section at all positions to its layers of a frozen network. nodes are those of one
// position, whose indices are elements of the patch; bits is the number of input bits of a feature. A pin beyond the
// image's edge reads 0: the table of such a node does not depend on it.
//
// Node n at row y and column x is number (n rows + y) columns + x of its layer.
func (s *Section) unroll(layers []FrozenLayer, nodes *FrozenLayer, bits int) {
	rows, columns := s.Grid.Size()
	parallel(s.Width, func(from, to int) {
		for n := from; n < to; n++ {
			for y := range rows {
				for x := range columns {
					s.unrollNode(&layers[0], nodes, n, y, x, (n*rows+y)*columns+x, bits)
				}
			}
		}
	})
	if len(layers) > 1 {
		s.unrollPool(&layers[1])
	}
}

// unrollNode writes node n at a position, number at of the layer.
func (s *Section) unrollNode(layer, nodes *FrozenLayer, n, y, x, at, bits int) {
	table := nodes.Op.At(n)
	for k := range nodes.Pins {
		source, outside := s.pixel(nodes.Pins[k].Source, int(nodes.Pins[k].Index[n]), y, x, bits)
		if outside {
			table = Restrict(table, len(nodes.Pins), k, false)
		}
		layer.Pins[k].Index[at] = uint32(source)
	}
	layer.Op.Set(at, table)
}

// pixel returns the bit that an element of the patch is at a position, or the nearest one if it is outside the image.
func (s *Section) pixel(source Source, element, y, x, bits int) (bit int, outside bool) {
	g := s.Grid.Of(source)
	plane, row, column := element/(g.Side*g.Side), element/g.Side%g.Side, element%g.Side
	py, px := y*g.Stride+row-g.Padding, x*g.Stride+column-g.Padding
	cy, cx := min(max(py, 0), g.Rows-1), min(max(px, 0), g.Columns-1)
	outside = py != cy || px != cx
	if source == Input {
		return ((plane/bits*g.Rows+cy)*g.Columns+cx)*bits + plane%bits, outside
	}
	return (plane*g.Rows+cy)*g.Columns + cx, outside
}

// unrollPool writes the layer that takes the OR of each two by two positions.
func (s *Section) unrollPool(layer *FrozenLayer) {
	_, width := s.Grid.Size()
	height := s.Grid.Positions() / width
	rows, columns := s.Grid.Pooled()
	or := LastTable(poolPins) >> 1 // all lines but that of zeros, which is the highest digit
	for n := range s.Width {
		for y := range rows {
			for x := range columns {
				at := (n*rows+y)*columns + x
				layer.Op.Set(at, or)
				for k := range layer.Pins {
					layer.Pins[k].Index[at] = uint32((n*height+2*y+k/2)*width + 2*x + k%2)
				}
			}
		}
	}
}
