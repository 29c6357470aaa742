package head

import (
	"math"
	"math/bits"
	"slices"

	"ialgn/internal/counts"
	"ialgn/netlist"
)

// sum is a sum in which the counters that absorb gates are already built.
type sum struct {
	*circuit
	addends
	digits   int
	counters []counts.Counter
}

// newSum starts the sum of a folded popcount. The function net maps a net of the old netlist to a net of the new
// netlist, and also returns the level of the new net.
func newSum(k int, f *folded, net func(netlist.Net) (netlist.Net, int32)) *sum {
	s := &sum{circuit: newCircuit(k)}
	inputs := map[netlist.Net]netlist.Net{}
	input := func(old netlist.Net) netlist.Net {
		v, level := net(old)
		if _, ok := inputs[v]; !ok {
			inputs[v] = s.input(v, level)
		}
		return inputs[v]
	}
	s.constant = f.constant
	for d, list := range f.bits {
		for _, b := range list {
			s.bits[d] = append(s.bits[d], bit{input(b.net), b.inverted})
		}
	}
	largest := s.largest() // computed from the bits, because the digits of all groups could have a larger sum
	for _, g := range f.groups {
		largest += uint64(len(g.items))
		nets := make([]netlist.Net, len(g.leaves))
		for j, v := range g.leaves {
			nets[j] = input(v)
		}
		s.counters = append(s.counters, s.groupSum(&g, nets, &s.addends))
	}
	for j := range f.rows {
		largest += uint64(1 + 2*len(f.rows[j].pairs))
		s.counters = append(s.counters, s.row(&f.rows[j], input, &s.addends)...)
	}
	s.digits = bits.Len64(largest)
	return s
}

// limits lists the limits to try for the levels of mixed bits. A limit is a number of levels after the first bits.
var limits = [...]int32{noMixing, 2, 3, 4, 5, 6, 7, 9, 12}

// offer is an estimate of a sum's LUTs and levels if bits are mixed up to a limit.
type offer struct {
	limit        int32
	luts, levels int
}

// none is worse than any other offer.
var none = offer{limit: noMixing, luts: 1 << 40}

// chooseLimits chooses the limit for mixed bits of all sums. Logic behind a count usually waits for all counts, so
// all sums get the same number of levels. For each tree, the objective says how many LUTs a level is worth. A level
// of all sums is worth 0.55 times the total of these numbers. With Balanced, this is one LUT in ninety.
func (f *folding) chooseLimits(o *Options) {
	var sums []*folded
	worth, maxLevels := 0.0, 0
	for i := range netlist.Cell(f.n.Cells()) {
		if r := f.counts[i]; r != nil && r.mixable {
			sums = append(sums, r)
			worth += float64(0.55 * o.Objective.levelCost(len(r.inputs)))
		}
	}
	level, offers := f.levels(), make([][]offer, len(sums))
	o.parallel(len(sums), func(i int) { offers[i] = o.offers(sums[i], level) })
	for _, x := range slices.Concat(offers...) {
		maxLevels = max(maxLevels, x.levels)
	}
	least, best := math.Inf(1), maxLevels
	for levels := 0; levels <= maxLevels; levels++ {
		cost := worth * float64(levels)
		for _, list := range offers {
			cost += float64(cheapest(list, levels).luts)
		}
		if cost < least {
			least, best = cost, levels
		}
		if o.Objective == Balanced && cost < float64(none.luts) { // allow at most two more levels
			maxLevels = min(maxLevels, levels+2)
		}
	}
	for i, r := range sums {
		r.limit = cheapest(offers[i], best).limit
	}
}

// cheapest returns the offer with the fewest LUTs among the offers with at most the given number of levels.
func cheapest(list []offer, levels int) offer {
	best := none
	for _, x := range list {
		if x.levels <= levels && x.luts < best.luts {
			best = x
		}
	}
	return best
}

// offers returns the offer of a sum for each limit.
func (o *Options) offers(r *folded, level []int32) (list []offer) {
	for _, limit := range limits {
		s := newSum(o.K, r, func(v netlist.Net) (netlist.Net, int32) { return v, level[v] })
		s.mix(&s.addends, s.digits, limit, s.counters)
		in, first := s.profile(&s.addends, s.digits)
		if len(s.nets()) == 0 {
			return []offer{{limit: noMixing}} // the sum is constant, so it arrives before all bits
		}
		luts, levels := estimate(o.K, s.digits, in, o.worth(in, s.digits, first))
		list = append(list, offer{limit, luts + s.luts(s.nets()), levels + int(first)})
	}
	return list
}

// nets returns the nets of all bits of a sum.
func (a *addends) nets() (list []netlist.Net) {
	for _, bits := range a.bits {
		for _, b := range bits {
			list = append(list, b.net)
		}
	}
	return list
}

// levels returns the levels of all nets, ignoring paths through counts.
func (f *folding) levels() []int32 {
	level := make([]int32, f.n.Nets())
	for i := range netlist.Cell(f.n.Cells()) {
		if f.n.Kind(i) != netlist.Function {
			continue
		}
		for _, v := range f.n.Inputs(i) {
			level[f.n.Output(i)] = max(level[f.n.Output(i)], level[v]+1)
		}
	}
	return level
}
