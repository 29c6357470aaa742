package kernel

import "slices"

// NodeOptions holds options for the training of nodes.
//
// With Integer, sums for candidates are sums of integers, which are exact in any order. A dither, which is an offset
// added before rounding, makes the rounding right on average. Without the dither, small gradients of many samples
// would vanish.
type NodeOptions struct {
	Integer bool   // gradients of pins are rounded to 8 bits before they are summed for candidates
	Noise   *Noise // noise on all choices; nil means no noise
}

// NodePass computes and updates nodes with hard values, one layer after another. It is the scratch memory of one
// goroutine. All goroutines share the rows and the traces.
type NodePass struct {
	NodeOptions
	X       []uint64 // the batch's rows
	Below   []uint64 // the rows of the previous layer, [width][words]
	Samples int      // samples in the batch
	Number  int      // number of the step, from 1
	Adam    Adam

	Sink Sink // takes the gradients of pins; may be nil

	// Prices[i] is the amount by which the loss rises if a pin reads input bit i. This amount does not depend on the
	// samples. Prices are added to the sums R_j of candidates, except in constant nodes. nil means no prices.
	Prices []float32

	// If Still is true, an update computes gradients but changes no parameter.
	Still bool

	words int
	steps Steps
	batch Batch
	delta []float32

	// State of the current node.
	rows     [][]uint64 // rows that the node's pins read
	wires    [MaxPins]uint32
	line     []uint8
	t, slope [maxLines]float32
	s        [maxLines]float32
	beta     []float32
	q        []int8
	quarters quarters
	choice   choice
	noisy    []float32 // logits with noise
	scratch  nodeScratch
	ahead    fetcher
	fused    fusedNodes
	operate  [Ops]float32
}

// Sink receives gradients of the loss with respect to the bit that a pin reads, one for each sample. The gradients
// pass straight through the node's selected table. Goroutines call a Sink for different nodes at the same time.
type Sink interface {
	// Wants reports whether the sink takes the gradients of a pin. The pin has one or more candidates. Wants is not
	// called for a pin A on the spine.
	Wants(layer, node, pin int) bool

	// Take receives the gradients beta of a pin in a step and the wire that the pin reads in that step. beta is valid
	// until Take returns.
	Take(step, layer, node, pin int, wire uint32, beta []float32)
}

// Sinks combines several sinks. Each sink receives the gradients that it wants.
type Sinks []Sink

// Wants implements [Sink].
func (s Sinks) Wants(layer, node, pin int) bool {
	return slices.ContainsFunc(s, func(one Sink) bool { return one.Wants(layer, node, pin) })
}

// Take implements [Sink].
func (s Sinks) Take(step, layer, node, pin int, wire uint32, beta []float32) {
	for _, one := range s {
		if one.Wants(layer, node, pin) {
			one.Take(step, layer, node, pin, wire, beta)
		}
	}
}

// NewNodePass returns a pass for rows of the given number of words and pins of at most k candidates.
func NewNodePass(o NodeOptions, words, k int) *NodePass {
	n := words * 64
	p := &NodePass{
		NodeOptions: o, words: words, delta: make([]float32, n), line: make([]uint8, n), beta: make([]float32, n),
		q: make([]int8, n), quarters: make(quarters, n/quarter), choice: newChoice(k),
		noisy: make([]float32, max(k, maxLines)),
	}
	p.steps.grow(k, words)
	return p
}

// padded returns the number of samples that the kernels process, including zero samples after the last.
func (p *NodePass) padded() int { return (p.Samples + 2*Lanes - 1) / (2 * Lanes) * 2 * Lanes }

// Forward writes the bits of the layer's nodes in the range [from, to) to out, the layer's rows.
func (p *NodePass) Forward(l *NodeLayer, out []uint64, from, to int) {
	for i := from; i < to; i++ {
		p.look(out[i*p.words:][:p.words], p.table(l, i), p.sources(l, i))
	}
}

// table returns the table that node i computes in this step.
func (p *NodePass) table(l *NodeLayer, i int) uint64 {
	g := l.node(i)
	if p.Noise == nil {
		return l.table(g)
	}
	w := p.noisyFunction(l, i)
	if l.operations() {
		k, _ := Largest(w)
		return operationTable(k)
	}
	return positive(w)
}

// noisyFunction returns the function logits of node i with noise.
func (p *NodePass) noisyFunction(l *NodeLayer, i int) []float32 {
	w := l.W[l.node(i)*l.Arity:][:l.Arity]
	if l.operations() {
		return p.Noise.choice(p.noisy, w, p.Number, l.Number, l.number(i), 0)
	}
	return p.Noise.lines(p.noisy, w, p.Number, l.Number, l.number(i))
}

