package rows

import "math/bits"

// stage is a step of the transposition of a square of elements. The square has N vectors of N elements. A stage works
// on all pairs of vectors whose numbers differ in one bit. For each pair, it exchanges this bit of the vector's
// number with a bit of the element's place. The bit of the place is either the lowest bit of the 128-bit lane's
// number, or the highest bit of the element's place in the lane. The other bits of the place move up by one position,
// so that each bit is at its final position after all stages.
type stage struct {
	bit   int
	lanes bool
}

// stages returns the stages for elements of size bytes. The stages for the highest bits exchange lanes. The stages of
// lower bits can be done later for a few vectors at a time, since the last stages work on neighbouring vectors only.
func stages(s shape, size int) (all []stage) {
	top := bits.TrailingZeros(uint(s.bytes / size))
	for bit := top - s.lanes; bit < top; bit++ {
		all = append(all, stage{bit, true})
	}
	for bit := top - s.lanes - 1; bit >= 0; bit-- {
		all = append(all, stage{bit, false})
	}
	return all
}

// transpose appends stages for the vectors of the square whose numbers are multiples of step. The argument free is an
// additional vector for temporary values. On return, the slice square holds the vectors of the results, and the
// returned vector can be used for temporary values.
func transpose(m vectors, size int, todo []stage, square []vector, step int, free vector) vector {
	for _, s := range todo {
		far := 1 << s.bit / step
		for i := range square {
			if i&far == 0 {
				first := square[i]
				m.exchange(s, size, free, first, square[i|far])
				square[i], free = free, first
			}
		}
	}
	return free
}
