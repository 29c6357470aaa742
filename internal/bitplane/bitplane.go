// Package bitplane does arithmetic on bit-sliced data, with 64 samples in each word. [Transpose] converts between
// words of samples and words of bits. A [Counter] counts ones for 64 samples at once.
package bitplane

// Transpose transposes a 64 x 64 bit matrix in place: bit j of word i becomes bit i of word j (Warren, Hacker's
// Delight, section 7-3). It makes two passes over the words. Each pass does three of the six levels of block swaps on
// eight words at a time, which fit the processor's registers.
func Transpose(m *[64]uint64) {
	for i := range 8 {
		swapFar(m, i)
	}
	for i := range 8 {
		swapNear((*[8]uint64)(m[8*i:]))
	}
}

// swapFar swaps the off-diagonal blocks of 32, 16 and 8 bits in every eighth word.
func swapFar(m *[64]uint64, i int) {
	i &= 7
	a, e := swap32(m[i], m[i+32])
	b, f := swap32(m[i+8], m[i+40])
	c, g := swap32(m[i+16], m[i+48])
	d, h := swap32(m[i+24], m[i+56])
	a, c = swap16(a, c)
	b, d = swap16(b, d)
	e, g = swap16(e, g)
	f, h = swap16(f, h)
	m[i], m[i+8] = swap8(a, b)
	m[i+16], m[i+24] = swap8(c, d)
	m[i+32], m[i+40] = swap8(e, f)
	m[i+48], m[i+56] = swap8(g, h)
}

// swapNear swaps the off-diagonal blocks of 4, 2 and 1 bits in eight consecutive words.
func swapNear(m *[8]uint64) {
	a, e := swap4(m[0], m[4])
	b, f := swap4(m[1], m[5])
	c, g := swap4(m[2], m[6])
	d, h := swap4(m[3], m[7])
	a, c = swap2(a, c)
	b, d = swap2(b, d)
	e, g = swap2(e, g)
	f, h = swap2(f, h)
	m[0], m[1] = swap1(a, b)
	m[2], m[3] = swap1(c, d)
	m[4], m[5] = swap1(e, f)
	m[6], m[7] = swap1(g, h)
}

// swap32 and the following functions exchange the upper halves of the blocks of a with the lower
// halves of the blocks of b. Each size has its own function, because a shift by a variable costs
// twice as much.
func swap32(a, b uint64) (uint64, uint64) { return a&0xffffffff | b<<32, a>>32 | b&^0xffffffff }

func swap16(a, b uint64) (uint64, uint64) {
	t := (a>>16 ^ b) & 0x0000ffff0000ffff
	return a ^ t<<16, b ^ t
}

func swap8(a, b uint64) (uint64, uint64) {
	t := (a>>8 ^ b) & 0x00ff00ff00ff00ff
	return a ^ t<<8, b ^ t
}

func swap4(a, b uint64) (uint64, uint64) {
	t := (a>>4 ^ b) & 0x0f0f0f0f0f0f0f0f
	return a ^ t<<4, b ^ t
}

func swap2(a, b uint64) (uint64, uint64) {
	t := (a>>2 ^ b) & 0x3333333333333333
	return a ^ t<<2, b ^ t
}

func swap1(a, b uint64) (uint64, uint64) {
	t := (a>>1 ^ b) & 0x5555555555555555
	return a ^ t<<1, b ^ t
}

// Counter counts ones for each of 64 samples. One word holds binary digit d of all 64 counts. In the zero value, all
// counts are zero.
type Counter struct {
	digits []uint64
}

// Add adds one bit for each of 64 samples. It costs two operations on average.
func (c *Counter) Add(bits uint64) { c.addAt(0, bits) }

// addAt adds bits with the weight of a digit. The digit must exist already or be the next digit.
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

// AddRows adds the bits rows[0], rows[stride], rows[2 stride] and so on. It adds eight words at a time with
// carry-save adders (Warren, Hacker's Delight, section 5-1). That takes five operations for each bit, and no branch
// depends on the data.
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
