package augment

// vectorSide is the longest side of an image whose coordinates fit in 32 bits.
const vectorSide = 1024

// vectorLanes is the largest number of pixels in a vector.
const vectorLanes = 16

// taker is a vector kernel that writes a changed plane.
type taker func(dst, pixels *byte, stride, width, height int, vectors *int32)

// taker prepares the kernel of the SIMD path in use for a change and returns the kernel. It returns nil for the plain
// path.
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

// windowBytes is the number of bytes within which the source pixels of a vector must lie for the window kernel.
const windowBytes = 128

// inWindow reports whether, for every [vectorLanes] consecutive pixels of a row, the source pixels lie within
// windowBytes.
func (m *image) inWindow(c *change) bool {
	apart := func(step int) int { return (vectorLanes-1)*max(step, -step)>>16 + 1 }
	return (apart(c.yu)+1)*m.stride+apart(c.xu)+1 < windowBytes
}

// Offsets of the parts of a kernel's last argument. Each part has two vectors, one for x and one for y.
const (
	partStart = 2 * vectorLanes * iota
	partAlong
	partDown
	partLeast
	partMost
	partBack
	partCorners
	vectorParts = 14
)

// prepareImage writes the vectors that are the same for all changes.
func (m *image) prepareImage() {
	v := &m.vectors
	for i := range vectorLanes {
		v[partLeast+i], v[partLeast+vectorLanes+i] = -one, -one
		v[partMost+i], v[partMost+vectorLanes+i] = int32(m.width*one), int32(m.height*one)
		v[partCorners+i] = int32(1<<8 | m.stride<<16 | (m.stride+1)<<24)
		v[partCorners+vectorLanes+i] = int32(1 | m.stride<<16)
	}
}

// prepare writes the vectors of a change, for a kernel with the given number of pixels in a vector.
func (m *image) prepare(c *change, lanes int) {
	m.prepareAxis(0, lanes, int32(c.x0), int32(c.xu), int32(c.xv))
	m.prepareAxis(vectorLanes, lanes, int32(c.y0), int32(c.yu), int32(c.yv))
}

func (m *image) prepareAxis(axis, lanes int, start, along, down int32) {
	starts := m.vectors[partStart+axis:][:vectorLanes]
	alongs, downs := m.vectors[partAlong+axis:][:vectorLanes], m.vectors[partDown+axis:][:vectorLanes]
	far := int32(lanes) * along
	for i := range starts {
		starts[i], alongs[i], downs[i] = start, far, down
		start += along
	}
	m.vectors[partBack+axis] = min(0, far-along) // only the first lane is read
}
