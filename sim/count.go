package sim

import (
	"math/bits"

	"ialgn/netlist"
)

// counter counts ones for many samples at once. It is a vertical counter, in which one row of words holds digit d of
// the counts of all samples. The counter adds two rows at a time with full adders. Each carry waits until a second
// carry of the same weight appears. The two carries are then added together. This streaming carry-save tree needs
// about n full adders for n rows, that is, 5 operations for each row. The number does not depend on the data (Warren,
// Hacker's Delight, section 5-1, "Harley-Seal").
type counter struct {
	block int
	rows  int      // rows added so far
	sum   []uint64 // [digit][block]
	wait  []uint64 // [digit][block]: carries of this weight that wait for a second carry
	carry [MaxBlock]uint64
}

// reset clears the counter and makes room for counts up to n.
func (c *counter) reset(block, n int) {
	c.block, c.rows = block, 0
	size := block * bits.Len(uint(n))
	c.sum, c.wait = resize(c.sum, size), resize(c.wait, size)
	clear(c.sum)
	clear(c.wait)
}

func (c *counter) row(s []uint64, digit, words int) []uint64 {
	return s[digit*c.block:][:words]
}

// addPair adds two rows.
func (c *counter) addPair(x, y []uint64) {
	pair := c.rows / 2
	c.rows += 2
	for digit := 0; ; digit++ {
		carry := c.carry[:len(x)]
		fullAdd(c.row(c.sum, digit, len(x)), carry, x, y)
		wait := c.row(c.wait, digit, len(x))
		if pair>>digit&1 == 0 {
			copy(wait, carry)
			return
		}
		x, y = wait, carry
	}
}

// fullAdd computes sum + x + y and stores the digits in sum and carry. The slices carry and y may be the same.
func fullAdd(sum, carry, x, y []uint64) {
	for i := range sum {
		half := sum[i] ^ x[i]
		sum[i], carry[i] = half^y[i], sum[i]&x[i]|half&y[i]
	}
}

// addAt adds a row with the weight of the given digit, and passes carries on to higher digits.
func (c *counter) addAt(digit int, x []uint64) {
	carry := c.carry[:len(x)]
	copy(carry, x)
	for ; digit*c.block < len(c.sum); digit++ {
		sum := c.row(c.sum, digit, len(x))
		for i := range sum {
			sum[i], carry[i] = sum[i]^carry[i], sum[i]&carry[i]
		}
	}
}

// settle adds the waiting carries to the sum. After settle, only c.sum is valid, and no row may be added.
func (c *counter) settle(words int) {
	for digit, pairs := 0, c.rows/2; pairs>>digit != 0; digit++ {
		if pairs>>digit&1 == 1 {
			c.addAt(digit+1, c.row(c.wait, digit, words))
		}
	}
}

// total counts the ones among the given nets. The result is in the rows of c.sum.
func (c *counter) total(s *Simulator, in []netlist.Net) {
	c.reset(s.block, len(in))
	i := 0
	for ; i+1 < len(in); i += 2 {
		c.addPair(s.Net(in[i]), s.Net(in[i+1]))
	}
	if i < len(in) {
		c.addAt(0, s.Net(in[i]))
	}
	c.settle(s.words)
}

// popcount computes the digits of the number of ones among the inputs.
func (s *Simulator) popcount(out netlist.Net, outputs int, in []netlist.Net) {
	s.count.total(s, in)
	for d := range outputs {
		copy(s.Net(out+netlist.Net(d)), s.count.row(s.count.sum, d, s.words))
	}
}