// sources returns the rows that the pins of node i select in this step.
func (p *NodePass) sources(l *NodeLayer, i int) [][]uint64 {
	g := l.node(i)
	p.rows = p.rows[:0]
	for k, pin := range l.Pins {
		rows, at := p.X, i
		if pin == nil || pin.Hidden {
			rows = p.Below
		}
		switch {
		case pin == nil:
		case p.Noise != nil && pin.K > 1:
			j, _ := Largest(p.Noise.choice(p.noisy, pin.W[g*pin.K:][:pin.K], p.Number, l.Number, l.number(i), k+1))
			at = int(pin.Wire(g*pin.K + j))
		default:
			at = int(pin.Bit[g])
		}
		p.rows, p.wires[k] = append(p.rows, rows[at*p.words:][:p.words]), uint32(at)
	}
	return p.rows
}

// Update updates the layer's nodes in the range [from, to). It fills own, the trace for the previous layer, at the
// places that [NewNodeUses] numbers. The trace next comes from the update of the following layer. For the last layer,
// next is nil, and top returns the gradient of a node's output.
func (p *NodePass) Update(l *NodeLayer, own, next *Trace, top func(i int) []float32, from, to int) {
	p.fuse(l)
	p.ahead.reset()
	for i := from; i < to; i++ {
		p.fetchReaders(l, next, i+rowsGatesAhead, to)
		p.update(l, own, i, p.gradient(l, next, top, i))
	}
}

// Gradients calls take with the gradients of the outputs of the nodes in the range [from, to), given the trace that
// the layer above has filled. The argument delta of take is valid until take returns.
func (p *NodePass) Gradients(l *NodeLayer, next *Trace, from, to int, take func(i int, delta []float32)) {
	p.ahead.reset()
	for i := from; i < to; i++ {
		p.fetchReaders(l, next, i+rowsGatesAhead, to)
		take(i, p.gradient(l, next, nil, i))
	}
}

// fetchReaders prefetches what the readers of node i have left in the trace next, if i is below to.
func (p *NodePass) fetchReaders(l *NodeLayer, next *Trace, i, to int) {
	if next != nil && i < to && !(p.Integer && l.Uses.choosing) {
		p.ahead.edges(next, l.Uses.Of(i), 64*p.words, p.padded())
	}
}

// gradient returns the gradient of the output of node i. Zeros fill the row after the last sample.
func (p *NodePass) gradient(l *NodeLayer, next *Trace, top func(i int) []float32, i int) []float32 {
	n, row := p.padded(), 64*p.words
	if next == nil {
		return top(i)[:n]
	}
	switch edges := l.Uses.Of(i); {
	case p.Integer && l.Uses.choosing:
		next.gatherRoundedBy(nodeVectors(), p.delta[:n], edges, row)
	case n == row && len(edges) == 1 && next.Share[edges[0].Slot] == 1:
		return next.Pins[int(edges[0].Pin)*row:][:n]
	default:
		p.steps.gatherRelaxed(next, p.delta[:n], edges, row)
	}
	clear(p.delta[n:])
	return p.delta[:n]
}

// update updates node i from the gradient delta of its output.
func (p *NodePass) update(l *NodeLayer, own *Trace, i int, delta []float32) {
	g, n := l.node(i), p.padded()
	p.batch = Batch{p.X, p.words, p.Samples}
	p.lines(p.sources(l, i))
	p.truth(l, i)
	p.sumLines(delta, l.lines())
	hidden, candidates := l.Hidden()
	row, slot, rounds := i*hidden, i*candidates, p.Integer && l.Choosing()
	for k, pin := range l.Pins {
		free, wanted := slots(pin), p.wanted(l, i, k)
		if free == 0 && (pin.K == 1 && !wanted || pin.K > 1 && p.fused.kernel != nil) {
			continue
		}
		beta, q := p.beta[:n], p.q
		if free > 0 && rounds {
			q = own.Rounded[row*64*p.words:]
		} else if free > 0 {
			beta = own.Pins[row*64*p.words:][:n]
		}
		largest := p.pinGradient(beta, delta, l.lines(), 1<<(len(l.Pins)-1-k))
		if wanted {
			p.Sink.Take(p.Number, l.Number, i, k, p.wires[k], beta)
		}
		step := p.updatePin(l, i, k, own.Share[slot:slot+free], beta, largest, q[:n])
		if free > 0 && rounds {
			own.Steps[row] = step
		}
		if slot += free; free > 0 {
			row++
		}
	}
	if p.fused.kernel != nil {
		p.fusedPins(l, i, delta)
	}
	if p.Still {
		return
	}
	p.stepFunction(l.Nodes, g)
}

// wanted reports whether the sink takes the gradient of pin k of node i.
func (p *NodePass) wanted(l *NodeLayer, i, k int) bool {
	return p.Sink != nil && l.Pins[k] != nil && p.Sink.Wants(l.Number, i, k)
}

// truth computes the truth values of the lines of node i and, if its logits belong to operations, their probabilities.
func (p *NodePass) truth(l *NodeLayer, i int) {
	if p.Noise != nil {
		p.noisyTruth(l, i)
		return
	}
	g := l.node(i)
	w := l.W[g*l.Arity:][:l.Arity]
	if !l.operations() {
		p.sigmoids(w)
		return
	}
	p.steps.Operations((*[Ops]float32)(w), l.Top[g])
	copy(p.t[:], p.steps.t[:])
}

