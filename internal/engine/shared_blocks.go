package engine

import (
	"slices"

	"ialgn/internal/kernel"
	"ialgn/internal/kernel/shared"
	"ialgn/internal/model"
	"ialgn/internal/topology"
)

// image describes the places of an image's rows in an arena. The rows are ordered plane by plane. They include the
// border of zeros with which the next block pads the image.
type image struct {
	at                    int // position of the border's first row
	planes, rows, columns int
	border                int
}

// pitch returns the distance between two rows of pixels, in rows of the arena.
func (i *image) pitch() int { return i.columns + 2*i.border }

// plane returns the size of a plane in rows of the arena.
func (i *image) plane() int { return (i.rows + 2*i.border) * i.pitch() }

// size returns the image's size in float32.
func (i *image) size() int { return i.planes * i.plane() * shared.Lanes }

// pixel returns the position of a pixel's row.
func (i *image) pixel(plane, row, column int) uint32 {
	return uint32(i.at + (plane*i.plane()+(row+i.border)*i.pitch()+column+i.border)*shared.Lanes)
}

// bit returns the position of bit n's row. Bits are counted plane by plane, row by row.
func (i *image) bit(n int) uint32 {
	return i.pixel(n/(i.rows*i.columns), n/i.columns%i.rows, n%i.columns)
}

// level is a section of a block. It holds the nodes of the section, grouped by kernel.
type level struct {
	section int
	nodes   int         // nodes of one kernel
	list    shared.List // the nodes of all kernels, or of one kernel if all kernels are alike
	tables  *nodeTables
	sources []source // by pin

	// Pins may read values that are first gathered in leaves, which are rows of a chunk. The slice choices holds the
	// candidates of each pin, [nodes of all kernels][pins]. It is nil if no value is gathered. The slice leaves holds
	// the place of each leaf of a kernel, [nodes of a kernel][pins].
	choices []shared.Choice
	leaves  []uint32
}

// block is a convolution. Its kernels are trees of nodes that read an image at all positions. A plain layer of nodes
// is a block with one position.
type block struct {
	in, out       image
	first         bool // whether the image holds input bits, for which no gradients are computed
	levels        []level
	kernels       int
	rows, columns int // positions
	pool          int

	// Positions are handled in chunks of whole rows of positions. In a chunk, two rows are pitch positions apart.
	chunk, pitch int
	root         uint32 // offset of the rows of a kernel's outputs in a chunk
	alone        bool   // whether the block is one list of nodes at one position
}

// source describes the values that a pin reads. These values belong to an image or to the level below.
type source struct {
	image    *image         // nil for the level below
	grid     *topology.Grid // grid of the image's patches; nil for a single position
	gradient bool           // whether the image needs gradients
	gathered bool           // whether the values are gathered in leaves
}

// element returns the place of an element's row. For an element of a patch, this is the place at the first position
// of the grid.
func (s *source) element(n uint32) uint32 {
	if s.grid == nil {
		return s.image.bit(int(n))
	}
	side := s.grid.Side
	return s.image.pixel(int(n)/(side*side), int(n)/side%side-s.grid.Padding, int(n)%side-s.grid.Padding)
}

// stride returns the distance between two positions, in pixels.
func (s *source) stride() int {
	if s.grid == nil {
		return 1
	}
	return s.grid.Stride
}

// row returns the distance from the pixels that the first row of positions reads to the pixels that row y of
// positions reads.
func (s *source) row(y int) uint32 { return uint32(y * s.stride() * s.image.pitch() * shared.Lanes) }

// chunkFloats is the largest size in float32 of a chunk's rows for one kernel. With this limit, the chunk's values
// and gradients stay in a cache.
const chunkFloats = 12 << 10

// blocks is a network of convolutions, in order.
type blocks []*block

