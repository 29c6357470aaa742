package head

import (
	"maps"
	"math/bits"
	"slices"

	"ialgn/internal/counts"
	"ialgn/netlist"
)

// Suppose that only a sum reads the bit f, and that f's LUT has inputs left. Then this LUT can compute f ^ x instead
// of f, where x is another bit of the same sum. The sum can still use f, which is the exclusive or of the LUT's
// output and x. Now mix each of the bits x0 .. x4, except the first, with the result for the previous bit:
//
//	t0 = x0, t1 = x1 ^ t0, ... t4 = x4 ^ t3
//
// Then t4 is the lowest digit of the bits' sum, at no cost in LUTs. The other digits are functions of t0 .. t4 and of
// one bit of twice the weight, and take two LUTs. A counter of these six bits would take three LUTs. The bits need
// not form a line. Any tree works if its edges are free inputs of LUTs. The root computes the lowest digit. Each free
// input is therefore worth a quarter of a LUT.

// noMixing is a value of the limit for mixed bits. It is so low that no bits are mixed.
const noMixing = -maxDigits

// mixer replaces bits of a sum by counters of mixed bits.
type mixer struct {
	*circuit
	*addends
	digits   int
	source   map[netlist.Net]source // [net driven by a counter]: the counter's output
	counters []counts.Counter       // the earlier counters and the new ones
}

// source is an output of a counter.
type source struct{ counter, out int }

// mix replaces bits of a sum by counters of mixed bits. For a counter of bits of weight 2^d, the lowest digit must
// arrive at most limit + d levels after the first bits. mix returns the given counters and the new ones. If outputs
// of the given counters are mixed, mix adapts these counters. Sums are modulo 2^digits.
func (c *circuit) mix(a *addends, digits int, limit int32, before []counts.Counter) []counts.Counter {
	m := &mixer{c, a, digits, sources(before), before}
	_, first := c.profile(a, digits)
	for d := range digits - 1 {
		m.digit(d, first+limit+int32(d))
	}
	return m.counters
}

// sources finds the nets that are outputs of exactly one counter and occur nowhere else in the
// counters.
func sources(counters []counts.Counter) map[netlist.Net]source {
	named, from := map[netlist.Net]int{}, map[netlist.Net]source{}
	for i, c := range counters {
		nets := slices.Clone(c.Leaves)
		for _, t := range slices.Concat(c.In, c.Out) {
			nets = append(nets, t.Nets...)
		}
		for _, v := range nets {
			named[v]++
		}
		for j, t := range c.Out {
			if len(t.Nets) == 1 {
				from[t.Nets[0]] = source{i, j}
			}
		}
	}
	maps.DeleteFunc(from, func(v netlist.Net, _ source) bool { return named[v] > 1 })
	return from
}

// stock holds the bits of one weight, indexed by the number of free inputs of their LUTs. In each list, early bits
// come first.
type stock [netlist.MaxFunctionInputs][]bit

// stock returns the bits of a digit as a stock.
func (m *mixer) stock(d int) (s stock) {
	readers := m.readers()
	for _, b := range m.bits[d] {
		n, left := &m.nodes[b.net], 0
		if _, ok := m.source[b.net]; ok && n.in != nil && !n.carry && readers[b.net] == 1 {
			left = m.k - len(n.in)
		}
		s[left] = append(s[left], b)
	}
	for left := range s {
		m.sort(s[left])
	}
	return s
}

// sort sorts bits by level.
func (m *mixer) sort(list []bit) {
	slices.SortStableFunc(list, func(x, y bit) int { return int(m.level(x.net) - m.level(y.net)) })
}

// readers returns the number of readers of each net. Cells and the sum itself are readers.
func (m *mixer) readers() []int {
	readers := make([]int, len(m.nodes))
	for i := range m.nodes {
		for _, v := range m.nodes[i].in {
			readers[v]++
		}
	}
	for _, list := range m.bits {
		for _, b := range list {
			readers[b.net]++
		}
	}
	return readers
}

// inserted returns a list sorted by level with b inserted.
func (m *mixer) inserted(list []bit, b bit) []bit {
	at, _ := slices.BinarySearchFunc(list, m.level(b.net)+1, func(x bit, level int32) int {
		return int(m.level(x.net) - level)
	})
	return slices.Insert(list, at, b)
}

// digit makes counters of mixed bits from the bits of weight 2^d, until no more are possible.
func (m *mixer) digit(d int, limit int32) {
	s := m.stock(d)
	twos := slices.Clone(m.bits[d+1])
	m.sort(twos)
	for {
		ones, two := min(m.k, 6), []bit(nil)
		switch {
		case m.k == 4:
			ones = 3 // a counter of four ones has three digits, which gains nothing
		case len(twos) > 0 && m.level(twos[0].net) <= limit:
			ones, two = m.k-1, twos[:1]
		}
		tree, rest, ok := m.pick(s, ones, limit)
		if !ok {
			break
		}
		out := m.counter(tree, two, d)
		s, twos = rest, m.inserted(twos[len(two):], out[1])
		s[0] = m.inserted(s[0], out[0])
		if len(out) > 2 {
			m.bits[d+2] = append(m.bits[d+2], out[2])
		}
	}
	m.bits[d], m.bits[d+1] = slices.Concat(s[:]...), twos
}

