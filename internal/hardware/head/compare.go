package head

import (
	"fmt"

	"ialgn/netlist"
)

// A comparison a > b of two words runs from the lowest bit up. The carry c into a bit position says whether a > b
// for the bits below. If the bits of a and b at this position differ, the carry out is a's bit. Otherwise it is c.
// For a segment of bits, the carry out is G | P c. G (generate) says that a > b for the bits of the segment, and P
// (propagate) says that a >= b for these bits. Since G implies P, a segment behaves like a single bit position with
// a = P and b = not G. (The combination a = 0, b = 0 cannot occur.)
//
// comparer finds the fewest LUTs for a comparison whose bits arrive at different levels. It uses a dynamic programme
// over parts of the words and over deadlines. A deadline is the level by which a result is needed, counted from the
// arrival of the first bit.
type comparer struct {
	k        int
	arrival  []int
	deadline int      // the latest deadline that a caller may ask for
	carries  []choice // [to][deadline]: the carry out of the bits below to
	segments []choice // [from][to][deadline]: G and P of the bits from .. to-1
}

// choice is the best way to build a carry or a segment. It holds the number of LUTs, and the boundaries (cuts) of the
// segments that the last LUT reads. Segment i has the bits cuts[i] .. cuts[i+1]-1. The last LUT of a carry also reads
// the carry into position cuts[0], unless cuts[0] is 0.
type choice struct {
	known bool
	luts  int
	cuts  []int
}

// impossible is larger than the number of LUTs in any comparison.
const impossible = 1 << 20

// newComparer returns a comparer for bits with the given arrivals. It assumes LUTs of at least
// three inputs.
func newComparer(k int, arrival []int, deadline int) *comparer {
	n := len(arrival) + 1
	return &comparer{
		k: max(k, 3), arrival: arrival, deadline: deadline,
		carries: make([]choice, n*(deadline+1)), segments: make([]choice, n*n*(deadline+1)),
	}
}

// carry returns the best way to build the carry into a given bit position (to) by the deadline.
func (m *comparer) carry(to, deadline int) *choice {
	best := &m.carries[to*(m.deadline+1)+deadline]
	if best.known {
		return best
	}
	*best = choice{known: true, luts: impossible}
	if to == 0 {
		best.luts = 0
	}
	if deadline == 0 {
		return best
	}
	for from := range to {
		pins := m.k
		if from > 0 {
			pins--
		}
		below := m.carry(from, deadline-1).luts
		if rest, cuts := m.split(from, to, deadline-1, pins/2); 1+below+rest < best.luts {
			best.luts, best.cuts = 1+below+rest, cuts
		}
	}
	return best
}

// segment returns the best way to build the generate and the propagate signal of a segment by the deadline. The
// segment has the bits in the range from .. to-1. For a single bit, these two signals are made from the bits of the
// two words and cost nothing.
func (m *comparer) segment(from, to, deadline int) *choice {
	best := &m.segments[(from*(len(m.arrival)+1)+to)*(m.deadline+1)+deadline]
	if best.known {
		return best
	}
	*best = choice{known: true, luts: impossible}
	switch {
	case to-from == 1 && m.arrival[from] <= deadline:
		best.luts = 0
	case to-from > 1 && deadline > 0:
		if rest, cuts := m.split(from, to, deadline-1, m.k/2); 2+rest < impossible {
			best.luts, best.cuts = 2+rest, cuts
		}
	}
	return best
}

// split divides the bits in the range from .. to-1 into at most maxSegments segments. It returns the fewest LUTs for
// the generates and propagates of all segments, and the boundaries of the segments.
func (m *comparer) split(from, to, deadline, maxSegments int) (luts int, cuts []int) {
	luts = impossible
	if maxSegments == 0 {
		return luts, nil
	}
	if whole := m.segment(from, to, deadline).luts; whole < luts {
		luts, cuts = whole, []int{from, to}
	}
	for cut := from + 1; cut < to && maxSegments > 1; cut++ {
		first := m.segment(from, cut, deadline).luts
		if first >= luts {
			continue
		}
		if rest, above := m.split(cut, to, deadline, maxSegments-1); first+rest < luts {
			luts, cuts = first+rest, append([]int{from}, above...)
		}
	}
	return luts, cuts
}

