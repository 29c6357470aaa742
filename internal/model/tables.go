package model

import "fmt"

// Tables holds the truth tables of a layer's nodes as numbers. For two pins, the number is the paper's number of
// the operation. For any number of pins, the binary digits of the number are the lines of the table. The line of
// zeros comes first, as the highest of 2^pins digits; in a line, pin 0 is the highest digit. Exactly one of the two
// slices is in use: Narrow for up to three pins.
type Tables struct {
	Narrow []uint8
	Wide   []uint64
}

// MakeTables returns n tables of constant 0 for nodes with the given number of pins.
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

// Set stores table i. It panics if the table needs more than the three pins of a narrow array.
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

// above returns the first table that is too large for the number of pins, and its index, or -1 if there is none.
func (t Tables) above(pins int) (i int, table uint64) {
	last := LastTable(pins)
	for i := range t.Len() {
		if table := t.At(i); table > last {
			return i, table
		}
	}
	return -1, 0
}

// LastTable returns the table of the constant 1, the largest table of nodes with that many pins.
func LastTable(pins int) uint64 { return ^uint64(0) >> (64 - 1<<pins) }

// digitZero[k] has ones at the bit positions whose binary digit k is 0. As a truth table it marks the lines in
// which the pin of digit k is 1, because lines are counted from the highest bit down.
var digitZero = [MaxPins]uint64{
	0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f, 0x00ff00ff00ff00ff, 0x0000ffff0000ffff, 0x00000000ffffffff,
}

// PinTable returns the table of a node that passes one of its pins on.
func PinTable(pins, pin int) uint64 { return digitZero[pins-1-pin] & LastTable(pins) }

// DependsOn reports whether the table of a node depends on the given pin.
func DependsOn(table uint64, pins, pin int) bool {
	ones := PinTable(pins, pin)
	distance := 1 << (pins - 1 - pin) // from a line with the pin 0 down to the same line with the pin 1
	return table&ones != table>>distance&ones
}

// Restrict returns the table of a node with one pin fixed to a value. The result does not depend on that pin.
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
