package diagnose

// These are the paper's thresholds ("Active credit and gradient coverage", "Gradient purity").
const (
	least    = 1e-12 // contributions up to this size do not count as credit
	relative = 1e-5  // contributions up to this share of the gate's largest contribution do not count as credit
	epsilon  = 1e-12
)

// score is the credit of the sampled gates of a layer in one batch.
type score struct {
	covered int     // number of gates with an active source
	purity  float64 // sum of the purities of the covered gates
}

// scorer holds scratch memory for the contributions to one gate.
type scorer struct {
	gradients [][]float64 // gradients that are not 0
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

// score returns the score of the sampled gates of layer l. truths holds the truth tables of these gates.
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

// take collects the gradients of the sampled outputs with respect to the operation logits of a gate. k is the gate's
// index among the sampled gates of layer l. Gradients that are 0 because no credit arrives are left out.
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

// purity returns the gradient purity of the collected gradients. active reports whether any gradient is active. If
// none is active, the purity is 0.
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
