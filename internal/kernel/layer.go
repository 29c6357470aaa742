package kernel

// Layer is one layer of a network whose gates may read any gate of the previous layer.
type Layer struct {
	*Gates          // the section that the layer belongs to
	Index  int      // index of the layer in its section
	Uses   *Uses    // edges to the gates that read the layer
	Rows   []uint32 // used with relaxed values: index of the row for each pin's gradient, [width][2], see [Settle]
}

// gate returns the index of gate i of the layer in the section's arrays.
func (l *Layer) gate(i int) int { return i*l.Layers + l.Index }

// LayerPass computes and updates gates with hard values, one layer after another. It is the scratch memory of one
// goroutine. All goroutines share the rows and the traces.
type LayerPass struct {
	X       []uint64 // the batch's rows
	Below   []uint64 // the rows of the previous layer, [width][words]
	Samples int      // samples in the batch
	Adam    Adam

	words int
	row   int       // elements in a row of delta and of beta: 64*words and a padding of zeros
	delta []float32 // gradients of a block's gates, later gradients of their pins A, [stepGates][row]
	beta  []float32 // gradients of the pins B
	steps [stepGates]Steps
	batch Batch
	fused fusedLayer
	ahead lookahead
}

// stepGates is the number of gates in a block. All gates of a block go through one step before the next step begins.
// The steps of one gate depend on each other, but the steps of different gates can overlap.
const stepGates = 16

// blockSteps is the number of times that a [lookahead] prefetches during a block. Each time is after a step of the
// block.
const blockSteps = 3

// NewLayerPass returns a pass for rows of the given number of words and pins of at most k candidates.
func NewLayerPass(words, k int) *LayerPass {
	row := words*64 + gradientRow - fusedSamples
	p := &LayerPass{words: words, row: row, delta: make([]float32, stepGates*row), beta: make([]float32, stepGates*row)}
	for j := range p.steps {
		p.steps[j].grow(k, words)
		p.steps[j].vector = p.steps[0].vector // shared, because it keeps no data between steps
	}
	return p
}

// Forward writes the bits of the layer's gates in the range [from, to) to out, the layer's rows.
func (p *LayerPass) Forward(l *Layer, out []uint64, from, to int) {
	if p.fuseForward(l, out, from, to) {
		return
	}
	for i := from; i < to; i++ {
		g := l.gate(i)
		Apply(out[i*p.words:][:p.words], p.source(l.A, i, g), p.source(l.B, i, g), l.Op[g])
	}
}

// source returns the row that a pin of gate i has selected.
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

// Update updates the layer's gates in the range [from, to). It fills own, the trace for the previous layer. The trace
// next comes from the update of the following layer. For the last layer, next is the trace of the classes.
func (p *LayerPass) Update(l *Layer, own, next *Trace, from, to int) {
	if p.fuse(l, own, next, from, to) {
		return
	}
	at, end := l.block(0, from, to)
	for n := 1; at < end; n++ {
		p.gather(l, own, next, at, end)
		after, afterEnd := l.block(n, from, to)
		p.ahead.begin(l, next, after, afterEnd)
		p.block(l, own, at, end)
		at, end = after, afterEnd
	}
}

// block returns the range of gates in block n. The blocks divide the gates in the range [from, to). After the last
// block, the result is an empty range. Without relaxed pins, blocks are in ascending order, because gather prefetches
// the following gates. With relaxed pins, blocks are in descending order, because the kernels of relaxed pins
// prefetch the preceding gates.
func (l *Layer) block(n, from, to int) (int, int) {
	if n *= stepGates; n >= to-from {
		return to, to
	}
	if l.B.K > 1 || l.A != nil && l.A.K > 1 {
		return max(from, to-n-stepGates), to - n
	}
	return from + n, min(from+n+stepGates, to)
}

// gather gathers the gradients of the outputs of a block of gates, and copies the values of their pins.
func (p *LayerPass) gather(l *Layer, own, next *Trace, from, to int) {
	row, padded := p.words*64, p.padded()
	for i := from; i < to; i++ {
		d := own.Delta[i*row:][:row]
		clear(d[padded:]) // the layer below reads whole rows, so the values after the samples must be zero
		p.steps[0].gather(next, d[:padded], l.Uses.Of(i), p.words)
		g := l.gate(i)
		copy(own.Bits[2*i*p.words:][:p.words], p.source(l.A, i, g))
		copy(own.Bits[(2*i+1)*p.words:][:p.words], p.source(l.B, i, g))
	}
}

