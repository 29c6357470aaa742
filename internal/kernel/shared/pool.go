package shared

// Pool is a two-by-two pooling of two rows of positions. The values of neighbouring positions are adjacent rows of
// the arena. The values of the positions below are Pitch after them. All offsets are counted in float32.
type Pool struct {
	In, Out uint32 // first position of the upper of the two rows, and first pooled position
	Pitch   uint32 // distance from one row of positions to the next
	Width   int    // number of pooled positions
}

// Forward writes the largest of each four values. For bits, this is their OR.
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

// Backward passes on the gradient of each pooled value, which is in from at p.Out. It writes the gradient to g, at
// the position of the largest of the four values in x (the first in reading order if several are equal), and 0 at the
// other three positions.
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