// larger returns a net that says whether word a is larger than word b. The argument slack is the number of levels by
// which the comparison may exceed the minimum. Within this limit, larger uses the fewest LUTs. The words have equal
// lengths, and their least significant bits come first.
func (c *circuit) larger(a, b []netlist.Net, slack int) netlist.Net {
	var g greater
	for i := range a {
		if a[i] != b[i] { // equal bits decide nothing
			g.a, g.b = append(g.a, a[i]), append(g.b, b[i])
		}
	}
	if len(g.a) == 0 {
		return netlist.False
	}
	g.circuit = c
	arrival, first, last := make([]int, len(g.a)), 1<<30, 0
	for i := range arrival {
		arrival[i] = int(max(c.level(g.a[i]), c.level(g.b[i])))
		first, last = min(first, arrival[i]), max(last, arrival[i])
	}
	for i := range arrival {
		arrival[i] -= first
	}
	// A deadline with one level for each bit after the last arrival can always be met.
	g.comparer = c.comparers.get(c.k, arrival, last-first+len(arrival))
	deadline := 1
	for g.comparer.carry(len(arrival), deadline).luts >= impossible {
		deadline++
	}
	return g.carryNet(len(arrival), min(deadline+slack, g.deadline))
}

// comparers caches comparers by the arrivals of their bits.
type comparers map[string]*comparer

func (m comparers) get(k int, arrival []int, deadline int) *comparer {
	key := fmt.Sprint(arrival)
	if m[key] == nil {
		m[key] = newComparer(k, arrival, deadline)
	}
	return m[key]
}

// greater builds the circuit that a comparer has found.
type greater struct {
	*circuit
	*comparer
	a, b []netlist.Net
}

// carryNet returns the carry into a given bit position (to).
func (g *greater) carryNet(to, deadline int) netlist.Net {
	how := g.comparer.carry(to, deadline)
	in := g.segmentNets(how.cuts, deadline-1)
	if from := how.cuts[0]; from > 0 {
		below := g.carryNet(from, deadline-1)
		return g.function(tabulate(len(in)+1, func(x uint) bool { return ripple(x, len(in)/2, x>>len(in)&1 == 1) }),
			append(in, below)...)
	}
	return g.function(tabulate(len(in), func(x uint) bool { return ripple(x, len(in)/2, false) }), in...)
}

// segmentNets returns the nets of the segments between the given cuts, at most two nets for each segment. For a
// segment of one bit, they are the bits of the two words. For other segments, they are propagate and the complement
// of generate.
func (g *greater) segmentNets(cuts []int, deadline int) []netlist.Net {
	var nets []netlist.Net
	for i := range len(cuts) - 1 {
		from, to := cuts[i], cuts[i+1]
		if to-from == 1 {
			nets = append(nets, g.a[from], g.b[from])
			continue
		}
		in := g.segmentNets(g.segment(from, to, deadline).cuts, deadline-1)
		for carry := 1; carry >= 0; carry-- {
			table := tabulate(len(in), func(x uint) bool { return ripple(x, len(in)/2, carry == 1) == (carry == 1) })
			nets = append(nets, g.function(table, in...))
		}
	}
	return nets
}

// ripple returns the carry out of the given number of pairs of bits. The argument c is the carry into the lowest
// pair. Bits 2i and 2i+1 of x are the bits a and b of pair i, and pair 0 is the lowest.
func ripple(x uint, pairs int, c bool) bool {
	for i := range pairs {
		if a, b := x>>(2*i)&1, x>>(2*i+1)&1; a != b {
			c = a == 1
		}
	}
	return c
}
