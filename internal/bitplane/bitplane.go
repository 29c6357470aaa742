// Package bitplane is arithmetic on bit-sliced data, 64 samples a word: transposition
// between samples and bits, and counters whose digits are words.
package bitplane

// Transpose transposes a 64 x 64 bit matrix in place: bit j of word i becomes bit i
// of word j (Warren, Hacker's Delight, section 7-3). Two of the six levels of block
// swaps are done in each of its three passes over the words.
func Transpose(m *[64]uint64) {
	for i := range 16 {
		swapBlocks(m, i, 16, 32, 0x00000000ffffffff, 0x0000ffff0000ffff)
	}
	for i := range 16 {
		swapBlocks(m, i&3|i>>2<<4, 4, 8, 0x00ff00ff00ff00ff, 0x0f0f0f0f0f0f0f0f)
	}
	for i := range 16 {
		swapBlocks(m, i<<2, 1, 2, 0x3333333333333333, 0x5555555555555555)
	}
}

// swapBlocks swaps the off-diagonal blocks of two sizes, wide = 2 narrow, in the words
// k, k+narrow, k+2 narrow, k+3 narrow.
func swapBlocks(m *[64]uint64, k, narrow, wide int, wideMask, narrowMask uint64) {
	a, b, c, d := m[k&63], m[(k+narrow)&63], m[(k+2*narrow)&63], m[(k+3*narrow)&63]
	a, c = swapBits(a, c, wide, wideMask)
	b, d = swapBits(b, d, wide, wideMask)
	a, b = swapBits(a, b, narrow, narrowMask)
	c, d = swapBits(c, d, narrow, narrowMask)
	m[k&63], m[(k+narrow)&63], m[(k+2*narrow)&63], m[(k+3*narrow)&63] = a, b, c, d
}

// swapBits exchanges the upper bits of a with the lower bits of b, as the mask says.
func swapBits(a, b uint64, shift int, mask uint64) (uint64, uint64) {
	t := (a>>(shift&63) ^ b) & mask
	return a ^ t<<(shift&63), b ^ t
}

// Counter counts ones per sample: digit d of all 64 samples is one word. The zero
// value counts nothing yet.
type Counter struct {
	digits []uint64
}

// Add adds one bit for each of 64 samples. It costs two operations on average.
func (c *Counter) Add(bits uint64) { c.addAt(0, bits) }

// addAt adds bits of the weight of a digit that is there or the next.
func (c *Counter) addAt(digit int, bits uint64) {
	for d := digit; d < len(c.digits); d++ {
		if bits == 0 {
			return
		}
		c.digits[d], bits = c.digits[d]^bits, c.digits[d]&bits
	}
	if bits != 0 {
		c.digits = append(c.digits, bits)
	}
}

// AddRows adds the bits rows[0], rows[stride], rows[2 stride] and so on, eight at a time
// by carry-save adders (Warren, Hacker's Delight, section 5-1): five operations a bit
// and no branch that depends on it.
func (c *Counter) AddRows(rows []uint64, stride int) {
	if len(rows) > 7*stride {
		for len(c.digits) < 3 {
			c.digits = append(c.digits, 0)
		}
	}
	for ; len(rows) > 7*stride; rows = rows[min(8*stride, len(rows)):] {
		d, x := (*[3]uint64)(c.digits), rows
		ones, two0 := fullAdd(d[0], x[0], x[stride])
		ones, two1 := fullAdd(ones, x[2*stride], x[3*stride])
		twos, four0 := fullAdd(d[1], two0, two1)
		ones, two0 = fullAdd(ones, x[4*stride], x[5*stride])
		ones, two1 = fullAdd(ones, x[6*stride], x[7*stride])
		twos, four1 := fullAdd(twos, two0, two1)
		var eight uint64
		d[0], d[1] = ones, twos
		d[2], eight = fullAdd(d[2], four0, four1)
		c.addAt(3, eight)
	}
	for ; len(rows) > 0; rows = rows[min(stride, len(rows)):] {
		c.Add(rows[0])
	}
}

// fullAdd returns sum and carry of three bits.
func fullAdd(a, b, c uint64) (sum, carry uint64) {
	half := a ^ b
	return half ^ c, a&b | half&c
}

// Reset sets the count of every sample to zero and keeps the memory.
func (c *Counter) Reset() { c.digits = c.digits[:0] }

// Store writes the counts of the first len(dst) samples, at most 64.
func (c *Counter) Store(dst []int32) {
	var m [64]uint64
	copy(m[:], c.digits)
	Transpose(&m)
	for s := range dst {
		dst[s] = int32(m[s])
	}
}
