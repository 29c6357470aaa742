package model

import "hash/crc32"

// This file computes the CRC-32C of a file from its pieces, which several processes write or read in any order.
//
// A CRC is a remainder of polynomials over GF(2). The bits of a file are the coefficients of a polynomial, the
// first bit at the highest power. Remainders modulo the generator P can be added, and addition is XOR. A piece that
// is followed by n bytes contributes its own remainder times x^(8n); [finish] adds the terms that the definition of
// the CRC puts before and after a file. A remainder is stored with the coefficient of x^31 in its lowest bit and of
// x^0 in its highest.

// generator is P without x^32, and one is the polynomial 1.
const (
	generator = crc32.Castagnoli
	one       = 1 << 31
)

var castagnoli = crc32.MakeTable(generator)

// remainder returns the remainder of a piece that ends with p. The bytes before p have the remainder of; it is 0 if
// there are none.
func remainder(of uint32, p []byte) uint32 { return ^crc32.Update(^of, castagnoli, p) }

// contribution returns what a piece with the given remainder contributes to a file that has following bytes after
// the piece.
func contribution(remainder uint32, following int64) uint32 {
	return times(remainder, shift(following))
}

// finish returns the CRC-32C of a file of size bytes from the XOR of all pieces' contributions.
func finish(sum uint32, size int64) uint32 { return ^(sum ^ times(^uint32(0), shift(size))) }

// times returns a*b mod P.
func times(a, b uint32) (product uint32) {
	for ; a != 0; a <<= 1 {
		if a&one != 0 {
			product ^= b
		}
		b = b>>1 ^ generator&-(b&1) // times x
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

// squares are x^8 and its repeated squares mod P.
var squares = func() (s [63]uint32) {
	s[0] = one >> 8
	for i := range s[1:] {
		s[i+1] = times(s[i], s[i])
	}
	return s
}()
