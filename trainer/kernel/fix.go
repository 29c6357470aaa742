package kernel

// fixed is the size of the logits of a node that is constant for good. Exponentials stop falling at e^-80, so a
// probability of such a node, and the slope of its truth values, is 1.8e-35 and not 0, and a step may be as large as
// that over an eps of 1e-30. Between neighbouring numbers of this size there are 2^17, and no step changes them; nor
// does noise.
const fixed = 1 << 40

// Fix makes node i of the layer a constant for good: its function logits are so far apart that no later step changes
// them, whatever the estimator, and all lines of its table have the same truth value, so that its pins get no gradient.
// Moments of the node and its pins become zero, and with them all motion of its logits.
func (l *NodeLayer) Fix(i int, value bool) {
	g := l.node(i)
	w := l.W[g*l.Arity:][:l.Arity]
	clear(l.M[g*l.Arity:][:l.Arity])
	clear(l.V[g*l.Arity:][:l.Arity])
	for _, p := range l.Pins {
		if p != nil && p.K > 1 {
			clear(p.M[g*p.K:][:p.K])
			clear(p.V[g*p.K:][:p.K])
		}
	}
	size := float32(-fixed)
	if value {
		size = fixed
	}
	if l.operations() {
		op := 0
		if value {
			op = Ops - 1
		}
		for k := range w {
			w[k] = -fixed
		}
		w[op], l.Top[g] = fixed, fixed
	} else {
		for a := range w {
			w[a] = size
		}
	}
	l.setConstant(g, value)
}

// setConstant stores that node g selects a constant.
func (n *Nodes) setConstant(g int, value bool) {
	table := uint64(0)
	if value {
		table = ^uint64(0) >> (1<<MaxPins - n.lines())
	}
	if n.Op != nil {
		n.Op[g] = uint8(table)
		return
	}
	n.Table[g] = table
}
