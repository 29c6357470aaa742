package lut

import (
	"slices"

	"ialgn/internal/chain"
)

// level holds the costs that the dynamic programme over segments reaches at one level.
type level struct {
	// first[j] is the number of LUTs for a signal with the value of the base after the first j steps.
	first []cost
	*tables
}

// tables hold the costs of each segment (i, j) at one level, with i as row and j as column. Once
// the tables of two levels are equal, all later levels have the same tables.
type tables struct {
	// value is the number of LUTs for a signal with the value of leaf i after the steps of segment (i, j). i is
	// above 0.
	value grid
	// pair is the number of LUTs for two signals. The signals are the results of segment (i, j) for the spine values
	// 0 and 1.
	pair grid
	// operands[b] is the number of LUTs for the operands with which a LUT can include segment (i, j), using at most b
	// inputs. A tree of one operation takes one input. A pair takes two inputs.
	operands []grid
}

// grid is a table over segments. It is complete for segments of at most band steps, and has some entries for
// segments of up to 2*band steps.
type grid struct {
	cost []cost
	end  []int // [i]: 1 + the last possible j within the band; 0: none
	side int
	band int

	yields []bool // [i]: row i+1 ends no earlier than row i and never costs more
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

// row returns the costs of row i. Some of these costs may be invalid.
func (g *grid) row(i int) []cost { return g.cost[i*g.side : (i+1)*g.side] }

// bandRow returns the valid costs of row i, from column i on.
func (g *grid) bandRow(i int) []cost { return g.row(i)[i:min(g.side, i+2*g.band+1)] }

// at returns the cost of (i, j).
func (g *grid) at(i, j int) cost {
	if j-i > 2*g.band {
		return never
	}
	return g.cost[i*g.side+j]
}

// settle sets the end of row i.
func (g *grid) settle(i int) {
	row, end := g.row(i), min(g.side, i+g.band+1)
	for end > i && row[end-1] >= never {
		end--
	}
	if g.end[i] = end; end == i {
		g.end[i] = 0
	}
}

// equal reports whether two grids of equal size have equal contents.
func (g *grid) equal(h *grid) bool {
	for i := range g.side {
		if !slices.Equal(g.bandRow(i), h.bandRow(i)) {
			return false
		}
	}
	return true
}

// compare sets the field yields for each row. A segment with one step less seldom costs more than the whole segment.
// So most rows yield to the next row, and [extend] can skip them.
func (g *grid) compare() {
	g.yields = resize(g.yields, g.side)
	for i := range g.side {
		g.yields[i] = i+1 < g.side && g.end[i+1] >= g.end[i] && g.atMost(i+1, i)
	}
}

// atMost reports whether row i costs no more than row k after column i. Row k must not end later
// than row i.
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

// extend combines each segment (i, m) of cost a[m] with each segment (m, j) of next. It lowers dst[j] to a[m] +
// next[m][j] + extra if this is less. No element of dst may be above the corresponding element of a. extend skips m
// if m+1 costs no more, both in a and in next.
func extend(dst, a []cost, aEnd, from int, next *grid, extra cost) {
	for m := from; m < aEnd; m++ {
		c, end := a[m], next.end[m]
		if c >= never || end <= m+1 || m+1 < aEnd && a[m+1] <= c && next.yields[m] {
			continue
		}
		relax(dst[m+1:end], next.row(m)[m+1:end], c+extra)
	}
}

// addLevel computes level d from the levels below.
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

// fillTables computes the tables of level d, from the last row to the first.
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

// values computes row i of the values. A LUT takes the value of segment (i, m) from a lower level. Its other inputs
// are operands for segment (m, j).
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

// pairs computes row i of the pairs. A pair can be built in two ways. One way uses two values. The result for 0
// depends only on the steps from the first step that is not an AND. The result for 1 depends only on the steps from
// the first step that is not an OR. The other way uses two LUTs. Both LUTs read operands for the whole segment, or
// the pair of segment (i, m) and operands for segment (m, j).
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
		if end := s.runEnd[m]; from[m] < never && end > m && (m == last || from[m+1] > from[m]) { // otherwise m+1 is as good
			relax(row[m+1:end+1], tree[1:end-m+1], from[m])
		}
	}
	if b > 1 {
		two := &now.operands[b-2]
		extend(row, two.row(i), two.end[i], i, &now.pair, 0)
	}
	to.settle(i)
}

// solve computes all levels up to the given level (depth). It returns the fewest LUTs for the chain in this number of
// levels, or [never] if the levels are too few.
func (s *solver) solve(depth int) cost {
	s.band = bandFor(s.n, depth)
	for d := range depth + 1 {
		s.addLevel(d)
	}
	return s.levels[depth].first[s.n]
}

// bandFor returns the length of the longest segment worth considering if a chain of n steps has the given number of
// levels. This length (the band) is several times the number of steps that each level has to take, or the whole chain
// if the chain is short. For long chains with many levels, it bounds the time for each level to n times the square of
// the band.
func bandFor(n, depth int) int { return min(n, max(32, 5*n/max(1, depth))) }

// segmentPlan returns the plan in the given number of levels. Such a plan must be possible.
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

// valuePlan adds the LUTs for the value of segment (i, j) in d levels. If inverted is set, leaf i is inverted.
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

// twins adds two LUTs that read operands for segment (i, j). The LUTs differ only in their first part.
func (s *solver) twins(p *plan, zero, one part, i, j, d, inputs int) (low, high signal) {
	parts := s.operandsPlan(p, []part{zero}, i, j, d, inputs)
	low = p.add(parts...)
	parts[0] = one
	return low, p.add(parts...)
}

// operandsPlan adds the LUTs of the operands for segment (i, j) in d levels, and appends the
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
