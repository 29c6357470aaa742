package kernel

// The methods in this file are for engines that evaluate nodes themselves, such as the engine of nodes shared by
// positions. Some methods return the truth values and probabilities of a step. Other methods update a node from sums
// over all samples and positions that the engine processed.

// Truth writes the truth values of the lines of node i in this step to t. It writes the bits of the selected table,
// as 0 and 1, to hard. With noise, it also writes the probabilities of operations or the slopes of lines to kept.
// [NodePass.StepFunction] needs the values in kept later in the same step. Computing these values again would be
// slow.
func (p *NodePass) Truth(l *NodeLayer, i int, t, hard, kept []float32) {
	table := l.table(l.node(i))
	if p.Noise == nil {
		p.truth(l, i)
	} else {
		table = p.noisyTruth(l, i)
		copy(kept, p.slope[:l.lines()])
		if l.operations() {
			copy(kept, p.operate[:])
		}
	}
	copy(t, p.t[:l.lines()])
	for a := range hard {
		hard[a] = float32(table >> a & 1)
	}
}

// Kept returns the number of values that [NodePass.Truth] keeps for a node. Without noise, this number is 0.
func (p *NodePass) Kept(n *Nodes) int {
	switch {
	case p.Noise == nil:
		return 0
	case n.operations():
		return Ops
	}
	return n.lines()
}

// Choice writes the probabilities of the candidates of pin k of node i in this step to q and returns the selected
// candidate.
func (p *NodePass) Choice(l *NodeLayer, i, k int, q []float32) int {
	pin, g := l.Pins[k], l.node(i)
	w := pin.W[g*pin.K:][:pin.K]
	if p.Noise != nil {
		w = p.Noise.choice(p.noisy, w, p.Number, l.Number, l.number(i), k+1)
	}
	selected, top := Largest(w)
	c := &p.choice
	p.steps.selection(c.q, w, top)
	copy(q, c.q)
	return selected
}

// decay multiplies the k logits of gate g by the factor of the weight decay. If the factor is 0, decay does nothing.
func (l *Logits) decay(g, k int, factor float32) {
	if factor == 0 {
		return
	}
	w := l.W[g*k:][:k]
	for j := range w {
		w[j] = float32(w[j] * factor)
	}
	if len(l.Top) > 0 {
		l.Top[g] = float32(l.Top[g] * factor)
	}
}

// StepFunction makes a step on the function logits of node i. The slice s holds the gradients of the lines of the
// node's table, and t holds their truth values in this step. The slice kept was filled by [NodePass.Truth].
func (p *NodePass) StepFunction(l *NodeLayer, i int, s, t, kept []float32) {
	g := l.node(i)
	if p.Noise == nil {
		p.truth(l, i)
	} else {
		copy(p.t[:], t)
		copy(p.slope[:], kept)
		copy(p.operate[:], kept)
	}
	copy(p.s[:], s)
	p.stepFunction(l.Nodes, g)
}

// StepChoice makes a step on the selection logits of pin k of node i. The slice q holds the probability of each
// candidate in this step, and r holds the sum R_j of each candidate.
func (p *NodePass) StepChoice(l *NodeLayer, i, k int, q, r []float32) {
	copy(p.choice.q, q)
	copy(p.choice.r, r)
	pin, g := l.Pins[k], l.node(i)
	p.stepPin(pin, g)
}
