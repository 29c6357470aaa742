package kernel

import "ialgn/internal/ranks"

// Rounding says whether a [Pass] rounds gradients of pins to 8 bits before it sums them for candidates, as [NodePass]
// does. The dithers depend on the number of the step and on the numbers of chains in the whole network.
type Rounding struct {
	Integer bool
	Number  int          // number of the step, from 1
	Part    *ranks.Share // the chains of the network that the sections hold; nil if they hold all chains
}

// start returns the row number of the dithers of a pin in a layer of the network.
func (r *Rounding) start(layer, chain, pin int) int {
	if r.Part != nil {
		chain = r.Part.Number(chain)
	}
	return ditherPin(ditherStart(r.Number, layer, chain), pin)
}

// sumRounded does the first part of UpdatePin for gradients that are rounded to 8 bits. The length of grad is a
// multiple of 32.
func (p *Pass) sumRounded(pin *Pin, g int, grad, dither []float32) {
	s, at, to := &p.steps, g*pin.K, (g+1)*pin.K
	s.grow(pin.K, p.words)
	s.selection(s.q, pin.W[at:to], pin.Top[g])
	q := p.q[:len(grad)]
	step := quantiseBy(nodeVectors(), q, grad, dither, largestSize(grad))
	s.integerSums(p.quarters, s.r, pin.K, pin.wires(at, to), &p.batch, q, step)
}

// integerSums writes the integer sums of a pin's k candidates to r, times the value of one integer step. The candidates
// are rows of bits of the batch, and q has the rounded gradients of the pin. The argument t is scratch memory.
func (s *Steps) integerSums(t quarters, r []float32, k int, wires Wires, batch *Batch, q []int8, step float32) {
	f := nodeVectors()
	if f == nil || !batch.suits() {
		t.fill(q)
		t.sums(r[:k], len(q), step, wires, batch.X, batch.Words)
		return
	}
	v := &s.vector
	locate(vectors(), v.offsets, k, wires, len(batch.X)/batch.Words, 8*batch.Words)
	last := min((len(q)+127)/128*16, 8*batch.Words) - 16
	for at := 0; at < k; at += Lanes {
		f.integerSums(&r[at], &q[0], len(q)/(2*Lanes), &batch.X[0], &v.offsets[at], min(Lanes, k-at), last, &v.bits[0],
			step)
	}
}
