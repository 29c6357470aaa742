package kernel

// Layer is one layer of a network whose gates may read any gate of the layer before.
type Layer struct {
	*Gates          // its section
	Index  int      // its place in the section
	Uses   *Uses    // who reads it
	Rows   []uint32 // with relaxed values: where the gradients of its pins stand, [width][2], see [Settle]
}

// gate returns the index of gate i of the layer in the section's arrays.
func (l *Layer) gate(i int) int { return i*l.Layers + l.Index }

// LayerPass computes and updates gates of one layer after another with hard values. It is
// the scratch of one goroutine; the rows and traces are shared.
type LayerPass struct {
	X       []uint64 // the batch's rows
	Below   []uint64 // the rows of the layer before, [width][words]
	Samples int      // of the batch
	Adam    Adam

	words int
	delta []float32 // of one gate, [64 words]
	beta  []float32
	steps Steps
	batch Batch
	fused fusedLayer
}

// NewLayerPass returns a pass with rows of the given number of words and pins of at most k
// candidates.
func NewLayerPass(words, k int) *LayerPass {
	p := &LayerPass{words: words, delta: make([]float32, words*64), beta: make([]float32, words*64)}
	p.steps.grow(k, words)
	return p
}

// Forward writes the bits of the layer's gates from the given one up to another to out,
// the layer's rows.
func (p *LayerPass) Forward(l *Layer, out []uint64, from, to int) {
	if p.fuseForward(l, out, from, to) {
		return
	}
	for i := from; i < to; i++ {
		g := l.gate(i)
		Apply(out[i*p.words:][:p.words], p.source(l.A, i, g), p.source(l.B, i, g), l.Op[g])
	}
}

// source returns the row of what a pin of gate i has selected.
func (p *LayerPass) source(pin *Pin, i, g int) []uint64 {
	rows := p.X
	switch {
	case pin == nil:
		rows = p.Below
	case pin.Hidden:
		rows, i = p.Below, int(pin.Bit[g])
	default:
		i = int(pin.Bit[g])
	}
	return rows[i*p.words:][:p.words]
}

// Update updates the layer's gates from the given one up to another. own gets what the
// layer before needs; next is what the layer above has left or, on the last layer, the
// trace of the classes.
func (p *LayerPass) Update(l *Layer, own, next *Trace, from, to int) {
	if p.fuse(l, own, next, from, to) {
		return
	}
	row, padded := p.words*64, (p.Samples+Lanes-1)/Lanes*Lanes
	delta, beta := p.delta[:padded], p.beta[:padded]
	if l.B.K == 1 {
		beta = nil
	}
	for i := from; i < to; i++ {
		d := own.Delta[i*row:][:padded]
		p.steps.gather(next, d, l.Uses.Of(i), p.words)
		clear(own.Delta[i*row+padded : (i+1)*row]) // for layers that look at whole rows
		copy(delta, d)
		g := l.gate(i)
		a, b := own.Bits[2*i*p.words:][:p.words], own.Bits[(2*i+1)*p.words:][:p.words]
		copy(a, p.source(l.A, i, g))
		copy(b, p.source(l.B, i, g))
		p.steps.Truth(l.Gates, g)
		p.steps.Bins(delta, beta, a, b)
		p.steps.UpdateTruth(&p.Adam, l.Gates, g)
		p.pins(l, own, i, delta, beta)
	}
}

// pins updates the pins of gate i from the gradients of their bits, and leaves in own what
// the gates that they may read need.
func (p *LayerPass) pins(l *Layer, own *Trace, i int, delta, beta []float32) {
	g, t := l.gate(i), &p.steps.t
	slotsA, slotsB := l.Slots()
	coef := own.Coef[2*i*(slotsA+slotsB):][:2*(slotsA+slotsB)]
	p.pin(l.B, g, beta)
	p.shares(coef[2*slotsA:], l.B, [2]float32{t[1] - t[0], t[3] - t[2]})
	if l.A != nil {
		p.pin(l.A, g, delta)
	}
	p.shares(coef[:2*slotsA], l.A, [2]float32{t[2] - t[0], t[3] - t[1]})
}

func (p *LayerPass) pin(pin *Pin, g int, grad []float32) {
	p.batch = Batch{p.X, p.words, p.Samples}
	if pin.Hidden {
		p.batch.X = p.Below
	}
	p.steps.UpdatePin(&p.Adam, pin, g, &p.batch, grad)
}

// shares writes the derivatives for the slots of a pin that was just updated, given that by
// the pin's value.
func (p *LayerPass) shares(coef []float32, pin *Pin, c [2]float32) {
	if pin == nil || pin.K == 1 {
		copy(coef, c[:])
		return
	}
	for j := range len(coef) / 2 {
		q := p.steps.q[j]
		coef[2*j], coef[2*j+1] = float32(q*c[0]), float32(q*c[1])
	}
}

// gather is [Trace.gather] by the path in use.
func (s *Steps) gather(t *Trace, dst []float32, edges []Edge, words int) {
	f := vectors()
	if f == nil || len(edges) == 0 {
		t.gather(dst, edges, words)
		return
	}
	edges = edges[:len(edges)+edgesAhead]
	f.gather(&dst[0], &t.Delta[0], &t.Bits[0], &t.Coef[0], &edges[0].Pin, len(edges)-edgesAhead, len(dst)/Lanes, words)
}
