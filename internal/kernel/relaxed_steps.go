package kernel

// This file holds the steps of gates with relaxed values. They use float32 arithmetic lane by lane and round every
// product. The plain path in this file defines the bits that all SIMD paths must give. The file relaxed_vector.go
// chooses the path. T are the truth values of the current gate.
//
//	output   : (T_00 + (T_01 - T_00) b) + a (cA + d b), with cA = T_10 - T_00 and
//	           d = (T_11 - T_10) - (T_01 - T_00)
//	pins     : alpha = delta (cA + d b), beta = delta ((T_01 - T_00) + d a)
//	S        : with u = delta a and v = delta - u, the lane sums of u b (11), u - u b (10),
//	           v b (01) and v - v b (00)
//	mean     : of rows of values, the sum of q_j x_j, from +0 and in the order of candidates;
//	           of bits, a sum, from +0, of groups of four candidates in their order, whose
//	           value is (v_0 + v_1) + (v_2 + v_3), with v_j = q_j or, for a bit of 0 and past
//	           the last candidate, +0
//	R_j      : the group sum of beta where the candidates are bits, the lane sum of
//	           beta x_j where they are rows of values
//	gather   : the sum of share times pin gradient, from +0 and in the order of the edges

// plane holds the coefficients of a gate's output as a polynomial in its pins.
type plane struct{ one, a, b, ab float32 }

func (t *Quad) plane() plane {
	b := t[1] - t[0]
	return plane{t[0], t[2] - t[0], b, (t[3] - t[2]) - b}
}

// mix writes the outputs of a gate whose pins have the values a and b to dst.
func mix(dst, a, b []float32, t *Quad) {
	c := t.plane()
	a, b = a[:len(dst)], b[:len(dst)]
	for i := range dst {
		low, slope := c.one+float32(c.b*b[i]), c.a+float32(c.ab*b[i])
		dst[i] = low + float32(a[i]*slope)
	}
}

// relaxedBins returns the sums S of the upstream gradient delta and writes the gradients of the pins to alpha and
// beta.
func relaxedBins(alpha, beta, delta, a, b []float32, t *Quad) (s Quad) {
	c := t.plane()
	var sums [4][Lanes]float32
	alpha, beta, a, b = alpha[:len(delta)], beta[:len(delta)], a[:len(delta)], b[:len(delta)]
	for i, d := range delta {
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

// meanSet is the number of candidates whose bits are packed into one byte for each sample.
const meanSet = 8

// meanBits writes the mean of candidates that are rows of bits. It packs eight rows at a time into one byte for each
// sample. Each half of a byte selects a sum of probabilities.
func meanBits(dst, q []float32, batch *Batch, wires Wires) {
	clear(dst)
	for from := 0; from < len(q); from += meanSet {
		var p [meanSet]float32
		n := copy(p[:], q[from:])
		var low, high [1 << 4]float32
		subsets(&low, p[0], p[1], p[2], p[3])
		subsets(&high, p[4], p[5], p[6], p[7])
		for at := 0; at < len(dst); at += 64 {
			var words [meanSet]uint64
			for j := range n {
				words[j] = batch.X[wires.at(from+j)*batch.Words:][:batch.Words][at/64]
			}
			addSubsets(dst[at:min(at+64, len(dst))], &low, &high, &words)
		}
	}
}

// addSubsets adds the sums that the bits of each sample select. The bits of the first four candidates select from
// low, and the bits of the other four select from high.
func addSubsets(dst []float32, low, high *[1 << 4]float32, words *[meanSet]uint64) {
	w0, w1, w2, w3 := words[0], words[1], words[2], words[3]
	w4, w5, w6, w7 := words[4], words[5], words[6], words[7]
	for ; len(dst) >= 8; dst = dst[8:] {
		v := w0&0xff | w1&0xff<<8 | w2&0xff<<16 | w3&0xff<<24 | w4&0xff<<32 | w5&0xff<<40 | w6&0xff<<48 | w7<<56
		w0, w1, w2, w3, w4, w5, w6, w7 = w0>>8, w1>>8, w2>>8, w3>>8, w4>>8, w5>>8, w6>>8, w7>>8
		v = turned(v)
		d := (*[8]float32)(dst)
		d[0] = d[0] + low[v&15] + high[v>>4&15]
		d[1] = d[1] + low[v>>8&15] + high[v>>12&15]
		d[2] = d[2] + low[v>>16&15] + high[v>>20&15]
		d[3] = d[3] + low[v>>24&15] + high[v>>28&15]
		d[4] = d[4] + low[v>>32&15] + high[v>>36&15]
		d[5] = d[5] + low[v>>40&15] + high[v>>44&15]
		d[6] = d[6] + low[v>>48&15] + high[v>>52&15]
		d[7] = d[7] + low[v>>56&15] + high[v>>60]
	}
}

// turned transposes eight bytes. Bit i of byte j becomes bit j of byte i.
func turned(x uint64) uint64 {
	t := (x ^ x>>7) & 0x00aa00aa00aa00aa
	x ^= t ^ t<<7
	t = (x ^ x>>14) & 0x0000cccc0000cccc
	x ^= t ^ t<<14
	t = (x ^ x>>28) & 0x00000000f0f0f0f0
	return x ^ t ^ t<<28
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

// gatherRelaxed is [Trace.gather] for relaxed values.
func (t *Trace) gatherRelaxed(dst []float32, edges []Edge, row int) {
	clear(dst)
	for _, e := range edges {
		d, q := t.Pins[int(e.Pin)*row:][:len(dst)], t.Share[e.Slot]
		for s := range dst {
			dst[s] += float32(d[s] * q)
		}
	}
}
