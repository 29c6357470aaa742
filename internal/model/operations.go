package model

// apply writes h = f(a, b) for words of 64 samples. op is the number of f in the paper's table of operations. Bit 3
// of the number is f(0,0), bit 2 is f(0,1), bit 1 is f(1,0) and bit 0 is f(1,1). The rows h, a and b have the same
// length. h may not overlap a or b.
//
// The operations are written out by the paper's names and do not use the compiler's truth tables. Tests can therefore
// compare the operations with the truth tables.
func apply(op uint8, h, a, b []uint64) {
	a, b = a[:len(h)], b[:len(h)]
	switch op {
	case 0: // FALSE
		clear(h)
	case 1: // AND
		for i := range h {
			h[i] = a[i] & b[i]
		}
	case 2: // A AND NOT B
		for i := range h {
			h[i] = a[i] &^ b[i]
		}
	case 3: // A
		copy(h, a)
	case 4: // NOT A AND B
		for i := range h {
			h[i] = b[i] &^ a[i]
		}
	case 5: // B
		copy(h, b)
	case 6: // XOR
		for i := range h {
			h[i] = a[i] ^ b[i]
		}
	case 7: // OR
		for i := range h {
			h[i] = a[i] | b[i]
		}
	default:
		applyNegated(op, h, a, b)
	}
}

// applyNegated is apply for the operations with f(0,0) = 1. Operation n is the negation of operation 15 - n.
func applyNegated(op uint8, h, a, b []uint64) {
	a, b = a[:len(h)], b[:len(h)]
	switch op {
	case 8: // NOR
		for i := range h {
			h[i] = ^(a[i] | b[i])
		}
	case 9: // XNOR
		for i := range h {
			h[i] = ^(a[i] ^ b[i])
		}
	case 10: // NOT B
		for i := range h {
			h[i] = ^b[i]
		}
	case 11: // A OR NOT B
		for i := range h {
			h[i] = a[i] | ^b[i]
		}
	case 12: // NOT A
		for i := range h {
			h[i] = ^a[i]
		}
	case 13: // NOT A OR B
		for i := range h {
			h[i] = b[i] | ^a[i]
		}
	case 14: // NAND
		for i := range h {
			h[i] = ^(a[i] & b[i])
		}
	default: // TRUE
		for i := range h {
			h[i] = ^uint64(0)
		}
	}
}

// ApplyTable writes h = f(pins) for words of 64 samples, for any number of pins. table is the truth table of f. For
// each word, the computation halves the number of table lines once for each pin. It starts with the pin of the
// highest digit.
func ApplyTable(table uint64, h []uint64, pins [][]uint64) {
	var lines [1 << MaxPins]uint64
	for w := range h {
		n := 1 << len(pins)
		for l := range n {
			lines[l] = -(table >> (n - 1 - l) & 1)
		}
		for _, p := range pins {
			n /= 2
			x := p[w]
			for l := range n {
				lines[l] = lines[l]&^x | lines[n+l]&x
			}
		}
		h[w] = lines[0]
	}
}
