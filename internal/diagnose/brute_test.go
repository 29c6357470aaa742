package diagnose

import (
	"math"

	"ialgn/internal/model"
)

// brute computes the diagnostics in a slow, obvious way. For each sample and each output, it applies the chain rule
// to the whole network in float64, with real numbers instead of bits. For each gate, it searches for the descendants.
// brute shares no code with the package.
type brute struct {
	m       *model.Model
	sampled []int
	x       [][]float64 // indexed [sample][input]
	y       []uint8
}

// brutePin describes a pin of a gate. It holds the sources of the pin and the probability with which each source is
// selected. A source is the index of a value in the layer below or in the input.
type brutePin struct {
	hidden bool
	from   []int
	share  []float64
	hard   int // the selected source
}

// pin returns a pin of gate i in layer l. The argument pin is 0 for pin A and 1 for pin B.
func (b *brute) pin(l, i, pin int) brutePin {
	s, at := b.section(l)
	p := &s.Pins[0]
	if pin == 1 {
		p = &s.Pins[1]
	}
	if p.Source == model.Spine {
		return brutePin{true, []int{i}, []float64{1}, i}
	}
	out := brutePin{hidden: p.Source == model.Previous}
	best, sum := 0, 0.0
	for j := range p.K {
		g := (i*s.Layers+at)*p.K + j
		out.from = append(out.from, int(p.Wires.At(g)))
		w := 1.0
		if p.K > 1 {
			w = math.Exp(float64(p.Logits[g]))
		}
		out.share = append(out.share, w)
		if sum += w; w > out.share[best] {
			best = j
		}
	}
	for j := range out.share {
		out.share[j] /= sum
	}
	out.hard = out.from[best]
	return out
}

func (b *brute) section(l int) (s *model.Section, at int) {
	for i := range b.m.Sections {
		if s = &b.m.Sections[i]; l < s.Layers {
			return s, l
		}
		l -= s.Layers
	}
	panic("no such layer")
}

func (b *brute) logits(l, i int) []float32 {
	s, at := b.section(l)
	arity := b.m.Sections[0].Arity
	return s.Ops[(i*s.Layers+at)*arity:][:arity]
}

// table returns the values of a gate for the pin values 00, 01, 10 and 11. If hard is true, these are the values of
// the selected operation. Otherwise they are the relaxed values.
func (b *brute) table(l, i int, hard bool) (t [4]float64) {
	w := b.logits(l, i)
	sum, best := 0.0, 0
	for k, x := range w {
		if sum += math.Exp(float64(x)); x > w[best] {
			best = k
		}
	}
	for line := range t {
		switch {
		case len(w) == 4 && hard:
			t[line] = map[bool]float64{true: 1}[w[line] > 0]
		case len(w) == 4:
			t[line] = 1 / (1 + math.Exp(-float64(w[line])))
		case hard:
			t[line] = float64(best >> (3 - line) & 1)
		default:
			for k, x := range w {
				t[line] += math.Exp(float64(x)) / sum * float64(k>>(3-line)&1)
			}
		}
	}
	return t
}

// mix evaluates a truth table on real pins.
func mix(t [4]float64, a, b float64) float64 {
	return t[0]*(1-a)*(1-b) + t[1]*(1-a)*b + t[2]*a*(1-b) + t[3]*a*b
}

// forward returns the values of all pins and of all gates, indexed [layer][gate].
func (b *brute) forward(x []float64) (pins [][][2]float64, h [][]float64) {
	for l := range b.m.Depth() {
		var p [][2]float64
		var out []float64
		for i := range b.m.Width {
			var v [2]float64
			for pin := range v {
				from := x
				at := b.pin(l, i, pin)
				if at.hidden {
					from = h[l-1]
				}
				v[pin] = from[at.hard]
			}
			p, out = append(p, v), append(out, mix(b.table(l, i, true), v[0], v[1]))
		}
		pins, h = append(pins, p), append(h, out)
	}
	return pins, h
}

// output returns the gradient of the batch's loss with respect to the operation logits of each gate, but only the
// part that comes through output o. The result is indexed [layer][gate][logit].
func (b *brute) output(o int) [][][]float64 {
	g := make([][][]float64, b.m.Depth())
	for l := range g {
		for range b.m.Width {
			g[l] = append(g[l], make([]float64, b.m.Sections[0].Arity))
		}
	}
	for s, x := range b.x {
		pins, h := b.forward(x)
		d := make([]float64, b.m.Width)
		d[o] = b.delta(h[len(h)-1], s, o)
		for l := len(g) - 1; l >= 0; l-- {
			d = b.back(g[l], d, pins, l)
		}
	}
	return g
}