// place assigns a place in an arena to every row of a network of convolutions and returns the arena's size.
func (e *sharedEngine) place() (all blocks, size int) {
	m := e.m
	g := m.Sections[0].Grid
	in := image{planes: m.Encoder.Inputs() / (g.Rows * g.Columns), rows: g.Rows, columns: g.Columns, border: g.Padding}
	size = in.size()
	e.input = e.inputRows(&in)
	e.field = in
	if e.field.border = fieldBorder(m); e.field.border > 0 {
		e.field.at = size
		size += e.field.size()
		e.fields = e.inputRows(&e.field)
	}
	ends := map[int]bool{} // sections that later sections read; such a section is the last of its block
	for i := range e.sections {
		ends[m.Base(i)] = true
	}
	for from := 0; from < len(e.sections); {
		to := from + 1
		for to < len(e.sections) && isLevel(m, to) && !ends[to-1] {
			to++
		}
		b := e.newBlock(in, from, to, &size)
		all, in, from = append(all, b), b.out, to
		e.outs[to-1] = &b.out
	}
	return all, size
}

// inputRows returns the place of each input bit's row in an image.
func (e *sharedEngine) inputRows(in *image) (all []uint32) {
	bits := e.m.Encoder.Bits - 1
	for i := range e.m.Encoder.Inputs() {
		pixel := i / bits
		plane := pixel/(in.rows*in.columns)*bits + i%bits
		all = append(all, in.pixel(plane, pixel/in.columns%in.rows, pixel%in.columns))
	}
	return all
}

// fieldBorder returns the number of pixels by which the fields of sections reach beyond the edges of the input image.
// It returns 0 if no section has a field.
func fieldBorder(m *model.Model) (border int) {
	for i := range m.Sections {
		g := m.Sections[i].Grid
		if g == nil || g.Field == nil {
			continue
		}
		f := g.Field
		rows, columns := g.Size()
		border = max(border, 1, f.Padding, (rows-1)*f.Stride+f.Side-f.Padding-f.Rows,
			(columns-1)*f.Stride+f.Side-f.Padding-f.Columns)
	}
	return border
}

// isLevel reports whether section i is the next level of the kernels in the section before it. In this case, each
// node reads, at its own position, nodes of the previous section that no other node reads. All its other pins read
// images.
func isLevel(m *model.Model, i int) bool {
	s, before := &m.Sections[i], &m.Sections[i-1]
	if s.Grid == nil || s.Grid.Side != 1 || s.Grid.Stride != 1 || before.Grid.Pool != 1 {
		return false
	}
	own := 0
	for k := range s.Pins {
		if s.Pins[k].Source == model.Previous {
			own++
		}
	}
	if before.Width != s.Width*own {
		return false
	}
	for k := range own {
		p := &s.Pins[k]
		for n := range s.Width {
			if p.Source != model.Previous || p.K != 1 || int(p.Wires.At(n)) != n*own+k {
				return false
			}
		}
	}
	return true
}

// newBlock returns the block of the sections in the range [from, to), which read the image in. It places the block's
// rows at *size and after, and increases *size.
func (e *sharedEngine) newBlock(in image, from, to int, size *int) *block {
	first, last := &e.m.Sections[from], &e.m.Sections[to-1]
	b := &block{in: in, first: from == 0, kernels: last.Width, rows: 1, columns: 1, pool: 1}
	if first.Grid != nil {
		b.rows, b.columns = first.Grid.Size()
		b.pool = last.Grid.Pool
	}
	b.out = image{at: *size, planes: last.Width, rows: b.rows / b.pool, columns: b.columns / b.pool}
	if to < len(e.m.Sections) && e.m.Sections[to].Grid != nil {
		b.out.border = e.m.Sections[to].Grid.Padding
	}
	*size += b.out.size()
	for i := from; i < to; i++ {
		l := level{section: i, nodes: e.m.Sections[i].Width / b.kernels, tables: e.tables[i]}
		l.sources = e.sources(b, i, i > from)
		b.levels = append(b.levels, l)
	}
	low := &b.levels[0]
	if b.pitch = b.columns; !low.gathers() {
		b.pitch = in.pitch()
		b.alone = first.Grid == nil
	}
	b.cut()
	b.placeNodes(e.sections, size)
	return b
}

