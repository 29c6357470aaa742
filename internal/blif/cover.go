package blif

import (
	"math/bits"

	"ialgn/netlist"
)

// cube is a product of literals. The masks one and zero contain the pins that must be 1 and the pins that must be 0.
// All other pins are free.
type cube struct{ one, zero uint8 }

// table returns the extended table of the cube.
func (c cube) table() uint64 {
	t := ^uint64(0)
	for j := range netlist.MaxFunctionInputs {
		if c.one>>j&1 == 1 {
			t &= netlist.PinTable(j)
		}
		if c.zero>>j&1 == 1 {
			t &^= netlist.PinTable(j)
		}
	}
	return t
}

func (c cube) literals() int { return bits.OnesCount8(c.one | c.zero) }

// cover is a sum of cubes that equals a function or its complement.
type cover struct {
	cubes []cube
	value byte // value of the function in the cubes, '1' or '0'
}

// covers makes covers and caches them by function, because a network has few different functions.
type covers map[uint64]cover

// of returns a cover for an extended table: the cover of the on-set or the cover of the off-set. It prefers the cover
// with fewer cubes, then the cover with fewer literals, then the cover of the on-set.
func (m covers) of(table uint64) cover {
	if c, ok := m[table]; ok {
		return c
	}
	on, off := irredundant(table), irredundant(^table)
	c := cover{on, '1'}
	// A cover without cubes is the constant 0, both for the on-set and for the off-set.
	if len(off) > 0 && (len(off) < len(on) || len(off) == len(on) && literals(off) < literals(on)) {
		c = cover{off, '0'}
	}
	m[table] = c
	return c
}

func literals(cubes []cube) (n int) {
	for _, c := range cubes {
		n += c.literals()
	}
	return n
}

// irredundant returns prime cubes whose sum is the extended table, and none of which can be left out. It is
// greedy: the next cube is the one that covers most of the part that is not covered yet.
func irredundant(table uint64) []cube {
	all, chosen := primes(table), []cube(nil)
	for rest := table; rest != 0; {
		best, bestCount := cube{}, 0
		for _, c := range all {
			if n := bits.OnesCount64(c.table() & rest); n > bestCount {
				best, bestCount = c, n
			}
		}
		chosen = append(chosen, best)
		rest &^= best.table()
	}
	for i := len(chosen) - 1; i >= 0; i-- {
		others := uint64(0)
		for j, c := range chosen {
			if j != i {
				others |= c.table()
			}
		}
		if others == table {
			chosen = append(chosen[:i], chosen[i+1:]...)
		}
	}
	return chosen
}

// primes returns the prime implicants of an extended table, fewest literals first.
func primes(table uint64) []cube {
	support := netlist.Support(table)
	var found []cube
	for size := range netlist.MaxFunctionInputs + 1 {
		for pins := support; ; pins = (pins - 1) & support {
			if bits.OnesCount8(pins) == size {
				found = implicants(found, table, pins)
			}
			if pins == 0 {
				break
			}
		}
	}
	return found
}

// implicants appends cubes to the slice found. These are the cubes that imply the table and have a literal for each
// of the given pins and for no other pin. implicants leaves out cubes that are contained in a cube found earlier.
func implicants(found []cube, table uint64, pins uint8) []cube {
	smaller := found
	for one := pins; ; one = (one - 1) & pins {
		c := cube{one, pins &^ one}
		if c.table()&^table == 0 && !contained(smaller, c) {
			found = append(found, c)
		}
		if one == 0 {
			return found
		}
	}
}

func contained(cubes []cube, c cube) bool {
	for _, o := range cubes {
		if o.one&^c.one == 0 && o.zero&^c.zero == 0 {
			return true
		}
	}
	return false
}
