package diagnose

// The paper's thresholds ("Active credit and gradient coverage", "Gradient purity").
const (
	least    = 1e-12 // contributions up to this size are not credit
	relative = 1e-5  // nor are contributions up to this share of the largest contribution to the gate
	epsilon  = 1e-12
)

// score is the credit of a layer's sampled gates in one batch.
type score struct {
	covered int     // gates with an active source
	purity  float64 // sum over the covered gates
}

// scorer holds scratch memory for the contributions to a gate.
type scorer struct {
	gradients [][]float64 // gradients other than 0
	outputs   []int       // the sampled output of each gradient
	norms     []float64
	sum       []float64
	room      [][]float64
}

func newScorer(outputs, arity int) *scorer {
	s := &scorer{sum: make([]float64, arity)}
	for range outputs {
		s.room = append(s.room, make([]float64, arity))
	}
	return s
}

// score scores the sampled gates of layer l, whose truth tables are given.
func (p *pass) score(s *scorer, l int, truths []truth) (r score) {
	for k := range p.sampled {
		s.take(p, l, k, truths[k])
		if purity, covered := s.purity(); covered {
			r.covered++
			r.purity += purity
		}
	}
	return r
}

// take collects the gradients of the sampled outputs with respect to the operation logits of sampled gate k of layer
// l. It leaves out the gradients that are 0 because no credit arrives.
func (s *scorer) take(p *pass, l, k int, t truth) {
	s.gradients, s.outputs = s.gradients[:0], s.outputs[:0]
	for i := range p.blocks {
		b := &p.blocks[i]
		sums := &b.sums[l*len(p.sampled)+k]
		for o := b.first; o < b.last; o++ {
			lane := o - b.first
			of := [patterns]float64{sums[0][lane], sums[1][lane], sums[2][lane], sums[3][lane]}
			if of == [patterns]float64{} {
				continue
			}
			g := s.room[len(s.gradients)]
			t.gradient(g, &of)
			s.gradients, s.outputs = append(s.gradients, g), append(s.outputs, o)
		}
	}
}

// purity returns the gradient purity of the collected gradients, and whether any gradient is active. Without an
// active gradient, the purity is 0.
func (s *scorer) purity() (purity float64, active bool) {
	s.norms = s.norms[:0]
	largest := 0.0
	for _, g := range s.gradients {
		n := norm(g)
		s.norms, largest = append(s.norms, n), max(largest, n)
	}
	threshold := max(least, relative*largest)
	if !(largest > threshold) {
		return 0, false
	}
	total := 0.0
	clear(s.sum)
	for i, g := range s.gradients {
		if s.norms[i] > threshold {
			total += s.norms[i]
			for k, x := range g {
				s.sum[k] += x
			}
		}
	}
	return norm(s.sum) / (total + epsilon), true
}
