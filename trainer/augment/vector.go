package augment

// vectorSide is the longest side of an image for which places fit 32 bits.
const vectorSide = 1024

// vectorLanes is the largest number of pixels in a vector.
const vectorLanes = 16

// vectorParts is the number of vectors of a kernel's last argument: two for each line that tools/avo/augment lists.
const vectorParts = 14

// taker is a vector kernel.
type taker func(dst, pixels *byte, stride, width, height int, vectors *int32)

// taker returns the kernel for a change on the path in use, prepared, or nil for the plain path.
func (m *image) taker(c *change) taker {
	if max(m.width, m.height) > vectorSide {
		return nil
	}
	f, lanes := vectorTake(m.inWindow(c))
	if f != nil {
		m.prepare(c, lanes)
	}
	return f
}

// windowBytes is how far the bytes of a vector of pixels may lie apart.
const windowBytes = 128

// inWindow reports whether all that [vectorLanes] pixels of a row are made of always stands in so few bytes.
func (m *image) inWindow(c *change) bool {
	apart := func(step int) int { return (vectorLanes-1)*max(step, -step)>>16 + 1 }
	return (apart(c.yu)+1)*m.stride+apart(c.xu)+1 < windowBytes
}

// prepare writes the vectors for a kernel with so many pixels in each.
func (m *image) prepare(c *change, lanes int) {
	corners := [2]int{1<<8 | m.stride<<16 | (m.stride+1)<<24, 1 | m.stride<<16}
	for axis, a := range [2]struct{ start, along, down, most int }{
		{c.x0, c.xu, c.xv, m.width * one}, {c.y0, c.yu, c.yv, m.height * one},
	} {
		back := min(0, (lanes-1)*a.along)
		for i := range vectorLanes {
			for part, v := range [vectorParts / 2]int{
				a.start + i*a.along, lanes * a.along, a.down, -one, a.most, back, corners[axis],
			} {
				m.vectors[(2*part+axis)*vectorLanes+i] = int32(v)
			}
		}
	}
}
