package kernel

// Replace replaces up to count candidates of the pin of gate g by other sources. It replaces the candidates with the
// smallest logits, but never the selected candidate. Of two candidates with equal logits, it replaces the first. The
// function next returns sources in order of preference until ok is false. Each source must be below the pin's number
// of sources. Replace skips sources that are already candidates. The moments of a new candidate are zero, and its
// logit is the largest logit minus gap. Replace reports whether anything changed.
func (p *Pin) Replace(g, count int, gap float32, next func() (source uint32, ok bool)) bool {
	from, to := g*p.K, (g+1)*p.K
	w := p.W[from:to]
	chosen, top := Largest(w)
	changed := false
	fresh := make([]bool, p.K)
	for range min(count, p.K-1) {
		weakest := -1
		for j, x := range w {
			if j != chosen && !fresh[j] && (weakest < 0 || x < w[weakest]) {
				weakest = j
			}
		}
		source, ok := p.unused(from, to, next)
		if !ok {
			break
		}
		at := from + weakest
		p.setWire(at, source)
		p.W[at], p.M[at], p.V[at] = top-gap, 0, 0
		fresh[weakest], changed = true, true
	}
	if changed {
		p.refresh(g)
	}
	return changed
}

// unused returns the next source that is not yet a candidate.
func (p *Pin) unused(from, to int, next func() (uint32, bool)) (source uint32, ok bool) {
again:
	if source, ok = next(); !ok {
		return 0, false
	}
	for i := from; i < to; i++ {
		if p.Wire(i) == source {
			goto again
		}
	}
	return source, true
}

// setWire sets wire i.
func (p *Pin) setWire(i int, source uint32) {
	if p.Wide != nil {
		p.Wide[i] = source
	} else {
		p.Narrow[i] = uint16(source)
	}
}
