package kernel

// The steps of gates with relaxed values, lane by lane in float32 with every product
// rounded. T are the truth values of the gate at hand.
//
//	output   : (T_00 + (T_01 - T_00) b) + a (cA + d b), with cA = T_10 - T_00 and
//	           d = (T_11 - T_10) - (T_01 - T_00)
//	pins     : alpha = delta (cA + d b), beta = delta ((T_01 - T_00) + d a)
//	S        : with u = delta a and v = delta - u, the lane sums of u b (11), u - u b (10),
//	           v b (01) and v - v b (00)
//	mean     : sum of q_j x_j, from +0 and in the order of candidates
//	R_j      : the group sum of beta where the candidates are bits, the lane sum of
//	           beta x_j where they are rows of values

// plane holds the coefficients of a gate's output as a polynomial of its pins.
type plane struct{ one, a, b, ab float32 }

func (t *Quad) plane() plane {
	b := t[1] - t[0]
	return plane{t[0], t[2] - t[0], b, (t[3] - t[2]) - b}
}

// mix writes the outputs of the gate at hand.
func (s *Steps) mix(dst, a, b []float32) {
	c := s.t.plane()
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		low, slope := c.one+float32(c.b*b[i]), c.a+float32(c.ab*b[i])
		dst[i] = low + float32(a[i]*slope)
	}
}

// relaxedBins sums the upstream gradient, which is in alpha, and replaces it by the
// gradient of pin A; that of pin B goes to beta.
func (s *Steps) relaxedBins(alpha, beta, a, b []float32) {
	c := s.t.plane()
	var sums [4][Lanes]float32
	for i, d := range alpha {
		l, x, y := i%Lanes, a[i], b[i]
		u := float32(d * x)
		v := d - u
		ub, vb := float32(u*y), float32(v*y)
		sums[0][l] += v - vb
		sums[1][l] += vb
		sums[2][l] += u - ub
		sums[3][l] += ub
		alpha[i] = float32(d * (c.a + float32(c.ab*y)))
		beta[i] = float32(d * (c.b + float32(c.ab*x)))
	}
	for i := range sums {
		s.s[i] = reduce(&sums[i])
	}
}

// spread writes a row of bits as values.
func (s *Steps) spread(dst []float32, bits []uint64) {
	for i := range dst {
		dst[i] = float32(bits[i/64] >> (i % 64) & 1)
	}
}

// selection is [Selection] by the path in use. q has room for a multiple of [Lanes].
func (s *Steps) selection(q, u []float32, top float32) {
	if f := vectors(); f != nil {
		f.selection(&s.q[0], &u[0], len(u), top)
		return
	}
	Selection(q, u, top)
}

// meanBits writes the mean of candidates that are rows of bits.
func (s *Steps) meanBits(dst, q []float32, batch *Batch, wires Wires) {
	clear(dst)
	for j, p := range q {
		bits := batch.X[wires.at(j)*batch.Words:][:batch.Words]
		for i := range dst {
			dst[i] += float32(p * float32(bits[i/64]>>(i%64)&1))
		}
	}
}

// meanRows writes the mean of candidates that are rows of values.
func (s *Steps) meanRows(dst, q, rows []float32, row int, wires Wires) {
	clear(dst)
	for j, p := range q {
		x := rows[wires.at(j)*row:][:len(dst)]
		for i := range dst {
			dst[i] += float32(p * x[i])
		}
	}
}

// gatherRelaxed is [Trace.gatherRelaxed] by the path in use.
func (s *Steps) gatherRelaxed(t *Trace, dst []float32, edges []Edge, row int) {
	t.gatherRelaxed(dst, edges, row)
}

// updateRows is [Steps.UpdateSelection] for candidates that are rows of values.
func (s *Steps) updateRows(c *Adam, w, m, v []float32, top float32, rows []float32, row int, wires Wires, grad []float32) (arg int, newTop float32) {
	k := len(w)
	q, r := s.q[:k], s.r[:k]
	s.selection(q, w, top)
	for j := range r {
		x := rows[wires.at(j)*row:][:len(grad)]
		var l [Lanes]float32
		for i, g := range grad {
			l[i%Lanes] += float32(g * x[i])
		}
		r[j] = reduce(&l)
	}
	if f := vectors(); f != nil {
		s.adam = *c
		return f.selectStep(&w[0], &m[:k][0], &v[:k][0], &s.q[0], &s.r[0], k, &s.adam.Beta1)
	}
	SelectGradient(r, q, r)
	return c.Update(w, m, v, r)
}
