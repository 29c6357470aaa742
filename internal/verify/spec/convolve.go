package spec

import "ialgn/internal/model"

// grid describes an image, and the patches of the image that the nodes of a layer read.
//
// The image has planes of rows and columns. A patch has side x side pixels of every plane. The first patch begins
// above and to the left of the image's corner, by padding pixels in each direction. Each next patch begins stride
// pixels further. Pixels of a patch outside the image are 0.
type grid struct {
	planes, rows, columns int
	side, stride, padding int
	pool                  bool // each square of four positions becomes one position, the disjunction of the four
}

// gridOf returns the grid of a section, or nil if the section's nodes are evaluated only once.
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

// look sets the fields patch and back of a pin p in section i. It sets patch if the pin reads an image other than the
// image of its section's grid. It sets back if the pin does not read the previous layer.
func (p *pin) look(m *model.Model, i int, source model.Source) {
	g := m.Sections[i].Grid
	switch {
	case source == model.Input && g != nil && g.Field != nil:
		p.patch = gridOf(&model.Section{Grid: g.Field})
	case source == model.Base && g == nil: // reads the output of the last convolution
		for m.Sections[i-1-p.back].Grid == nil {
			p.back++
		}
	case source == model.Base: // reads the input of the kernel's lowest level, the level without a base
		p.patch, p.back = gridOf(&model.Section{Grid: g.Base}), 1
		for m.Sections[i-p.back].Grid.Base != nil {
			p.back++
		}
	}
}

// begins returns the coordinates at which patches begin along an axis with the given number of pixels. All
// patches lie within the image and its padding.
func (p *grid) begins(pixels int) (all []int) {
	for at := -p.padding; at+p.side <= pixels+p.padding; at += p.stride {
		all = append(all, at)
	}
	return all
}

// variableLimit returns an upper limit for the number of variables of a node at all positions. The argument each is
// the limit for one position.
func (p *grid) variableLimit(each int) int {
	const orAnds = 1 // for each position
	return len(p.begins(p.rows)) * len(p.begins(p.columns)) * (each + orAnds)
}

// plane holds the pixels of one plane of an image, row by row.
type plane [][]literal

// pixel returns a pixel of the plane, or 0 outside it.
func (p plane) pixel(row, column int) literal {
	if row < 0 || row >= len(p) || column < 0 || column >= len(p[row]) {
		return 0
	}
	return p[row][column]
}

// image splits bits into planes of the given size. The argument each is the number of bits per pixel. For the output
// of a layer, it is 1, and the bits are in order of plane, row and column. For the input, it is the number of bits of
// a feature. The features are in order of channel, row and column, and the bits of a feature are next to each other.
// Each bit of a feature goes into a different plane.
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

// convolve writes the nodes of the layer at all positions, and the pooling. It returns the output bits of the layer,
// in order of node, row and column. The argument done has the outputs of each earlier layer. The argument bits is the
// number of input bits of a feature.
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

// view is an image that a pin reads, together with the patches that the pin reads.
type view struct {
	*grid
	planes []plane
}

// view returns the image that pin p reads.
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

// element returns the element of the patch at position (y, x) that has the given number. Elements are numbered in
// order of plane, row and column.
func (v *view) element(number, y, x int) literal {
	column := number % v.side
	number /= v.side
	row := number % v.side
	number /= v.side
	return v.planes[number].pixel(y*v.stride-v.padding+row, x*v.stride-v.padding+column)
}

// pooled returns the disjunction of each square of two by two values. If the number of rows is odd, pooled ignores
// the last row. If the number of columns is odd, it ignores the last column.
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
