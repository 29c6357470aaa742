package head

import (
	"cmp"
	"math/bits"
	"slices"

	"ialgn/internal/counts"
	"ialgn/netlist"
)

// number is a partial sum. It has the digits from weight 2^d on, and a proof that these digits are the sum of certain
// bits.
type number struct {
	d       int
	digits  []netlist.Net
	largest uint64 // the sum's largest value, in units of 2^d
	proof   counts.Counter
	// cut says that higher digits were omitted. These digits are always 0, but this does not follow from the bits of
	// the sum alone. So the proof holds only modulo a power of two.
	cut bool
}

// adderSum builds a sum as a tree of adders with carry chains. It returns the digits of the sum and the counters
// that prove them.
//
// Bits of one weight are split into two parts and a single bit. An adder sums each part. A third adder adds the two
// results, with the single bit as its carry in. So 2^n - 1 bits fill n digits. Bits that arrive late become single
// bits near the root. Small parts are summed by LUTs alone. A dynamic programme finds the splits that need the fewest
// cells; see [splits].
func (c *circuit) adderSum(a *addends, digits int, o *Options) ([]netlist.Net, []counts.Counter) {
	t := &adders{circuit: c, digits: digits, s: o.splits, unjoined: o.Unjoined}
	total := number{d: digits}
	for d := digits - 1; d >= 0; d-- {
		list := slices.Clone(a.bits[d])
		if a.constant>>d&1 == 1 {
			list = append(list, bit{net: netlist.True})
		}
		// Late bits come last. Constants count as the latest bits, because a constant as carry in costs nothing.
		slices.SortStableFunc(list, func(x, y bit) int { return cmp.Compare(t.lateness(x), t.lateness(y)) })
		low := t.sum(list, d)
		switch {
		case len(total.digits) == 0:
			total = low
		case len(low.digits) > 0:
			total = t.add(low, total, bit{})
		}
	}
	out := make([]netlist.Net, digits)
	copy(out[min(total.d, digits):], total.digits)
	return out, total.steps()
}

// adders builds sums from carry chains.
type adders struct {
	*circuit
	digits int
	s      *splits
	// end is the last carry of a chain that another chain may continue. It is False if there is no such chain.
	end      netlist.Net
	unjoined bool
}

func (t *adders) lateness(b bit) int32 {
	if b.net <= netlist.True {
		return 1 << 30
	}
	return t.level(b.net)
}

// sum returns the sum of bits of weight 2^d. Late bits are last in the list.
func (t *adders) sum(list []bit, d int) number {
	how := t.s.of(len(list))
	if how.leaf {
		return t.leaf(list, d)
	}
	carry := bit{}
	if how.carry {
		carry = list[len(list)-1]
	}
	x, y := t.sum(list[:how.first], d), t.sum(list[how.first:how.first+how.second], d)
	return t.add(x, y, carry)
}

// leaf sums a few bits by LUTs alone.
func (t *adders) leaf(list []bit, d int) number {
	n := number{d: d, largest: uint64(len(list))}
	part := &addends{}
	part.bits[0] = list
	var steps []counts.Counter
	n.digits, steps = t.lutSum(part, bits.Len64(n.largest), &t.s.small)
	for _, c := range steps { // c.In and c.Out have weights from 1
		for _, terms := range [][]counts.Term{c.In, c.Out} {
			for i := range terms {
				terms[i].Weight <<= d
			}
		}
	}
	for _, b := range list {
		n.proof.In = append(n.proof.In, b.term(1<<d))
	}
	return n.prove(steps)
}

// steps returns the steps that prove a number, as part of a larger proof. A single bit has no steps.
func (n number) steps() []counts.Counter {
	if len(n.proof.Steps) == 0 || n.cut {
		return n.proof.Steps
	}
	return []counts.Counter{n.proof}
}

// prove completes the proof of a number that already has its bits.
func (n number) prove(steps []counts.Counter) number {
	n.proof.Steps = steps
	for i, v := range n.digits {
		n.proof.Out = append(n.proof.Out, bit{net: v}.term(1<<(n.d+i)))
	}
	return n
}

// add returns x + y + carry. The carry chain starts at the lowest digit of y. The carry has the weight of the lowest
// digit of x. This weight must not be above the weight of the lowest digit of y.
func (t *adders) add(x, y number, carry bit) number {
	shift := y.d - x.d
	sum := number{d: x.d, largest: x.largest + y.largest<<shift}
	sum.proof.In = slices.Concat(x.proof.In, y.proof.In)
	steps := slices.Concat(x.steps(), y.steps())
	c, joined := netlist.False, false
	if carry != (bit{}) {
		sum.largest++
		sum.proof.In = append(sum.proof.In, carry.term(1<<x.d))
		if c = carry.net; carry.inverted { // a chain has no inverters
			c = t.inverted(c)
			steps = append(steps, identity([]bit{carry}, []netlist.Net{c}, x.d))
		}
		if first := t.join(c, slices.Concat(x.digits, y.digits)); first != c {
			start := identity([]bit{{net: c}}, []netlist.Net{first}, x.d)
			start.Leaves = counts.Leaves(t.nodes[first].in)
			steps = append(steps, start)
			c, joined = first, true
		}
	}
	width := min(bits.Len64(sum.largest), t.digits-x.d)
	sum.cut = width < bits.Len64(sum.largest)
	for i := range width {
		a, b := x.digit(x.d+i), y.digit(x.d+i)
		s, out := t.fullAdder(a, b, c, x.d+i)
		sum.digits = append(sum.digits, s)
		if s != a || b != c { // otherwise b and c are 0
			steps = append(steps, identity([]bit{{net: a}, {net: b}, {net: c}}, []netlist.Net{s, out}, x.d+i))
		}
		c = out
	}
	if last := sum.digits[len(sum.digits)-1]; !joined && t.nodes[last].carry {
		t.end = last
	}
	return sum.prove(steps)
}

