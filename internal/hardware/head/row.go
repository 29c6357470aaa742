package head

import (
	"math/bits"
	"slices"

	"ialgn/internal/counts"
	"ialgn/netlist"
)

// A full adder cannot compute three gates that share no inputs, because the gates have too many inputs. But the full
// adder's LUTs can replace the LUTs of the gates. Let f, a and b be the gates, and q = a ^ b. Then s = f ^ q is the
// sum's first digit. The carry is a if q is 0, and ^s if q is 1.
//
//	q = a ^ b          reads the inputs of a and b
//	s = f ^ q          reads the inputs of f, and q
//	c = q ? ^s : a     reads the inputs of a, q and s
//
// These are three LUTs, the same number as for the gates alone. But only two bits are left to add instead of three.
// Each further pair adds its q to s, and gives one more carry. The first digit of the sum without this pair and later
// pairs is not computed separately. It is the exclusive or of s and the q of each of these pairs. So each pair saves
// the cost of a bit.

// pair is two gates of a row.
type pair struct {
	a, b   item          // a has at most as many inputs as b
	leaves []netlist.Net // nets on which a ^ b depends
}

// row is a gate, and the pairs of gates that are added to this gate one after another.
type row struct {
	first item
	pairs []pair
}

// items returns the gates of a row.
func (r *row) items() []item {
	list := []item{r.first}
	for _, p := range r.pairs {
		list = append(list, p.a, p.b)
	}
	return list
}

// pairOf makes a pair of two gates. If ok is true, LUTs of k inputs are large enough for the pair's exclusive or and
// for its carry. If both gates have the same input as an exclusive-or term, this input drops out of the exclusive or.
func pairOf(k int, a, b *item) (p pair, ok bool) {
	if len(a.leaves) > len(b.leaves) {
		a, b = b, a
	}
	p = pair{a: *a, b: *b}
	for _, v := range a.leaves {
		if !slices.Contains(b.leaves, v) || !a.adds(v) || !b.adds(v) {
			p.leaves = append(p.leaves, v)
		}
	}
	for _, v := range b.leaves {
		if !slices.Contains(a.leaves, v) {
			p.leaves = append(p.leaves, v)
		}
	}
	return p, len(p.leaves) <= k && len(a.leaves)+2 <= k
}

// adds reports whether an item is the exclusive or of its leaf v and a function of the other
// leaves.
func (it *item) adds(v netlist.Net) bool {
	low, high := netlist.Cofactors(it.table, slices.Index(it.leaves, v))
	return low == ^high
}

// fits reports whether a row has room for pair p in front of its present pairs.
func (r *row) fits(k int, p *pair) bool {
	behind := len(r.pairs)
	return len(r.first.leaves)+behind+1 <= k && len(p.a.leaves)+2+behind <= k
}

// rowSum builds a row.
type rowSum struct {
	*circuit
	net func(netlist.Net) netlist.Net // maps a leaf to its net
	s   netlist.Net
	q   []netlist.Net // for each pair, the exclusive or of its two gates
}

// row adds a row to a circuit, and adds the row's digits to the sum a. The function net maps leaves to nets of the
// circuit. row returns the counters that prove the digits.
func (c *circuit) row(r *row, net func(netlist.Net) netlist.Net, a *addends) (counters []counts.Counter) {
	b := &rowSum{circuit: c, net: net}
	for i := range r.pairs {
		p := &r.pairs[i]
		table := (p.a.over(p.leaves) ^ p.b.over(p.leaves)) & netlist.TableMask(len(p.leaves))
		b.q = append(b.q, c.function(table, b.nets(p.leaves)...))
	}
	own := len(r.first.leaves)
	in := append(b.nets(r.first.leaves), b.q...)
	b.s = c.function(tabulate(len(in), func(x uint) bool {
		return r.first.at(x&(1<<own-1)) != odd(x>>own)
	}), in...)
	a.bits[0] = append(a.bits[0], bit{net: b.s})
	counters = append(counters, counts.Counter{
		Leaves: counts.Leaves(in), In: []counts.Term{b.term(&r.first)}, Out: []counts.Term{b.before(0)},
	})
	for i := range r.pairs {
		carry, identity := b.pair(&r.pairs[i], i)
		a.bits[1] = append(a.bits[1], carry)
		counters = append(counters, identity)
	}
	return counters
}

// pair adds the carry of pair i.
func (b *rowSum) pair(p *pair, i int) (bit, counts.Counter) {
	in := append([]netlist.Net{b.q[i], b.s}, b.q[i+1:]...)
	own := len(in)
	after := uint(1<<own-1) &^ 1 // s with this pair, as a function of these nets
	carry := bit{net: b.function(tabulate(own+len(p.a.leaves), func(x uint) bool {
		if x&1 == 1 {
			return !odd(x & after)
		}
		return p.a.at(x >> own)
	}), append(slices.Clone(in), b.nets(p.a.leaves)...)...)}
	leaves := slices.DeleteFunc(in[1:], func(v netlist.Net) bool { return v == b.q[i] }) // without q[i] itself
	return carry, counts.Counter{
		Leaves: counts.Leaves(slices.Concat(leaves, b.nets(p.a.leaves), b.nets(p.b.leaves))),
		In:     []counts.Term{b.before(i), b.term(&p.a), b.term(&p.b)},
		Out:    []counts.Term{b.before(i + 1), carry.term(2)},
	}
}

// before returns the first digit of the sum of all gates before pair i.
func (b *rowSum) before(i int) counts.Term {
	in := append([]netlist.Net{b.s}, b.q[i:]...)
	return counts.Term{Weight: 1, Nets: in, Table: tabulate(len(in), odd)}
}

func (b *rowSum) term(it *item) counts.Term {
	return counts.Term{Weight: 1, Nets: b.nets(it.leaves), Table: it.own()}
}

func (b *rowSum) nets(old []netlist.Net) []netlist.Net {
	list := make([]netlist.Net, len(old))
	for i, v := range old {
		list[i] = b.net(v)
	}
	return list
}

// at returns an item's value for the given values of its leaves.
func (it *item) at(x uint) bool { return it.table>>x&1 == 1 }

func odd(x uint) bool { return bits.OnesCount(x)%2 == 1 }
