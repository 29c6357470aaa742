package engine

import (
	"ialgn/trainer/kernel"
	"ialgn/trainer/kernel/shared"
	"ialgn/trainer/model"
	"ialgn/trainer/topology"
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
	list    shared.List // of the lowest level: those of all kernels; of others: of one, for they are alike
	tables  *nodeTables
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

	// A pin of the lowest level reads the image itself, if none has a choice and neighbouring positions read neighbouring
	// pixels; otherwise what it reads is gathered in leaves, and choices has its candidates, [nodes][pins], which are of
	// the pin's source.
	choices []shared.Choice
	sources []source // by pin
	soft    bool

	alone bool // all is one list of nodes at one position
}

// source is what a pin's candidates are of.
type source struct {
	image    *image
	stride   int
	gradient bool // whether it needs gradients
}

// row returns how far the pixels of a row of positions are behind those of the first.
func (s *source) row(y int) uint32 { return uint32(y * s.stride * s.image.pitch() * shared.Lanes) }

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
	for from := 0; from < len(m.Sections); {
		to := from + 1
		for to < len(m.Sections) && isLevel(m, to) {
			to++
		}
		b := e.newBlock(in, from, to, &size)
		all, in, from = append(all, b), b.out, to
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
// nodes of that one by itself, at its own position.
func isLevel(m *model.Model, i int) bool {
	s, before := &m.Sections[i], &m.Sections[i-1]
	if s.Grid == nil || s.Grid.Side != 1 || s.Grid.Stride != 1 || before.Grid.Pool != 1 ||
		before.Width != s.Width*len(s.Pins) {
		return false
	}
	for k := range s.Pins {
		if s.Pins[k].K != 1 {
			return false
		}
		for n := range s.Width {
			if int(s.Pins[k].Wires.At(n)) != n*len(s.Pins)+k {
				return false
			}
		}
	}
	return true
}

// newBlock returns the block of some sections, which read an image, and gives its rows places from size on.
func (e *sharedEngine) newBlock(in image, from, to int, size *int) *block {
	first, last := &e.m.Sections[from], &e.m.Sections[to-1]
	g := first.Grid
	if g == nil {
		g = &topology.Grid{Side: 1, Stride: 1, Pool: 1, Planes: in.planes, Rows: 1, Columns: 1}
	}
	b := &block{in: in, first: from == 0, kernels: last.Width, pool: 1, soft: e.soft}
	b.rows, b.columns = g.Size()
	if last.Grid != nil {
		b.pool = last.Grid.Pool
	}
	b.out = image{at: *size, planes: last.Width, rows: b.rows / b.pool, columns: b.columns / b.pool}
	if to < len(e.m.Sections) && e.m.Sections[to].Grid != nil {
		b.out.border = e.m.Sections[to].Grid.Padding
	}
	*size += b.out.size()
	gathered := g.Stride != 1 || g.Field != nil
	for k := range first.Pins {
		from := source{&b.in, g.Stride, !b.first}
		if first.Pins[k].Source == model.Input && !b.first {
			from = source{&e.field, g.Field.Stride, false}
		}
		b.sources = append(b.sources, from)
	}
	for k := range first.Pins {
		gathered = gathered || first.Pins[k].K > 1
	}
	if b.pitch = in.pitch(); gathered {
		b.pitch = b.columns
	}
	if b.alone = first.Grid == nil && !gathered; b.alone {
		b.pitch = 1
	}
	b.cut(to-from, len(first.Pins), gathered)
	for i := from; i < to; i++ {
		b.levels = append(b.levels, level{section: i, nodes: e.m.Sections[i].Width / b.kernels, tables: e.tables[i]})
	}
	b.placeNodes(e.sections, e.m, g, gathered, size)
	return b
}

// cut chooses how many rows of positions a chunk has, for kernels of so many levels of nodes with so many pins.
func (b *block) cut(levels, pins int, gathered bool) {
	rows, n := 0, 1 // of a kernel, a position
	for range levels {
		rows += n
		n *= pins
	}
	if gathered {
		rows += n
	}
	for b.chunk = b.pool; b.chunk+b.pool <= b.rows &&
		b.positions(b.chunk+b.pool)*rows*shared.Lanes <= chunkFloats; b.chunk += b.pool {
	}
}

// positions returns the number of positions of so many rows, with what is between them.
func (b *block) positions(rows int) int { return (rows-1)*b.pitch + b.columns }

// placeNodes gives the rows of a chunk places and finds those that pins read.
func (b *block) placeNodes(sections []*kernel.Nodes, m *model.Model, g *topology.Grid, gathered bool, size *int) {
	run := b.positions(b.chunk) * shared.Lanes
	take := func(n int) uint32 {
		at := *size
		*size += n * run
		return uint32(at)
	}
	low := sections[b.levels[0].section]
	pins := len(low.Pins)
	leaves := uint32(0)
	if gathered {
		leaves = take(b.levels[0].nodes * pins)
	}
	below := uint32(0)
	for i := range b.levels {
		l := &b.levels[i]
		l.list.Pins = pins
		at := take(l.nodes)
		if b.root = at; i > 0 {
			for n := range uint32(l.nodes) {
				l.list.Out = append(l.list.Out, at+n*uint32(run))
				for k := range uint32(pins) {
					l.list.Wires = append(l.list.Wires, below+(n*uint32(pins)+k)*uint32(run))
				}
			}
		} else {
			b.placeLowest(low, m, g, leaves, at, uint32(run), gathered)
		}
		below = at
	}
}

// placeLowest places the nodes of the lowest level of all kernels.
func (b *block) placeLowest(low *kernel.Nodes, m *model.Model, g *topology.Grid, leaves, at, run uint32, gathered bool) {
	l := &b.levels[0]
	element := func(_ int, n uint32) uint32 { return b.in.bit(int(n)) }
	if s := &m.Sections[l.section]; s.Grid != nil {
		element = func(pin int, n uint32) uint32 { // of a patch, at the first position
			of := g.Of(s.Pins[pin].Source)
			area := of.Side * of.Side
			return b.sources[pin].image.pixel(int(n)/area, int(n)/of.Side%of.Side-of.Padding, int(n)%of.Side-of.Padding)
		}
	}
	for n := range low.Width {
		own := uint32(n % l.nodes)
		if b.alone {
			l.list.Out = append(l.list.Out, b.out.bit(n))
		} else {
			l.list.Out = append(l.list.Out, at+own*run)
		}
		for k, p := range low.Pins {
			if !gathered {
				l.list.Wires = append(l.list.Wires, element(k, p.Wire(n)))
				continue
			}
			l.list.Wires = append(l.list.Wires, leaves+(own*uint32(len(low.Pins))+uint32(k))*run)
			c := shared.Choice{Step: uint32(b.sources[k].stride * shared.Lanes)}
			for j := range p.K {
				c.Rows = append(c.Rows, element(k, p.Wire(n*p.K+j)))
			}
			b.choices = append(b.choices, c)
		}
	}
}
