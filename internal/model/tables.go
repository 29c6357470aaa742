package model

import "fmt"

// Tables holds the truth tables of a layer's nodes as numbers: the operation number of the paper for
// two pins, and the same for other fan-ins. The binary digits of the number are the lines of the table,
// the line of zeros first, as the highest of 2^pins digits; in a line, pin 0 is the highest digit.
// Exactly one of the two slices is in use: Narrow for up to three pins.
type Tables struct {
	Narrow []uint8
	Wide   []uint64
}

// MakeTables returns n tables of constant zeros for nodes with the given number of pins.
func MakeTables(n, pins int) Tables {
	if pins <= 3 {
		return Tables{Narrow: make([]uint8, n)}
	}
	return Tables{Wide: make([]uint64, n)}
}

// Len returns the number of tables.
func (t Tables) Len() int { return len(t.Narrow) + len(t.Wide) }

// At returns table i.
func (t Tables) At(i int) uint64 {
	if t.Wide != nil {
		return t.Wide[i]
	}
	return uint64(t.Narrow[i])
}

// Set stores table i. It panics if the number does not fit the pins of the array.
func (t Tables) Set(i int, table uint64) {
	if t.Wide != nil {
		t.Wide[i] = table
		return
	}
	if table > 0xff {
		panic(fmt.Sprintf("model: table %#x is for more than three pins", table))
	}
	t.Narrow[i] = uint8(table)
}

// above returns the first table that is too large for the number of pins, -1 if there is none.
func (t Tables) above(pins int) (i int, table uint64) {
	last := LastTable(pins)
	for i := range t.Len() {
		if table := t.At(i); table > last {
			return i, table
		}
	}
	return -1, 0
}

// LastTable returns the largest table of nodes with that many pins: that of the constant 1.
func LastTable(pins int) uint64 { return ^uint64(0) >> (64 - 1<<pins) }

// digitZero has for each digit of the number of a table's binary digit, the lowest first, the binary digits at which it
// is 0. These are the lines at which a pin is 1, as the line of zeros is the highest digit.
var digitZero = [MaxPins]uint64{
	0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f, 0x00ff00ff00ff00ff, 0x0000ffff0000ffff, 0x00000000ffffffff,
}

// PinTable returns the table of a node that passes the given one of its pins on.
func PinTable(pins, pin int) uint64 { return digitZero[pins-1-pin] & LastTable(pins) }

// DependsOn reports whether the table of a node depends on one of its pins.
func DependsOn(table uint64, pins, pin int) bool {
	ones := PinTable(pins, pin)
	distance := 1 << (pins - 1 - pin) // from a line with the pin 0 to that with the pin 1, which stands lower
	return table&ones != table>>distance&ones
}

// Restrict returns the table of a node one of whose pins always has the given value: it does not depend on that pin.
func Restrict(table uint64, pins, pin int, value bool) uint64 {
	ones := PinTable(pins, pin)
	distance := 1 << (pins - 1 - pin)
	if value {
		table &= ones
		return table | table<<distance
	}
	table &^= ones
	return table | table>>distance
}

// PinName returns the name of a pin in files and messages: A for pin 0, then B and so on.
func PinName(pin int) string { return string(rune('A' + pin)) }
