package bitplane

// AddEvery adds to the counts the words x[0], x[stride], x[2*stride] and so on, until x ends. If x holds rows of
// stride words, these words are one column. AddEvery is equivalent to [Counter.Add] for each word, at about a quarter
// of the cost. It uses a carry-save adder tree (Harley and Seal; Warren, Hacker's Delight, section 5-1) that passes
// one carry on for every eight words.
func (c *Counter) AddEvery(x []uint64, stride int) {
	for len(c.digits) < 3 {
		c.digits = append(c.digits, 0)
	}
	ones, twos, fours := c.digits[0], c.digits[1], c.digits[2]
	for ; len(x) > 7*stride; x = x[min(8*stride, len(x)):] {
		var t0, t1, f0, f1, eight uint64
		ones, t0 = carrySave(ones, x[0], x[stride])
		ones, t1 = carrySave(ones, x[2*stride], x[3*stride])
		twos, f0 = carrySave(twos, t0, t1)
		ones, t0 = carrySave(ones, x[4*stride], x[5*stride])
		ones, t1 = carrySave(ones, x[6*stride], x[7*stride])
		twos, f1 = carrySave(twos, t0, t1)
		fours, eight = carrySave(fours, f0, f1)
		c.carry(3, eight)
	}
	c.digits[0], c.digits[1], c.digits[2] = ones, twos, fours
	for i := 0; i < len(x); i += stride {
		c.Add(x[i])
	}
}

// carry adds bits of weight 1<<d. All digits below d must exist.
func (c *Counter) carry(d int, bits uint64) {
	for ; bits != 0; d++ {
		if d == len(c.digits) {
			c.digits = append(c.digits, bits)
			return
		}
		c.digits[d], bits = c.digits[d]^bits, c.digits[d]&bits
	}
}

// carrySave returns the sum of three bits as two digits.
func carrySave(a, b, c uint64) (sum, carry uint64) {
	half := a ^ b
	return half ^ c, a&b | half&c
}
