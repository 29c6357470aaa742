package encoding

import "math/bits"

// ComparisonLUTs returns the number of look-up tables that one comparison v > t takes by itself. v is a word of the
// given width in bits, and each table has the given number of inputs. The result is ceil((n-1)/(inputs-1)), which is
// the minimum for the n bits that matter. A low bit does not matter if the threshold's bit and all bits below are 1.
// In a word of 8 bits, v > 127 is a single bit and takes no table, and v > 63 is a function of two bits. Several
// comparisons of the same word may take fewer tables when they are compiled together.
//
// It panics if inputs < 2.
func ComparisonLUTs(width int, t uint16, inputs int) int {
	if inputs < 2 {
		panic("encoding: look-up tables of fewer than two inputs")
	}
	n := width - bits.TrailingZeros32(^uint32(t))
	return (max(1, n) - 1 + inputs - 2) / (inputs - 1)
}
