package engine

import (
	"slices"

	"ialgn/internal/kernel/shared"
)

// counted implements [course]. No convolution reads the last image, so it has no border and no gaps between its rows.
func (all blocks) counted() uint32 { return uint32(all[len(all)-1].out.at) }

// forward implements [course].
func (all blocks) forward(x []float32) {
	for _, b := range all {
		b.forward(x)
	}
}

// clear implements [course].
func (all blocks) clear(g []float32) {
	for _, b := range all {
		clear(g[b.out.at:][:b.out.size()])
	}
}

// backward implements [course].
func (all blocks) backward(x, g []float32, s *sums, trained int) {
	for _, b := range slices.Backward(all) {
		if b.top() >= trained {
			b.backward(x, g, s)
		}
	}
}

// forward computes the block's outputs from its image.
func (b *block) forward(x []float32) {
	if b.alone {
		l := &b.levels[0]
		shared.Forward(x, &l.list, l.tables.forward, 1, shared.Shift{})
		return
	}
	for k := range b.kernels {
		for y := 0; y < b.used(); y += b.chunk {
			rows := min(b.chunk, b.used()-y)
			b.kernel(x, k, y, rows)
			b.emit(x, k, y, rows)
		}
	}
}

// top returns the number of the block's last section.
func (b *block) top() int { return b.levels[len(b.levels)-1].section }

// used returns the number of rows of positions that reach the output. Pooling drops an incomplete last row.
func (b *block) used() int { return b.rows / b.pool * b.pool }

// kernel computes the nodes of a kernel at all positions of some rows.
func (b *block) kernel(x []float32, k, y, rows int) {
	n := b.positions(rows)
	for i := range b.levels {
		l := &b.levels[i]
		b.gather(l, x, k, y, rows)
		list := l.of(k)
		shared.Forward(x, &list, l.tables.forward[k*l.nodes<<list.Pins:], n, b.shift(l, i, y))
	}
}

// shift returns the offset at which the nodes of a level read the image, for a chunk that begins at row y. If the
// nodes do not read the image directly, the offset is zero.
func (b *block) shift(l *level, i, y int) (at shared.Shift) {
	if i == 0 && l.choices == nil {
		at.In = l.sources[0].row(y)
	}
	return at
}

// of returns the nodes of kernel k.
func (l *level) of(k int) shared.List {
	if l.list.Len() == l.nodes {
		return l.list
	}
	return l.list.Slice(k*l.nodes, (k+1)*l.nodes)
}

// emit pools the outputs of a kernel and writes them to the block's output image.
func (b *block) emit(x []float32, k, y, rows int) {
	if b.pool == 2 {
		for r := 0; r < rows; r += 2 {
			p := b.pooling(k, y, r)
			p.Forward(x)
		}
		return
	}
	for r := range rows {
		from := int(b.root) + r*b.pitch*shared.Lanes
		copy(x[b.out.pixel(k, y+r, 0):], x[from:from+b.columns*shared.Lanes])
	}
}

// pooling returns the pooling of row r and the next row of a chunk. The chunk begins at row y.
func (b *block) pooling(k, y, r int) shared.Pool {
	pitch := uint32(b.pitch * shared.Lanes)
	return shared.Pool{In: b.root + uint32(r)*pitch, Out: b.out.pixel(k, (y+r)/2, 0), Pitch: pitch, Width: b.out.columns}
}

// gather writes the values that the leaves of a kernel's level read at some rows of positions.
func (b *block) gather(l *level, x []float32, k, y, rows int) {
	for j := range l.choices[:min(len(l.choices), len(l.leaves))] {
		pins := len(l.sources)
		n, from := k*l.nodes+j/pins, &l.sources[j%pins]
		if !from.gathered {
			continue
		}
		c := &l.choices[n*pins+j%pins]
		for r := range rows {
			to, in := l.leaves[j]+uint32(r*b.pitch*shared.Lanes), from.row(y+r)
			switch q := l.tables.q[j%pins]; {
			case q == nil:
				c.Select(x, 0, to, b.columns, in)
			case l.tables.relaxed:
				c.Mean(x, q[n*len(c.Rows):], to, b.columns, in)
			default:
				c.Select(x, int(l.tables.selected[j%pins][n]), to, b.columns, in)
			}
		}
	}
}

// backward passes the gradients of the block's outputs on to its input image and adds to the sums of its nodes.
func (b *block) backward(x, g []float32, s *sums) {
	do := shared.Added
	if b.first {
		do = shared.Dropped
	}
	if b.alone {
		l := &b.levels[0]
		shared.Backward(x, g, &l.list, l.list.Wires, l.tables.slopes, s.lines[l.section], 1, shared.Shift{}, do)
		return
	}
	for k := range b.kernels {
		for y := 0; y < b.used(); y += b.chunk {
			rows := min(b.chunk, b.used()-y)
			b.kernel(x, k, y, rows)
			b.absorb(x, g, k, y, rows)
			b.kernelBack(x, g, s, k, y, rows, do)
		}
	}
}

// absorb reads the gradients of a kernel's outputs from the block's output image.
func (b *block) absorb(x, g []float32, k, y, rows int) {
	if b.pool == 2 {
		for r := 0; r < rows; r += 2 {
			p := b.pooling(k, y, r)
			p.Backward(x, g, g)
		}
		return
	}
	for r := range rows {
		from := int(b.out.pixel(k, y+r, 0))
		copy(g[int(b.root)+r*b.pitch*shared.Lanes:], g[from:from+b.columns*shared.Lanes])
	}
}

// kernelBack passes the gradients of a kernel's outputs on to its leaves.
func (b *block) kernelBack(x, g []float32, s *sums, k, y, rows int, do shared.Gradients) {
	n := b.positions(rows)
	for i := len(b.levels) - 1; i >= 0; i-- {
		l, what := &b.levels[i], shared.Stored
		if i == 0 && l.choices == nil {
			what = do
		}
		list := l.of(k)
		from := k * l.nodes << list.Pins
		shared.Backward(x, g, &list, list.Wires, l.tables.slopes[from:], s.lines[l.section][from:], n, b.shift(l, i, y), what)
		b.scatter(l, x, g, s, k, y, rows)
	}
}

// scatter passes on the gradients of the leaves of a kernel's level. It adds to the sums of the candidates of each
// leaf, and to the gradients of the images that contain the candidates.
func (b *block) scatter(l *level, x, g []float32, s *sums, k, y, rows int) {
	one := []float32{1}
	for j := range l.choices[:min(len(l.choices), len(l.leaves))] {
		pins := len(l.sources)
		n, of, q := k*l.nodes+j/pins, &l.sources[j%pins], one
		if !of.gathered {
			continue
		}
		c := &l.choices[n*pins+j%pins]
		if all := l.tables.q[j%pins]; all != nil {
			q = all[n*len(c.Rows):][:len(c.Rows)]
		}
		for r := range rows {
			from, in := l.leaves[j]+uint32(r*b.pitch*shared.Lanes), of.row(y+r)
			if len(q) > 1 {
				c.Sums(s.chosen[l.section][j%pins][n*len(q):][:len(q)], x, g, from, b.columns, in)
				s.scores.take(l.section, n, j%pins, s.unit, (y+r)*b.columns, b.columns, g[from:])
			}
			if of.gradient {
				c.Spread(g, q, from, b.columns, in)
			}
		}
	}
}
