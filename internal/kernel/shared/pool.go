package shared

// Pool says where the rows are of a pooling of two by two: those of neighbouring positions stand one after the other,
// those below them Pitch behind. All offsets are counted in float32.
type Pool struct {
	In, Out uint32 // the first position of the upper of two rows of positions, and the first pooled position
	Pitch   uint32 // from a row of positions to the next
	Width   int    // pooled positions
}

// Forward writes the largest of each four values: their OR where values are bits.
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

// Backward writes the gradient of each pooled value, which it finds in from at Out, to that of the four values in x
// that is the largest, to the first in reading order where several are, and 0 to those of the others. It writes to the
// arena g at In.
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
