package lut

// serialLevel holds the costs of serial packing at one level.
type serialLevel struct {
	value []cost // [j]: LUTs for a signal of this level for segment (0, j) with its base
	// open[b][j] is the number of LUTs before an unfinished LUT of the next level. The unfinished LUT has b operands
	// so far, which cover the steps up to j, and is not counted.
	open [][]cost
}

// serialDepth returns the fewest levels in which serial packing takes only the minimum number of LUTs. It also
// prepares s.serial for [solver.serialPlan].
//
// Serial packing gives each LUT the spine and up to k-1 operands. An operand is a leaf, or a tree of leaves under one
// operation. So no LUT is spent on anything but steps, and runs of one operation save levels.
func (s *solver) serialDepth() int {
	target := cost(least(s.n, s.k))
	for d := 0; ; d++ {
		if s.addSerial(d); s.serial[d].value[s.n] <= target {
			return d
		}
	}
}

// addSerial computes serial packing at level d from the levels below.
func (s *solver) addSerial(d int) {
	if len(s.serial) < cap(s.serial) {
		s.serial = s.serial[:d+1]
	} else {
		s.serial = append(s.serial, serialLevel{})
	}
	now := &s.serial[d]
	now.value = resize(now.value, s.n+1)
	for j := range now.value {
		now.value[j] = never
	}
	if d >= s.late {
		now.value[0] = 0
	}
	if d > 0 {
		for _, open := range s.serial[d-1].open {
			relax(now.value, open, 1)
		}
		relax(now.value, s.serial[d-1].value, 0)
	}
	now.open = resize(now.open, s.k)
	now.open[0] = append(now.open[0][:0], now.value...)
	tree := s.tree(d)
	for b := 1; b < s.k; b++ {
		now.open[b] = resize(now.open[b], s.n+1)
		before, open := now.open[b-1], now.open[b]
		for j := range open {
			open[j] = never
		}
		for m := range s.n {
			if end := s.runEnd[m]; before[m] < never {
				relax(open[m+1:end+1], tree[1:end-m+1], before[m])
			}
		}
	}
}

// serialPlan returns the plan with the levels that [solver.serialDepth] returned.
func (s *solver) serialPlan(depth int) *plan {
	p := &plan{}
	s.serialValue(p, s.n, depth)
	return p
}

// serialValue adds the LUTs of segment (0, j) in at most d levels.
func (s *solver) serialValue(p *plan, j, d int) signal {
	if j == 0 {
		return leaf(0)
	}
	for d > 0 && s.serial[d-1].value[j] == s.serial[d].value[j] {
		d--
	}
	b, want := 1, s.serial[d].value[j]-1
	for s.serial[d-1].open[b][j] != want {
		b++
	}
	tree, ends := s.tree(d-1), []int{j}
	for ; b > 0; b-- {
		before := s.serial[d-1].open[b-1]
		end := ends[len(ends)-1]
		m := end - 1
		for s.runEnd[m] < end || before[m] >= never || before[m]+tree[end-m] != s.serial[d-1].open[b][end] {
			m--
		}
		ends = append(ends, m)
	}
	last := len(ends) - 1
	parts := []part{{kind: partStart, a: s.serialValue(p, ends[last], d-1)}}
	for i := last; i > 0; i-- {
		parts = append(parts, s.operand(p, ends[i], ends[i-1], d-1))
	}
	return p.add(parts...)
}

// operand adds the tree for segment (i, j) in at most d levels. All steps of the segment must have the same
// operation. operand returns the tree as a part.
func (s *solver) operand(p *plan, i, j, d int) part {
	op := s.ops[j]
	return part{kind: partKind(op), a: p.wide(op, i+1, j-i, d, s.k)}
}
