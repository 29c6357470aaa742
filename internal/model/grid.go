package model

import (
	"errors"
	"fmt"

	"ialgn/internal/topology"
)

// These are the limits of grids. Configurations have the same limits. maxImageSide limits rows and columns.
// maxPatchSide limits the side and the stride of patches. The limits keep every product of positions, planes and
// nodes within an int64.
const (
	maxImageSide = 1 << 12
	maxPatchSide = 64
)

// maxUnrolled limits the total number of nodes at all positions. A netlist cannot number many more nodes
// ([topology.Keys.Check]).
const maxUnrolled = 3 << 29

// checkGrid checks the grid of section i, if it has one. It checks the grid's numbers, field, base and image.
func (m *Model) checkGrid(i int) error {
	s := &m.Sections[i]
	g := s.Grid
	if g == nil {
		return nil
	}
	if err := checkNumbers(g); err != nil {
		return err
	}
	if err := m.checkField(i); err != nil {
		return err
	}
	if !m.hasBase(i) {
		return fmt.Errorf("grid %+v: its base %+v is not what the lowest level of the kernels reads", *g, *g.Base)
	}
	return m.checkImage(i)
}

// hasBase checks the base of section i, if there is one. It reports whether the base is the grid of the kernels'
// lowest level. The lowest level is the nearest earlier section without a base.
func (m *Model) hasBase(i int) bool {
	g, low := m.Sections[i].Grid, i-1
	if g.Base == nil {
		return true
	}
	for low >= 0 && m.Sections[low].Grid != nil && m.Sections[low].Grid.Base != nil {
		low--
	}
	if low < 1 || m.Sections[low].Grid == nil || !m.Sections[low].Grid.SameImage(g.Base) {
		return false
	}
	rows, columns := g.Size()
	baseRows, baseColumns := g.Base.Size()
	return rows == baseRows && columns == baseColumns
}

// checkNumbers checks that the numbers of a grid are within their ranges.
func checkNumbers(g *topology.Grid) error {
	for _, n := range []struct {
		what         string
		value        int
		least, limit int
	}{
		{"planes", g.Planes, 1, maxGates},
		{"rows", g.Rows, 1, maxImageSide},
		{"columns", g.Columns, 1, maxImageSide},
		{"side", g.Side, 1, maxPatchSide},
		{"stride", g.Stride, 1, maxPatchSide},
		{"padding", g.Padding, 0, max(g.Side-1, 0)},
		{"pool", g.Pool, 1, 2},
	} {
		if n.value < n.least || n.value > n.limit {
			return fmt.Errorf("grid: %s %d, want %d to %d", n.what, n.value, n.least, n.limit)
		}
	}
	return nil
}

// checkImage checks that the grid of section i has positions, and that its image is the output of the section
// before.
func (m *Model) checkImage(i int) error {
	s := &m.Sections[i]
	g := s.Grid
	switch {
	case !hasPositions(g):
		return fmt.Errorf("grid %+v has no positions", *g)
	case s.Layers != 1:
		return fmt.Errorf("%d layers of nodes that positions share, want 1", s.Layers)
	case i > 0 && m.Sections[i-1].Grid == nil:
		return errors.New("positions share its nodes, but not the nodes of the section before")
	case i == 0 && (m.Encoder.Features()%(g.Rows*g.Columns) != 0 || g.Planes != m.Encoder.Features()/(g.Rows*g.Columns)):
		return fmt.Errorf("an image of %d planes of %d x %d for %d features", g.Planes, g.Rows, g.Columns,
			m.Encoder.Features())
	case i > 0 && !m.Sections[i-1].leaves(g):
		b := &m.Sections[i-1]
		rows, columns := b.Grid.Pooled()
		return fmt.Errorf("an image of %d planes of %d x %d, but %d of %d x %d leave the section before",
			g.Planes, g.Rows, g.Columns, b.Width, rows, columns)
	case g.Positions() > topology.MaxPositions(m.Sections[0].Grid.Rows*m.Sections[0].Grid.Columns):
		return fmt.Errorf("%d positions, more than a network that reads %d x %d pixels can have", g.Positions(),
			m.Sections[0].Grid.Rows, m.Sections[0].Grid.Columns)
	case s.Width > maxUnrolled/g.Positions():
		return fmt.Errorf("%d nodes at %d positions, want at most %d in all", s.Width, g.Positions(), maxUnrolled)
	}
	return nil
}

