package pipeline

import (
	"slices"
	"testing"

	"ialgn/internal/netgen"
	"ialgn/netlist"
)

// optimum returns the smallest number of registers. It tries all combinations of stages, which is slow but obviously
// correct.
func optimum(t *timing, stages, levels int) int {
	s, best := newSchedule(t, stages, levels), -1
	var try func(c netlist.Cell)
	try = func(c netlist.Cell) {
		if int(c) == t.n.Cells() {
			for i, p := range t.n.Probes() {
				s.probe[i] = 0
				for _, v := range p.Nets {
					if !t.constant(v) {
						s.probe[i] = max(s.probe[i], s.stageOf(v))
					}
				}
			}
			if cost := s.cost(); best < 0 || cost < best {
				best = cost
			}
			return
		}
		last := int32(stages)
		if t.constant(t.n.Output(c)) {
			last = 0
		}
		for s.stage[c] = 0; s.stage[c] <= last; s.stage[c]++ {
			if fits(s, c) {
				try(c + 1)
			}
		}
	}
	try(0)
	return best
}

// fits reports whether the stage of cell c is possible. Cell c must not be in an earlier stage than a cell that it
// reads. Its level within the stage must not exceed the allowed number of levels. fits looks only at the cells up to
// c.
func fits(s *schedule, c netlist.Cell) bool {
	ok := true
	s.eachDriver(c, func(u netlist.Cell) { ok = ok && s.stage[u] <= s.stage[c] })
	return ok && height(s, c) <= s.levels
}

// height returns the level of cell c within its stage.
func height(s *schedule, c netlist.Cell) int {
	level := make([]int, c+1)
	for i := range c + 1 {
		s.eachDriver(i, func(u netlist.Cell) {
			if s.stage[u] == s.stage[i] {
				level[i] = max(level[i], level[u])
			}
		})
		level[i] += int(s.delay(i))
	}
	return level[c]
}

// small calls f with small random netlists, and with numbers of stages and levels that are possible for each
// netlist.
func small(t *testing.T, f func(seed uint64, tm *timing, stages, levels int)) {
	count := uint64(1200)
	if testing.Short() {
		count = 200
	}
	// Carries add no level. Cells of the other kinds have several outputs or none.
	few := []netlist.Kind{netlist.Function, netlist.Function, netlist.Function, netlist.Carry}
	for seed := range count {
		o := netgen.NetlistOptions{Cells: 3 + int(seed%6), Inputs: 3}
		if seed%3 > 0 {
			o.Kinds = few
		}
		tm := newTiming(netgen.Netlist(seed, o))
		for stages := 1; stages <= 3; stages++ {
			if stages == 3 && o.Cells > 5 {
				continue // too many schedules to try
			}
			levels := max(1, (tm.depth+stages)/(stages+1))
			f(seed, tm, stages, levels)
			f(seed, tm, stages, levels+1)
		}
	}
}

// TestOptimum compares the number of registers with the smallest number over all schedules.
func TestOptimum(t *testing.T) {
	exactSum, phaseSum, cases, differ := 0, 0, 0, 0
	small(t, func(seed uint64, tm *timing, stages, levels int) {
		want := optimum(tm, stages, levels)
		cases++
		exactSum += want
		for _, nodes := range []int{mostNodes, 0} {
			s := newSchedule(tm, stages, levels)
			s.solve(nodes)
			for c := range netlist.Cell(tm.n.Cells()) {
				if !fits(s, c) {
					t.Fatalf("seed %d, %d stages of %d levels, %d nodes: cell %d in stage %d does not fit", seed, stages, levels,
						nodes, c, s.stage[c])
				}
			}
			got := s.cost()
			switch {
			case nodes > 0 && got != want, got < want:
				t.Errorf("seed %d, %d stages of %d levels, %d nodes: %d registers, the fewest are %d", seed, stages, levels, nodes,
					got, want)
			case nodes == 0:
				phaseSum += got
				if got > want {
					differ++
				}
			}
		}
	})
	// The phases sometimes miss the optimum in networks so small that each register counts.
	if phaseSum*100 > exactSum*102 || differ*10 > cases {
		t.Errorf("with phases %d registers instead of %d, in %d of %d cases more", phaseSum, exactSum, differ, cases)
	}
}

// TestProgramme solves programmes with obvious solutions.
func TestProgramme(t *testing.T) {
	type constraint struct{ from, to, gap int32 }
	for _, tt := range []struct {
		name string
		gain []int32
		arcs []constraint
		want []int32
	}{
		{"nothing gains", []int32{0, -1}, []constraint{{0, 1, 1}}, []int32{0, 1}},
		{"up to the limit", []int32{1}, nil, []int32{5}},
		{"up to the limit of another", []int32{1, 0}, []constraint{{0, 1, 2}}, []int32{3, 5}},
		{"as much as it costs", []int32{1, -1}, []constraint{{0, 1, 0}}, []int32{0, 0}},
		{"until it costs", []int32{1, -1, 0}, []constraint{{2, 1, 3}, {0, 1, 0}}, []int32{3, 3, 0}},
		{"two gain more than one costs", []int32{1, 1, -1}, []constraint{{0, 2, 0}, {1, 2, 0}}, []int32{5, 5, 5}},
		{"one gain for two", []int32{3, -1, -1}, []constraint{{0, 1, 0}, {0, 2, 1}}, []int32{4, 4, 5}},
	} {
		p := &programme{maxValue: 5}
		for _, g := range tt.gain {
			p.node(0, g)
		}
		for _, a := range tt.arcs {
			p.arc(a.from, a.to, a.gap)
		}
		if p.solve(); !slices.Equal(p.value, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, p.value, tt.want)
		}
	}
}
