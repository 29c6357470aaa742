package kernel

import (
	"math"

	"ialgn/internal/detmath"
	"ialgn/internal/draw"
)

// This file holds the steps of a node with hard values. They use float32 arithmetic and round every product. This
// plain path defines the bits that all SIMD paths must give. Below, T are the truth values of the node's lines, and
// a_s is the line of sample s. D_p(a) = T(a with pin p 1) - T(a with pin p 0).
//
//	T      : 1 / (1 + e^-w), and e^w / (1 + e^w) for w < 0; its slope is T (1 - T)
//	S(a)   : eight sums from +0, sum i adds delta_s for s = i, 8 + i, 16 + i, ... with a_s = a, folded as
//	         ((0 + 1) + (2 + 3)) + ((4 + 5) + (6 + 7))
//	pin p  : beta_s = delta_s D_p(a_s)
//	R_j    : the group sum of beta of the package comment; or, with gradients of 8 bits, the integer sum of q_s
//	         over the samples whose candidate j is 1, times max|beta| / 126.5, where q_s is
//	         beta_s (126.5 / max|beta|) + dither, rounded to the nearest integer, ties to even
//	dL/dw  : S(a) times the slope of T(a)

// lineSums is the number of interleaved partial sums of S.
const lineSums = 8

// lines writes the line that a node's pins select for each sample to dst, whose length is a multiple of 8.
func lines(dst []uint8, pins [][]uint64) {
	for from := 0; from < len(dst); from += 8 {
		all := uint64(0)
		for _, row := range pins {
			all = all<<1 | spreadByte(row[from/64]>>(from%64))
		}
		for s := range 8 {
			dst[from+s] = uint8(all >> (8 * s))
		}
	}
}

// spreadByte returns the lowest eight bits of x as bytes.
func spreadByte(x uint64) uint64 {
	x = (x & 0xff * 0x0101010101010101) & 0x8040201008040201 // byte i keeps bit i
	return (x + 0x7f7f7f7f7f7f7f7f | x) >> 7 & 0x0101010101010101
}

// look writes the table's value for each sample of a row to out. The sample's bits in the rows of the pins select a
// line of the table.
func look(out []uint64, table uint64, pins [][]uint64) {
	for w := range out {
		var t [maxLines]uint64
		n := 1 << len(pins)
		for i := range n {
			t[i] = -(table >> i & 1)
		}
		for _, row := range pins { // pin 0 halves the table first
			n /= 2
			x := row[w]
			for i := range n {
				t[i] ^= (t[i] ^ t[i+n]) & x
			}
		}
		out[w] = t[0]
	}
}

// sigmoids writes the truth values of the lines with logits w to t and their derivatives to slope.
func sigmoids(t, slope, w []float32) {
	t, slope = t[:len(w)], slope[:len(w)]
	for i, x := range w {
		// Both forms below take the exponential of a number that is at most 0.
		e := detmath.Exp(-max(x, -x))
		inv := 1 / (1 + e)
		rest := float32(e * inv)
		t[i], slope[i] = inv, float32(inv*rest)
		if x < 0 {
			t[i] = rest
		}
	}
}

// sumLines writes the sums S of delta to s, one for each line.
func sumLines(s, delta []float32, line []uint8) {
	var sums [lineSums][maxLines]float32
	for from := 0; from < len(delta); from += lineSums {
		d, a := (*[lineSums]float32)(delta[from:]), (*[lineSums]uint8)(line[from:])
		for i := range lineSums {
			sums[i][a[i]%maxLines] += d[i]
		}
	}
	for a := range s {
		s[a] = ((sums[0][a] + sums[1][a]) + (sums[2][a] + sums[3][a])) +
			((sums[4][a] + sums[5][a]) + (sums[6][a] + sums[7][a]))
	}
}

// pinGradient writes the gradient of a pin to beta. For each sample, the gradient is delta times the difference that
// the pin makes at the sample's line of the table. The argument bit is the place value of the pin's binary digit in a
// line's number.
func pinGradient(beta, delta []float32, line []uint8, t []float32, bit int) {
	var difference [maxLines]float32
	for a := range t {
		difference[a] = t[a|bit] - t[a&^bit]
	}
	beta, line = beta[:len(delta)], line[:len(delta)]
	for s, d := range delta {
		beta[s] = float32(d * difference[line[s]%maxLines])
	}
}

// These constants control the quantisation to 8 bits. The largest gradient becomes fullScale, which leaves room for
// half a step of dither. If the largest gradient is below least, the value least becomes fullScale instead.
const (
	fullScale = 126.5
	least     = 1e-30
	magic     = 3 << 22 // a float32 has no fraction after it is added, and the integer is in the lowest bits
)

// largestSize returns the largest absolute value.
func largestSize(values []float32) (largest float32) {
	for _, x := range values {
		largest = max(largest, max(x, -x))
	}
	return largest
}

