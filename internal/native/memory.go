package native

import (
	"slices"

	"ialgn/internal/native/rows"
	"ialgn/internal/wordcode"
)

// area is a part of the memory for rows.
type area uint8

const (
	inputArea area = iota
	stateArea
	localArea
	nowhere
)

// row is a row in memory.
type row struct {
	area   area
	number int32
}

// memory records the rows in memory of the values that have rows.
type memory struct {
	home      []row // row of each value
	inputs    []int // input bit of each input row
	outputs   int
	state     int // number of state rows; the rows of outputs come first
	local     int // number of local rows
	freeState []int32
	freeLocal []int32
	locals    []wordcode.Value // values of the current segment that are in local rows
	nextLocal int              // the first local row that the current segment does not use
}

func newMemory(p *wordcode.Program) *memory {
	m := &memory{home: make([]row, 1+p.Inputs+len(p.Ops)), outputs: len(p.Outputs), state: len(p.Outputs)}
	for v := range m.home {
		m.home[v].area = nowhere
	}
	m.addInputs(p)
	return m
}

// inputRows returns the input rows that are read, in ascending order.
func (m *memory) inputRows() (rows []int) {
	for _, bit := range m.inputs {
		rows = append(rows, int(m.home[bit+1].number))
	}
	slices.Sort(rows)
	return rows
}

// put assigns rows to the input bits. Bit i gets row rows[i].
func (m *memory) put(rows []int) {
	for _, bit := range m.inputs {
		m.home[bit+1].number = int32(rows[bit])
	}
}

// arrange renumbers the input rows in the order in which they are computed from feature words.
// Input bits that are the same comparison share a row.
func (m *memory) arrange(f *Features) {
	var bits, first []int
	seen := map[rows.Pair]int{}
	for _, bit := range m.inputs {
		at, ok := seen[f.Bits[bit]]
		if !ok {
			at = len(bits)
			seen[f.Bits[bit]] = at
			bits = append(bits, bit)
		}
		first = append(first, at)
	}
	place, order := make([]int32, len(bits)), f.inputOf(bits).Order()
	for r, i := range order {
		place[i] = int32(r)
	}
	for i, bit := range m.inputs {
		m.home[bit+1].number = place[first[i]]
	}
	m.inputs = make([]int, len(bits))
	for r, i := range order {
		m.inputs[r] = bits[i]
	}
}

// addInputs assigns rows to the input bits that are read, in the order of their first use. With this order, rows that
// are read together are close in memory.
func (m *memory) addInputs(p *wordcode.Program) {
	add := func(v wordcode.Value) {
		if v > 0 && int(v) <= p.Inputs && m.home[v].area == nowhere {
			m.home[v] = row{inputArea, int32(len(m.inputs))}
			m.inputs = append(m.inputs, int(v)-1)
		}
	}
	for i := range p.Ops {
		for _, v := range operands(&p.Ops[i]) {
			add(v)
		}
	}
	for _, o := range p.Outputs {
		add(o.Value())
	}
}

// place assigns a row to a value that has no row. If local is true, only the current segment uses the value, and
// place assigns a local row. Otherwise it assigns a state row.
func (m *memory) place(v wordcode.Value, local bool) row {
	if local {
		m.home[v] = row{localArea, take(&m.freeLocal, &m.nextLocal)}
		m.local = max(m.local, m.nextLocal)
		m.locals = append(m.locals, v)
	} else {
		m.home[v] = row{stateArea, take(&m.freeState, &m.state)}
	}
	return m.home[v]
}

// take returns a free row or, if no row is free, the next unused row.
func take(free *[]int32, next *int) int32 {
	if n := len(*free); n > 0 {
		r := (*free)[n-1]
		*free = (*free)[:n-1]
		return r
	}
	*next++
	return int32(*next - 1)
}

// release frees the row of a value that will not be read again.
func (m *memory) release(v wordcode.Value) {
	h := m.home[v]
	switch {
	case h.area == localArea:
		m.freeLocal = append(m.freeLocal, h.number)
	case h.area == stateArea && int(h.number) >= m.outputs:
		m.freeState = append(m.freeState, h.number)
	default:
		return
	}
	m.home[v].area = nowhere
}

// endSegment frees all local rows.
func (m *memory) endSegment() {
	for _, v := range m.locals {
		if m.home[v].area == localArea {
			m.home[v].area = nowhere
		}
	}
	m.locals, m.freeLocal, m.nextLocal = m.locals[:0], m.freeLocal[:0], 0
}
