package kernel

import (
	"ialgn/trainer/detmath"
	"ialgn/trainer/draw"
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
	s := draw.InStep(n.Seed, draw.GumbelNoise, step, layer, node*(MaxPins+1)+which)
	dst = dst[:len(w)]
	for i, x := range w {
		dst[i] = (x + gumbel(s)) / n.Temperature
	}
	return dst
}

// lines does what choice does for the logits of a table's lines.
func (n *Noise) lines(dst, w []float32, step, layer, node int) []float32 {
	s := draw.InStep(n.Seed, draw.GumbelNoise, step, layer, node*(MaxPins+1))
	dst = dst[:len(w)]
	for i, x := range w {
		u := s.Inside()
		dst[i] = (x + float32(detmath.Log(u/(1-u)))) / n.Temperature
	}
	return dst
}

// gumbel draws a Gumbel variable.
func gumbel(s *draw.Stream) float32 { return float32(-detmath.Log(-detmath.Log(s.Inside()))) }

// scale turns gradients by sums over the temperature into those by logits. Without noise it leaves them alone.
func (n *Noise) scale(g []float32) {
	if n == nil {
		return
	}
	for i := range g {
		g[i] /= n.Temperature
	}
}
