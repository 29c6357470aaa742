package lut

import (
	"ialgn/internal/chain"
	"ialgn/netlist"
)

// mapper maps one netlist.
type mapper struct {
	n       *netlist.Netlist
	o       Options
	report  Report
	paths   *chain.Paths
	role    []role // role of each cell
	catalog *catalog

	simplifier *chain.Simplifier
	members    []member
	waves      [][]int32             // members by wave; a member whose base is also a member is one wave after its base
	memberOf   map[netlist.Net]int32 // [output net]: the member that drives the net

	cover *cover // cover of the general logic
}

// member is a private chain. In a private chain, no side input comes from a gate.
type member struct {
	last  netlist.Cell
	shape shape
	steps int32
	base  int32 // the member that drives the base; -1: none
	wave  int32
	level int32 // level of the chain's output, once it is known
	due   int32 // latest allowed level of the chain's output
}

// unbounded is a level that is high enough for any chain.
const unbounded = 1 << 14

// fork is a chain whose output is the base of other chains.
type fork struct {
	steps   int            // number of steps of the chain itself
	own     bool           // whether something other than a chain reads the fork
	readers []netlist.Cell // last gates of the chains that have this fork as their base
	lengths []int          // number of steps of each of these chains
}

// findChains collects the private chains. If a chain begins at the end of another chain, it may repeat the gates of
// the earlier chain, because this saves levels. findChains repeats the gates if serial packing then needs no more
// LUTs than with shared gates.
func (m *mapper) findChains() {
	forks := m.findForks()
	m.simplifier = chain.NewSimplifier(nil)
	m.memberOf = map[netlist.Net]int32{}
	var c chain.Chain
	for last := range netlist.Cell(m.n.Cells()) {
		if m.role[last] != chained || !m.paths.Last(last) || forks[last] != nil && !forks[last].own {
			continue
		}
		m.paths.Chain(last, &c)
		m.simplifier.Simplify(&c)
		m.addMember(last, &c)
	}
}

// findForks returns the chains at whose end other chains begin. The key of each chain is its last gate. First,
// findForks joins gates to their readers where this is cheap.
func (m *mapper) findForks() map[netlist.Cell]*fork {
	forks := map[netlist.Cell]*fork{}
	for last := range netlist.Cell(m.n.Cells()) {
		if m.role[last] != chained || !m.paths.Last(last) {
			continue
		}
		if d, _, ok := m.n.Driver(m.paths.Base(last)); ok && m.role[d] == chained {
			if forks[d] == nil {
				forks[d] = &fork{}
			}
			f := forks[d]
			f.readers, f.lengths = append(f.readers, last), append(f.lengths, m.paths.Len(last))
		}
	}
	if len(forks) == 0 {
		return forks
	}
	m.findOwn(forks)
	for last := range netlist.Cell(m.n.Cells()) { // in topological order, since chains grow
		if f := forks[last]; f != nil {
			f.steps += m.paths.Len(last)
			m.join(f, forks)
		}
	}
	return forks
}

// findOwn records which forks are read by something other than a chain.
func (m *mapper) findOwn(forks map[netlist.Cell]*fork) {
	read := func(v netlist.Net) {
		if d, _, ok := m.n.Driver(v); ok && forks[d] != nil {
			forks[d].own = true
		}
	}
	for c := range netlist.Cell(m.n.Cells()) {
		if m.role[c] != chained {
			for _, v := range m.n.Inputs(c) {
				read(v)
			}
		}
	}
	for _, ports := range [][]netlist.Port{m.n.OutputPorts(), m.n.Probes()} {
		for _, p := range ports {
			for _, v := range p.Nets {
				read(v)
			}
		}
	}
}

// join lets the chains behind a fork repeat the fork's gates if this costs no more LUTs. Otherwise the fork stays a
// separate chain.
func (m *mapper) join(f *fork, forks map[netlist.Cell]*fork) {
	shared, repeated := least(f.steps, m.o.K), 0
	if f.own {
		repeated = shared
	}
	for _, n := range f.lengths {
		shared += least(n, m.o.K)
		repeated += least(f.steps+n, m.o.K)
	}
	if repeated > shared {
		f.own = true
		return
	}
	for _, reader := range f.readers {
		m.paths.Join(reader)
		if behind := forks[reader]; behind != nil {
			behind.steps += f.steps
		}
	}
}

