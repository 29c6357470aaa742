// Package lowering rewrites a netlist so that it consists of function cells (truth tables) of at most six inputs and
// registers, for output formats that have no other cells.
//
// Comparisons, popcounts and similar operators become plain circuits that are not optimised. A netlist that was
// already lowered for a target has no such operators and is returned unchanged.
package lowering

import (
	"slices"

	"ialgn/netlist"
)

// These are the tables of the cells that operators become, in LUT INIT order.
const (
	tableSum      = 0b10010110 // A ^ B ^ C
	tableMajority = 0b11101000
	tableSelect   = 0b11001010 // C ? B : A
	tableLarger   = 0b10110010 // A > B, or A equal to B and C
	tableBorrow   = 0b11010100 // A - B - C is negative
	tableOr       = 0b1110     // A | B
	tableSecond   = 0b11101010 // A, or B and C

	// In these tables, the digit of A - B - C is compared with a digit of the margin. If they are equal, the result is D.
	tableLess0 = 0b0110100100000000 // the digit is 0, and D
	tableLess1 = 0b1111111101101001 // the digit is 0, or D
)

// Functions returns a netlist with the same ports, probes and function in which every comparison,
// popcount, counter, argmax, carry and primitive is replaced by function cells. Registers stay. It
// returns n itself if there is nothing to replace.
//
// A popcount or counter of k bits becomes at most k full adders of two cells each, in the order of
// Harley and Seal (Warren, Hacker's Delight, section 5-1). A comparison becomes one cell for every
// five bits. An argmax becomes about two cells for each bit of a count, class after class, and four with a margin.
func Functions(n *netlist.Netlist) *netlist.Netlist {
	plain := []netlist.Kind{netlist.Function, netlist.Register}
	if !slices.ContainsFunc(netlist.Kinds(), func(k netlist.Kind) bool {
		return !slices.Contains(plain, k) &&
			has(n, k)
	}) {
		return n
	}
	l := lowering{netlist.NewCopier(n)}
	for c := range netlist.Cell(n.Cells()) {
		l.cell(c)
	}
	return l.Finish()
}

func has(n *netlist.Netlist, k netlist.Kind) bool {
	for c := range netlist.Cell(n.Cells()) {
		if n.Kind(c) == k {
			return true
		}
	}
	return false
}

type lowering struct{ *netlist.Copier }

// cell lowers or copies a cell. The replacement of a carry or a primitive keeps its origin.
func (l lowering) cell(c netlist.Cell) {
	in, param, origin := slices.Clone(l.Inputs(c)), l.Old.Param(c), l.Old.Origin(c)
	out := make([]netlist.Net, l.Old.Outputs(c))
	switch l.Old.Kind(c) {
	case netlist.Carry:
		out[0] = l.Function(tableMajority, origin, in...)
	case netlist.Primitive:
		out[0] = l.Function(l.Old.Primitives()[param].Table, origin, in...)
	case netlist.Compare:
		out[0] = l.compare(in, param)
	case netlist.Popcount, netlist.Counter:
		l.count(in, out)
	case netlist.Argmax:
		index, width := l.Old.IndexBits(c), l.Old.ArgmaxWidth(c)
		best := l.argmax(in, width, out[:index])
		if margin := l.Old.Margin(c); margin > 0 {
			out[index] = l.uncertain(in, best, margin)
		}
	default:
		l.Copy(c)
		return
	}
	for i, v := range out {
		l.Set(l.Old.Output(c)+netlist.Net(i), v)
	}
}

func (l lowering) function(table uint64, in ...netlist.Net) netlist.Net {
	return l.Function(table, netlist.Origin{}, in...)
}

