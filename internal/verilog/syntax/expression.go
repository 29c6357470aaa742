package syntax

import "ialgn/netlist"

// read looks up a declared name and records that it is read. The name must not be an instance or a control port of a
// pipeline.
func (r *reader) read(word []byte) Name {
	n := r.find(word)
	switch {
	case r.err != nil:
		return None
	case len(word) == 0:
		r.odd()
		return None
	case n == None || r.list[n].role == reserved:
		r.fail("%.40q, which is no wire that was declared before", word)
		return None
	}
	r.s.Reads = append(r.s.Reads, n)
	return n
}

// selectBit reads the index of a bit in a vector.
func (r *reader) selectBit(n Name) int {
	r.expect('[')
	bit := r.number()
	r.expect(']')
	if r.err == nil && bit >= int(r.list[n].width) {
		r.fail("bit %d of %.40q", bit, r.spelled(n))
	}
	return bit
}

// bit reads the name of a scalar, or a bit of a vector.
func (r *reader) bit() {
	n := r.read(r.word())
	if r.err == nil && r.list[n].width != scalar {
		r.selectBit(n)
	}
}

// bitOrConstant reads the value connected to a pin.
func (r *reader) bitOrConstant() {
	if !isDigit(r.next()) {
		r.bit()
	} else if r.constantBits() != 1 {
		r.odd()
	}
}

// constantBits reads a constant such as 1'b0, 1'b1 or {3{1'b0}}, and returns its number of bits.
func (r *reader) constantBits() int {
	if r.next() == '{' {
		return r.repeated()
	}
	r.fixed("1'b")
	if c := r.here(); c != '0' && c != '1' {
		r.odd()
		return 0
	}
	r.at++
	return 1
}

// here returns the character at the current place, or 0 at the end.
func (r *reader) here() byte {
	if r.at < len(r.text) {
		return r.text[r.at]
	}
	return 0
}

// repeated reads a constant of several bits.
func (r *reader) repeated() int {
	r.expect('{')
	count := r.number()
	r.expect('{')
	if r.next() == '{' || r.constantBits() != 1 || count < 2 {
		r.odd()
	}
	r.expect('}')
	r.expect('}')
	return count
}

// constant reads a constant in which every bit equals the given digit. It returns the constant's number of bits.
func (r *reader) constant(digit byte) int {
	begin := r.at
	count := r.constantBits()
	if r.err != nil {
		return 0
	}
	for i := begin; i < r.at; i++ {
		if r.text[i] == '\'' && r.text[i+2] != digit {
			r.back(begin)
			r.odd()
			return 0
		}
	}
	return count
}

// piece reads a constant, a scalar, a whole vector (written without a range) or consecutive bits of a vector. It
// returns the number of bits.
func (r *reader) piece() int {
	if c := r.next(); isDigit(c) || c == '{' {
		return r.constantBits()
	}
	n := r.read(r.word())
	if r.err != nil {
		return 0
	}
	if width := r.list[n].width; width == scalar || width > 1 && r.next() != '[' {
		return r.list[n].bits()
	}
	return r.selection(n)
}

// selection reads a range of bits of a vector and returns their number.
func (r *reader) selection(n Name) int {
	width := r.list[n].bits()
	r.expect('[')
	high := r.number()
	low := high
	if r.eat(':') {
		low = r.number()
		if low >= high || high-low+1 == width {
			r.fail("bits %d to %d of %.40q", low, high, r.spelled(n))
		}
	}
	r.expect(']')
	if high >= width {
		r.fail("bit %d of %.40q", high, r.spelled(n))
	}
	return high - low + 1
}

// concatenation reads one piece, or several pieces in braces, and returns the number of bits.
func (r *reader) concatenation() int {
	if r.next() != '{' || r.isRepeated() {
		return r.piece()
	}
	r.expect('{')
	width := r.piece()
	for pieces := 1; r.err == nil; pieces++ {
		if !r.eat(',') {
			if pieces < 2 {
				r.odd()
			}
			break
		}
		width += r.piece()
	}
	r.expect('}')
	return width
}

// isRepeated reports whether the brace at the current place begins a constant of several bits.
func (r *reader) isRepeated() bool {
	begin := r.at
	r.at++
	for isDigit(r.here()) {
		r.at++
	}
	repeated := r.at > begin+1 && r.here() == '{'
	r.at = begin
	return repeated
}

// shape is the syntactic form of an operand.
type shape uint8

const (
	literal      shape = iota // a bit, or its complement
	complemented              // ~(a & b)
	enclosed                  // (a & b)
)

// gate reads the expression of a gate, or a constant.
func (r *reader) gate() {
	if isDigit(r.next()) {
		r.constantBits()
		return
	}
	if first, operands := r.chain(0); operands == 1 && first == enclosed {
		r.odd()
	}
}

// chain reads operands of one operator, or a choice between two operands. It returns the first
// operand's shape and the number of operands. Operators are not mixed without parentheses, so
// precedence does not matter.
func (r *reader) chain(depth int) (first shape, operands int) {
	first = r.operand(depth)
	switch op := r.next(); {
	case op == '&' || op == '|' || op == '^':
		for operands = 1; r.eat(op); operands++ {
			r.operand(depth)
		}
		return first, operands
	case op == '?' && first == literal:
		r.expect('?')
		r.operand(depth)
		r.expect(':')
		r.operand(depth)
		return first, 3
	}
	return first, 1
}

// operand reads an operand, which is a bit, the complement of a bit, or an expression in parentheses.
func (r *reader) operand(depth int) shape {
	inverted := r.eat('~')
	if !r.eat('(') {
		r.bit()
		return literal
	}
	if depth == netlist.MaxFunctionInputs {
		r.fail("an expression of more than %d inputs", netlist.MaxFunctionInputs)
		return enclosed
	}
	if _, operands := r.chain(depth + 1); operands < 2 || inverted && operands > 2 {
		r.odd()
	}
	r.expect(')')
	if inverted {
		return complemented
	}
	return enclosed
}