// join returns a net that starts a new chain with the carry c. Bringing the last carry of a chain out takes one cell,
// and bringing a first carry in takes another cell. A single cell between two chains can do both. Its LUT reads the
// carry from below. Its own carry is the majority of c, c and the carry from below. This majority equals c. Timing
// tools see a path through this cell that no signal takes. So only two chains are joined, and only if the first chain
// is not later than the numbers that the second chain adds.
func (t *adders) join(c netlist.Net, adds []netlist.Net) netlist.Net {
	end := t.end
	if t.unjoined || end == netlist.False || c <= netlist.True || t.level(end) > t.latest(adds) {
		return c
	}
	t.end = netlist.False
	return t.carry(c, c, end)
}

// digit returns the digit of weight 2^d.
func (n number) digit(d int) netlist.Net {
	if d < n.d || d >= n.d+len(n.digits) {
		return netlist.False
	}
	return n.digits[d-n.d]
}

// fullAdder adds one position of a chain. It makes no carry cell if no carry is possible.
func (t *adders) fullAdder(a, b, c netlist.Net, d int) (sum, carry netlist.Net) {
	const odd, two = 0b10010110, 0b11101000
	sum = t.function(odd, a, b, c)
	zeros := 0
	for _, v := range []netlist.Net{a, b, c} {
		if v == netlist.False {
			zeros++
		}
	}
	switch {
	case zeros >= 2 || d+1 >= t.digits:
		return sum, netlist.False
	case a <= netlist.True && b <= netlist.True:
		return sum, t.function(two, a, b, c)
	}
	return sum, t.carry(a, b, c)
}

// identity returns a counter with the given inputs and outputs. The counter says that the inputs, which have weight
// 2^d, have the outputs as their sum.
func identity(in []bit, out []netlist.Net, d int) counts.Counter {
	c := counts.Counter{}
	nets := make([]netlist.Net, 0, len(in))
	for _, b := range in {
		nets = append(nets, b.net)
		c.In = append(c.In, b.term(1<<d))
	}
	c.Leaves = counts.Leaves(nets)
	for i, v := range out {
		c.Out = append(c.Out, bit{net: v}.term(1<<(d+i)))
	}
	return c
}

// split describes how a given number of bits is summed. There are two kinds of splits. In one kind, an adder adds
// three numbers: the sum of a first part of the bits, the sum of a second part, and a carry. In the other kind, LUTs
// alone make the sum.
type split struct {
	first, second int
	carry, leaf   bool
	cells         int
}

// splits holds the best known split for each number of bits. The cost of a split is its number of logic cells. Each
// logic cell has a LUT and a carry. An adder has one cell for each digit, where the cell of the highest digit brings
// the last carry out. One more cell brings a bit in as the first carry.
type splits struct {
	small Options // options for the sums that are made by LUTs alone
	known map[int]split
}

// maxSmall is the largest number of bits for which sums by LUTs alone are considered.
const maxSmall = 31

func newSplits(o *Options) *splits {
	return &splits{Options{K: o.K, Objective: Area, plans: map[string]*plan{}}, map[int]split{}}
}

// leaf returns the number of LUTs in a LUT-only sum of n bits.
func (s *splits) leaf(n int) int {
	if n < 2 {
		return 0
	}
	in := make(profile, 1)
	in[0][0] = int32(n)
	return s.small.plan(bits.Len(uint(n)), in, 0).luts
}

func (s *splits) of(n int) split {
	if best, ok := s.known[n]; ok {
		return best
	}
	best := split{cells: 1 << 30}
	if n <= maxSmall {
		best = split{leaf: true, cells: s.leaf(n)}
	}
	for carry := range min(2, max(0, n-2)) {
		rest := n - carry
		parts := []int{rest / 2}
		for full := 3; full < rest; full = 2*full + 1 {
			parts = append(parts, full, full+1)
		}
		for _, part := range parts {
			second := min(part, rest-part)
			if second < 1 {
				continue
			}
			first := rest - second
			cells := s.of(first).cells + s.of(second).cells + carry + bits.Len(uint(n))
			if cells < best.cells {
				best = split{first, second, carry == 1, false, cells}
			}
		}
	}
	s.known[n] = best
	return best
}
