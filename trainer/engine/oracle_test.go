package engine

import (
	"fmt"
	"math"
	"testing"
)

// oracle is the slow, obvious float64 form of a training step: sample by sample,
// layer by layer, the straight-through estimator and the chain rule as the paper's
// supplement writes them ("Hard-Forward STE and Deployment Equivalence"). It shares no
// arithmetic with the engine.
type oracle struct {
	g    *golden
	p    params
	m, v params
	t    int
}

// bits holds one sample's pass through the network.
type pass struct {
	x       []float64
	a, b, h [][]float64 // [layer][gate]
}

func softmax(w []float64) []float64 {
	top, sum := w[argmax(w)], 0.0
	p := make([]float64, len(w))
	for k, x := range w {
		p[k] = math.Exp(x - top)
		sum += p[k]
	}
	for k := range p {
		p[k] /= sum
	}
	return p
}

func argmax(w []float64) int {
	best := 0
	for k, x := range w {
		if x > w[best] {
			best = k
		}
	}
	return best
}

// gateAt is operation k on real pins, the multilinear extension of its truth table.
func gateAt(k int, a, b float64) float64 {
	f := func(shift int) float64 { return float64(k >> shift & 1) }
	return f(3)*(1-a)*(1-b) + f(2)*(1-a)*b + f(1)*a*(1-b) + f(0)*a*b
}

func (o *oracle) forward(x []float64) pass {
	c := o.g.Config
	s := pass{x: x}
	for l := range c.Depth {
		var a, b, h []float64
		for i := range c.Width {
			switch {
			case l > 0:
				a = append(a, s.h[l-1][i])
			case len(o.g.FirstCandidates) > 0:
				a = append(a, x[o.g.FirstCandidates[i][argmax(o.p.First[i])]])
			default:
				a = append(a, x[o.g.First[i]])
			}
			b = append(b, x[o.g.AnchorCandidates[l][i][argmax(o.p.Anchor[l][i])]])
			h = append(h, gateAt(argmax(o.p.Ops[l][i]), a[i], b[i]))
		}
		s.a, s.b, s.h = append(s.a, a), append(s.b, b), append(s.h, h)
	}
	return s
}

func (o *oracle) logits(s pass) []float64 {
	c := o.g.Config
	z := make([]float64, c.Classes)
	for i, h := range s.h[c.Depth-1] {
		z[i/(c.Width/c.Classes)] += h / c.Tau
	}
	return z
}

// backward adds one sample's gradient with respect to the probabilities to grad:
// softmax's Jacobian follows when all samples are in.
func (o *oracle) backward(s pass, dz []float64, grad params) {
	c := o.g.Config
	d := make([]float64, c.Width) // with respect to the layer's outputs
	for i := range d {
		d[i] = dz[i/(c.Width/c.Classes)] / c.Tau
	}
	for l := c.Depth - 1; l >= 0; l-- {
		for i := range d {
			a, b, p := s.a[l][i], s.b[l][i], softmax(o.p.Ops[l][i])
			da, db := 0.0, 0.0
			for k := range p {
				grad.Ops[l][i][k] += d[i] * gateAt(k, a, b)
				da += p[k] * (gateAt(k, 1, b) - gateAt(k, 0, b))
				db += p[k] * (gateAt(k, a, 1) - gateAt(k, a, 0))
			}
			for j, w := range o.g.AnchorCandidates[l][i] {
				grad.Anchor[l][i][j] += d[i] * db * s.x[w]
			}
			if l == 0 && len(o.g.FirstCandidates) > 0 {
				for j, w := range o.g.FirstCandidates[i] {
					grad.First[i][j] += d[i] * da * s.x[w]
				}
			}
			d[i] *= da
		}
	}
}

// jacobian turns gradients with respect to softmax(w) into those with respect to w.
func jacobian(w, g [][]float64) {
	for i := range w {
		p, mean := softmax(w[i]), 0.0
		for k := range p {
			mean += p[k] * g[i][k]
		}
		for k := range p {
			g[i][k] = p[k] * (g[i][k] - mean)
		}
	}
}

// step trains on one batch and returns the logits, the loss and the gradients.
func (o *oracle) step(s goldenStep) (z [][]float64, loss float64, grad params) {
	grad = zip(o.p, o.p, func(float64, float64) float64 { return 0 })
	if o.m.Ops == nil {
		o.m, o.v = grad, grad
	}
	grad = zip(grad, grad, func(a, _ float64) float64 { return a })
	for n, bits := range s.X {
		x := make([]float64, len(bits))
		for i, b := range bits {
			x[i] = float64(b - '0')
		}
		run := o.forward(x)
		z = append(z, o.logits(run))
		dz := softmax(z[n])
		loss -= math.Log(dz[s.Y[n]]) / float64(len(s.X))
		dz[s.Y[n]]--
		for c := range dz {
			dz[c] /= float64(len(s.X))
		}
		o.backward(run, dz, grad)
	}
	jacobian(o.p.First, grad.First)
	for l := range grad.Ops {
		jacobian(o.p.Ops[l], grad.Ops[l])
		jacobian(o.p.Anchor[l], grad.Anchor[l])
	}
	o.adam(grad)
	return z, loss, grad
}

func (o *oracle) adam(grad params) {
	o.t++
	o.m, o.v = blend(o.m, grad, 0.9, 1), blend(o.v, grad, 0.999, 2)
	c1, c2 := 1-math.Pow(0.9, float64(o.t)), 1-math.Pow(0.999, float64(o.t))
	step := zip(o.m, o.v, func(m, v float64) float64 {
		return o.g.Config.LR * (m / c1) / (math.Sqrt(v/c2) + 1e-8)
	})
	o.p = zip(o.p, step, func(p, s float64) float64 { return p - s })
}

// testOracle holds the oracle itself to autograd, within 1e-10 throughout.
func (g *golden) testOracle(t *testing.T) {
	o := &oracle{g: g, p: g.Start}
	close := func(...float64) float64 { return 1e-10 }
	for n, s := range g.Steps {
		z, loss, grad := o.step(s)
		if math.Abs(loss-s.Loss) > 1e-10 {
			t.Errorf("step %d: loss %v, want %v", n+1, loss, s.Loss)
		}
		for i := range z {
			for c := range z[i] {
				if math.Abs(z[i][c]-s.Logits[i][c]) > 1e-10 {
					t.Errorf("step %d, sample %d, class %d: logit %v, want %v", n+1, i, c, z[i][c], s.Logits[i][c])
				}
			}
		}
		compare(t, fmt.Sprintf("step %d: gradient", n+1), grad, s.Grad, close)
		compare(t, fmt.Sprintf("step %d: parameter", n+1), o.p, s.After, close)
	}
}
