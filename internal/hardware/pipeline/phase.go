package pipeline

import (
	"slices"

	"ialgn/netlist"
)

// phases limits the number of levels in a stage. The phase of a cell is its level within its stage. If a cell reads
// another cell of the same stage, the phase of the reader must be higher by at least the reader's delay. With fixed
// phases, the programme needs only the nodes of the cells.
type phases struct {
	s  *schedule
	of []int32 // [cell]
}

func (phases) prepare(*programme) {}

func (f phases) limit(p *programme, u, v netlist.Cell) {
	gap := int32(0)
	if f.of[v] < f.of[u]+f.s.delay(v) {
		gap = 1
	}
	p.arc(int32(u), int32(v), gap)
}

// solvePhases starts from two sets of phases. In one set, all cells are as early as possible. In the other set, all
// cells are as late as possible. For each set, it finds the best stages. Then it moves the phases within these stages
// as late or as early as possible, and finds the best stages again. It repeats these two steps as long as the cost
// falls.
func (s *schedule) solvePhases() {
	var stage, probe []int32
	best := -1
	keep := func() bool {
		cost := s.cost()
		if best >= 0 && cost >= best {
			return false
		}
		best, stage, probe = cost, slices.Clone(s.stage), slices.Clone(s.probe)
		return true
	}
	for _, first := range []phases{s.firstPhases(true), s.firstPhases(false)} {
		s.take(s.programme(first))
		for gains := true; gains; {
			s.take(s.programme(s.latePhases()))
			late := keep()
			s.take(s.programme(s.earlyPhases()))
			gains = keep() || late
		}
	}
	s.stage, s.probe = stage, probe
}

// firstPhases returns phases for which all cells are as early, or as late, as possible. For this purpose, it numbers
// the levels of all stages consecutively.
func (s *schedule) firstPhases(early bool) phases {
	f := phases{s, make([]int32, s.n.Cells())}
	levels := int32(s.levels)
	for c := range f.of {
		at := s.level[c]
		if !early {
			at = levels*int32(s.stages+1) - s.after[c]
		}
		if at > 0 {
			f.of[c] = (at-1)%levels + 1
		}
	}
	return f
}

// earlyPhases returns the lowest phases that the current stages allow.
func (s *schedule) earlyPhases() phases {
	f := phases{s, make([]int32, s.n.Cells())}
	for c := range netlist.Cell(len(f.of)) {
		s.eachDriver(c, func(u netlist.Cell) {
			if s.stage[u] == s.stage[c] {
				f.of[c] = max(f.of[c], f.of[u])
			}
		})
		f.of[c] += s.delay(c)
	}
	return f
}

// latePhases returns the highest phases that the current stages allow.
func (s *schedule) latePhases() phases {
	f := phases{s, make([]int32, s.n.Cells())}
	for c := range f.of {
		f.of[c] = int32(s.levels)
	}
	for c := netlist.Cell(len(f.of)); c > 0; {
		c--
		s.eachDriver(c, func(u netlist.Cell) {
			if s.stage[u] == s.stage[c] {
				f.of[u] = min(f.of[u], f.of[c]-s.delay(c))
			}
		})
	}
	return f
}

// cost returns the number of registers that the current stages need.
func (s *schedule) cost() int {
	n := s.n
	until := make([]int32, n.Nets())
	read := func(nets []netlist.Net, stage int32) {
		for _, v := range nets {
			until[v] = max(until[v], stage)
		}
	}
	for c := range netlist.Cell(n.Cells()) {
		read(n.Inputs(c), s.stage[c])
	}
	for i, b := range n.Probes() {
		read(b.Nets, s.probe[i])
	}
	for _, b := range n.OutputPorts() {
		read(b.Nets, int32(s.stages))
	}
	sum := 0
	for v, last := range until {
		if v := netlist.Net(v); last > 0 && !s.constant(v) {
			sum += int(last - s.stageOf(v))
		}
	}
	return sum
}

// stageOf returns the stage of the driver of a net. It is 0 for input ports and constants.
func (s *schedule) stageOf(v netlist.Net) int32 {
	if c, _, ok := s.n.Driver(v); ok {
		return s.stage[c]
	}
	return 0
}
