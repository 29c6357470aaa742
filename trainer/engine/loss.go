package engine

import (
	"ialgn/trainer/detmath"
)

// loss returns the mean cross-entropy and the correct classifications of the batch,
// from the class counts, and leaves in delta the gradient with respect to each
// chain's output: (softmax(z)_c - [y = c]) / (B tau), with z_c = count_c / tau. A tie
// of counts goes to the lowest class. Padding is zero.
func (e *Engine) loss(labels []uint8) Result {
	for _, d := range e.delta {
		clear(d)
	}
	var r Result
	scale := float32(float64(len(labels)) * float64(e.tau))
	for s, y := range labels {
		best := e.logits(s)
		top, sum := e.eval[best], 0.0
		loss := float64(top) - float64(e.eval[y])
		for c, z := range e.eval {
			p := detmath.Exp(z - top)
			e.eval[c] = p
			sum += float64(p)
		}
		r.Loss += loss + detmath.Log(sum)
		if best == int(y) {
			r.Correct++
		}
		for c, p := range e.eval {
			p = float32(float64(p) / sum)
			if c == int(y) {
				p--
			}
			e.delta[c][s] = p / scale
		}
	}
	r.Loss /= float64(len(labels))
	return r
}

// logits writes the logits of sample s to eval and returns the class of the largest
// count.
func (e *Engine) logits(s int) (best int) {
	padded := e.words * 64
	for c := range e.eval {
		n := e.counts[c*padded+s]
		e.eval[c] = float32(n) / e.tau
		if n > e.counts[best*padded+s] {
			best = c
		}
	}
	return best
}
