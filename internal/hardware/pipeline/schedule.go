package pipeline

import "ialgn/netlist"

// schedule holds the stage of every cell and probe.
//
// The integer programme has three kinds of nodes. The value of a cell's node is the stage of the cell. The value of a
// net's node is the last stage up to which registers delay the net. A net has a node if the net is read and is not an
// output. The value of a probe's node is the stage of the probe. The sum that the programme maximises falls by one
// for each additional register of a net. It rises by one for each net whose driver moves to the next stage, because
// the net then needs one register less.
type schedule struct {
	*timing
	stages, levels int
	stage          []int32 // [cell]
	probe          []int32 // [probe]: its stage
}

func newSchedule(t *timing, stages, levels int) *schedule {
	return &schedule{
		timing: t, stages: stages, levels: levels, stage: make([]int32, t.n.Cells()),
		probe: make([]int32, len(t.n.Probes())),
	}
}

// mostNodes is the largest number of nodes of a programme that is solved exactly. The solution takes about 150 bytes
// and one microsecond for each node.
const mostNodes = 4_000_000

// solve chooses the stages. The choice is optimal if the programme has at most the given number of nodes.
func (s *schedule) solve(nodes int) {
	x := exact{s: s, level: make([]int32, s.n.Cells()+1)}
	if x.count() <= nodes {
		s.take(s.programme(&x))
		return
	}
	s.solvePhases()
}

// limits adds the constraints that keep the number of levels in a stage within bounds.
type limits interface {
	// prepare adds the nodes that the programme needs in addition to the nodes of the cells.
	prepare(p *programme)
	// limit adds the arcs that are needed because cell v reads an output of cell u.
	limit(p *programme, u, v netlist.Cell)
}

// programme returns the integer programme of the netlist with the given limits. The nodes of the cells come first,
// then the nodes of the probes, then all other nodes.
func (s *schedule) programme(l limits) *programme {
	n := s.n
	p := &programme{maxValue: int32(s.stages)}
	for range n.Cells() + len(n.Probes()) {
		p.node(0, 0)
	}
	l.prepare(p)
	until := s.nets(p)
	for c := range netlist.Cell(n.Cells()) {
		if s.constant(n.Output(c)) {
			continue
		}
		s.eachDriver(c, func(u netlist.Cell) { l.limit(p, u, c) })
		for _, v := range n.Inputs(c) {
			if until[v] > 0 {
				p.arc(int32(c), until[v], 0)
			}
		}
	}
	for i, b := range n.Probes() {
		s.probeArcs(p, until, int32(n.Cells()+i), b)
	}
	return p
}

// nets adds the nodes of nets and returns their numbers. The number is 0 for nets that need no register and for nets
// that are always delayed up to the last stage.
func (s *schedule) nets(p *programme) []int32 {
	n := s.n
	const output, read = -2, -1
	until := make([]int32, n.Nets())
	mark := func(nets []netlist.Net, as int32) {
		for _, v := range nets {
			if !s.constant(v) {
				until[v] = min(until[v], as)
			}
		}
	}
	for c := range netlist.Cell(n.Cells()) {
		mark(n.Inputs(c), read)
	}
	for _, b := range n.Probes() {
		mark(b.Nets, read)
	}
	for _, b := range n.OutputPorts() {
		mark(b.Nets, output)
	}
	for v := range until {
		if until[v] == 0 {
			continue
		}
		if c, _, ok := n.Driver(netlist.Net(v)); ok {
			p.gain[c]++
		}
		if until[v] == output {
			until[v] = 0
			continue
		}
		until[v] = p.node(0, -1)
	}
	return until
}

// probeArcs adds the arcs of a probe, whose stage is the earliest one in which all its bits have
// arrived.
func (s *schedule) probeArcs(p *programme, until []int32, node int32, b netlist.Port) {
	for _, v := range b.Nets {
		if c, _, ok := s.n.Driver(v); ok && !s.constant(v) {
			p.arc(int32(c), node, 0)
		}
	}
	for _, v := range b.Nets {
		if until[v] > 0 {
			p.arc(node, until[v], 0)
		}
	}
}

// take solves a programme and copies the stages from the solution.
func (s *schedule) take(p *programme) {
	p.solve()
	copy(s.stage, p.value)
	copy(s.probe, p.value[len(s.stage):])
}

// exact limits the levels of a stage exactly. On each part of a path that has levels+1 cells (one more than the
// limit), the last cell must be at least one stage later than the first. The method is from Leiserson and Saxe,
// "Retiming Synchronous Circuitry", 1991, for delays of 0 and 1.
//
// Consider the cells from which a path of k levels, including both ends, leads to a cell. Node k of the cell holds
// the latest stage of these cells. Node 1 of a cell that takes a level is the cell's own stage. If there is no path
// of k levels to a cell, node k of the cell is omitted.
type exact struct {
	s     *schedule
	level []int32 // the nodes of cell c are level[c] .. level[c+1]-1
}

// span returns the range low <= k < high for which cell c has nodes.
func (x *exact) span(c netlist.Cell) (low, high int32) {
	levels := int32(x.s.levels)
	low, high = levels+1-x.s.after[c], min(levels, x.s.level[c])+1
	low = max(low, 1+x.s.delay(c))
	return low, max(low, high)
}

// count numbers the nodes, from 0, and returns the size of the programme, including nodes of nets.
func (x *exact) count() int {
	for c := range x.level[1:] {
		low, high := x.span(netlist.Cell(c))
		x.level[c+1] = x.level[c] + high - low
	}
	return int(x.level[len(x.level)-1]) + x.s.n.Cells() + x.s.n.Nets()
}

func (x *exact) prepare(p *programme) {
	first := int32(len(p.value))
	for range x.level[len(x.level)-1] {
		p.node(0, 0)
	}
	for c := range x.level {
		x.level[c] += first
	}
}

// node returns node k of cell c. ok is false if c has no such node.
func (x *exact) node(c netlist.Cell, k int32) (node int32, ok bool) {
	if k == 1 && x.s.delay(c) == 1 {
		return int32(c), true
	}
	low, high := x.span(c)
	return x.level[c] + k - low, k >= low && k < high
}

func (x *exact) limit(p *programme, u, v netlist.Cell) {
	p.arc(int32(u), int32(v), 0)
	delay := x.s.delay(v)
	low, high := x.span(v)
	for k := low; k < high; k++ {
		if from, ok := x.node(u, k-delay); ok {
			to, _ := x.node(v, k)
			p.arc(from, to, 0)
		}
	}
	if from, ok := x.node(u, int32(x.s.levels)); ok && delay == 1 {
		p.arc(from, int32(v), 1)
	}
}
