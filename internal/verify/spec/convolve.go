package spec

import "ialgn/internal/model"

// grid is an image, and which patches of it the nodes of a layer read.
//
// The image has planes of rows and columns. A patch has side x side pixels of every plane; the first one begins padding
// pixels above and to the left of the image's corner, and each next one stride pixels further. What a patch has beyond
// the image is 0.
type grid struct {
	planes, rows, columns int
	side, stride, padding int
	pool                  bool // two by two positions become one, which is 1 where one of them is
}

// gridOf returns what the nodes of a section are evaluated over, nil if not at several positions.
func gridOf(s *model.Section) *grid {
	if s.Grid == nil {
		return nil
	}
	g := s.Grid
	return &grid{
		planes: g.Planes, rows: g.Rows, columns: g.Columns, side: g.Side, stride: g.Stride, padding: g.Padding,
		pool: g.Pool == 2,
	}
}

// look finds what a pin of section i reads where it is neither the image of the section's grid nor the layer before.
func (p *pin) look(m *model.Model, i int, source model.Source) {
	g := m.Sections[i].Grid
	switch {
	case source == model.Input && g != nil && g.Field != nil:
		p.patch = gridOf(&model.Section{Grid: g.Field})
	case source == model.Base && g == nil: // what leaves the last convolution
		for m.Sections[i-1-p.back].Grid == nil {
			p.back++
		}
	case source == model.Base: // what the lowest level of the kernel reads, which is the one without a base
		p.patch, p.back = gridOf(&model.Section{Grid: g.Base}), 1
		for m.Sections[i-p.back].Grid.Base != nil {
			p.back++
		}
	}
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

// convolve writes the nodes at all positions and what pools them, and returns the bits that leave the layer: node by
// node, and of each row by row. done are the bits that left the layers so far; a feature has so many input bits.
func (l *layer) convolve(g *graph, x []literal, done [][]literal, bits int) (leave []literal) {
	views := make([]view, len(l.pins))
	for j := range l.pins {
		views[j] = l.view(&l.pins[j], x, done, bits)
	}
	in := make([]literal, len(l.pins))
	for k := range l.width {
		var values plane
		for y := range l.grid.begins(l.grid.rows) {
			var row []literal
			for x := range l.grid.begins(l.grid.columns) {
				for j := range l.pins {
					in[j] = views[j].element(int(l.pins[j].source[k]), y, x)
				}
				row = append(row, l.node(g, k, in))
			}
			values = append(values, row)
		}
		if l.grid.pool {
			values = pooled(g, values)
		}
		for _, row := range values {
			leave = append(leave, row...)
		}
	}
	return leave
}

// view is an image that a pin reads, and which patches of it.
type view struct {
	*grid
	planes []plane
}

// view returns what a pin reads.
func (l *layer) view(p *pin, x []literal, done [][]literal, bits int) view {
	v := view{grid: l.grid}
	if p.patch != nil {
		v.grid = p.patch
	}
	if p.anchored {
		v.planes = image(x, v.rows, v.columns, bits)
	} else {
		v.planes = image(done[len(done)-1-p.back], v.rows, v.columns, 1)
	}
	return v
}

// element returns an element of the patch of a position. Elements are counted plane by plane, and in each row by row.
func (v *view) element(number, y, x int) literal {
	column := number % v.side
	number /= v.side
	row := number % v.side
	number /= v.side
	return v.planes[number].pixel(y*v.stride-v.padding+row, x*v.stride-v.padding+column)
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
