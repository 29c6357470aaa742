package kernel

// Hard is [RelaxedPass.Forward] for a layer whose choices are final. The values are the output bits, 0 or 1, of the
// gates that the logits select. The choices of the previous layer must also be final, unless this is the first layer.
func (p *RelaxedPass) Hard(l *Layer, out []float32, from, to int) {
	p.batch = Batch{p.X, p.words, p.Samples}
	n, row := p.padded(), p.words*64
	for i := from; i < to; i++ {
		g := l.gate(i)
		a := p.steps.chosen(&p.pins[0], l.A, i, g, n, p.Below, &p.batch)
		b := p.steps.chosen(&p.pins[1], l.B, i, g, n, p.Below, &p.batch)
		for line := range p.steps.t { // the value at line 0 (both pins 0) is the highest bit of an operation's number
			p.steps.t[line] = float32(l.Op[g] >> (3 - line) & 1)
		}
		p.steps.mix(out[i*row:][:n], a, b)
	}
}

// Hard does the same for nodes as [RelaxedPass.Hard] does for gates.
func (p *RelaxedNodePass) Hard(l *NodeLayer, out []float32, from, to int) {
	p.batch = Batch{p.X, p.words, p.Samples}
	n, row := p.padded(), p.words*64
	for i := from; i < to; i++ {
		g := l.node(i)
		for line := range l.lines() {
			p.t[line] = float32(l.table(g) >> line & 1)
		}
		for k, pin := range l.Pins {
			p.values[k] = p.steps.chosen(&p.pins[k], pin, i, g, n, p.Below, &p.batch)
		}
		var levels [2 * maxLines]float32
		for s := range n {
			out[i*row+s] = p.reduce(&levels, len(l.Pins), s)
		}
	}
}

// chosen returns the row that a pin of gate i has selected, for n samples of a batch. If the pin reads the previous
// layer, this is a row of values. If the pin reads an input bit, chosen converts the row of bits to values in own.
// The gate's index in the section's arrays is g.
func (s *Steps) chosen(own *relaxedPin, pin *Pin, i, g, n int, below []float32, batch *Batch) []float32 {
	row := batch.Words * 64
	switch {
	case pin == nil:
		return below[i*row:][:n]
	case pin.Hidden:
		return below[int(pin.Bit[g])*row:][:n]
	}
	s.spread(own.value[:n], batch.X[int(pin.Bit[g])*batch.Words:][:batch.Words])
	return own.value[:n]
}
