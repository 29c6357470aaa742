package model

import "fmt"

// Tables holds the truth tables of a layer's nodes as numbers. For two pins, the number is the paper's number of the
// operation. In general, the number has 2^pins binary digits, one for each line of the table. The line in which all
// pins are 0 is the highest digit. In a line's number, pin 0 is the highest digit. Exactly one of the two slices is
// in use. Narrow is used for up to three pins.
type Tables struct {
	Narrow []uint8
	Wide   []uint64
}

// MakeTables returns n tables for nodes with the given number of pins. Each table is the constant 0.
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

// Set stores table i. It panics if a narrow array cannot hold the table, which then needs more than three pins.
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

// above returns the first table that is too large for the number of pins, and its index i. If there is no such table,
// i is -1.
func (t Tables) above(pins int) (i int, table uint64) {
	last := LastTable(pins)
	for i := range t.Len() {
		if table := t.At(i); table > last {
			return i, table
		}
	}
	return -1, 0
}

// LastTable returns the table of the constant 1. It is the largest table of nodes with the given number of pins.
func LastTable(pins int) uint64 { return ^uint64(0) >> (64 - 1<<pins) }

// digitZero[k] has ones at the bit positions whose binary digit k is 0. Lines are counted from the highest bit down.
// As a truth table, digitZero[k] therefore marks the lines in which the pin of digit k is 1.
var digitZero = [MaxPins]uint64{
	0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f, 0x00ff00ff00ff00ff, 0x0000ffff0000ffff, 0x00000000ffffffff,
}

// PinTable returns the table of a node that passes one of its pins on.
func PinTable(pins, pin int) uint64 { return digitZero[pins-1-pin] & LastTable(pins) }

// DependsOn reports whether the table of a node depends on the given pin.
func DependsOn(table uint64, pins, pin int) bool {
	ones := PinTable(pins, pin)
	distance := 1 << (pins - 1 - pin) // from a line in which the pin is 0 down to the same line in which the pin is 1
	return table&ones != table>>distance&ones
}

// Restrict returns the table of a node with one pin fixed to a value. The result does not depend on this pin.
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

// PinName returns the name of a pin in files and messages. Pin 0 is A, pin 1 is B, and so on.
func PinName(pin int) string { return string(rune('A' + pin)) }
