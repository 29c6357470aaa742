package difflogic

import (
	"errors"
	"slices"
)

// bitName is the name of a bit in generated code.
type bitName struct {
	space int // inputSpace, wireSpace or outSpace; in Verilog, it can also be the number of a layer
	index int
}

// Each name of a bit is in one of these name spaces. In Verilog, each layer has its own name space, whose number is
// the number of the layer, counted from 0.
const (
	inputSpace = -1
	wireSpace  = -2 // C: gates of all layers except the last
	outSpace   = -3 // C: gates of the last layer
)

// expression reads an expression of up to two bits.
type expression struct {
	*tokens
	bit  func() (bitName, error) // reads the name of a bit that begins with the current token
	bits []bitName               // the bits that were read so far, in the order of the text
}

// These are the operations that return the first and the second bit.
const (
	firstBit  = 3
	secondBit = 5
)

// maxNesting is the greatest depth of parentheses and negations. Files of difflogic have a depth of at most three.
const maxNesting = 16

// castTypes lists the words that a cast may contain. A cast does not change a bit.
var castTypes = []string{"char", "short", "int", "long"}

// parse reads an expression that begins with the current token. It stops at the token after the expression. It
// returns the operation that the expression computes. The operands of the operation are the bits, in the order in
// which the text names them.
func (e *expression) parse(depth int) (uint8, error) { return e.binary(0, depth) }

// operators lists the binary operators from weakest to strongest. C and Verilog have the same order.
var operators = []string{"|", "^", "&"}

// binary reads an expression with the operators of the given level and of stronger levels.
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

// unary reads a bit, a constant, an expression in parentheses, or a negation of one of these.
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

// parenthesis reads an expression in parentheses, or a cast with its operand.
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
