package difflogic

import (
	"errors"
	"slices"
)

// bitName is a bit as a text names it.
type bitName struct {
	space int // inputSpace, wireSpace, outSpace; in Verilog also the number of a layer
	index int
}

// The spaces of names. Verilog's layers are numbered from 0.
const (
	inputSpace = -1
	wireSpace  = -2 // C: gates of all layers but the last
	outSpace   = -3 // C: gates of the last layer
)

// expression reads an expression of up to two bits.
type expression struct {
	*tokens
	bit  func() (bitName, error) // reads the name that begins with the last token
	bits []bitName               // in the order of the text
}

// The operations that are the first and the second bit.
const (
	firstBit  = 3
	secondBit = 5
)

// maxNesting bounds parentheses and negations; difflogic writes three.
const maxNesting = 16

// castTypes are the words of casts, which change nothing in a bit.
var castTypes = []string{"char", "short", "int", "long"}

// parse reads an expression whose first token is the last one, and the token behind it. It returns the operation that
// it is of its bits in their order.
func (e *expression) parse(depth int) (uint8, error) { return e.binary(0, depth) }

// operators of two operands, those that bind the least first, in C as in Verilog.
var operators = []string{"|", "^", "&"}

// binary reads operands of the operators from a level on.
func (e *expression) binary(level, depth int) (uint8, error) {
	if level == len(operators) {
		return e.unary(depth)
	}
	value, err := e.binary(level+1, depth)
	for err == nil && e.word == operators[level] {
		var right uint8
		e.next()
		if right, err = e.binary(level+1, depth); err != nil {
			break
		}
		switch level {
		case 0:
			value |= right
		case 1:
			value ^= right
		case 2:
			value &= right
		}
	}
	return value, err
}

// unary reads a bit, a constant, what is in parentheses, or its negation.
func (e *expression) unary(depth int) (uint8, error) {
	if depth > maxNesting {
		return 0, errors.New("an expression that is nested too deep")
	}
	switch e.word {
	case "~":
		e.next()
		v, err := e.unary(depth + 1)
		return 15 ^ v, err
	case "(":
		return e.parenthesis(depth + 1)
	case "0", "0LL", "1'b0":
		e.next()
		return 0, nil
	case "1'b1":
		e.next()
		return 15, nil
	}
	b, err := e.bit()
	if err != nil {
		return 0, err
	}
	if len(e.bits) == 2 {
		return 0, errors.New("an expression of more than two bits")
	}
	e.bits = append(e.bits, b)
	e.next()
	if len(e.bits) == 1 {
		return firstBit, nil
	}
	return secondBit, nil
}

// parenthesis reads a cast with its operand, or an expression in parentheses.
func (e *expression) parenthesis(depth int) (uint8, error) {
	e.next()
	cast := slices.Contains(castTypes, e.word)
	for slices.Contains(castTypes, e.word) {
		e.next()
	}
	var v uint8
	var err error
	if !cast {
		if v, err = e.parse(depth); err != nil {
			return 0, err
		}
	}
	if e.word != ")" {
		return 0, e.unexpected(`")"`)
	}
	e.next()
	if cast {
		return e.unary(depth)
	}
	return v, nil
}