// addMember adds a chain to the members.
func (m *mapper) addMember(last netlist.Cell, c *chain.Chain) {
	ops := make([]byte, len(c.Steps))
	for i, s := range c.Steps {
		ops[i] = byte(s.Op)
	}
	one := member{last: last, shape: shape{ops: string(ops)}, steps: int32(len(ops)), base: -1}
	if b, ok := m.memberOf[c.Base.Net]; ok {
		one.base, one.wave = b, m.members[b].wave+1
	}
	if m.memberOf[m.n.Output(last)] = int32(len(m.members)); int(one.wave) == len(m.waves) {
		m.waves = append(m.waves, nil)
	}
	m.waves[one.wave] = append(m.waves[one.wave], int32(len(m.members)))
	m.members = append(m.members, one)
	if one.steps > 0 {
		m.report.Chains++
		m.report.Steps += len(ops)
		m.report.Bound += least(len(ops), m.o.K)
	}
}

// shapes returns the shapes and the latest levels of a wave's members.
func (m *mapper) shapes(wave []int32) (shapes []shape, due []int) {
	for _, w := range wave {
		shapes, due = append(shapes, m.members[w].shape), append(due, int(m.members[w].due))
	}
	return shapes, due
}

// each calls f for the members of each wave, wave by wave. Before each wave, it sets the levels of the wave's bases.
// Then it calls the function before, with the shapes and latest levels of the wave, to compute the results that f
// needs.
func (m *mapper) each(before func(shapes []shape, due []int) error, f func(*member, *entry)) error {
	for _, wave := range m.waves {
		for _, w := range wave {
			if one := &m.members[w]; one.base >= 0 {
				one.shape.late = int(m.members[one.base].level)
			}
		}
		shapes, due := m.shapes(wave)
		if err := before(shapes, due); err != nil {
			return err
		}
		for _, w := range wave {
			one := &m.members[w]
			f(one, m.catalog.entries[one.shape])
		}
	}
	return nil
}

// planChains makes the plan of each chain. The plan may use all levels up to the chain's latest allowed level.
func (m *mapper) planChains() error {
	return m.each(m.catalog.plans, func(one *member, e *entry) { one.level = min(one.due, int32(e.serial)) })
}

// schedule decides the latest level of each chain and covers the general logic. If MaxDepth cannot be met, it
// schedules for the fewest levels.
func (m *mapper) schedule() error {
	if m.o.Objective == Area && m.o.MaxDepth == 0 {
		m.setDue(unbounded)
		m.cover.run(unbounded)
		return nil
	}
	fewest, err := m.fewestLevels()
	if err != nil {
		return err
	}
	fewestByCuts, luts := m.cover.run(0)
	fewest = max(fewest, fewestByCuts)
	depth := fewest
	switch m.o.Objective {
	case Area:
		depth = max(fewest, m.o.MaxDepth)
	case Balanced:
		if depth, err = m.balance(m.balanceCover(fewest, luts)); err != nil {
			return err
		}
		if m.o.MaxDepth > 0 {
			depth = max(fewest, min(depth, m.o.MaxDepth))
		}
	}
	m.cover.run(depth)
	return m.require(depth)
}

// balanceCover returns the fewest levels in which the general logic takes at most a tenth more LUTs than with
// unlimited levels. The argument fewest is a lower limit of the result. The argument luts is the number of LUTs that
// the general logic takes at this limit.
func (m *mapper) balanceCover(fewest, luts int) int {
	high, least := m.cover.run(unbounded)
	if 10*luts <= 11*least || high <= fewest {
		return fewest
	}
	low := fewest + 1
	for low < high {
		depth := (low + high) / 2
		if _, luts := m.cover.run(depth); 10*luts <= 11*least {
			high = depth
		} else {
			low = depth + 1
		}
	}
	return low
}

