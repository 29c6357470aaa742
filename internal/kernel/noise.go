package kernel

import (
	"ialgn/internal/detmath"
	"ialgn/internal/draw"
)

// Noise is Gumbel noise on the choices of nodes: of an operation, of a candidate, and of the value of each line of a
// table, where the difference of two Gumbel variables is added (Jang, Gu and Poole, "Categorical Reparameterization
// with Gumbel-Softmax", ICLR 2017). The hard forward pass takes the choice with the largest sum, and gradients are
// those of the softmax of the sums. Draws are keyed by (seed, step, layer, node, choice).
type Noise struct {
	Seed        uint64
	Temperature float32
}

// choice writes the logits w with noise, over the temperature, to dst and returns them. which is the choice of the
// node: 0 its operation, then its pins.
func (n *Noise) choice(dst, w []float32, step, layer, node, which int) []float32 {
	return n.add(dst, w, draw.InStep(n.Seed, draw.GumbelNoise, step, layer, node*(MaxPins+1)+which), gumbels)
}

// lines does what choice does for the logits of a table's lines.
func (n *Noise) lines(dst, w []float32, step, layer, node int) []float32 {
	return n.add(dst, w, draw.InStep(n.Seed, draw.GumbelNoise, step, layer, node*(MaxPins+1)), logistics)
}

// distribution is what noise is drawn from.
type distribution uint8

const (
	gumbels   distribution = iota
	logistics              // differences of two Gumbel variables
)

// add writes the logits w with noise, over the temperature, to dst and returns them.
func (n *Noise) add(dst, w []float32, s *draw.Stream, d distribution) []float32 {
	dst = dst[:len(w)]
	for at := 0; at < len(w); {
		var block [Ops]float64 // as many logits as a choice among operations has
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

// scale turns gradients by sums over the temperature into those by logits. Without noise it leaves them alone.
func (n *Noise) scale(g []float32) {
	if n == nil {
		return
	}
	for i := range g {
		g[i] /= n.Temperature
	}
}