// quantise writes values as 8-bit integers in the order of [fourth] and returns the value of one integer step. The
// argument largest is the largest absolute value. The number of values must be a multiple of 32.
func quantise(dst []int8, values, dither []float32, largest float32) (step float32) {
	largest = max(largest, least)
	scale := fullScale / largest
	dst, dither = dst[:len(values)], dither[:len(values)]
	for s, x := range values {
		dst[fourth(s)] = int8(math.Float32bits(float32(x*scale) + dither[s] + magic))
	}
	return largest / fullScale
}

// fourth returns the index of sample s in a slice of quantised gradients. In each block of 32, sample t + 8 p is at
// index 4 t + p. Therefore the four consecutive gradients from index 4 t belong to the bits t of the four bytes in a
// 32-bit word of a row.
func fourth(s int) int { return s&^31 | s&7<<2 | s>>3&3 }

// ditherLength limits the index at which a row of dithers begins.
const ditherLength = 4096

// dithers are odd multiples of 2^-9 between -1/2 and 1/2, uniformly distributed. A row of dithers begins at any
// multiple of [Lanes] below ditherLength.
var dithers = func() []float32 {
	d := make([]float32, ditherLength+maxSamples)
	stream := draw.New(0, draw.Dither, 0, 0)
	for i := range d {
		d[i] = float32(2*stream.Below(256)-255) / 512
	}
	return d
}()

// maxSamples is the largest batch.
const maxSamples = 1024

// ditherRow returns the dithers of a pin in a step.
func ditherRow(step, layer, node, pin, samples int) []float32 {
	return dithers[ditherPin(ditherStart(step, layer, node), pin)*Lanes:][:samples]
}

// ditherStart returns the row number of the dithers of a node's pin 0. There are ditherLength / Lanes rows.
func ditherStart(step, layer, node int) int {
	return (step*61 + layer*29 + node*7) % (ditherLength / Lanes)
}

// ditherPin returns the row number of the dithers of a pin, from the row number for the node's pin 0.
func ditherPin(start, pin int) int { return (start + pin*37) % (ditherLength / Lanes) }

// quarter is the number of samples whose subset sums are in one table.
const quarter = 4

// quarters holds, for each block of four samples, the sums of q over all subsets of the block.
type quarters [][1 << quarter]int32

// fill computes the sums of all subsets.
func (t quarters) fill(q []int8) {
	for i := range len(q) / quarter {
		sums := &t[i]
		for j := range quarter {
			v := int32(q[fourth(quarter*i+j)])
			for k := range 1 << j {
				sums[1<<j|k] = sums[k] + v
			}
		}
	}
}

// sums computes a value for each wire and writes these values to r. The value is step times the sum of q over the
// samples whose bit is set in the wire's row of x. It sums the given number of samples. The last call of fill must
// have included these samples.
func (t quarters) sums(r []float32, samples int, step float32, wires Wires, x []uint64, words int) {
	t = t[:samples/quarter]
	for j := range r {
		r[j] = float32(step * float32(t.sum(x[wires.at(j)*words:][:words])))
	}
}

// sum returns the sum of q over the samples whose bit is set in a row.
func (t quarters) sum(row []uint64) (sum int32) {
	for len(t) >= 16 {
		v, q := row[0], t[:16]
		for i := range q {
			sum += q[i][v&(1<<quarter-1)]
			v >>= quarter
		}
		t, row = t[16:], row[1:]
	}
	for i := range t {
		sum += t[i][row[0]>>(i*quarter)&(1<<quarter-1)]
	}
	return sum
}

// tableStep makes a step on the logits w of a table, whose moments are m and v. For each line of the table, it uses
// the gradient sum in s and the slope of the truth value. It returns the table that the new logits select. The
// argument noise is the noise on the logits, or nil.
func tableStep(c *Adam, w, m, v, s, slope []float32, noise *Noise) (table uint64) {
	grad := s[:len(w)]
	for a := range grad {
		grad[a] = float32(grad[a] * slope[a])
	}
	noise.scale(grad)
	c.Step(w, m, v, grad)
	return positive(w)
}

// Step makes one Adam step on the logits w with the gradient g and the moments m and v.
func (c *Adam) Step(w, m, v, g []float32) {
	m, v, g = m[:len(w)], v[:len(w)], g[:len(w)]
	for k, gk := range g {
		mk := float32(m[k]*c.Beta1) + float32(gk*c.Rest1)
		vk := float32(v[k]*c.Beta2) + float32(float32(gk*gk)*c.Rest2)
		m[k], v[k] = mk, vk
		w[k] -= float32(mk*c.Rate) / (float32(float32(math.Sqrt(float64(vk)))*c.Root) + c.Eps)
	}
}