// sources returns the sources of the pins of section i. The argument above is true if the section is above the lowest
// level of its block.
func (e *sharedEngine) sources(b *block, i int, above bool) (all []source) {
	s := &e.m.Sections[i]
	gathered := false
	for k := range s.Pins {
		from := source{grid: s.Grid}
		if from.grid != nil {
			from.grid = s.Grid.Of(s.Pins[k].Source)
		}
		switch of := s.Pins[k].Source; {
		case of == model.Base:
			from.image, from.gradient = e.outs[e.m.Base(i)], true
		case of == model.Input && s.Grid != nil && s.Grid.Field != nil:
			from.image = &e.field
		case !above:
			from.image, from.gradient = &b.in, !b.first
		}
		// Without gathering, neighbouring positions must read neighbouring pixels of one image. If this is not true
		// for a pin, the values of all pins are gathered.
		gathered = gathered || from.image != nil && (s.Pins[k].K > 1 || from.grid != nil &&
			(above || from.grid.Stride != 1 || from.image != &b.in))
		all = append(all, from)
	}
	for k := range all {
		all[k].gathered = gathered && all[k].image != nil
	}
	return all
}

// gathers reports whether the values of some pins of the level are gathered.
func (l *level) gathers() bool {
	return slices.ContainsFunc(l.sources, func(s source) bool { return s.gathered })
}

// cut chooses the number of rows of positions in a chunk.
func (b *block) cut() {
	rows := 0 // number of a kernel's rows for each position
	for i := range b.levels {
		l := &b.levels[i]
		for _, s := range l.sources {
			if s.gathered {
				rows += l.nodes
			}
		}
		rows += l.nodes
	}
	for b.chunk = b.pool; b.chunk+b.pool <= b.rows &&
		b.positions(b.chunk+b.pool)*rows*shared.Lanes <= chunkFloats; b.chunk += b.pool {
	}
}

// positions returns the number of positions that the given number of rows spans, including the gaps between rows.
func (b *block) positions(rows int) int { return (rows-1)*b.pitch + b.columns }

// placeNodes places the rows of a chunk and sets the rows that pins read.
func (b *block) placeNodes(sections []*kernel.Nodes, size *int) {
	run := b.positions(b.chunk) * shared.Lanes
	take := func(n int) uint32 {
		at := *size
		*size += n * run
		return uint32(at)
	}
	below := uint32(0)
	for i := range b.levels {
		l := &b.levels[i]
		pins := len(l.sources)
		l.list.Pins = pins
		for range l.nodes {
			for k := range pins {
				at := uint32(0)
				if l.sources[k].gathered {
					at = take(1)
				}
				l.leaves = append(l.leaves, at)
			}
		}
		b.root = take(l.nodes)
		l.place(sections[l.section], b, below, uint32(run))
		below = b.root
	}
}

// place sets the rows of nodes. If all kernels of the level are alike, it does this for the nodes of one kernel only.
// The argument below is the place of the first row of the level below. The argument run is the size in float32 of one
// node's rows in a chunk.
func (l *level) place(n *kernel.Nodes, b *block, below, run uint32) {
	own, alike := uint32(0), true // own counts the pins that read the level below
	for _, s := range l.sources {
		if s.image == nil {
			own++
		} else if !s.gathered {
			alike = false
		}
	}
	for node := range n.Width {
		in := node % l.nodes
		if alike && node < l.nodes || !alike {
			out := b.root + uint32(in)*run
			if b.alone {
				out = b.out.bit(node)
			}
			l.list.Out = append(l.list.Out, out)
		}
		for k, p := range n.Pins {
			s := &l.sources[k]
			wire := l.leaves[in*len(l.sources)+k]
			switch {
			case s.image == nil:
				wire = below + (uint32(in)*own+uint32(k))*run
			case s.gathered: // a leaf
			case p == nil: // the spine
				wire = s.image.bit(node)
			default:
				wire = s.element(p.Wire(node))
			}
			if alike && node < l.nodes || !alike {
				l.list.Wires = append(l.list.Wires, wire)
			}
			if l.gathers() {
				l.choices = append(l.choices, s.choice(p, node))
			}
		}
	}
}

// choice returns the candidates that are gathered for a pin of a node. It returns the zero Choice if the pin's value
// is not gathered.
func (s *source) choice(p *kernel.Pin, node int) (c shared.Choice) {
	if !s.gathered {
		return c
	}
	c.Step = uint32(s.stride() * shared.Lanes)
	if p == nil { // on the spine
		c.Rows = []uint32{s.image.bit(node)}
		return c
	}
	for j := range p.K {
		c.Rows = append(c.Rows, s.element(p.Wire(node*p.K+j)))
	}
	return c
}
