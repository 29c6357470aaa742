// Package bitplane is arithmetic on bit-sliced data, 64 samples a word: transposition
// between samples and bits, and counters whose digits are words.
package bitplane

// Transpose transposes a 64 x 64 bit matrix in place: bit j of word i becomes bit i
// of word j (Warren, Hacker's Delight, section 7-3).
func Transpose(m *[64]uint64) {
	mask := uint64(0x00000000ffffffff)
	for j := 32; j != 0; {
		for k := 0; k < 64; k = (k + j + 1) &^ j {
			t := (m[k]>>j ^ m[k|j]) & mask
			m[k] ^= t << j
			m[k|j] ^= t
		}
		j >>= 1
		mask ^= mask << j
	}
}

// Counter counts ones per sample: digit d of all 64 samples is one word. The zero
// value counts nothing yet.
type Counter struct {
	digits []uint64
}

// Add adds one bit for each of 64 samples. It costs two operations on average.
func (c *Counter) Add(bits uint64) {
	for d := range c.digits {
		if bits == 0 {
			return
		}
		c.digits[d], bits = c.digits[d]^bits, c.digits[d]&bits
	}
	if bits != 0 {
		c.digits = append(c.digits, bits)
	}
}

// Reset sets the count of every sample to zero and keeps the memory.
func (c *Counter) Reset() { c.digits = c.digits[:0] }

// Store writes the counts of the first len(dst) samples, at most 64.
func (c *Counter) Store(dst []int32) {
	for s := range dst {
		n := int32(0)
		for d, w := range c.digits {
			n |= int32(w>>s&1) << d
		}
		dst[s] = n
	}
}
