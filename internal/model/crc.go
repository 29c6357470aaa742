package model

import "hash/crc32"

// The CRC-32C of a file from those of its pieces, which several processes write or read, in any order.
//
// A CRC is a remainder of polynomials over GF(2): a file is the polynomial of its bits, the first one the coefficient
// of the highest power, and remainders by the generator P add up, which is XOR. A piece with n bytes behind it
// contributes its own remainder times x^(8n); [finish] adds what the definition of the CRC puts before and behind a
// file. A remainder has the coefficient of x^31 in its lowest bit, that of x^0 in its highest.

// generator is P without x^32, and one is the polynomial 1.
const (
	generator = crc32.Castagnoli
	one       = 1 << 31
)

var castagnoli = crc32.MakeTable(generator)

// remainder returns the remainder of a piece that begins with bytes of that remainder, 0 if with none, and goes on
// with p.
func remainder(of uint32, p []byte) uint32 { return ^crc32.Update(^of, castagnoli, p) }

// contribution returns what a piece of that remainder contributes to a file in which so many bytes follow it.
func contribution(remainder uint32, following int64) uint32 {
	return times(remainder, shift(following))
}

// finish returns the CRC-32C of a file of so many bytes from the sum by XOR of what all its pieces contribute.
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
