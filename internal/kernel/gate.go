package kernel

// Truth loads the operation logits of gate g for the calls of Bins and UpdateTruth that follow.
func (s *Steps) Truth(gates *Gates, g int) {
	at := g * gates.Arity()
	if gates.Light {
		s.light((*[LightOps]float32)(gates.W[at:]))
		return
	}
	s.Operations((*[Ops]float32)(gates.W[at:]), gates.Top[g])
}

// UpdateTruth makes an Adam step on the operation logits of gate g, from the sums that Bins returned. It then selects
// the gate's operation again.
func (s *Steps) UpdateTruth(c *Adam, gates *Gates, g int) {
	at := g * gates.Arity()
	if gates.Light {
		four := func(v []float32) *[LightOps]float32 { return (*[LightOps]float32)(v[at:]) }
		gates.Op[g] = s.updateLight(c, four(gates.W), four(gates.M), four(gates.V))
		return
	}
	arg, top := s.UpdateOperations(c, (*[Ops]float32)(gates.W[at:]), (*[Ops]float32)(gates.M[at:]),
		(*[Ops]float32)(gates.V[at:]))
	gates.Op[g], gates.Top[g] = uint8(arg), top
}

// light loads the logits of a light gate.
func (s *Steps) light(w *[LightOps]float32) {
	if f := vectors(); f != nil {
		f.light(&s.p[0], &w[0], &s.t[0])
		return
	}
	s.t = Light((*Quad)(s.p[:]), w)
}

// updateLight makes an Adam step on the logits of a light gate and returns its operation.
func (s *Steps) updateLight(c *Adam, w, m, v *[LightOps]float32) uint8 {
	if f := vectors(); f != nil {
		s.adam = *c
		return uint8(f.lightStep(&w[0], &m[0], &v[0], &s.p[0], &s.s[0], &s.adam.Beta1))
	}
	for i := range LightOps {
		s.p[i] = float32(s.p[i] * s.s[i])
	}
	c.Update(w[:], m[:], v[:], s.p[:LightOps])
	return LightOp(w)
}

// UpdatePin makes an Adam step on the selection logits of a pin of gate g and selects the pin's candidate again. It
// does nothing if the pin has no logits. The gradient of the pin's bit is grad (see sumCandidates). The batch holds
// the rows that the pin reads.
func (s *Steps) UpdatePin(c *Adam, p *Pin, g int, batch *Batch, grad []float32) {
	if p.K == 1 {
		return
	}
	s.grow(p.K, batch.Words)
	s.sumPin(p, g, batch, grad)
	s.stepPin(c, p, g, batch)
}

// sumPin does the first part of UpdatePin: it sums the gradient for each candidate. The pin must have logits, and the
// scratch memory must have room for them.
func (s *Steps) sumPin(p *Pin, g int, batch *Batch, grad []float32) {
	at, to := g*p.K, (g+1)*p.K
	s.sumCandidates(p.W[at:to], p.Top[g], p.wires(at, to), batch, grad)
}

// stepPin does the second part of UpdatePin: it makes the Adam step.
func (s *Steps) stepPin(c *Adam, p *Pin, g int, batch *Batch) {
	at, to := g*p.K, (g+1)*p.K
	arg, top := s.stepSelection(c, p.W[at:to], p.M[at:to], p.V[at:to], batch)
	p.Bit[g], p.Top[g] = p.Wire(at+arg), top
}
