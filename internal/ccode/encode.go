package ccode

import "ialgn/internal/wordcode"

// program returns the program of a schedule.
func (s *schedule) program() *Program {
	p := &Program{
		Packed: s.g.packed, Compare: s.g.compare, Slots: s.ring(), Wide: s.wide, Runs: s.runs, Classes: s.classes,
	}
	bits := map[wordcode.Value]uint32{}
	for i, v := range s.inputs() {
		p.Inputs = append(p.Inputs, s.g.inputs[v-1])
		bits[v] = uint32(i)
	}
	for v, w := range s.written {
		bits[v] = uint32(p.FirstSlot() + w%max(1, p.Slots))
	}
	for _, u := range s.units {
		var l List
		for _, t := range u.steps {
			named := Step{Actions: t.actions}
			for _, v := range t.pins {
				named.Bits = append(named.Bits, bits[v])
			}
			l = append(l, named)
			p.Multi = p.Multi || len(t.pins) > 1
		}
		p.Lists = append(p.Lists, l)
	}
	for _, o := range s.g.outputs {
		row := uint32(0)
		if v := o.Value(); v != 0 {
			row = bits[v] + 1
		}
		p.Outputs = append(p.Outputs, row<<1|uint32(o&1))
	}
	return p
}

// FirstSlot returns the number of the first bit of the ring, which begins a word of 32 bits.
func (p *Program) FirstSlot() int { return (len(p.Inputs) + 31) / 32 * 32 }

// The form of a word of the code.
const (
	actionBits = 2
	nameShift  = 2 * actionBits
	narrow     = 1 << (16 - nameShift) // how many bits words of 16 can name
)

// Code returns the lists as numbers, for a loop that runs them: one list after the other, without a gap.
//
// A number names a bit of the array, by the bits from 4 on, and what it decides: bits 0 and 2 are the
// [Action] where it is 0, bits 1 and 3 where it is 1, the lower of the two whether the list goes on.
// Two equal actions a mark a step of a+2 bits: the next a+1 numbers name the others, the first bit is the
// highest digit of a number i, and the numbers after them hold the action for each i, in two bits, that of 0
// in the lowest ones, as many as fit.
func (p *Program) Code() (code []uint32) {
	for _, l := range p.Lists {
		for _, t := range l {
			code = p.step(code, t)
		}
	}
	return code
}

// step adds a step to the code.
func (p *Program) step(code []uint32, t Step) []uint32 {
	k := len(t.Bits)
	actions := t.Actions
	if k > 1 {
		actions = uint64(k-2) * 0b0101
	}
	interleaved := uint32(actions&0b1001 | actions>>1&0b10 | actions<<1&0b100)
	for _, bit := range t.Bits {
		code = append(code, bit<<nameShift|interleaved)
		interleaved = 0
	}
	if k == 1 {
		return code
	}
	width := 16
	if p.Wide {
		width = 32
	}
	for i := range tableWords(k, p.Wide) {
		code = append(code, uint32(t.Actions>>(i*width)&(1<<width-1)))
	}
	return code
}

// tableWords returns how many words of the code hold the actions of a step of that many bits.
func tableWords(pins int, wide bool) int {
	perWord := 16 / actionBits
	if wide {
		perWord *= 2
	}
	return (1<<pins + perWord - 1) / perWord
}
