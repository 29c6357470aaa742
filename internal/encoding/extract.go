package encoding

// Extract takes the samples of those indices, which ascend strictly, out of p and
// returns them; the others close ranks in their order. The memory of p stays its own,
// so that no second copy of a large set ever stands beside it. It panics if an index
// is out of range.
func (p *Packed) Extract(index []int32) *Packed {
	out := NewPacked(p.Features, p.Width)
	kept := 0
	for i := range p.Len() {
		if n := out.Len(); n < len(index) && int(index[n]) == i {
			last := out.last()
			*last = append(*last, p.Row(i)...)
			out.Labels = append(out.Labels, p.Labels[i])
			continue
		}
		copy(p.Row(kept), p.Row(i))
		p.Labels[kept] = p.Labels[i]
		kept++
	}
	if out.Len() < len(index) {
		panic("encoding: Extract needs ascending indices of samples")
	}
	p.truncate(kept)
	return out
}

// truncate drops all but the first n samples.
func (p *Packed) truncate(n int) {
	p.Labels = p.Labels[:n]
	full := n >> p.shift
	rest := n & (1<<p.shift - 1) * p.stride
	if rest > 0 {
		p.chunks[full] = p.chunks[full][:rest]
		full++
	}
	clear(p.chunks[full:])
	p.chunks = p.chunks[:full]
}
