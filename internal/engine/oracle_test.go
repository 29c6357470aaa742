package engine

import (
	"fmt"
	"math"
	"testing"
)

// oracle computes a training step in the slow, obvious way in float64. It applies the chain rule sample by sample and
// layer by layer, as the paper's supplement describes ("Hard-Forward STE and Deployment Equivalence"). Values are
// hard or relaxed. The oracle shares no arithmetic with the engines.
type oracle struct {
	g    *golden
	p    params
	m, v params
	t    int
}

// pass holds the values in the network for one sample.
type pass struct {
	x       []float64
	a, b, h [][]float64 // [layer][gate]
}

// oraclePin is a pin of a gate. It holds the pin's candidates with their logits and gradients.
type oraclePin struct {
	from         []float64 // values of the bits that the pin can read
	back         []float64 // gradients with respect to from; nil if the source is the inputs
	candidates   []uint32
	logits, grad []float64 // nil if the pin has no candidates
}

// pin returns a pin of gate i in layer l. The argument pin is 0 for pin A and 1 for pin B. The argument grad may be
// nil.
func (o *oracle) pin(s *pass, back []float64, grad *params, l, i, pin int) oraclePin {
	c, g := o.g.Config, o.g
	at := oraclePin{from: s.x}
	hidden := func() { at.from, at.back = s.h[l-1], back }
	choose := func(candidates [][]uint32, logits [][]float64, to func(*params) [][]float64) {
		if at.candidates = candidates[i]; len(at.candidates) > 1 {
			at.logits = logits[i]
			if grad != nil {
				at.grad = to(grad)[i]
			}
		}
	}
	switch {
	case c.Topology != "ialgn":
		if at.candidates = g.Wires[l][pin][i : i+1]; l > 0 {
			hidden()
		}
	case pin == 1:
		choose(g.AnchorCandidates[l], o.p.Anchor[l], func(p *params) [][]float64 { return p.Anchor[l] })
	case l == 0 && o.p.First != nil:
		choose(g.FirstCandidates, o.p.First, func(p *params) [][]float64 { return p.First })
	case l == 0:
		at.candidates = g.First[i : i+1]
	case c.KH > 1:
		hidden()
		choose(g.HiddenCandidates[l], o.p.Spine[l], func(p *params) [][]float64 { return p.Spine[l] })
	default:
		hidden()
		at.candidates = []uint32{uint32(i)}
	}
	return at
}

// value returns the pin's bit, or its relaxed value.
func (p *oraclePin) value(hard bool) float64 {
	switch {
	case p.logits == nil:
		return p.from[p.candidates[0]]
	case hard:
		return p.from[p.candidates[argmax(p.logits)]]
	}
	sum := 0.0
	for j, q := range softmax(p.logits) {
		sum += q * p.from[p.candidates[j]]
	}
	return sum
}

// backward takes the gradient d with respect to the pin's value. It adds the gradients with respect to the source and
// to the selection probabilities.
func (p *oraclePin) backward(d float64) {
	q := []float64{1}
	if p.logits != nil {
		q = softmax(p.logits)
	}
	for j, w := range p.candidates {
		if p.back != nil {
			p.back[w] += d * q[j]
		}
		if p.grad != nil {
			p.grad[j] += d * p.from[w]
		}
	}
}

// mix returns the weights of the operations. The gate's value is the weighted sum of the operations. With hard
// values, only the selected operation has a weight.
func (o *oracle) mix(w []float64, hard bool) [16]float64 {
	var p [16]float64
	switch {
	case len(w) == 16 && hard:
		p[argmax(w)] = 1
	case len(w) == 16:
		copy(p[:], softmax(w))
	default: // a light gate weights its four lines, which are NOR, B without A, A without B, and AND
		for i, op := range []int{8, 4, 2, 1} {
			if p[op] = 1 / (1 + math.Exp(-w[i])); hard {
				p[op] = 0
				if w[i] > 0 {
					p[op] = 1
				}
			}
		}
	}
	return p
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

// gateAt evaluates the multilinear extension of operation k at real numbers.
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
			pinA, pinB := o.pin(&s, nil, nil, l, i, 0), o.pin(&s, nil, nil, l, i, 1)
			a, b = append(a, pinA.value(c.STE)), append(b, pinB.value(c.STE))
			sum := 0.0
			for k, p := range o.mix(o.p.Ops[l][i], c.STE) {
				sum += p * gateAt(k, a[i], b[i])
			}
			h = append(h, sum)
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

// backward computes one sample's gradient with respect to the probabilities and adds it to grad. The gradients with
// respect to the logits are computed after all samples have been added.
func (o *oracle) backward(s pass, dz []float64, grad params) {
	c := o.g.Config
	d := make([]float64, c.Width) // gradient with respect to the layer's outputs
	for i := range d {
		d[i] = dz[i/(c.Width/c.Classes)] / c.Tau
	}
	for l := c.Depth - 1; l >= 0; l-- {
		back := make([]float64, c.Width)
		for i := range d {
			a, b := s.a[l][i], s.b[l][i]
			da, db := 0.0, 0.0
			for k, p := range o.mix(o.p.Ops[l][i], false) {
				da += p * (gateAt(k, 1, b) - gateAt(k, 0, b))
				db += p * (gateAt(k, a, 1) - gateAt(k, a, 0))
			}
			for k := range grad.Ops[l][i] {
				op := k
				if len(grad.Ops[l][i]) == 4 {
					op = 8 >> k
				}
				grad.Ops[l][i][k] += d[i] * gateAt(op, a, b)
			}
			pinA, pinB := o.pin(&s, back, &grad, l, i, 0), o.pin(&s, back, &grad, l, i, 1)
			pinA.backward(d[i] * da)
			pinB.backward(d[i] * db)
		}
		d = back
	}
}

// jacobian turns gradients with respect to softmax(w) into gradients with respect to w. For a light gate, it starts
// from gradients with respect to sigmoid(w).
func jacobian(w, g [][]float64, light bool) {
	for i := range w {
		if light {
			for k, x := range w[i] {
				p := 1 / (1 + math.Exp(-x))
				g[i][k] *= p * (1 - p)
			}
			continue
		}
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
		share := o.g.share(s, n)
		loss -= share * math.Log(dz[s.Y[n]])
		dz[s.Y[n]]--
		for c := range dz {
			dz[c] *= share
		}
		o.backward(run, dz, grad)
	}
	jacobian(o.p.First, grad.First, false)
	for l := range grad.Ops {
		jacobian(o.p.Ops[l], grad.Ops[l], o.g.Config.Parametrization == "light")
		for _, pin := range []struct{ w, g [][][]float64 }{{o.p.Anchor, grad.Anchor}, {o.p.Spine, grad.Spine}} {
			if l < len(pin.w) {
				jacobian(pin.w[l], pin.g[l], false)
			}
		}
	}
	o.adam(grad)
	return z, loss, grad
}

// share returns the share of sample n in the loss of a step.
func (g *golden) share(s goldenStep, n int) float64 {
	if g.Config.Weights == nil {
		return 1 / float64(len(s.Y))
	}
	sum := 0.0
	for _, y := range s.Y {
		sum += float64(g.Config.Weights[y])
	}
	return float64(g.Config.Weights[s.Y[n]]) / sum
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

// testOracle compares all results of the oracle with autograd, within 1e-10.
func (g *golden) testOracle(t *testing.T) {
	o := &oracle{g: g, p: g.Start}
	close := uniform(&g.Start, 1e-10)
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
