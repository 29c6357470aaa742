package lut

import (
	"slices"

	"ialgn/internal/chain"
)

// level is what the dynamic programme over segments reaches at one level.
type level struct {
	// first: LUTs for the base under the first j steps, as a signal.
	first []cost
	*tables
}

// tables hold what can be made of each segment at one level: a row for each i, and in it a column for each j. If a
// level changes nothing in the tables, no later level will.
type tables struct {
	// value: LUTs for leaf i under the steps of segment (i, j), as a signal; i is above 0.
	value grid
	// pair: LUTs for the two cofactors of segment (i, j), what it makes of 0 and of 1, as
	// two signals.
	pair grid
	// operands: of b, LUTs for all operands of a LUT that takes segment (i, j) with at
	// most b inputs: trees of one operation with one, pairs with two.
	operands []grid
}

// grid is a table over segments. It is computed for those of at most band steps, and
// holds what came by the way of those of at most twice as many.
type grid struct {
	cost []cost
	end  []int // for each i, 1 + the last j within the band that can be reached; 0: none
	side int
	band int

	yields []bool // for each i, whether row i+1 reaches as far as row i and is nowhere dearer
}

func (g *grid) reset(side, band int) {
	g.side, g.band = side, band
	g.cost, g.end = resize(g.cost, side*side), resize(g.end, side)
	for i := range side {
		fill(g.bandRow(i), never)
	}
	clear(g.end)
}

func fill(row []cost, c cost) {
	for j := range row {
		row[j] = c
	}
}

// row returns the costs of row i, of which it may hold only some.
func (g *grid) row(i int) []cost { return g.cost[i*g.side : (i+1)*g.side] }

// bandRow returns the costs of row i that the grid holds, from column i on.
func (g *grid) bandRow(i int) []cost { return g.row(i)[i:min(g.side, i+2*g.band+1)] }

// at returns the cost of (i, j).
func (g *grid) at(i, j int) cost {
	if j-i > 2*g.band {
		return never
	}
	return g.cost[i*g.side+j]
}

// settle notes how far row i goes.
func (g *grid) settle(i int) {
	row, end := g.row(i), min(g.side, i+g.band+1)
	for end > i && row[end-1] >= never {
		end--
	}
	if g.end[i] = end; end == i {
		g.end[i] = 0
	}
}

// equal reports whether two grids of one size hold the same.
func (g *grid) equal(h *grid) bool {
	for i := range g.side {
		if !slices.Equal(g.bandRow(i), h.bandRow(i)) {
			return false
		}
	}
	return true
}

// compare finds the rows that yield to the next one. A step less seldom costs more, so most
// do, and [extend] leaves them out.
func (g *grid) compare() {
	g.yields = resize(g.yields, g.side)
	for i := range g.side {
		g.yields[i] = i+1 < g.side && g.end[i+1] >= g.end[i] && g.atMost(i+1, i)
	}
}

// atMost reports whether row i costs no more than row k, which ends no later, from behind
// column i on.
func (g *grid) atMost(i, k int) bool {
	if g.end[k] <= i+1 {
		return true
	}
	other := g.row(k)[i+1 : g.end[k]]
	for j, c := range g.row(i)[i+1 : g.end[k]] {
		if c > other[j] {
			return false
		}
	}
	return true
}

// extend lowers row dst of g, from segments (i, m) of the given costs and a segment
// (m, j) of next: dst[j] to a[m] + next[m][j] + extra, for all m. Nowhere may dst be above a:
// then an m is no use if m+1 costs no more in both.
func extend(dst, a []cost, aEnd, from int, next *grid, extra cost) {
	for m := from; m < aEnd; m++ {
		c, end := a[m], next.end[m]
		if c >= never || end <= m+1 || m+1 < aEnd && a[m+1] <= c && next.yields[m] {
			continue
		}
		relax(dst[m+1:end], next.row(m)[m+1:end], c+extra)
	}
}

