package kernel

// fusedNodes holds the state of a layer whose candidate pins are updated by a fused kernel. The fused kernel requires
// that all candidates are input bits and that gradients have 8 bits. In all other layers, kernel is nil.
type fusedNodes struct {
	layer  *NodeLayer
	kernel func(*nodeFrame)
	frame  nodeFrame
	betas  [MaxPins][fusedSamples]float32 // gradients of the pins, for a sink that wants them
}

// fuse sets p.fused for a layer.
func (p *NodePass) fuse(l *NodeLayer) {
	f := &p.fused
	f.layer, f.kernel = l, nil
	steps := nodeVectors()
	if steps == nil || steps.pins == nil || p.words != fusedWords || !p.Integer || p.Noise != nil || p.Prices != nil ||
		p.Still {
		return
	}
	candidates := 0
	f.frame.pins = 0
	for k, pin := range l.Pins {
		switch {
		case pin == nil || pin.K == 1:
			continue
		case pin.Hidden || pin.Wide != nil || candidates != 0 && pin.K != candidates:
			return
		}
		candidates = pin.K
		f.frame.pin[f.frame.pins] = nodePin{
			digit: 1 << (len(l.Pins) - 1 - k), number: int64(k), w: &pin.W[0], m: &pin.M[0], v: &pin.V[0], top: &pin.Top[0],
			wires: &pin.Narrow[0], bit: &pin.Bit[0],
		}
		f.frame.pins++
	}
	if candidates == 0 {
		return
	}
	f.kernel = steps.pins(candidates, l.lines())
	f.frame.line, f.frame.t, f.frame.x, f.frame.dither = &p.line[0], &p.t[0], &p.X[0], &dithers[0]
	c := &p.Adam
	f.frame.adam = [8]float32{c.Beta1, c.Rest1, c.Beta2, c.Rest2, c.Rate, c.Root, c.Eps}
}

// fusedPins updates the pins of node i that choose among candidates.
func (p *NodePass) fusedPins(l *NodeLayer, i int, delta []float32) {
	f := &p.fused
	g, next := l.node(i), l.node(min(i+1, l.Width-1))
	f.frame.node, f.frame.next, f.frame.delta = int64(g), int64(next), &delta[:fusedSamples][0]
	f.frame.start = int64(ditherStart(p.Number, l.Number, l.number(i)))
	for j := range f.frame.pins {
		pin := &f.frame.pin[j]
		if pin.beta = nil; p.wanted(l, i, int(pin.number)) {
			pin.beta = &f.betas[j][0]
		}
	}
	f.kernel(&f.frame)
	for j := range f.frame.pins {
		if pin := &f.frame.pin[j]; pin.beta != nil {
			k := int(pin.number)
			p.Sink.Take(p.Number, l.Number, i, k, p.wires[k], f.betas[j][:len(delta)])
		}
	}
}