// noisyTruth computes the truth values of node i under noise and returns the selected table.
func (p *NodePass) noisyTruth(l *NodeLayer, i int) (table uint64) {
	w := p.noisyFunction(l, i)
	if !l.operations() {
		p.sigmoids(w)
		return positive(w)
	}
	k, top := Largest(w)
	quad := Operations(&p.operate, (*[Ops]float32)(w), top)
	copy(p.t[:], quad[:])
	return operationTable(k)
}

// updatePin makes a step on the selection logits of pin k of node i from the gradient of the pin's bit. It writes the
// probabilities of hidden candidates to share. If gradients of pins are rounded to 8 bits, it writes the integers to q
// and returns the value of one integer step.
func (p *NodePass) updatePin(l *NodeLayer, i, k int, share, beta []float32, largest float32, q []int8) (step float32) {
	pin, g := l.Pins[k], l.node(i)
	if pin == nil || pin.K == 1 {
		for j := range share {
			share[j] = 1
		}
		return 0
	}
	at, to := g*pin.K, (g+1)*pin.K
	w, wires, batch := pin.W[at:to], pin.wires(at, to), p.batch
	c := &p.choice
	if p.Noise != nil {
		w = p.Noise.choice(p.noisy, w, p.Number, l.Number, l.number(i), k+1)
		_, top := Largest(w)
		Selection(c.q[:pin.K], w, top)
	} else {
		p.steps.selection(c.q, w, pin.Top[g])
	}
	if copy(share, c.q); p.Integer {
		dither := ditherRow(p.Number, l.Number, l.number(i), k, len(beta))
		step = quantiseBy(nodeVectors(), q, beta, dither, largest)
	}
	if p.Still {
		return step
	}
	if pin.Hidden {
		batch.X = p.Below
	}
	if p.Integer {
		p.steps.integerSums(p.quarters, c.r, pin.K, wires, &batch, q, step)
	} else {
		p.steps.pinSums(c.r, pin.K, wires, &batch, beta)
	}
	if p.Prices != nil && !pin.Hidden && !l.constant(g) {
		for j := range c.r[:pin.K] {
			c.r[j] += p.Prices[wires.at(j)]
		}
	}
	p.stepPin(pin, g)
	return step
}

// stepPin makes an Adam step on the selection logits of a pin, from the sums in p.choice.
func (p *NodePass) stepPin(pin *Pin, g int) {
	at, to := g*pin.K, (g+1)*pin.K
	pin.decay(g, pin.K, p.Adam.Keep)
	c := &p.choice
	var arg int
	var top float32
	if p.Noise != nil {
		r := c.r[:pin.K]
		SelectGradient(r, c.q[:pin.K], r)
		p.Noise.scale(r)
		arg, top = p.Adam.Update(pin.W[at:to], pin.M[at:to], pin.V[at:to], r)
	} else {
		arg, top = p.steps.selectStep(&p.Adam, pin.W[at:to], pin.M[at:to], pin.V[at:to], c)
	}
	pin.Bit[g], pin.Top[g] = pin.Wire(at+arg), top
}

// stepFunction makes a step on the function logits of node g, from the gradient sums of the lines and the results of
// [NodePass.truth]. It selects the node's table again.
func (p *NodePass) stepFunction(n *Nodes, g int) {
	at, to := g*n.Arity, (g+1)*n.Arity
	w, m, v := n.W[at:to], n.M[at:to], n.V[at:to]
	n.decay(g, n.Arity, p.Adam.Keep)
	switch {
	case p.Noise != nil:
		stepFunction(n, g, p.s[:], p.t[:], p.slope[:], &p.operate, &p.Adam, p.Noise)
	case n.operations():
		p.steps.s = Quad(p.s[:])
		op, top := p.steps.UpdateOperations(&p.Adam, (*[Ops]float32)(w), (*[Ops]float32)(m), (*[Ops]float32)(v))
		n.Table[g], n.Top[g] = operationTable(op), top
	default:
		n.Table[g] = p.tableStep(w, m, v)
	}
}

// stepFunction makes a step on the function logits of node g and selects the node's table again. The slice s holds
// the gradient sums of the lines, and t holds their truth values. If each line has a logit, the slice slope holds the
// derivatives of the truth values. If each operation has a logit, the derivatives follow from the probabilities in
// the slice operations.
func stepFunction(n *Nodes, g int, s, t, slope []float32, operations *[Ops]float32, adam *Adam, noise *Noise) {
	at, to := g*n.Arity, (g+1)*n.Arity
	w, m, v := n.W[at:to], n.M[at:to], n.V[at:to]
	if n.operations() {
		var grad [Ops]float32
		OpGradient(&grad, operations, (*Quad)(s), (*Quad)(t))
		noise.scale(grad[:])
		op, top := adam.Update(w, m, v, grad[:])
		n.Table[g], n.Top[g] = operationTable(op), top
		return
	}
	n.Table[g] = tableStep(adam, w, m, v, s, slope, noise)
}
