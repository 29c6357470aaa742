package engine

import (
	"slices"

	"ialgn/internal/kernel"
	"ialgn/internal/kernel/shared"
	"ialgn/internal/model"
	"ialgn/internal/topology"
)

// image is where the rows of an image are in an arena: plane by plane, with a border of zeros that the next block pads
// it with.
type image struct {
	at                    int // the first row of the border
	planes, rows, columns int
	border                int
}

// pitch returns the number of rows of the arena from a row of pixels to the next.
func (i *image) pitch() int { return i.columns + 2*i.border }

// plane returns the number of rows of the arena of a plane.
func (i *image) plane() int { return (i.rows + 2*i.border) * i.pitch() }

// size returns the number of float32 of the image.
func (i *image) size() int { return i.planes * i.plane() * shared.Lanes }

// pixel returns where the row of a pixel is.
func (i *image) pixel(plane, row, column int) uint32 {
	return uint32(i.at + (plane*i.plane()+(row+i.border)*i.pitch()+column+i.border)*shared.Lanes)
}

// bit returns where the row of bit n is, counted plane by plane and row by row.
func (i *image) bit(n int) uint32 {
	return i.pixel(n/(i.rows*i.columns), n/i.columns%i.rows, n%i.columns)
}

// level is a section of a block: nodes of the kernels, those of a kernel together.
type level struct {
	section int
	nodes   int         // of a kernel
	list    shared.List // of all kernels, or of one where they are alike
	tables  *nodeTables
	sources []source // by pin

	// What pins read that is gathered in leaves, rows of a chunk: nil, or the candidates by [nodes of all kernels][pins];
	// and where the leaves of a kernel are, by [nodes of a kernel][pins].
	choices []shared.Choice
	leaves  []uint32
}

// block is a convolution: kernels, trees of nodes that read an image, at all positions; or a layer of nodes at one.
type block struct {
	in, out       image
	first         bool // its image is of input bits, which need no gradients
	levels        []level
	kernels       int
	rows, columns int // positions
	pool          int

	// Positions are taken in chunks of whole rows. A row of a chunk begins pitch positions after the one before it.
	chunk, pitch int
	root         uint32 // where the rows of a kernel's outputs are, in a chunk
	alone        bool   // all is one list of nodes at one position
}

// source is what a pin reads: an image, or the level below.
type source struct {
	image    *image         // nil: the level below
	grid     *topology.Grid // of the image's patches; nil: at one position
	gradient bool           // whether the image needs gradients
	gathered bool           // whether what it reads is gathered in leaves
}

// element returns where the row of an element is: of a patch, at the first position.
func (s *source) element(n uint32) uint32 {
	if s.grid == nil {
		return s.image.bit(int(n))
	}
	side := s.grid.Side
	return s.image.pixel(int(n)/(side*side), int(n)/side%side-s.grid.Padding, int(n)%side-s.grid.Padding)
}

// stride returns the number of pixels from one position to the next.
func (s *source) stride() int {
	if s.grid == nil {
		return 1
	}
	return s.grid.Stride
}

// row returns how far the pixels of a row of positions are behind those of the first.
func (s *source) row(y int) uint32 { return uint32(y * s.stride() * s.image.pitch() * shared.Lanes) }

// chunkFloats bounds the rows of a kernel's nodes in a chunk, so that values and gradients of a chunk stay in a cache.
const chunkFloats = 12 << 10

// blocks are a network of convolutions, one after the other.
type blocks []*block

// place gives all rows of a network of convolutions their places in an arena, and returns how large that is.
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
	ends := map[int]bool{} // sections whose bits later ones read, which therefore leave a block
	for i := range m.Sections {
		ends[m.Base(i)] = true
	}
	for from := 0; from < len(m.Sections); {
		to := from + 1
		for to < len(m.Sections) && isLevel(m, to) && !ends[to-1] {
			to++
		}
		b := e.newBlock(in, from, to, &size)
		all, in, from = append(all, b), b.out, to
		e.outs[to-1] = &b.out
	}
	return all, size
}

// inputRows returns where the row of each input bit is in an image.
func (e *sharedEngine) inputRows(in *image) (all []uint32) {
	bits := e.m.Encoder.Bits - 1
	for i := range e.m.Encoder.Inputs() {
		pixel := i / bits
		plane := pixel/(in.rows*in.columns)*bits + i%bits
		all = append(all, in.pixel(plane, pixel/in.columns%in.rows, pixel%in.columns))
	}
	return all
}

// fieldBorder returns how far beyond the edges of the input's image the fields of sections reach, 0 if there are none.
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

// isLevel reports whether section i has the nodes of the next level of the kernels of the section before: each reads
// nodes of that one by itself, at its own position, and else an image.
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

// newBlock returns the block of some sections, which read an image, and gives its rows places from size on.
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

// sources returns what the pins of section i read, a level of a block and above the lowest or not.
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
		// Neighbouring positions must read neighbouring pixels of one image, or all pins are gathered.
		gathered = gathered || from.image != nil && (s.Pins[k].K > 1 || from.grid != nil &&
			(above || from.grid.Stride != 1 || from.image != &b.in))
		all = append(all, from)
	}
	for k := range all {
		all[k].gathered = gathered && all[k].image != nil
	}
	return all
}

// gathers reports whether any pin of the level is gathered.
func (l *level) gathers() bool {
	return slices.ContainsFunc(l.sources, func(s source) bool { return s.gathered })
}

// cut chooses how many rows of positions a chunk has.
func (b *block) cut() {
	rows := 0 // of a kernel, a position
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

// positions returns the number of positions of so many rows, with what is between them.
func (b *block) positions(rows int) int { return (rows-1)*b.pitch + b.columns }

// placeNodes gives the rows of a chunk places and finds those that pins read.
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

// place finds the rows of the level's nodes, of all kernels if they differ. Those of the level below begin at below,
// and a row of a chunk takes run.
func (l *level) place(n *kernel.Nodes, b *block, below, run uint32) {
	own, alike := uint32(0), true // pins that read the level below
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

// choice returns what a pin of a node gathers; nothing if it does not.
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
