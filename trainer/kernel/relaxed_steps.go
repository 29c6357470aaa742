package kernel

import "math/bits"

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
//	gather   : the sum of share times pin gradient, from +0 and in the order of the edges
//
// What follows is the plain path, which defines the bits; relaxed_vector.go chooses.

// plane holds the coefficients of a gate's output as a polynomial of its pins.
type plane struct{ one, a, b, ab float32 }

func (t *Quad) plane() plane {
	b := t[1] - t[0]
	return plane{t[0], t[2] - t[0], b, (t[3] - t[2]) - b}
}

// mix writes the outputs of a gate whose pins have the values a and b.
func mix(dst, a, b []float32, t *Quad) {
	c := t.plane()
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		low, slope := c.one+float32(c.b*b[i]), c.a+float32(c.ab*b[i])
		dst[i] = low + float32(a[i]*slope)
	}
}

// relaxedBins returns the sums of the upstream gradient, which is in alpha, and replaces it
// by the gradient of pin A; that of pin B goes to beta.
func relaxedBins(alpha, beta, a, b []float32, t *Quad) (s Quad) {
	c := t.plane()
	var sums [4][Lanes]float32
	beta, a, b = beta[:len(alpha)], a[:len(alpha)], b[:len(alpha)]
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
		s[i] = reduce(&sums[i])
	}
	return s
}

// spread writes a row of bits as values.
func spread(dst []float32, row []uint64) {
	for i := range dst {
		dst[i] = float32(row[i/64] >> (i % 64) & 1)
	}
}

// meanBits writes the mean of candidates that are rows of bits. It looks at ones alone: a
// zero would add +0 to what is never -0.
func meanBits(dst, q []float32, batch *Batch, wires Wires) {
	clear(dst)
	for j, p := range q {
		row := batch.X[wires.at(j)*batch.Words:][:batch.Words]
		for at := 0; at < len(dst); at += 64 {
			part := dst[at:min(at+64, len(dst))]
			for w := row[at/64] << (64 - len(part)) >> (64 - len(part)); w != 0; w &= w - 1 {
				part[bits.TrailingZeros64(w)] += p
			}
		}
	}
}

// meanRows writes the mean of candidates that are rows of values.
func meanRows(dst, q, rows []float32, row int, wires Wires) {
	clear(dst)
	for j, p := range q {
		x := rows[wires.at(j)*row:][:len(dst)]
		for i := range dst {
			dst[i] += float32(p * x[i])
		}
	}
}

// rowSums writes the sums R_j of candidates that are rows of values to r.
func rowSums(r, grad, rows []float32, row int, wires Wires) {
	for j := range r {
		r[j] = laneDot(grad, rows[wires.at(j)*row:][:len(grad)])
	}
}

// gatherRelaxed is [Trace.gather] with relaxed values.
func (t *Trace) gatherRelaxed(dst []float32, edges []Edge, row int) {
	clear(dst)
	for _, e := range edges {
		d, q := t.Pins[int(e.Pin)*row:][:len(dst)], t.Share[e.Slot]
		for s := range dst {
			dst[s] += float32(d[s] * q)
		}
	}
}