// delta returns the gradient of the loss with respect to output o.
func (b *brute) delta(h []float64, s, o int) float64 {
	classes, tau := len(b.m.Classes), b.m.Config.Model.Tau
	group := b.m.Width / classes
	z, sum := make([]float64, classes), 0.0
	for i, v := range h {
		z[i/group] += v / tau
	}
	for _, v := range z {
		sum += math.Exp(v)
	}
	d := math.Exp(z[o/group]) / sum
	if int(b.y[s]) == o/group {
		d--
	}
	return d / tau / float64(len(b.x))
}

// back adds the gradients of layer l to g. It returns the gradient with respect to the values of the layer below.
func (b *brute) back(g [][]float64, d []float64, pins [][][2]float64, l int) []float64 {
	below := make([]float64, b.m.Width)
	for i := range d {
		if d[i] == 0 {
			continue
		}
		v := pins[l][i]
		b.addLogits(g[i], l, i, d[i], v)
		t := b.table(l, i, false)
		slope := [2]float64{mix(t, 1, v[1]) - mix(t, 0, v[1]), mix(t, v[0], 1) - mix(t, v[0], 0)}
		for pin := range slope {
			at := b.pin(l, i, pin)
			for j, from := range at.from {
				if at.hidden {
					below[from] += d[i] * slope[pin] * at.share[j]
				}
			}
		}
	}
	return below
}

// addLogits adds to g the gradient with respect to the logits of a gate. It computes this gradient from differences
// of the gate's relaxed value.
func (b *brute) addLogits(g []float64, l, i int, d float64, v [2]float64) {
	w := b.logits(l, i)
	if len(w) == 4 {
		line := int(2*v[0] + v[1])
		e := math.Exp(-math.Abs(float64(w[line])))
		g[line] += d * e / ((1 + e) * (1 + e))
		return
	}
	value, sum := mix(b.table(l, i, false), v[0], v[1]), 0.0
	for _, x := range w {
		sum += math.Exp(float64(x))
	}
	for k, x := range w {
		one := float64(k >> (3 - int(2*v[0]+v[1])) & 1)
		g[k] += d * math.Exp(float64(x)) / sum * (one - value)
	}
}

// descendants returns the outputs that gate i of layer l reaches through hidden wires.
func (b *brute) descendants(l, i int) map[int]bool {
	own := map[int]bool{i: true}
	for l++; l < b.m.Depth(); l++ {
		next := map[int]bool{}
		for reader := range b.m.Width {
			for pin := range 2 {
				at := b.pin(l, reader, pin)
				for _, from := range at.from {
					if at.hidden && own[from] {
						next[reader] = true
					}
				}
			}
		}
		own = next
	}
	return own
}

// bruteLayer holds the values that the paper reports about a layer, for one batch.
type bruteLayer struct {
	eligible, covered int
	sharing, purity   []float64 // path sharing of each sampled gate, and purity of each covered gate
}

// layer computes the values of layer l as the supplement describes them. contribution holds the gradients of the
// sampled outputs, indexed [sampled][layer][gate][logit].
func (b *brute) layer(contribution [][][][]float64, l int) (r bruteLayer) {
	length := func(g []float64) float64 {
		sum := 0.0
		for _, x := range g {
			sum += x * x
		}
		return math.Sqrt(sum)
	}
	for _, i := range b.sampled {
		reached := b.descendants(l, i)
		r.sharing = append(r.sharing, float64(len(reached)))
		largest, any := 0.0, false
		for k, o := range b.sampled {
			if reached[o] {
				any = true
				largest = math.Max(largest, length(contribution[k][l][i]))
			}
		}
		if !any {
			continue
		}
		r.eligible++
		threshold, total, active := math.Max(1e-12, 1e-5*largest), 0.0, false
		sum := make([]float64, b.m.Sections[0].Arity)
		for k, o := range b.sampled {
			g := contribution[k][l][i]
			if n := length(g); reached[o] && n > threshold {
				active = true
				total += n
				for j := range sum {
					sum[j] += g[j]
				}
			}
		}
		if active {
			r.covered++
			r.purity = append(r.purity, length(sum)/(total+1e-12))
		}
	}
	return r
}
