package spec

import "ialgn/trainer/model"

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
	return &grid{
		planes: s.Grid.Planes, rows: s.Grid.Rows, columns: s.Grid.Columns,
		side: s.Grid.Side, stride: s.Grid.Stride, padding: s.Grid.Padding,
		pool: s.Grid.Pool == 2,
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
// node, and of each row by row. A feature has so many input bits.
func (l *layer) convolve(g *graph, x, before []literal, bits int) (leave []literal) {
	p := l.grid
	planes := image(before, p.rows, p.columns, 1)
	if l.pins[0].anchored { // as all pins of the first layer, and no other
		planes = image(x, p.rows, p.columns, bits)
	}
	in := make([]literal, len(l.pins))
	for k := range l.width {
		var values plane
		for _, top := range p.begins(p.rows) {
			var row []literal
			for _, left := range p.begins(p.columns) {
				for j := range l.pins {
					in[j] = p.element(planes, int(l.pins[j].source[k]), top, left)
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
func (p *grid) element(planes []plane, number, top, left int) literal {
	column := number % p.side
	number /= p.side
	row := number % p.side
	number /= p.side
	return planes[number].pixel(top+row, left+column)
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
