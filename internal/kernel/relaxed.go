package kernel

// RelaxedPass is a [LayerPass] with relaxed values. The relaxed value of a pin is the mean of its candidates. The
// output of a gate is the mean of its operations on the relaxed values of the pins. The update uses the exact
// gradient of this function, which the paper calls the raw relaxed gradient.
type RelaxedPass struct {
	X       []uint64  // the batch's rows of bits
	Below   []float32 // the rows of the previous layer, [width][row]
	Samples int       // samples in the batch
	Adam    Adam

	// If Straight is true, updates use the bits that pins have chosen as the pins' values. Gradients then pass
	// straight through the choice. Straight must be true for layers whose values [RelaxedPass.Hard] computed.
	Straight bool

	words int
	delta []float32     // gradient of the current gate's output, [row]
	pins  [2]relaxedPin // pins A and B of the current gate
	steps Steps
	batch Batch
	ahead fetcher
}

// relaxedPin is the state of a pin of the current gate.
type relaxedPin struct {
	choice
	value []float32 // room for the pin's value, [row]; unused if the value is a row of the previous layer
	grad  []float32 // gradient of the value, [row]; unused if the gradient goes to the trace for the layer below
}

// NewRelaxedPass returns a pass for rows of the given number of words and pins of at most k candidates.
func NewRelaxedPass(words, k int) *RelaxedPass {
	p := &RelaxedPass{words: words, delta: make([]float32, words*64)}
	for i := range p.pins {
		p.pins[i] = relaxedPin{newChoice(k), make([]float32, words*64), make([]float32, words*64)}
	}
	p.steps.grow(k, words)
	return p
}

func (p *RelaxedPass) padded() int { return (p.Samples + Lanes - 1) / Lanes * Lanes }

// Forward writes the values of the layer's gates in the range [from, to) to out, the layer's rows.
func (p *RelaxedPass) Forward(l *Layer, out []float32, from, to int) {
	p.batch = Batch{p.X, p.words, p.Samples}
	n, row := p.padded(), p.words*64
	p.ahead.reset()
	p.ahead.gates(l, false)
	p.ahead.rows(out, row, n)
	if l.A == nil {
		p.ahead.rows(p.Below, row, n)
	}
	for i := from; i < to; i++ {
		p.ahead.fetch(i + gatesAhead)
		if i+rowsGatesAhead < to {
			p.fetchRows(l, i+rowsGatesAhead)
		}
		g := l.gate(i)
		a, b := p.value(0, l.A, i, g), p.value(1, l.B, i, g)
		p.steps.Truth(l.Gates, g)
		p.steps.mix(out[i*row:][:n], a, b)
	}
}

// These constants say how many gates ahead data are prefetched. The first constant is for a gate's own arrays. The
// second constant is for the rows that the gate's wires lead to.
const (
	gatesAhead     = 3
	rowsGatesAhead = 2
)

// fetchRows prefetches the rows of values that gate i reads through pins with a single candidate.
func (p *RelaxedPass) fetchRows(l *Layer, i int) {
	for _, pin := range []*Pin{l.A, l.B} {
		if pin != nil && pin.K == 1 && pin.Hidden {
			p.ahead.row(p.Below[int(pin.Bit[l.gate(i)])*p.words*64:][:p.padded()])
		}
	}
}

// value returns the relaxed value of a pin of gate i. An update computes the value again instead of keeping the value
// from the forward pass. Keeping the values would make a step of a network of 12,000 x 20 with 32 candidates take a
// fifth more time. It would also double the memory for rows.
func (p *RelaxedPass) value(which int, pin *Pin, i, g int) []float32 {
	v := p.steps.relax(&p.pins[which], pin, i, g, p.padded(), p.Below, &p.batch)
	if p.Straight {
		v = p.steps.chosen(&p.pins[which], pin, i, g, p.padded(), p.Below, &p.batch)
	}
	return v
}

// relax returns the relaxed value of a pin of gate i, for n samples of a batch. If the pin has one candidate in the
// previous layer, this is a row of that layer. Otherwise relax computes the mean of the candidates in own. The gate's
// index in the section's arrays is g.
func (s *Steps) relax(own *relaxedPin, pin *Pin, i, g, n int, below []float32, batch *Batch) []float32 {
	if pin == nil || pin.K == 1 {
		return s.chosen(own, pin, i, g, n, below, batch)
	}
	at, to := g*pin.K, (g+1)*pin.K
	s.selection(own.q, pin.W[at:to], pin.Top[g])
	s.mean(own.value[:n], &own.choice, pin.K, pin.wires(at, to), pin.rows(below), batch)
	return own.value[:n]
}

// rows returns the rows of values that the pin reads, or nil if it reads bits.
func (p *Pin) rows(below []float32) []float32 {
	if p.Hidden {
		return below
	}
	return nil
}

// Update does for relaxed values what [LayerPass.Update] does for hard values.
func (p *RelaxedPass) Update(l *Layer, own, next *Trace, top func(i int) []float32, from, to int) {
	p.batch = Batch{p.X, p.words, p.Samples}
	n, row := p.padded(), p.words*64
	p.ahead.reset()
	p.ahead.gates(l, true)
	if l.A == nil {
		p.ahead.rows(p.Below, row, n)
	}
	for i := from; i < to; i++ {
		p.ahead.fetch(i + gatesAhead)
		if i+rowsGatesAhead < to {
			p.fetchRows(l, i+rowsGatesAhead)
			if next != nil {
				p.ahead.edges(next, l.Uses.Of(i+rowsGatesAhead), row, n)
			}
		}
		delta := p.delta[:n]
		if next == nil {
			delta = top(i)[:n]
		} else {
			p.steps.gatherRelaxed(next, delta, l.Uses.Of(i), row)
		}
		p.update(l, own, i, delta)
	}
}

// update updates gate i from the gradient of its output.
func (p *RelaxedPass) update(l *Layer, own *Trace, i int, delta []float32) {
	g, n, row := l.gate(i), p.padded(), p.words*64
	slotsA, slotsB := l.Slots()
	alpha, beta := p.pins[0].grad[:n], p.pins[1].grad[:n]
	if slotsA > 0 {
		alpha = own.Pins[int(l.Rows[2*i])*row:][:n]
	}
	if slotsB > 0 {
		beta = own.Pins[int(l.Rows[2*i+1])*row:][:n]
	}
	a, b := p.value(0, l.A, i, g), p.value(1, l.B, i, g)
	p.steps.Truth(l.Gates, g)
	p.steps.relaxedBins(alpha, beta, delta, a, b)
	p.steps.UpdateTruth(&p.Adam, l.Gates, g)
	share := own.Share[i*(slotsA+slotsB):][:slotsA+slotsB]
	p.pin(share[:slotsA], 0, l.A, g, alpha)
	p.pin(share[slotsA:], 1, l.B, g, beta)
}

// pin updates a pin from the gradient of the pin's value. It writes the probabilities of hidden candidates to share.
func (p *RelaxedPass) pin(share []float32, which int, pin *Pin, g int, grad []float32) {
	if pin == nil || pin.K == 1 {
		for i := range share {
			share[i] = 1
		}
		return
	}
	c, at, to := &p.pins[which].choice, g*pin.K, (g+1)*pin.K
	wires := pin.wires(at, to)
	p.steps.sums(c, pin.K, wires, pin.rows(p.Below), &p.batch, grad)
	arg, top := p.steps.selectStep(&p.Adam, pin.W[at:to], pin.M[at:to], pin.V[at:to], c)
	pin.Bit[g], pin.Top[g] = pin.Wire(at+arg), top
	copy(share, c.q)
}
