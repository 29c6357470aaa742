package native

import (
	"ialgn/internal/positions"
	"ialgn/internal/wordcode"
)

// plan is the program of a network of convolutions, and the places of its images in memory.
type plan struct {
	images []image  // the image that each convolution reads, then the image that the last convolution writes
	parts  [][]part // [convolution]: kernels of the convolution whose outputs are read
	rest   *wordcode.Program
}

// image is an image in memory. Planes that are not read have no rows.
type image struct {
	positions.Image
	border  int   // number of rows of zeros, and number of columns of zeros, before the first pixel
	rows    int   // number of image rows, including zeros
	columns int   // number of columns, including zeros
	places  []int // [plane]: number of the plane among the planes that are read, or -1
	planes  int   // number of planes that are read
}

// pixel returns the number of a pixel's first row in memory. Here the pixel's row and column include the border of
// zeros.
func (m *image) pixel(row, column int) int { return (row*m.columns + column) * m.planes }

// inside returns the number of the row in memory that holds one plane of a pixel. Here the pixel's row and column do
// not include the border of zeros.
func (m *image) inside(p positions.Pixel) int {
	return m.pixel(p.Row+m.border, p.Column+m.border) + m.places[p.Plane]
}

// size returns the number of rows of the image in memory.
func (m *image) size() int { return m.rows * m.columns * m.planes }

// size returns the number of rows of all images in memory.
func (p *plan) size() (sum int) {
	for i := range p.images {
		sum += p.images[i].size()
	}
	return sum
}

// newPlan lowers the netlists of a network. It begins with the last netlist, because each netlist determines which
// outputs of the previous netlist are read.
func newPlan(n *positions.Network, isa *ISA) (*plan, error) {
	count := len(n.Convolutions)
	p := &plan{images: make([]image, count+1), parts: make([][]part, count)}
	var err error
	if p.rest, err = lowered(n.Rest, isa); err != nil {
		return nil, err
	}
	out := n.Convolutions[count-1].Out
	last := &p.images[count]
	*last = image{Image: out, rows: out.Rows, columns: out.Columns}
	last.keep(reads(p.rest), func(bit int) int { return out.Pixel(bit).Plane })
	for i := count - 1; i >= 0; i-- {
		c, read := &n.Convolutions[i], &p.images[i]
		kernels, err := lowered(c.Kernels, isa)
		if err != nil {
			return nil, err
		}
		kernels.Outputs = kept(kernels.Outputs, p.images[i+1].places)
		p.parts[i] = split(kernels, isa.segment)
		*read = image{Image: c.In, border: c.Padding}
		read.rows, read.columns = c.Reach()
		var bits []int
		for _, part := range p.parts[i] {
			bits = append(bits, reads(part.program)...)
		}
		read.keep(bits, func(bit int) int { return c.Reads[bit].Plane })
	}
	return p, nil
}

// keep assigns places to the planes of the given bits.
func (m *image) keep(bits []int, plane func(bit int) int) {
	m.places = make([]int, m.Planes)
	for i := range m.places {
		m.places[i] = -1
	}
	for _, bit := range bits {
		m.places[plane(bit)] = 0
	}
	for i, p := range m.places {
		if p == 0 {
			m.places[i] = m.planes
			m.planes++
		}
	}
}

// kept returns the outputs for the planes that have a place.
func kept(outputs []wordcode.Literal, places []int) (all []wordcode.Literal) {
	for i, o := range outputs {
		if places[i] >= 0 {
			all = append(all, o)
		}
	}
	return all
}

// reads returns the input bits that a program reads. A bit may occur more than once.
func reads(p *wordcode.Program) (bits []int) {
	add := func(v wordcode.Value) {
		if v > 0 && int(v) <= p.Inputs {
			bits = append(bits, int(v)-1)
		}
	}
	for i := range p.Ops {
		for _, v := range operands(&p.Ops[i]) {
			add(v)
		}
	}
	for _, o := range p.Outputs {
		add(o.Value())
	}
	return bits
}
