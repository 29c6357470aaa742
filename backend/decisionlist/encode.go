package decisionlist

import "ialgn/backend/wordcode"

// encoding is a program in the making, with the bits of all values.
type encoding struct {
	p    *Program
	bits map[wordcode.Value]uint32
}

// program returns the program of a schedule.
func (s *schedule) program() *Program {
	p := &Program{
		Packed: s.g.packed, Compare: s.g.compare, Slots: s.ring(), Wide: s.wide, Runs: s.runs, Classes: s.classes,
	}
	e := &encoding{p, map[wordcode.Value]uint32{}}
	for i, v := range s.inputs() {
		p.Inputs = append(p.Inputs, s.g.inputs[v-1])
		e.bits[v] = uint32(i)
	}
	first := uint32(p.FirstSlot())
	for v, w := range s.written {
		e.bits[v] = first + uint32(w%max(1, p.Slots))
	}
	for _, u := range s.units {
		for _, t := range u.steps {
			e.step(t)
		}
	}
	for _, o := range s.g.outputs {
		row := uint32(0)
		if v := o.Value(); v != 0 {
			row = e.bits[v] + 1
		}
		p.Outputs = append(p.Outputs, row<<1|uint32(o&1))
	}
	return p
}

// FirstSlot returns the number of the first bit of the ring, which begins a word of 32 bits.
func (p *Program) FirstSlot() int { return (len(p.Inputs) + 31) / 32 * 32 }

// step adds a step to the code.
func (e *encoding) step(t step) {
	k := len(t.pins)
	actions := t.actions
	if k > 1 {
		actions = uint64(k-2) * 0b0101
		e.p.Multi = true
	}
	interleaved := uint32(actions&0b1001 | actions>>1&0b10 | actions<<1&0b100)
	for i, v := range t.pins {
		if i > 0 {
			interleaved = 0
		}
		e.p.Code = append(e.p.Code, e.bits[v]<<nameShift|interleaved)
	}
	if k == 1 {
		return
	}
	width := 16
	if e.p.Wide {
		width = 32
	}
	for i := range tableWords(k, e.p.Wide) {
		e.p.Code = append(e.p.Code, uint32(t.actions>>(i*width)&(1<<width-1)))
	}
}
