package netlist

import "math/bits"

// pinMask[j] has the bits of a 64-bit table where input j is 1.
var pinMask = [MaxFunctionInputs]uint64{
	0xaaaaaaaaaaaaaaaa, 0xcccccccccccccccc, 0xf0f0f0f0f0f0f0f0,
	0xff00ff00ff00ff00, 0xffff0000ffff0000, 0xffffffff00000000,
}

// PinTable returns the extended table of the function that is input pin itself.
func PinTable(pin int) uint64 { return pinMask[pin] }

// Extend returns the table of a function of the given number of inputs as a table of
// all six, which does not depend on the others. Extended tables of different arities
// can be combined bit by bit.
func Extend(table uint64, inputs int) uint64 {
	if inputs < MaxFunctionInputs {
		table &= 1<<(1<<inputs) - 1
	}
	for j := inputs; j < MaxFunctionInputs; j++ {
		table |= table << (1 << j)
	}
	return table
}

// Cofactors returns the extended tables of the function where input pin is 0 and
// where it is 1.
func Cofactors(extended uint64, pin int) (low, high uint64) {
	low, high = extended&^pinMask[pin], extended&pinMask[pin]
	return low | low<<(1<<pin), high | high>>(1<<pin)
}

// Support returns the inputs that the function of an extended table depends on, one
// bit each.
func Support(extended uint64) (pins uint8) {
	for j := range MaxFunctionInputs {
		if low, high := Cofactors(extended, j); low != high {
			pins |= 1 << j
		}
	}
	return pins
}

// Effective returns the extended table of a function cell as it acts on its nets:
// inputs that are constants are folded in, and of several inputs that are the same net
// only the first remains in the [Support].
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

// TableMask returns the bits that a table of k inputs uses.
func TableMask(k int) uint64 { return ^uint64(0) >> (64 - 1<<k) }

// Project returns the table over the supporting inputs alone, in their order, of a
// function of an extended table that depends on no other.
func Project(extended uint64, support uint8) (table uint64) {
	at := uint8(0)
	for i := 0; ; i++ {
		table |= extended >> at & 1 << i
		if at = (at - support) & support; at == 0 { // the next subset of the support
			return table
		}
	}
}

// SwapPins returns the table that gives the same with the pins p < q exchanged. Bits
// beyond those of its inputs may be set.
func SwapPins(table uint64, p, q int) uint64 {
	shift := 1<<q - 1<<p
	low := pinMask[p] &^ pinMask[q]
	return table&^(low|low<<shift) | table&low<<shift | table>>shift&low
}

// SplitOp is the operator that a [Split] found.
type SplitOp uint8

// The operators of a split on the literal s, which is the pin or its complement.
const (
	SplitAnd SplitOp = iota // s AND Low
	SplitOr                 // s OR Low
	SplitXor                // s XOR Low
	SplitMux                // s ? High : Low
)

// Split is one step of a decomposition of a function: an operator on one input and on
// one or two functions of the other inputs, as extended tables.
type Split struct {
	Op        SplitOp
	Pin       int
	Inverted  bool   // the literal is the complement of the pin
	Low, High uint64 // High is for SplitMux alone
}

// Decompose returns the first step of a disjoint decomposition of the function of an
// extended table, which must depend on at least one input. An AND, OR or XOR with one
// input is found where there is one, on the lowest such input; otherwise the function
// is a multiplexer on the input that leaves the fewest inputs below, the lowest among
// equals. Carried on, it ends after at most six levels.
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
