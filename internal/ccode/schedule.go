package ccode

import (
	"cmp"
	"slices"

	"ialgn/internal/wordcode"
)

// unit is a list with its place in the schedule.
type unit struct {
	list
	node   wordcode.Value // the node whose value goes into a slot; 0 means the result is counted
	level  int            // length of the longest path to the node on which every node has a slot
	writes int            // number of slots written before this list
}

// schedule is the order of all lists of a program. The order is class by class. For each class, the nodes that need
// slots and have not been scheduled yet come first, level by level. After them come the lists that the class counts.
// Within a level, and within a class's counted lists, lists of equal length are consecutive.
type schedule struct {
	g       *graph
	wide    bool
	units   []unit
	classes []Class
	runs    []Run
	written map[wordcode.Value]int // [node]: number of slots written before the node's slot
	levels  map[wordcode.Value]int
}

// newSchedule returns the schedule of g, with narrow words if possible.
func newSchedule(g *graph) *schedule {
	g.countReaders()
	for _, wide := range []bool{false, true} {
		s := &schedule{g: g, wide: wide, written: map[wordcode.Value]int{}, levels: map[wordcode.Value]int{}}
		for _, counted := range g.counted {
			s.class(counted)
		}
		s.slots(g.outputs)
		if wide || (len(s.inputs())+31)/32*32+s.ring() <= narrow {
			return s
		}
	}
	panic("decisionlist: no width of words")
}

// class adds the lists that a class counts, and the nodes that they read.
func (s *schedule) class(counted []wordcode.Literal) {
	first, base := len(s.runs), 0
	var lists []unit
	var below []wordcode.Literal
	for _, l := range counted {
		if l.Value() == 0 {
			base += int(l)
			continue
		}
		if n := s.g.node(l.Value()); n != nil && n.readers > 1 {
			lists = append(lists, unit{list: last(l)})
			below = append(below, l)
			continue
		}
		u := unit{list: s.g.list(l)}
		lists = append(lists, u)
		below = append(below, reads(u.list)...)
	}
	s.slots(below)
	s.add(lists)
	s.classes = append(s.classes, Class{base, len(s.runs) - first})
}

// last returns the list for a bit or its complement.
func last(l wordcode.Literal) list {
	a, b := Result0, Result1
	if l.Inverted() {
		a, b = b, a
	}
	return list{[]step{{[]wordcode.Value{l.Value()}, uint64(a | b<<actionBits)}}}
}

// reads returns the literals that a list reads.
func reads(l list) (lits []wordcode.Literal) {
	for _, t := range l.steps {
		for _, v := range t.pins {
			lits = append(lits, wordcode.Literal(v)<<1)
		}
	}
	return lits
}

// slots adds the nodes that the literals depend on, if they need slots and have not been added yet.
func (s *schedule) slots(lits []wordcode.Literal) {
	lits = slices.Clone(lits)
	lists := map[wordcode.Value]list{}
	var order []wordcode.Value
	for len(lits) > 0 {
		v := lits[len(lits)-1].Value()
		lits = lits[:len(lits)-1]
		_, placed := s.written[v]
		if _, known := lists[v]; placed || known || s.g.node(v) == nil {
			continue
		}
		lists[v] = s.g.list(wordcode.Literal(v) << 1)
		lits = append(lits, reads(lists[v])...)
		order = append(order, v)
	}
	slices.Sort(order) // a node comes after all values that it reads
	units := make([]unit, len(order))
	for i, v := range order {
		level := 0
		for _, l := range reads(lists[v]) {
			level = max(level, s.levels[l.Value()]+1)
		}
		s.levels[v] = level
		units[i] = unit{list: lists[v], node: v, level: level}
	}
	s.add(units)
}

// add adds units, sorted by level and length.
func (s *schedule) add(units []unit) {
	slices.SortStableFunc(units, func(a, b unit) int {
		return cmp.Or(cmp.Compare(a.level, b.level), cmp.Compare(a.words(s.wide), b.words(s.wide)))
	})
	for i, u := range units {
		words, slot := u.words(s.wide), u.node != 0
		if k := len(s.runs) - 1; i > 0 && s.runs[k].Words == words {
			s.runs[k].Lists++
		} else {
			s.runs = append(s.runs, Run{slot, words, 1})
		}
		u.writes = len(s.written)
		if slot {
			s.written[u.node] = u.writes
		}
		s.units = append(s.units, u)
	}
}

// ring returns the number of slots in the ring. No slot may be overwritten before the last list that reads it.
func (s *schedule) ring() (slots int) {
	age := func(l wordcode.Literal, now int) {
		if w, ok := s.written[l.Value()]; ok {
			slots = max(slots, now-w)
		}
	}
	for _, u := range s.units {
		for _, l := range reads(u.list) {
			age(l, u.writes)
		}
	}
	for _, o := range s.g.outputs {
		age(o, len(s.written))
	}
	return slots
}

// inputs returns the values of the inputs that get a bit in the array. If the inputs are computed from features, only
// the inputs that are read get a bit.
func (s *schedule) inputs() (values []wordcode.Value) {
	read := make([]bool, len(s.g.inputs)+1)
	mark := func(l wordcode.Literal) {
		if int(l.Value()) < len(read) {
			read[l.Value()] = true
		}
	}
	for _, u := range s.units {
		for _, l := range reads(u.list) {
			mark(l)
		}
	}
	for _, o := range s.g.outputs {
		mark(o)
	}
	for v := 1; v < len(read); v++ {
		if s.g.packed || read[v] {
			values = append(values, wordcode.Value(v))
		}
	}
	return values
}
