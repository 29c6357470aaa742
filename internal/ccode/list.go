package ccode

import (
	"math/bits"

	"ialgn/internal/wordcode"
	"ialgn/netlist"
)

// list is a decision list over values. The last step reads one bit, and both actions of this step end the list with a
// result.
type list struct{ steps []step }

// step reads bits as a binary number, with the highest bit first. It has an action for each value of this number.
type step struct {
	pins    []wordcode.Value
	actions uint64
}

// words returns the number of code words of a list.
func (l list) words(wide bool) (n int) {
	for _, s := range l.steps {
		n += len(s.pins)
		if len(s.pins) > 1 {
			n += tableWords(len(s.pins), wide)
		}
	}
	return n
}

// list returns the decision list of a literal. At each node, the list continues with the node of one pin, if no other
// pin reads this node. All other nodes that the list reads need slots.
func (g *graph) list(l wordcode.Literal) list {
	var out list
	v, inverted := l.Value(), l.Inverted()
	for first := true; ; first = false {
		n := g.node(v)
		if n == nil || !first && n.readers > 1 {
			break
		}
		table := n.table
		if inverted {
			table = ^table
		}
		v, inverted = g.steps(&out, table, n.pins)
	}
	actions := Result0 | Result1<<actionBits
	if inverted {
		actions = Result1 | Result0<<actionBits
	}
	out.steps = append(out.steps, step{[]wordcode.Value{v}, uint64(actions)})
	return out
}

// steps adds steps until the function is a single pin or its complement, and returns this pin.
func (g *graph) steps(out *list, table uint64, pins []wordcode.Value) (rest wordcode.Value, inverted bool) {
	spine := -1
	for k, v := range pins {
		if n := g.node(v); n != nil && n.readers == 1 {
			spine = k
		}
	}
	for {
		support := netlist.Support(table)
		if bits.OnesCount8(support) == 1 {
			k := bits.TrailingZeros8(support)
			return pins[k], table != netlist.PinTable(k)
		}
		k, s, below := settling(table, support, spine)
		if k < 0 {
			break
		}
		out.steps = append(out.steps, step{[]wordcode.Value{pins[k]}, s})
		table = below
	}
	support := netlist.Support(table)
	if spine < 0 || support>>spine&1 == 0 {
		spine = bits.Len8(support) - 1
	}
	out.steps = append(out.steps, joint(table, support, spine, pins))
	return pins[spine], false
}

// settling returns a pin other than the spine. Either one value of this pin decides the function, or the pin inverts
// the function. It also returns the actions for the two values of the pin and the remaining function. If there is no
// such pin, pin is -1.
func settling(table uint64, support uint8, spine int) (pin int, actions, rest uint64) {
	for k := range netlist.MaxFunctionInputs {
		if support>>k&1 == 0 || k == spine {
			continue
		}
		low, high := netlist.Cofactors(table, k)
		rest := low
		if constant(low) {
			rest = high
		}
		a, okLow := action(low, rest)
		b, okHigh := action(high, rest)
		if okLow && okHigh {
			return k, uint64(a | b<<actionBits), rest
		}
	}
	return -1, 0, 0
}

func constant(table uint64) bool { return table == 0 || table == ^uint64(0) }

// action returns the action of a step, given the function that the list must compute from this step on (table) and
// the function that the remaining steps compute (rest). If there is no such action, ok is false.
func action(table, rest uint64) (a Action, ok bool) {
	switch table {
	case 0:
		return Result0, true
	case ^uint64(0):
		return Result1, true
	case rest:
		return Go, true
	case ^rest:
		return Invert, true
	}
	return 0, false
}

// joint returns the step that reads all pins of a function except the spine.
func joint(table uint64, support uint8, spine int, pins []wordcode.Value) (s step) {
	var read []int
	for k, v := range pins {
		if support>>k&1 == 1 && k != spine {
			read = append(read, k)
			s.pins = append(s.pins, v)
		}
	}
	for i := range uint(1) << len(read) {
		line := uint(0)
		for at, k := range read {
			line |= i >> (len(read) - 1 - at) & 1 << k
		}
		low, high := table>>line&1, table>>(line|1<<spine)&1
		a := [2][2]Action{{Result0, Go}, {Invert, Result1}}[low][high]
		s.actions |= uint64(a) << (actionBits * i)
	}
	return s
}