// pick finds bits in a stock that can be mixed with each other, and takes them out of the stock. The argument ones is
// the number of bits. The bits form a tree whose root arrives by the limit. The leaves are bits without free inputs.
// If such bits arrive too late, pick uses other bits as leaves.
func (m *mixer) pick(s stock, ones int, limit int32) (tree []mixed, rest stock, ok bool) {
	var list []mixed
	take := func(left int) {
		list = append(list, mixed{bit: s[left][0], left: left})
		s[left] = s[left][1:]
	}
	for edges := ones - 1; edges > 0; {
		left := s.nearest(edges)
		if left == 0 {
			return nil, s, false
		}
		take(left)
		edges -= left
	}
	inner, before := len(list), s
	for _, late := range []bool{true, false} {
		list, s = list[:inner], before
		for len(list) < ones {
			left := s.nearest(1)
			if len(s[0]) > 0 && (left == 0 || late || m.level(s[0][0].net) <= m.level(s[left][0].net)) {
				left = 0
			}
			if len(s[left]) == 0 {
				return nil, s, false
			}
			take(left)
		}
		if tree, level := m.arrange(slices.Clone(list)); level <= limit {
			return tree, s, true
		}
	}
	return nil, s, false
}

// nearest returns a number of free inputs for which the stock has bits. The result is the largest such number that is
// not above the number wanted. If there is no such number, the result is the smallest number of free inputs above
// wanted for which the stock has bits. If no bit has free inputs, the result is 0.
func (s *stock) nearest(wanted int) int {
	for left := min(wanted, len(s)-1); left > 0; left-- {
		if len(s[left]) > 0 {
			return left
		}
	}
	for left := wanted + 1; left < len(s); left++ {
		if len(s[left]) > 0 {
			return left
		}
	}
	return 0
}

// mixed is a bit in a tree.
type mixed struct {
	bit
	left  int   // free inputs of the bit's LUT
	reads []int // indices of the bits mixed into this bit; they come later in the tree
}

// arrange sorts bits into a tree with the root first, and returns the root's level. Bits with many free inputs are
// near the root. Among the leaves, late bits are near the root.
func (m *mixer) arrange(tree []mixed) ([]mixed, int32) {
	slices.SortStableFunc(tree, func(x, y mixed) int {
		if x.left != y.left {
			return y.left - x.left
		}
		return int(m.level(y.net) - m.level(x.net))
	})
	next := 1
	for j := range tree {
		for ; len(tree[j].reads) < tree[j].left && next < len(tree); next++ {
			tree[j].reads = append(tree[j].reads, next)
		}
	}
	levels := make([]int32, len(tree))
	for j := len(tree) - 1; j >= 0; j-- {
		levels[j] = m.level(tree[j].net)
		for _, at := range tree[j].reads {
			levels[j] = max(levels[j], levels[at]+1)
		}
	}
	return tree, levels[0]
}

// counter adds the counter for a tree of bits of weight 2^d and at most one bit of twice this weight. It returns the
// counter's digits.
func (m *mixer) counter(tree []mixed, two []bit, d int) []bit {
	nets, counter := make([]netlist.Net, len(tree)), counts.Counter{}
	lowest := bit{}
	for j, b := range slices.Backward(tree) {
		nets[j] = b.net
		t := b.term(1)
		if len(b.reads) > 0 {
			nets[j], t = m.mixed(b.net, netsAt(nets, b.reads))
		}
		t.Weight = 1 << d
		counter.In = append(counter.In, t)
		lowest.inverted = lowest.inverted != b.inverted
	}
	lowest.net = nets[0]
	sum := len(tree)
	for _, b := range two {
		nets = append(nets, b.net)
		counter.In = append(counter.In, b.term(2<<d))
		sum += 2
	}
	out := []bit{lowest}
	for k := 1; k < min(bits.Len(uint(sum)), m.digits-d); k++ {
		out = append(out, bit{net: m.function(tabulate(len(nets), func(x uint) bool {
			return mixedSum(tree, two, x)>>k&1 == 1
		}), nets...)})
	}
	for k, b := range out {
		counter.Out = append(counter.Out, b.term(1<<(d+k)))
	}
	counter.Leaves = counts.Leaves(nets)
	m.counters = append(m.counters, counter)
	return out
}

// mixedSum returns the sum of a tree's bits for the given values of the tree's nets. Bit j of x is the value of bit
// j after mixing.
func mixedSum(tree []mixed, two []bit, x uint) (sum uint) {
	for j, b := range tree {
		one := x>>j&1 == 1 != b.inverted
		for _, at := range b.reads {
			one = one != (x>>at&1 == 1)
		}
		if one {
			sum++
		}
	}
	for i, b := range two {
		if x>>(len(tree)+i)&1 == 1 != b.inverted {
			sum += 2
		}
	}
	return sum
}

// netsAt returns the nets at the given indices.
func netsAt(nets []netlist.Net, places []int) (list []netlist.Net) {
	for _, at := range places {
		list = append(list, nets[at])
	}
	return list
}

// mixed replaces the cell that drives v by a cell that computes the exclusive or of v and the other nets. It returns
// the new net, and v as a function of the new net and the other nets. If v was the output of a counter, the counter
// gets this function as its output.
func (m *mixer) mixed(v netlist.Net, with []netlist.Net) (netlist.Net, counts.Term) {
	n := m.nodes[v]
	own := len(n.in)
	out := m.function(tabulate(own+len(with), func(x uint) bool {
		return n.table>>(x&(1<<own-1))&1 == 1 != odd(x>>own)
	}), slices.Concat(n.in, with)...)
	nets := slices.Concat([]netlist.Net{out}, with)
	at := m.source[v]
	c := &m.counters[at.counter]
	t := counts.Term{Weight: c.Out[at.out].Weight, Nets: nets, Table: tabulate(len(nets), odd)}
	c.Out[at.out] = t
	c.Leaves = counts.Leaves(slices.Concat(c.Leaves, with))
	return out, t
}
