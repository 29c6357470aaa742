package engine

import (
	"ialgn/trainer/detmath"
)

// loss returns the mean cross-entropy and the correct classifications of the batch,
// from the class counts, and leaves in delta the gradient with respect to each
// chain's output: (softmax(z)_c - [y = c]) / (B tau), with z_c = count_c / tau. A tie
// of counts goes to the lowest class. Padding is zero.
func (e *Engine) loss(labels []uint8) Result {
	n := len(labels)
	for _, d := range e.delta {
		clear(d[n:])
	}
	e.crew.Run(func(i int) {
		w := e.workers[i]
		for s := n * i / len(e.workers); s < n*(i+1)/len(e.workers); s++ {
			e.losses[s], e.right[s] = e.sample(s, labels[s], n, w.logits)
		}
	})
	var r Result
	for s, l := range e.losses[:n] { // in this order, however many have worked
		r.Loss += l
		if e.right[s] {
			r.Correct++
		}
	}
	r.Loss /= float64(n)
	return r
}

// sample does the work of loss for sample s of n, whose class is y.
func (e *Engine) sample(s int, y uint8, n int, z []float32) (loss float64, right bool) {
	scale := float32(float64(n) * float64(e.tau))
	best := e.logits(s, z)
	top, sum := z[best], 0.0
	loss = float64(top) - float64(z[y])
	for c := range z {
		z[c] = detmath.Exp(z[c] - top)
		sum += float64(z[c])
	}
	for c, p := range z {
		p = float32(float64(p) / sum)
		if c == int(y) {
			p--
		}
		e.delta[c][s] = p / scale
	}
	return loss + detmath.Log(sum), best == int(y)
}

// logits writes the logits of sample s to z and returns the class of the largest count.
func (e *Engine) logits(s int, z []float32) (best int) {
	padded := e.words * 64
	for c := range z {
		n := e.counts[c*padded+s]
		z[c] = float32(n) / e.tau
		if n > e.counts[best*padded+s] {
			best = c
		}
	}
	return best
}