func (p *LayerPass) padded() int { return (p.Samples + Lanes - 1) / Lanes * Lanes }

// block takes a block of gates through the steps.
func (p *LayerPass) block(l *Layer, own *Trace, from, to int) {
	row, padded := p.words*64, p.padded()
	for i := from; i < to; i++ {
		p.ahead.some(padded/Lanes, p.words)
		p.steps[i-from].Truth(l.Gates, l.gate(i))
	}
	for i := from; i < to; i++ {
		delta, beta := p.delta[(i-from)*p.row:][:p.row], []float32(nil)
		clear(delta[copy(delta, own.Delta[i*row:][:padded]):])
		if l.B.K > 1 {
			beta = p.beta[(i-from)*p.row:][:p.row]
			clear(beta[padded:])
			beta = beta[:padded]
		}
		p.ahead.some(padded/Lanes, p.words)
		p.steps[i-from].Bins(delta[:padded], beta, own.Bits[2*i*p.words:][:p.words], own.Bits[(2*i+1)*p.words:][:p.words])
	}
	for i := from; i < to; i++ {
		p.ahead.some(padded/Lanes, p.words)
		p.steps[i-from].UpdateTruth(&p.Adam, l.Gates, l.gate(i))
	}
	p.pins(l, own, from, to)
}

// pins updates the pins of a block of gates from the gradients of their bits. It fills own, the trace for the layer
// before.
func (p *LayerPass) pins(l *Layer, own *Trace, from, to int) {
	slotsA, slotsB := l.Slots()
	slots := 2 * (slotsA + slotsB)
	p.pin(l, l.B, from, to, p.beta)
	for i := from; i < to; i++ {
		s := &p.steps[i-from]
		s.shares(own.Coef[slots*i:][2*slotsA:slots], l.B, [2]float32{s.t[1] - s.t[0], s.t[3] - s.t[2]})
	}
	p.pin(l, l.A, from, to, p.delta)
	for i := from; i < to; i++ {
		s := &p.steps[i-from]
		s.shares(own.Coef[slots*i:][:2*slotsA], l.A, [2]float32{s.t[2] - s.t[0], s.t[3] - s.t[1]})
	}
}

// pin updates one pin of a block of gates. The probabilities stay in the field q of each gate's Steps.
func (p *LayerPass) pin(l *Layer, pin *Pin, from, to int, grads []float32) {
	if pin == nil || pin.K == 1 {
		return
	}
	p.batch = Batch{p.X, p.words, p.Samples}
	if pin.Hidden {
		p.batch.X = p.Below
	}
	if p.fusePin(l, pin, from, to, grads) {
		return
	}
	for i := from; i < to; i++ {
		p.steps[i-from].sumPin(pin, l.gate(i), &p.batch, grads[(i-from)*p.row:][:p.padded()])
	}
	for i := from; i < to; i++ {
		p.steps[i-from].stepPin(&p.Adam, pin, l.gate(i), &p.batch)
	}
}

// shares writes the derivatives for the slots of a pin that was just updated. The array c holds the derivative of the
// gate's output with respect to the pin's value. The element c[0] is for samples in which the gate's other pin is 0,
// and c[1] is for samples in which the other pin is 1.
func (s *Steps) shares(coef []float32, pin *Pin, c [2]float32) {
	if pin == nil || pin.K == 1 {
		copy(coef, c[:])
		return
	}
	for j := range len(coef) / 2 {
		q := s.q[j]
		coef[2*j], coef[2*j+1] = float32(q*c[0]), float32(q*c[1])
	}
}

// gather is [Trace.gather] on the SIMD path in use.
func (s *Steps) gather(t *Trace, dst []float32, edges []Edge, words int) {
	f := vectors()
	if f == nil || len(edges) == 0 {
		t.gather(dst, edges, words)
		return
	}
	edges = edges[:len(edges)+edgesAhead]
	f.gather(&dst[0], &t.Delta[0], &t.Bits[0], &t.Coef[0], &edges[0].Pin, len(edges)-edgesAhead, len(dst)/Lanes, words)
}
