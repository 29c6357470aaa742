package model

import "hash/crc32"

// This file computes the CRC-32C of a file from its pieces. Several processes may write or read the pieces in any
// order.
//
// A CRC is a remainder of polynomials over GF(2). The bits of a file are the coefficients of a polynomial, and the
// first bit has the highest power. Remainders modulo the generator P can be added, and addition is XOR. A piece that
// is followed by n bytes contributes its own remainder times x^(8n). The definition of the CRC also has terms before
// and after the file, and [finish] adds them. The lowest bit of a stored remainder is the coefficient of x^31, and
// the highest bit is the coefficient of x^0.

// generator is P without x^32. one is the polynomial 1.
const (
	generator = crc32.Castagnoli
	one       = 1 << 31
)

var castagnoli = crc32.MakeTable(generator)

// remainder returns the remainder of a piece that ends with p. The first argument is the remainder of the piece's
// bytes before p, or 0 if there are none.
func remainder(of uint32, p []byte) uint32 { return ^crc32.Update(^of, castagnoli, p) }

// contribution returns the value that a piece contributes to the XOR of all pieces (see [finish]). remainder is the
// piece's own remainder, and following is the number of bytes after the piece.
func contribution(remainder uint32, following int64) uint32 {
	return times(remainder, shift(following))
}

// finish returns the CRC-32C of a file from the XOR of all pieces' contributions. The parameter size is the file's
// size in bytes.
func finish(sum uint32, size int64) uint32 { return ^(sum ^ times(^uint32(0), shift(size))) }

// times returns a*b mod P.
func times(a, b uint32) (product uint32) {
	for ; a != 0; a <<= 1 {
		if a&one != 0 {
			product ^= b
		}
		b = b>>1 ^ generator&-(b&1) // multiplies b by x
	}
	return product
}

// shift returns x^(8n) mod P.
func shift(n int64) uint32 {
	x := uint32(one)
	for i := 0; n > 0; i, n = i+1, n>>1 {
		if n&1 != 0 {
			x = times(x, squares[i])
		}
	}
	return x
}

// squares holds x^8 and its repeated squares mod P.
var squares = func() (s [63]uint32) {
	s[0] = one >> 8
	for i := range s[1:] {
		s[i+1] = times(s[i], s[i])
	}
	return s
}()
