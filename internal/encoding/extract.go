package encoding

// Extract removes the samples with the given indices from p and returns these samples. The indices must be strictly
// ascending. The other samples move up and keep their order. p keeps its memory, so a large set is never held twice.
// Extract panics if an index is out of range.
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

// truncate removes all samples after the first n.
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