// leaves reports whether the section's output has the form of the image that grid g reads.
func (s *Section) leaves(g *topology.Grid) bool {
	rows, columns := s.Grid.Pooled()
	return g.Planes == s.Width && g.Rows == rows && g.Columns == columns
}

// checkUnrolled returns an error if the network has more nodes at all positions than can be numbered.
func (m *Model) checkUnrolled() error {
	if n := m.Nodes(); m.Sections[0].Grid != nil && n > maxUnrolled {
		return fmt.Errorf("%d nodes at all positions, want at most %d", n, maxUnrolled)
	}
	return nil
}

// hasPositions reports whether patches fit into the image and at least one position is left after pooling. The grid's
// numbers must be checked first.
func hasPositions(g *topology.Grid) bool {
	if g.Side > min(g.Rows, g.Columns)+2*g.Padding {
		return false
	}
	rows, columns := g.Pooled()
	return rows > 0 && columns > 0
}

// checkShared checks the source of a pin of section i against the rules for nodes that positions share.
func (m *Model) checkShared(i int, p *Pin) error {
	switch g := m.Sections[i].Grid; {
	case p.Source == Base && m.Base(i) < 0:
		return fmt.Errorf("source %v, but no earlier convolution has it", p.Source)
	case g != nil && (p.Source == Spine || i > 0 && p.Source == Input && g.Field == nil):
		return fmt.Errorf("source %v of nodes that positions share, which have no %v and no field of input bits", p.Source,
			Spine)
	}
	return nil
}

// checkField checks the field of input bits of section i, if it has one. The field must consist of the input pixels
// on which the section's patches depend.
func (m *Model) checkField(i int) error {
	f := m.Sections[i].Grid.Field
	if f == nil {
		return nil
	}
	var grids []*topology.Grid
	for j := range m.Sections[:i+1] {
		if m.Sections[j].Grid == nil {
			return errors.New("positions share its nodes, but not the nodes of an earlier section")
		}
		grids = append(grids, m.Sections[j].Grid)
	}
	want := topology.Under(grids)
	if want == nil {
		return fmt.Errorf("field: its patches lead to more than %d pixels of the input's image", topology.MaxSide)
	}
	if *f != *want {
		return fmt.Errorf("field %+v, but its patches lead to %+v", *f, *want)
	}
	return nil
}

// frozenLayers returns the number of layers that the section becomes in a frozen network. Pooling is a layer of its
// own.
func (s *Section) frozenLayers() int {
	if s.Grid != nil && s.Grid.Pool > 1 {
		return s.Layers + 1
	}
	return s.Layers
}

// blankLayers returns the section's layers in a frozen network, with arrays of zeros.
func (s *Section) blankLayers() (all []FrozenLayer) {
	if s.Grid == nil {
		for range s.Layers {
			all = append(all, s.blankLayer(s.Width))
		}
		return all
	}
	nodes := s.blankLayer(s.Width * s.Grid.Positions())
	nodes.Rows, nodes.Columns = s.Grid.Size()
	if all = append(all, nodes); s.frozenLayers() > s.Layers {
		pool := blankPool(s.Outputs())
		pool.Rows, pool.Columns = s.Grid.Pooled()
		all = append(all, pool)
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

// poolPins is the number of positions that pooling combines by OR.
const poolPins = 4

func blankPool(width int) FrozenLayer {
	layer := FrozenLayer{Op: MakeTables(width, poolPins)}
	for range poolPins {
		layer.Pins = append(layer.Pins, FrozenPin{Previous, make([]uint32, width)})
	}
	return layer
}

// unroll writes the section's nodes at all positions into its layers of a frozen network. nodes holds the nodes of
// one position, whose indices are elements of the patch. bits is the number of input bits of a feature. A pin whose
// element is outside the image reads 0. The table of a node with such a pin is restricted so that it does not depend
// on the pin.
//
// Node n at row y and column x becomes number (n rows + y) columns + x of its layer.
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

// unrollNode writes node n at row y and column x. The parameter at is the node's number in the layer.
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

// pixel returns the bit that an element of the patch reads at row y and column x. For an element outside the image,
// it returns the nearest bit inside the image.
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

// unrollPool writes the layer that pools positions. Each node of this layer is the OR of a node at two by two
// positions.
func (s *Section) unrollPool(layer *FrozenLayer) {
	_, width := s.Grid.Size()
	height := s.Grid.Positions() / width
	rows, columns := s.Grid.Pooled()
	or := LastTable(poolPins) >> 1 // all lines except the line of zeros, which is the highest digit
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
