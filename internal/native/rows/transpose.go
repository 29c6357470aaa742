package rows

import "math/bits"

// stage is a step of the transposition of a square of elements that stands in as many vectors as a vector has
// elements. It works on all pairs of vectors whose numbers differ in one bit. For each pair, that bit of the
// vector's number and a bit of the element's place change roles: of the place of the lane of 128 bits, its lowest
// bit, or of the place in the lane, its highest. The bits of the place that stay move on by one, so that after all
// stages each is where it belongs.
type stage struct {
	bit   int
	lanes bool
}

// stages returns the steps for elements of size bytes. The bits that exchange lanes are the highest: lower halves of
// the vectors' numbers can be left for later, since the last stages work on neighbours alone.
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

// transpose appends stages that work on some vectors of the square, whose numbers in it are multiples of step. The
// vector free is used too. On return, square has the places of the results, and the result is the vector that is free
// now.
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
