package ccode

import "ialgn/internal/wordcode"

// program returns the program of a schedule.
func (s *schedule) program() *Program {
	p := &Program{
		Packed: s.g.packed, Compare: s.g.compare, Slots: s.ring(), Wide: s.wide, Runs: s.runs, Classes: s.classes,
		Margin: s.g.margin,
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

// FirstSlot returns the number of the first bit of the ring, which is a multiple of 32.
func (p *Program) FirstSlot() int { return (len(p.Inputs) + 31) / 32 * 32 }

// These constants describe the layout of a word of the code.
const (
	actionBits = 2
	nameShift  = 2 * actionBits
	narrow     = 1 << (16 - nameShift) // number of bits of the array that words of 16 bits can name
)

// Code returns the lists as numbers, which a loop interprets. Each list directly follows the previous list.
//
// Bits 4 and up of a number name a bit of the array. Bits 0 and 2 are the [Action] if the named bit is 0, and bits 1
// and 3 are the action if the named bit is 1. The lower bit of an action says whether the list goes on. If both
// actions are equal, the step reads several bits. With a as the value of both actions, it reads a+2 bits, and the
// next a+1 numbers name the other bits. The bits form an index i, in which the first bit is the highest. Then come
// numbers that hold the actions for all i. An action takes two bits, and each number is filled with actions. The
// action for i = 0 is in the lowest bits of the first number.
func (p *Program) Code() (code []uint32) {
	for _, l := range p.Lists {
		for _, t := range l {
			code = p.step(code, t)
		}
	}
	return code
}

// step appends a step to the code.
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

// tableWords returns the number of code words that hold the actions of a step with the given number
// of bits.
func tableWords(pins int, wide bool) int {
	perWord := 16 / actionBits
	if wide {
		perWord *= 2
	}
	return (1<<pins + perWord - 1) / perWord
}
