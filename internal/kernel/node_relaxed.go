package kernel

// RelaxedNodePass is a [NodePass] with relaxed values. The relaxed value of a pin is the mean of its candidates. The
// output of a node is the mean of its table's lines, weighted by the relaxed values of the pins. The update uses the
// exact gradient of this function.
type RelaxedNodePass struct {
	X       []uint64  // the batch's rows of bits
	Below   []float32 // the rows of the previous layer, [width][row]
	Samples int       // samples in the batch
	Adam    Adam

	Straight bool // see [RelaxedPass]

	words int
	steps Steps
	batch Batch
	delta []float32

	// State of the current node.
	t, slope [maxLines]float32
	operate  [Ops]float32
	pins     [MaxPins]relaxedPin
	values   [MaxPins][]float32
	sums     [maxLines][Lanes]float32
}

// NewRelaxedNodePass returns a pass for rows of the given number of words and pins of at most k candidates.
func NewRelaxedNodePass(words, k int) *RelaxedNodePass {
	n := words * 64
	p := &RelaxedNodePass{words: words, delta: make([]float32, n)}
	for i := range p.pins {
		p.pins[i] = relaxedPin{newChoice(k), make([]float32, n), make([]float32, n)}
	}
	p.steps.grow(k, words)
	return p
}

func (p *RelaxedNodePass) padded() int { return (p.Samples + Lanes - 1) / Lanes * Lanes }

// Forward writes the values of the layer's nodes in the range [from, to) to out, the layer's rows.
func (p *RelaxedNodePass) Forward(l *NodeLayer, out []float32, from, to int) {
	n, row := p.padded(), p.words*64
	for i := from; i < to; i++ {
		p.begin(l, i)
		var levels [2 * maxLines]float32
		for s := range n {
			out[i*row+s] = p.reduce(&levels, len(l.Pins), s)
		}
	}
}

// begin computes the truth values of node i and the values of its pins.
func (p *RelaxedNodePass) begin(l *NodeLayer, i int) {
	g := l.node(i)
	p.batch = Batch{p.X, p.words, p.Samples}
	w := l.W[g*l.Arity:][:l.Arity]
	if l.operations() {
		quad := Operations(&p.operate, (*[Ops]float32)(w), l.Top[g])
		copy(p.t[:], quad[:])
	} else {
		sigmoids(p.t[:], p.slope[:], w)
	}
	for k, pin := range l.Pins {
		p.values[k] = p.steps.relax(&p.pins[k], pin, i, g, p.padded(), p.Below, &p.batch)
		if p.Straight {
			p.values[k] = p.steps.chosen(&p.pins[k], pin, i, g, p.padded(), p.Below, &p.batch)
		}
	}
}

// reduce returns the mean of the lines for sample s. The last pin halves the table first. All tables are in the slice
// levels. The full table and each halved table begin at the index that equals their length, so the result is at index
// 1.
func (p *RelaxedNodePass) reduce(levels *[2 * maxLines]float32, pins, s int) float32 {
	n := 1 << pins
	copy(levels[n:2*n], p.t[:n])
	for k := pins - 1; k >= 0; k-- {
		n /= 2
		x := p.values[k][s]
		for a := range n {
			low, high := levels[2*n+2*a], levels[2*n+2*a+1]
			levels[n+a] = low + float32(x*(high-low))
		}
	}
	return levels[1]
}

// Update does for relaxed values what [NodePass.Update] does for hard values.
func (p *RelaxedNodePass) Update(l *NodeLayer, own, next *Trace, top func(i int) []float32, from, to int) {
	n, row := p.padded(), p.words*64
	for i := from; i < to; i++ {
		delta := p.delta[:n]
		if next == nil {
			delta = top(i)[:n]
		} else {
			p.steps.gatherRelaxed(next, delta, l.Uses.Of(i), row)
		}
		p.begin(l, i)
		p.gradients(delta, len(l.Pins), l.lines())
		p.updatePins(l, own, i)
		p.updateFunction(l, i)
	}
}

// gradients sums the gradient of each line in p.sums and writes the gradients of the pins to p.pins.
func (p *RelaxedNodePass) gradients(delta []float32, pins, lines int) {
	clear(p.sums[:lines])
	var levels, back [2 * maxLines]float32
	for s, d := range delta {
		p.reduce(&levels, pins, s)
		back[1] = d
		for k, n := 0, 1; k < pins; k, n = k+1, 2*n {
			x, slope := p.values[k][s], float32(0)
			for a := n; a < 2*n; a++ {
				slope += float32(back[a] * (levels[2*a+1] - levels[2*a]))
				back[2*a+1] = float32(back[a] * x)
				back[2*a] = back[a] - back[2*a+1]
			}
			p.pins[k].grad[s] = slope
		}
		for a := range lines {
			p.sums[a][s%Lanes] += back[lines+a]
		}
	}
}

// updatePins makes a step on the selection logits of node i. It fills own, the trace for the previous layer.
func (p *RelaxedNodePass) updatePins(l *NodeLayer, own *Trace, i int) {
	g, n := l.node(i), p.padded()
	hidden, candidates := l.Hidden()
	row, slot := i*hidden, i*candidates
	for k, pin := range l.Pins {
		free, c := slots(pin), &p.pins[k].choice
		share := own.Share[slot : slot+free]
		slot += free
		if free > 0 {
			copy(own.Pins[row*64*p.words:][:n], p.pins[k].grad)
			row++
		}
		if pin == nil || pin.K == 1 {
			for j := range share {
				share[j] = 1
			}
			continue
		}
		at, to := g*pin.K, (g+1)*pin.K
		copy(share, c.q)
		p.steps.sums(c, pin.K, pin.wires(at, to), pin.rows(p.Below), &p.batch, p.pins[k].grad[:n])
		pin.decay(g, pin.K, p.Adam.Keep)
		arg, top := p.steps.selectStep(&p.Adam, pin.W[at:to], pin.M[at:to], pin.V[at:to], c)
		pin.Bit[g], pin.Top[g] = pin.Wire(at+arg), top
	}
}

// updateFunction makes a step on the function logits of node i.
func (p *RelaxedNodePass) updateFunction(l *NodeLayer, i int) {
	g, n := l.node(i), l.lines()
	var s [maxLines]float32
	for a := range n {
		s[a] = reduce(&p.sums[a])
	}
	l.decay(g, l.Arity, p.Adam.Keep)
	stepFunction(l.Nodes, g, s[:], p.t[:], p.slope[:], &p.operate, &p.Adam, nil)
}
