package spec

import (
	"ialgn/trainer/model"
	"ialgn/trainer/topology"
)

// grid is an image, and which patches of it the nodes of a layer read.
//
// Pins of one layer can read several images, each by a grid of its own: of the same position in each.
//
// The image has planes of rows and columns. A patch has side x side pixels of every plane; the first one begins padding
// pixels above and to the left of the image's corner, and each next one stride pixels further. What a patch has beyond
// the image is 0.
type grid struct {
	planes, rows, columns int
	side, stride, padding int
	pool                  bool // two by two positions become one, which is 1 where one of them is
}

// gridOf returns a grid of a section, nil if there is none.
func gridOf(s *topology.Grid) *grid {
	if s == nil {
		return nil
	}
	return &grid{
		planes: s.Planes, rows: s.Rows, columns: s.Columns, side: s.Side, stride: s.Stride, padding: s.Padding, pool: s.Pool == 2,
	}
}

// baseOf returns the layer whose bits pins on the base read, of the section that follows the layers so far; -1 if there is
// none. Nodes after the convolutions read the last of these; nodes of kernels what the kernels' lowest level reads, which is
// the nearest one back that has no base itself.
func (n *Network) baseOf(s *model.Section) int {
	for at := len(n.layers) - 1; at >= 0; at-- {
		switch before := &n.layers[at]; {
		case s.Grid == nil && before.grid != nil:
			return at
		case s.Grid != nil && s.Grid.Base != nil && before.lowest == nil:
			return at - 1
		}
	}
	return -1
}

// begins returns where patches begin along an axis of so many pixels: all of them lie within the image and its padding.
func (p *grid) begins(pixels int) (all []int) {
	for at := -p.padding; at+p.side <= pixels+p.padding; at += p.stride {
		all = append(all, at)
	}
	return all
}

// variableLimit returns how many variables the positions of a node take, at most, if one takes so many.
func (p *grid) variableLimit(each int) int {
	const orAnds = 1 // for each position
	return len(p.begins(p.rows)) * len(p.begins(p.columns)) * (each + orAnds)
}

// plane are the pixels of one plane of an image, row by row.
type plane [][]literal

// pixel returns a pixel, 0 beyond the edges.
func (p plane) pixel(row, column int) literal {
	if row < 0 || row >= len(p) || column < 0 || column >= len(p[row]) {
		return 0
	}
	return p[row][column]
}

// image returns bits as planes of so many rows and columns. Bits of the layer before stand plane by plane, and in each
// row by row. Those of the input stand so by features, each of which has several bits, and each bit is a plane.
func image(bits []literal, rows, columns, each int) (all []plane) {
	for first := 0; first < len(bits); first += rows * columns * each {
		for bit := range each {
			p := make(plane, rows)
			for row := range rows {
				for column := range columns {
					p[row] = append(p[row], bits[first+(row*columns+column)*each+bit])
				}
			}
			all = append(all, p)
		}
	}
	return all
}

// view is an image, and the patches that pins read of it.
type view struct {
	planes []plane
	*grid
}

// views returns what each pin reads. A feature has so many input bits.
func (l *layer) views(x, before, base []literal, bits int) (all []view) {
	for _, p := range l.pins {
		of := l.grid
		switch {
		case p.anchored:
			if l.field != nil {
				of = l.field
			}
			all = append(all, view{image(x, of.rows, of.columns, bits), of})
		case p.based:
			all = append(all, view{image(base, l.lowest.rows, l.lowest.columns, 1), l.lowest})
		default:
			all = append(all, view{image(before, of.rows, of.columns, 1), of})
		}
	}
	return all
}

// convolve writes the nodes at all positions and what pools them, and returns the bits that leave the layer: node by
// node, and of each row by row. A feature has so many input bits.
func (l *layer) convolve(g *graph, x, before, base []literal, bits int) (leave []literal) {
	p, in, views := l.grid, make([]literal, len(l.pins)), l.views(x, before, base, bits)
	for k := range l.width {
		var values plane
		for y := range p.begins(p.rows) {
			var row []literal
			for x := range p.begins(p.columns) {
				for j, v := range views {
					in[j] = v.element(int(l.pins[j].source[k]), y*v.stride-v.padding, x*v.stride-v.padding)
				}
				row = append(row, l.node(g, k, in))
			}
			values = append(values, row)
		}
		if p.pool {
			values = pooled(g, values)
		}
		for _, row := range values {
			leave = append(leave, row...)
		}
	}
	return leave
}

// element returns an element of the patch that begins at a pixel. Elements are counted plane by plane, and in each row by
// row.
func (v view) element(number, top, left int) literal {
	column := number % v.side
	number /= v.side
	row := number % v.side
	number /= v.side
	return v.planes[number].pixel(top+row, left+column)
}

// pooled returns the disjunctions of two by two values. A last row or column that has no partner is left out.
func pooled(g *graph, values plane) (all plane) {
	for row := 1; row < len(values); row += 2 {
		var some []literal
		for column := 1; column < len(values[row]); column += 2 {
			upper := g.or(values[row-1][column-1], values[row-1][column])
			lower := g.or(values[row][column-1], values[row][column])
			some = append(some, g.or(upper, lower))
		}
		all = append(all, some)
	}
	return all
}
