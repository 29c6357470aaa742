package kernel

// RelaxedPass is [LayerPass] with relaxed values: the output of a gate is the mean of its
// operations on what its pins are relaxed to, the mean of their candidates. It updates
// with the gradient of just that (the raw relaxed gradient of the paper).
type RelaxedPass struct {
	X       []uint64  // the batch's rows of bits
	Below   []float32 // the rows of the layer before, [width][row]
	Samples int       // of the batch
	Adam    Adam

	words int
	a, b  []float32 // the pins' values of one gate, [row]
	steps Steps
	batch Batch
}

// NewRelaxedPass returns a pass with rows of the given number of words and pins of at most
// k candidates.
func NewRelaxedPass(words, k int) *RelaxedPass {
	row := words * 64
	p := &RelaxedPass{words: words, a: make([]float32, row), b: make([]float32, row)}
	p.steps.grow(k, words)
	return p
}

func (p *RelaxedPass) padded() int { return (p.Samples + Lanes - 1) / Lanes * Lanes }

// Forward writes the values of the layer's gates from the given one up to another to out,
// the layer's rows.
func (p *RelaxedPass) Forward(l *Layer, out []float32, from, to int) {
	n := p.padded()
	for i := from; i < to; i++ {
		g := l.gate(i)
		a, b := p.value(p.a[:n], l.A, i, g), p.value(p.b[:n], l.B, i, g)
		p.steps.Truth(l.Gates, g)
		p.steps.mix(out[i*p.words*64:][:n], a, b)
	}
}

// value returns what a pin of gate i is relaxed to, in dst or where it stands. Selection
// probabilities, if there are any, are left in q.
func (p *RelaxedPass) value(dst []float32, pin *Pin, i, g int) []float32 {
	row := p.words * 64
	switch {
	case pin == nil:
		return p.Below[i*row:][:len(dst)]
	case pin.K == 1 && pin.Hidden:
		return p.Below[int(pin.Bit[g])*row:][:len(dst)]
	case pin.K == 1:
		p.steps.spread(dst, p.X[int(pin.Bit[g])*p.words:][:p.words])
		return dst
	}
	at, to := g*pin.K, (g+1)*pin.K
	q := p.steps.q[:pin.K]
	p.steps.selection(q, pin.W[at:to], pin.Top[g])
	if pin.Hidden {
		p.steps.meanRows(dst, q, p.Below, row, pin.wires(at, to))
	} else {
		p.batch = Batch{p.X, p.words, p.Samples}
		p.steps.meanBits(dst, q, &p.batch, pin.wires(at, to))
	}
	return dst
}

// Update is [LayerPass.Update].
func (p *RelaxedPass) Update(l *Layer, own, next *Trace, top func(i int) []float32, from, to int) {
	n, row := p.padded(), p.words*64
	for i := from; i < to; i++ {
		alpha, beta := own.Pins[2*i*row:][:n], own.Pins[(2*i+1)*row:][:n]
		if next == nil {
			copy(alpha, top(i))
		} else {
			p.steps.gatherRelaxed(next, alpha, l.Uses.Of(i), row)
		}
		g := l.gate(i)
		a, b := p.value(p.a[:n], l.A, i, g), p.value(p.b[:n], l.B, i, g)
		p.steps.Truth(l.Gates, g)
		p.steps.relaxedBins(alpha, beta, a, b)
		p.steps.UpdateTruth(&p.Adam, l.Gates, g)
		slotsA, slotsB := l.Slots()
		share := own.Share[i*(slotsA+slotsB):][:slotsA+slotsB]
		p.pin(share[slotsA:], l.B, g, beta)
		p.pin(share[:slotsA], l.A, g, alpha)
	}
}

// pin updates a pin from the gradient of its value and leaves the probabilities of hidden
// candidates in share.
func (p *RelaxedPass) pin(share []float32, pin *Pin, g int, grad []float32) {
	switch {
	case pin == nil || pin.K == 1:
		for i := range share {
			share[i] = 1
		}
		return
	case pin.Hidden:
		at, to := g*pin.K, (g+1)*pin.K
		arg, top := p.steps.updateRows(&p.Adam, pin.W[at:to], pin.M[at:to], pin.V[at:to], pin.Top[g], p.Below, p.words*64, pin.wires(at, to), grad)
		pin.Bit[g], pin.Top[g] = pin.Wire(at+arg), top
	default:
		p.batch = Batch{p.X, p.words, p.Samples}
		p.steps.UpdatePin(&p.Adam, pin, g, &p.batch, grad)
	}
	copy(share, p.steps.q)
}
