package augment

// vectorSide is the longest side of an image for which places fit 32 bits.
const vectorSide = 1024

// vectorLanes is the largest number of pixels in a vector, and vectorParts the number of vectors of a kernel's last
// argument: one for x and one for y of each of the five that tools/avo/augment lists.
const (
	vectorLanes = 16
	vectorParts = 10
)

// prepare writes the vectors that a kernel needs for a change. lanes is the number of pixels in its vectors.
func (m *image) prepare(c *change, lanes int) {
	for axis, a := range [2]struct{ start, along, down, most int }{
		{c.x0, c.xu, c.xv, m.width * one}, {c.y0, c.yu, c.yv, m.height * one},
	} {
		for i := range vectorLanes {
			for part, v := range [5]int{a.start + i*a.along, lanes * a.along, a.down, -one, a.most} {
				m.vectors[(2*part+axis)*vectorLanes+i] = int32(v)
			}
		}
	}
}