func (m *mapper) setDue(depth int) {
	for i := range m.members {
		m.members[i].due = int32(depth)
	}
}

// fewestLevels returns the fewest levels in which all chains can be mapped.
func (m *mapper) fewestLevels() (int, error) {
	fewest := 0
	known := func(shapes []shape, _ []int) error {
		return m.catalog.leastLevels(shapes, len(m.waves) == 1)
	}
	err := m.each(known, func(one *member, e *entry) {
		one.level = int32(e.least)
		fewest = max(fewest, e.least)
	})
	return fewest, err
}

// require sets the latest allowed level of all chains to the given level. For a chain that is the base of other
// chains, it is the latest level that the other chains allow. Before the call, fewestLevels must have set the level
// of each member to the fewest possible.
func (m *mapper) require(depth int) error {
	m.setDue(depth)
	for w := len(m.waves) - 1; w > 0; w-- {
		for _, i := range m.waves[w] {
			one := &m.members[i]
			base := &m.members[one.base]
			latest, err := m.latest(one.shape.ops, int(base.level), int(one.due))
			if err != nil {
				return err
			}
			base.due = min(base.due, int32(latest))
		}
	}
	return nil
}

// latest returns the latest level of a chain's base for which the chain's output can still arrive by a given level
// (due). The argument late is a level of the base for which this is known to be possible, and the result is never
// lower.
func (m *mapper) latest(ops string, late, due int) (int, error) {
	for late+1 < due || late < due && ops == "" {
		sh := shape{ops, late + 1}
		if err := m.catalog.leastLevels([]shape{sh}, false); err != nil {
			return 0, err
		}
		if m.catalog.entries[sh].least > due {
			break
		}
		late++
	}
	return late, nil
}

// balance returns the fewest levels in which the chains take at most a tenth more LUTs than with unlimited levels.
// If there are many chains, it looks only at a sample.
func (m *mapper) balance(fewest int) (int, error) {
	low, high := fewest, fewest
	err := m.each(func(shapes []shape, _ []int) error { return m.catalog.serial(shapes) },
		func(one *member, e *entry) {
			one.level = int32(e.serial)
			high = max(high, e.serial)
		})
	for depth := low; low < high && err == nil; depth = (low + high) / 2 { // often the first try succeeds
		var enough bool
		if enough, err = m.sample().affords(depth); enough {
			high = depth
		} else {
			low = depth + 1
		}
	}
	if err == nil {
		_, err = m.fewestLevels()
	}
	return low, err
}

// sampleSize is the number of chains in a sample.
const sampleSize = 256

// sample returns a mapper for a sample of the chains. It returns m itself if there are few chains, or if some chains
// are the base of other chains.
func (m *mapper) sample() *mapper {
	if len(m.waves) != 1 || len(m.members) <= sampleSize {
		return m
	}
	some := &mapper{o: m.o, catalog: m.catalog, waves: [][]int32{nil}}
	for i := range int32(sampleSize) {
		one := m.members[int(i)*len(m.members)/sampleSize]
		some.members = append(some.members, one)
		some.waves[0] = append(some.waves[0], i)
	}
	return some
}

// affords reports whether the chains take at most a tenth more LUTs in the given number of levels (depth) than with
// unlimited levels.
func (m *mapper) affords(depth int) (bool, error) {
	if len(m.waves) > 1 { // first set the levels of bases, from which require starts
		if _, err := m.fewestLevels(); err != nil {
			return false, err
		}
	}
	if err := m.require(depth); err != nil {
		return false, err
	}
	luts, leastLUTs := 0, 0
	err := m.each(m.catalog.costs, func(one *member, e *entry) {
		one.level = min(one.due, int32(e.serial))
		luts += int(e.fewest(int(one.steps), m.o.K, int(one.due)))
		leastLUTs += least(int(one.steps), m.o.K)
	})
	return 10*luts <= 11*leastLUTs, err
}
