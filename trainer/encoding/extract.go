package encoding

// Extract takes the samples of those indices, which ascend strictly, out of p and
// returns them; the others close ranks in their order. The memory of p stays its own,
// so that no second copy of a large set ever stands beside it. It panics if an index
// is out of range.
func (p *Packed) Extract(index []int32) *Packed {
	out := &Packed{
		Features: p.Features, Width: p.Width, stride: p.stride,
		Labels: make([]uint8, 0, len(index)), words: make([]uint64, 0, len(index)*p.stride),
	}
	kept := 0
	for i := range p.Len() {
		if n := out.Len(); n < len(index) && int(index[n]) == i {
			out.words = append(out.words, p.Row(i)...)
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
	p.words, p.Labels = p.words[:kept*p.stride], p.Labels[:kept]
	return out
}
