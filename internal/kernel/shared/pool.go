package shared

// Pool is a two-by-two pooling of two rows of positions. The values of neighbouring positions are adjacent rows of
// the arena. The lower row of positions begins Pitch after the upper row. All offsets are counted in float32.
type Pool struct {
	In, Out uint32 // first position of the upper of the two rows, and first pooled position
	Pitch   uint32 // distance between two rows of positions
	Width   int    // number of pooled positions
}

// Forward writes the largest value of each group of four values. If the values are bits, this is the OR of the four
// bits.
func (p *Pool) Forward(x []float32) {
	if f := vectors(); f != nil && p.Width > 0 {
		f.pool(&x[0], p.In, p.Out, p.Pitch, p.Width)
		return
	}
	for i := range uint32(p.Width) {
		at, to := p.In+2*i*Lanes, row(x, p.Out+i*Lanes)
		*to = *row(x, at)
		for _, place := range [3]uint32{at + Lanes, at + p.Pitch, at + p.Pitch + Lanes} {
			for lane, v := range row(x, place) {
				if v > to[lane] {
					to[lane] = v
				}
			}
		}
	}
}

// Backward reads the gradients of the pooled values from the slice from, beginning at index p.Out. It writes each
// gradient to g at the position of the largest of the four values in x, and 0 at the other three positions. If
// several values are equal, the first in reading order counts as the largest.
func (p *Pool) Backward(x, g, from []float32) {
	if f := vectors(); f != nil && p.Width > 0 {
		f.unpool(&x[0], &g[0], &from[0], p.In, p.Out, p.Pitch, p.Width)
		return
	}
	for i := range uint32(p.Width) {
		at := p.In + 2*i*Lanes
		places := [4]uint32{at, at + Lanes, at + p.Pitch, at + p.Pitch + Lanes}
		for lane := range uint32(Lanes) {
			best := 0
			for k, place := range places {
				g[place+lane] = 0
				if x[place+lane] > x[places[best]+lane] {
					best = k
				}
			}
			g[places[best]+lane] = from[p.Out+i*Lanes+lane]
		}
	}
}