// addLevel computes level d, given the levels below.
func (s *solver) addLevel(d int) {
	if len(s.levels) == d {
		s.levels = append(s.levels, level{})
		s.own = append(s.own, &tables{})
	}
	now := &s.levels[d]
	now.first = resize(now.first, s.n+1)
	fill(now.first, never)
	if d >= s.late {
		now.first[0] = 0
	}
	if d > 0 {
		below := &s.levels[d-1]
		relax(now.first, below.first, 0)
		extend(now.first, below.first, s.n+1, 0, &below.operands[s.k-1], 1)
		if s.settled {
			now.tables = below.tables
			return
		}
	}
	now.tables = s.own[d]
	s.fillTables(d)
	s.settled = d > 0 && power(s.k, d-1, s.n) >= s.n && now.value.equal(&s.levels[d-1].value) &&
		now.pair.equal(&s.levels[d-1].pair)
}

// fillTables computes the tables of level d, the later rows first.
func (s *solver) fillTables(d int) {
	now := s.levels[d].tables
	now.value.reset(s.n+1, s.band)
	now.pair.reset(s.n+1, s.band)
	for i := s.n; i > 0; i-- {
		s.values(d, i)
	}
	for i := s.n; i >= 0; i-- {
		s.pairs(d, i)
	}
	now.pair.compare()
	now.operands = resize(now.operands, s.k+1)
	for b := range now.operands {
		now.operands[b].reset(s.n+1, s.band)
		for i := s.n; i >= 0; i-- {
			s.operands(d, b, i)
		}
	}
	now.operands[s.k-1].compare()
}

// values computes row i of the values: a LUT takes the value of segment (i, m), from a
// level below, and operands for segment (m, j) with its other inputs.
func (s *solver) values(d, i int) {
	now := &s.levels[d].value
	row := now.row(i)
	row[i] = 0
	if d > 0 {
		below := s.levels[d-1]
		relax(now.bandRow(i), below.value.bandRow(i), 0)
		extend(row, below.value.row(i), below.value.end[i], i, &below.operands[s.k-1], 1)
	}
	now.settle(i)
}

// firstNot returns the first step after i whose operation is not op, or n+1 if there is none.
func (s *solver) firstNot(op chain.Op, i int) int {
	for i++; i <= s.n && s.ops[i] == op; i++ {
	}
	return i
}

// pairs computes row i of the pairs. What a segment makes of 0 begins at its first step
// that is no AND, what it makes of 1 at its first step that is no OR: these are values.
// Or two LUTs take operands for the whole segment, or the pair of segment (i, m) and
// operands for segment (m, j).
func (s *solver) pairs(d, i int) {
	now := &s.levels[d].pair
	row := now.row(i)
	zero, one := s.firstNot(chain.And, i), s.firstNot(chain.Or, i)
	if first := max(zero, one); first <= s.n {
		low, high := s.levels[d].value.row(zero), s.levels[d].value.row(one)
		for j := first; j <= min(s.n, i+s.band); j++ {
			row[j] = min(row[j], low[j]+high[j])
		}
	}
	if d > 0 {
		below := s.levels[d-1]
		before := below.pair.row(i)
		relax(now.bandRow(i), below.pair.bandRow(i), 0)
		whole := &below.operands[s.k]
		if end := whole.end[i]; end > i+1 {
			relax(row[i+1:end], whole.row(i)[i+1:end], 2)
		}
		extend(row, before, below.pair.end[i], i+1, &below.operands[s.k-1], 2)
	}
	now.settle(i)
}

// operands computes row i of the operands with b inputs.
func (s *solver) operands(d, b, i int) {
	now := s.levels[d]
	to := &now.operands[b]
	row := to.row(i)
	if b == 0 {
		row[i] = 0
		to.settle(i)
		return
	}
	tree := s.tree(d)
	one := &now.operands[b-1]
	copy(to.bandRow(i), one.bandRow(i))
	from, last := one.row(i), one.end[i]-1
	for m := i; m <= last; m++ {
		if end := s.runEnd[m]; from[m] < never && end > m && (m == last || from[m+1] > from[m]) { // else m+1 will do
			relax(row[m+1:end+1], tree[1:end-m+1], from[m])
		}
	}
	if b > 1 {
		two := &now.operands[b-2]
		extend(row, two.row(i), two.end[i], i, &now.pair, 0)
	}
	to.settle(i)
}

// solve computes the levels up to depth and returns the fewest LUTs for the chain there,
// [never] if there is no way.
func (s *solver) solve(depth int) cost {
	s.band = bandFor(s.n, depth)
	for d := range depth + 1 {
		s.addLevel(d)
	}
	return s.levels[depth].first[s.n]
}

