package encoding

import "math/bits"

// ComparisonLUTs returns how many look-up tables of so many inputs a comparison with threshold t, of a word of so many
// bits, takes by itself: ceil((n-1)/(inputs-1)) for the n bits that matter, the fewest there can be. Low bits at which
// the threshold is all ones do not matter, so that v > 127 is a bit of a word of 8, which costs nothing, and v > 63 a
// function of two. Comparisons of one word that a compiler makes together may cost less.
//
// It panics if inputs < 2.
func ComparisonLUTs(width int, t uint16, inputs int) int {
	if inputs < 2 {
		panic("encoding: look-up tables of fewer than two inputs")
	}
	n := width - bits.TrailingZeros32(^uint32(t))
	return (max(1, n) - 1 + inputs - 2) / (inputs - 1)
}
