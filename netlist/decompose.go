package netlist

import "math/bits"

// pinMask[j] has the bits of a 64-bit table for which input j is 1.
var pinMask = [MaxFunctionInputs]uint64{
	0xaaaaaaaaaaaaaaaa, 0xcccccccccccccccc, 0xf0f0f0f0f0f0f0f0,
	0xff00ff00ff00ff00, 0xffff0000ffff0000, 0xffffffff00000000,
}

// PinTable returns the extended table of the function that passes on the given input.
func PinTable(pin int) uint64 { return pinMask[pin] }

// Extend converts a table for the given number of inputs to an extended table: a table with six inputs that does
// not depend on the added ones. Extended tables can be combined bit by bit, whatever their original number of
// inputs.
func Extend(table uint64, inputs int) uint64 {
	if inputs < MaxFunctionInputs {
		table &= 1<<(1<<inputs) - 1
	}
	for j := inputs; j < MaxFunctionInputs; j++ {
		table |= table << (1 << j)
	}
	return table
}

// Cofactors returns the function with the given input fixed to 0 (low) and fixed to 1 (high), as extended tables.
func Cofactors(extended uint64, pin int) (low, high uint64) {
	low, high = extended&^pinMask[pin], extended&pinMask[pin]
	return low | low<<(1<<pin), high | high>>(1<<pin)
}

// Support returns the set of inputs that an extended table depends on. Bit j is set for input j.
func Support(extended uint64) (pins uint8) {
	for j := range MaxFunctionInputs {
		if low, high := Cofactors(extended, j); low != high {
			pins |= 1 << j
		}
	}
	return pins
}

// Effective returns the extended table of a function cell that reads the given nets. Inputs that are constant nets
// are replaced by their values. If several inputs are the same net, only the first remains in the [Support].
func Effective(table uint64, in []Net) uint64 {
	t := Extend(table, len(in))
	for j, v := range in {
		low, high := Cofactors(t, j)
		switch v {
		case False:
			t = low
			continue
		case True:
			t = high
			continue
		}
		for i := range j {
			if in[i] == v {
				t = low&^pinMask[i] | high&pinMask[i]
				break
			}
		}
	}
	return t
}

// TableMask returns a mask of the bits that a table with k inputs uses.
func TableMask(k int) uint64 { return ^uint64(0) >> (64 - 1<<k) }

// Project returns the table that has only the inputs in support, in ascending order. The function must not depend on
// any other input.
func Project(extended uint64, support uint8) (table uint64) {
	at := uint8(0)
	for i := 0; ; i++ {
		table |= extended >> at & 1 << i
		if at = (at - support) & support; at == 0 { // continue with the next subset of the support
			return table
		}
	}
}

// SwapPins returns the table of the same function with inputs p < q exchanged. Bits beyond the table's size may be
// set.
func SwapPins(table uint64, p, q int) uint64 {
	shift := 1<<q - 1<<p
	low := pinMask[p] &^ pinMask[q]
	return table&^(low|low<<shift) | table&low<<shift | table>>shift&low
}

// SplitOp is the operator of a [Split].
type SplitOp uint8

// These are the operators of a split. The literal s is the pin or its complement.
const (
	SplitAnd SplitOp = iota // s AND Low
	SplitOr                 // s OR Low
	SplitXor                // s XOR Low
	SplitMux                // s ? High : Low
)

// Split is one step in the decomposition of a function: an operator on one input and one or two functions of the
// other inputs. The functions are extended tables.
type Split struct {
	Op        SplitOp
	Pin       int
	Inverted  bool   // the literal is the complement of the pin
	Low, High uint64 // High is used only by SplitMux
}

// Decompose returns the first step in a disjoint decomposition of an extended table, which must depend on at least
// one input. If the function is an AND, OR or XOR of one input and a function of the others, Decompose splits off the
// lowest such input. Otherwise it returns a multiplexer. Its control input is the input that leaves the fewest inputs
// for the two remaining functions. If several inputs are equally good, it takes the lowest. Repeated decomposition of
// the results ends after at most six levels.
func Decompose(extended uint64) Split {
	best, cost := Split{}, 2*MaxFunctionInputs+1
	for j := range MaxFunctionInputs {
		low, high := Cofactors(extended, j)
		switch {
		case low == high:
			continue
		case low == 0:
			return Split{Op: SplitAnd, Pin: j, Low: high}
		case high == 0:
			return Split{Op: SplitAnd, Pin: j, Inverted: true, Low: low}
		case high == ^uint64(0):
			return Split{Op: SplitOr, Pin: j, Low: low}
		case low == ^uint64(0):
			return Split{Op: SplitOr, Pin: j, Inverted: true, Low: high}
		case low == ^high:
			return Split{Op: SplitXor, Pin: j, Low: low}
		}
		if c := bits.OnesCount8(Support(low)) + bits.OnesCount8(Support(high)); c < cost {
			best, cost = Split{Op: SplitMux, Pin: j, Low: low, High: high}, c
		}
	}
	return best
}