// compare lowers word > threshold from the lowest bit up. Each cell reads the result for the bits below it and five
// more bits. The low bits where the threshold has trailing ones do not affect the result and are left out.
func (l lowering) compare(word []netlist.Net, threshold uint64) netlist.Net {
	above := netlist.False
	for len(word) > 0 {
		if above == netlist.False && threshold&1 == 1 {
			word, threshold = word[1:], threshold>>1
			continue
		}
		bits := min(len(word), netlist.MaxFunctionInputs-1)
		if above == netlist.False {
			bits = min(len(word), netlist.MaxFunctionInputs)
		}
		low, part := uint64(1)<<bits-1, threshold&(1<<bits-1)
		in, table := slices.Clone(word[:bits]), uint64(0)
		if above != netlist.False {
			in = append(in, above)
		}
		for i := range uint64(1) << len(in) {
			if value := i & low; value > part || value == part && i > low {
				table |= 1 << i
			}
		}
		above = l.function(table, in...)
		word, threshold = word[bits:], threshold>>bits
	}
	return above
}

// adder returns the sum and carry of three bits. If a or b is the constant 0, the adder is a half
// adder.
func (l lowering) adder(a, b, c netlist.Net) (sum, carry netlist.Net) {
	switch {
	case a == netlist.False:
		a, c = c, a
	case b == netlist.False:
		b, c = c, b
	}
	switch {
	case c != netlist.False:
		return l.function(tableSum, a, b, c), l.function(tableMajority, a, b, c)
	case b == netlist.False || a == netlist.False:
		return max(a, b), netlist.False // one operand is the constant 0, so the sum is the other operand
	}
	return l.function(0b0110, a, b), l.function(0b1000, a, b)
}

// count lowers a popcount. At each weight, it repeatedly adds two bits to the sum so far, which gives a new sum and a
// carry. The carries are the bits that it counts at the next weight.
func (l lowering) count(in, out []netlist.Net) {
	sum, wait := make([]netlist.Net, len(out)+1), make([]netlist.Net, len(out)+1) // False means that there is no bit
	for _, x := range in {
		for d := 0; x != netlist.False; d++ {
			if wait[d] == netlist.False {
				wait[d] = x
				break
			}
			y := wait[d]
			wait[d] = netlist.False
			sum[d], x = l.adder(sum[d], y, x)
		}
	}
	carry := netlist.False
	for d := range out {
		out[d], carry = l.adder(sum[d], wait[d], carry)
	}
}

// argmax lowers the search for the largest word, and returns this word. It sets index to the index of the word. If
// several words are equally large, index is the first of their indices in the tie order.
func (l lowering) argmax(in []netlist.Net, width int, index []netlist.Net) (best []netlist.Net) {
	first := l.Old.Contender(0)
	best = slices.Clone(in[first*width:][:width])
	for i := range index {
		index[i] = netlist.Net(first >> i & 1)
	}
	for place := 1; place*width < len(in); place++ {
		class := l.Old.Contender(place)
		word, larger := in[class*width:][:width], netlist.False
		for i, x := range word {
			larger = l.function(tableLarger, x, best[i], larger)
		}
		for i, x := range word {
			best[i] = l.function(tableSelect, best[i], x, larger)
		}
		for i := range index {
			digit := netlist.Net(class >> i & 1)
			index[i] = l.function(tableSelect, index[i], digit, larger)
		}
	}
	return best
}

// uncertain returns whether another word plus the margin is larger than the largest word. It counts the words that are
// closer to the largest word than the margin. The largest word is one of them.
func (l lowering) uncertain(in, best []netlist.Net, margin int) netlist.Net {
	one, two := netlist.False, netlist.False
	for width := len(best); len(in) > 0; in = in[width:] {
		borrow, less := netlist.False, netlist.False
		for i, x := range in[:width] {
			table := uint64(tableLess0)
			if margin>>i&1 == 1 {
				table = tableLess1
			}
			less, borrow = l.function(table, best[i], x, borrow, less), l.function(tableBorrow, best[i], x, borrow)
		}
		two = l.function(tableSecond, two, one, less)
		one = l.function(tableOr, one, less)
	}
	return two
}