// bandFor returns how long a segment can be that is worth looking at, where a chain of n
// steps has so many levels: many times the steps that each level has to take, and all of
// the chain where that is short. It bounds the cost for long chains with many levels by
// n times the square of the band, for each level.
func bandFor(n, depth int) int { return min(n, max(32, 5*n/max(1, depth))) }

// segmentPlan returns the plan for depth levels, which must have a way.
func (s *solver) segmentPlan(depth int) *plan {
	p := &plan{}
	s.valuePlan(p, 0, s.n, depth, false)
	return p
}

// valueAt returns the cost of the value of segment (i, j) in d levels.
func (s *solver) valueAt(d, i, j int) cost {
	if i == 0 {
		return s.levels[d].first[j]
	}
	return s.levels[d].value.at(i, j)
}

// valuePlan adds the LUTs for the value of segment (i, j) in d levels; its leaf i may be
// inverted.
func (s *solver) valuePlan(p *plan, i, j, d int, inverted bool) signal {
	if i == j {
		return signal{int16(i), inverted}
	}
	want := s.valueAt(d, i, j)
	for s.valueAt(d-1, i, j) == want {
		d--
	}
	below := s.levels[d-1]
	for m := j - 1; ; m-- {
		if m < i {
			panic("lut: no value leads to a cost")
		}
		if s.valueAt(d-1, i, m)+below.operands[s.k-1].at(m, j)+1 == want {
			start := part{kind: partStart, a: s.valuePlan(p, i, m, d-1, inverted)}
			return p.add(s.operandsPlan(p, []part{start}, m, j, d-1, s.k-1)...)
		}
	}
}

// pairPlan adds the LUTs for the pair of segment (i, j) in d levels.
func (s *solver) pairPlan(p *plan, i, j, d int) (low, high signal) {
	want := s.levels[d].pair.at(i, j)
	for d > 0 && s.levels[d-1].pair.at(i, j) == want {
		d--
	}
	if d > 0 {
		below := s.levels[d-1]
		if below.operands[s.k].at(i, j)+2 == want {
			return s.twins(p, part{kind: partZero}, part{kind: partOne}, i, j, d-1, s.k)
		}
		for m := j - 1; m > i; m-- {
			if below.pair.at(i, m)+below.operands[s.k-1].at(m, j)+2 == want {
				a, b := s.pairPlan(p, i, m, d-1)
				return s.twins(p, part{kind: partStart, a: a}, part{kind: partStart, a: b}, m, j, d-1, s.k-1)
			}
		}
	}
	zero, one := s.firstNot(chain.And, i), s.firstNot(chain.Or, i)
	low = s.valuePlan(p, zero, j, d, false)
	return low, s.valuePlan(p, one, j, d, s.ops[one] == chain.Xor)
}

// twins adds two LUTs that differ in their start, over operands for segment (i, j).
func (s *solver) twins(p *plan, zero, one part, i, j, d, inputs int) (low, high signal) {
	parts := s.operandsPlan(p, []part{zero}, i, j, d, inputs)
	low = p.add(parts...)
	parts[0] = one
	return low, p.add(parts...)
}

// operandsPlan adds the LUTs for operands for segment (i, j) in d levels, and appends the
// operands to a LUT's parts.
func (s *solver) operandsPlan(p *plan, parts []part, i, j, d, inputs int) []part {
	if i == j {
		return parts
	}
	now, tree := s.levels[d], s.tree(d)
	want := now.operands[inputs].at(i, j)
	for m := j - 1; m >= i; m-- {
		if s.runEnd[m] >= j && now.operands[inputs-1].at(i, m)+tree[j-m] == want {
			parts = s.operandsPlan(p, parts, i, m, d, inputs-1)
			return append(parts, s.operand(p, m, j, d))
		}
		if inputs > 1 && now.operands[inputs-2].at(i, m)+now.pair.at(m, j) == want {
			parts = s.operandsPlan(p, parts, i, m, d, inputs-2)
			low, high := s.pairPlan(p, m, j, d)
			return append(parts, part{kind: partPair, a: low, b: high})
		}
	}
	panic("lut: no operands lead to a cost")
}
