package kernel

import (
	"ialgn/internal/detmath"
	"ialgn/internal/draw"
)

// Noise is Gumbel noise on the choices of nodes (Jang, Gu and Poole, "Categorical Reparameterization with
// Gumbel-Softmax", ICLR 2017). A Gumbel variable is added to the logit of each operation and each candidate. The
// difference of two Gumbel variables is added to the logit of each line of a table. The hard forward pass takes the
// choice with the largest sum. The backward pass uses the gradient of the softmax of these sums. Random draws depend
// only on (seed, step, layer, node, choice).
type Noise struct {
	Seed        uint64
	Temperature float32
}

// choice writes (logit + noise) / temperature to dst, for each of the logits w, and returns dst. The number of a
// choice in its node is given by which: 0 is the choice of the operation, and k+1 is the choice of pin k.
func (n *Noise) choice(dst, w []float32, step, layer, node, which int) []float32 {
	return n.add(dst, w, draw.InStep(n.Seed, draw.GumbelNoise, step, layer, node*(MaxPins+1)+which), gumbels)
}

// lines is like choice, for the logits of a table's lines.
func (n *Noise) lines(dst, w []float32, step, layer, node int) []float32 {
	return n.add(dst, w, draw.InStep(n.Seed, draw.GumbelNoise, step, layer, node*(MaxPins+1)), logistics)
}

// distribution is a distribution that noise is drawn from.
type distribution uint8

const (
	gumbels   distribution = iota
	logistics              // differences of two Gumbel variables
)

// add writes (logit + noise) / temperature to dst, for each of the logits w, and returns dst.
func (n *Noise) add(dst, w []float32, s *draw.Stream, d distribution) []float32 {
	dst = dst[:len(w)]
	for at := 0; at < len(w); {
		var block [Ops]float64 // room for the logits of one choice among operations
		noise := block[:min(len(block), len(w)-at)]
		d.draw(noise, s)
		for _, e := range noise {
			dst[at] = (w[at] + float32(e)) / n.Temperature
			at++
		}
	}
	return dst
}

// draw fills dst with variables of the distribution.
func (d distribution) draw(dst []float64, s *draw.Stream) {
	for i := range dst {
		dst[i] = s.Inside()
	}
	if d == logistics {
		for i, u := range dst {
			dst[i] = u / (1 - u)
		}
		detmath.LogAll(dst, dst)
		return
	}
	for range 2 {
		detmath.LogAll(dst, dst)
		for i, x := range dst {
			dst[i] = -x
		}
	}
}

// scale turns gradients with respect to (logit + noise) / temperature into gradients with respect to logits. Without
// noise it does nothing.
func (n *Noise) scale(g []float32) {
	if n == nil {
		return
	}
	for i := range g {
		g[i] /= n.Temperature
	}
}
