package syntax

import (
	"bytes"
	"math/bits"
	"strconv"
)

// begin begins a statement.
func (r *reader) begin() {
	r.s = Statement{From: r.at, Drives: None, Declares: r.s.Declares[:0], Reads: r.s.Reads[:0], More: r.s.More[:0]}
}

// end ends a statement and passes it to the function visit.
func (r *reader) end() {
	if r.s.To = r.at; r.err == nil && r.visit != nil {
		r.visit(r.s)
	}
}

// statement reads a statement. It returns false at the module's end.
func (r *reader) statement() bool {
	r.begin()
	if r.comments() {
		r.s.Form = Comment
		r.end()
		return true
	}
	if r.samples != nil && bytes.HasPrefix(r.text[r.at:], r.samples) {
		r.sampleLines()
		r.end()
		return true
	}
	switch word := r.word(); string(word) {
	case "endmodule":
		r.back(r.s.From)
		return false
	case "wire":
		r.wires()
	case "reg":
		r.valid()
	case "assign":
		r.assign()
	default:
		r.instance(word)
	}
	r.expect(';')
	r.fixed("\n")
	r.end()
	return true
}

// sampleLines skips the statements for the bits that track valid samples.
func (r *reader) sampleLines() {
	r.s.Form = Control
	r.at += len(r.samples)
	if r.stages == 0 {
		r.reserve(r.s.From, "unused_control")
	}
	r.samples = nil
}

// valid reads the declaration of the register for the bits that track valid samples. A module has only one such
// register, without an initial value.
func (r *reader) valid() {
	r.s.Form = Valid
	stages := r.vectorRange()
	name := r.word()
	if !r.clocked || r.stages > 0 || r.samples == nil || string(name) != "valid" {
		r.fail("the register %.40q", name)
	}
	r.declare(name, stages, reserved)
	r.stages = stages
	r.plan()
}

// wires reads a declaration of wires, and the value of a wire if one follows.
func (r *reader) wires() {
	if r.next() == '[' {
		r.s.Form = Bus
		width := r.vectorRange()
		r.declare(r.word(), width, wire)
		return
	}
	name := r.word()
	n := r.declare(name, scalar, wire)
	if r.eat('=') {
		r.valued(name, n)
		return
	}
	r.s.Form = Wires
	for r.eat(',') {
		r.declare(r.word(), scalar, wire)
	}
}

// valued reads the value in a wire declaration. The value is a bit of a port, or a list of names that nothing else
// reads.
func (r *reader) valued(name []byte, n Name) {
	if r.next() == '&' {
		r.unused(name)
	} else {
		r.portBit(name)
	}
	r.drive(n, 0, 1)
}

// portBit reads a bit of a port. The wire must be named after the port and the bit.
func (r *reader) portBit(name []byte) {
	r.s.Form = Bit
	port := r.word()
	n := r.read(port)
	bit := r.selectBit(n)
	want := strconv.AppendInt(append(append([]byte{}, port...), '_'), int64(bit), 10)
	if r.err == nil && (r.list[n].role != input || !bytes.Equal(name, want)) {
		r.fail("the wire %.40q", name)
	}
}

// unused reads a list of names that nothing else reads.
func (r *reader) unused(name []byte) {
	r.s.Form = Unused
	if string(name) != "unused_"+strconv.Itoa(r.consumed) {
		r.fail("the wire %.40q", name)
	}
	r.consumed++
	r.expect('&')
	r.expect('{')
	r.blank()
	r.fixed("1'b0")
	for r.expect(','); r.err == nil; {
		r.unread()
		if !r.eat(',') {
			break
		}
	}
	r.expect('}')
}

// unread reads bits of a vector, or a whole name.
func (r *reader) unread() {
	if n := r.read(r.word()); r.err == nil && r.list[n].width != scalar && r.next() == '[' {
		r.selection(n)
	}
}

// drive records that bits of a name have a driver. The argument low is the lowest of these bits, and the argument
// count is their number.
func (r *reader) drive(n Name, low, count int) {
	if r.err != nil {
		return
	}
	s := &r.list[n]
	if s.role != wire && s.role != output || int(s.driven) != low {
		r.fail("a driver of %.40q", r.spelled(n))
		return
	}
	s.driven += int32(count)
	if r.s.Drives != None && r.s.Drives != n {
		r.s.More = append(r.s.More, n)
		return
	}
	r.s.Drives = n
}

// longWord is the number of bits in each part of a long word. Long words are assigned part by part.
const longWord = 16

// assign reads an assignment.
func (r *reader) assign() {
	n := r.target()
	if r.err != nil {
		return
	}
	low, count := 0, r.list[n].bits()
	if r.next() == '[' {
		low, count = r.part(n)
	}
	r.expect('=')
	right, _, _ := bytes.Cut(r.text[r.at:], []byte{';'})
	switch {
	case r.list[n].width != scalar && bytes.IndexByte(right, '+') >= 0:
		r.sum(count)
	case r.list[n].width != scalar:
		r.s.Form = Assign
		r.wide(count)
	case bytes.IndexByte(right, '>') >= 0:
		r.compare()
	default:
		r.s.Form = Gate
		r.gate()
	}
	r.drive(n, low, count)
}

// target reads the name of a wire or an output.
func (r *reader) target() Name {
	word := r.word()
	n := r.find(word)
	if n == None {
		r.fail("%.40q, which is not declared", word)
	}
	return n
}

// part reads the range of bits in an assignment to a part of a long vector. The range must follow the range of the
// previous assignment.
func (r *reader) part(n Name) (low, count int) {
	r.expect('[')
	high := r.number()
	if low = high; r.eat(':') {
		low = r.number()
	}
	r.expect(']')
	width := r.list[n].bits()
	if width <= longWord || low%longWord != 0 || high != min(low+longWord, width)-1 {
		r.fail("bits %d to %d of %.40q", low, high, r.spelled(n))
	}
	return low, high - low + 1
}

// compare reads a comparison of a word with a constant. The constant must be less than the largest value of the word.
func (r *reader) compare() {
	r.s.Form = Compare
	width := r.concatenation()
	r.expect('>')
	size := r.number()
	r.fixed("'d")
	value := r.digits()
	if r.err == nil && (size != width || width < 64 && value >= 1<<width-1) {
		r.fail("a word of %d bits above %d'd%d", width, size, value)
	}
}

// sum reads a sum of bits. Each term is padded to the width of the sum, which must be the width that the largest sum
// needs.
func (r *reader) sum(width int) {
	r.s.Form = Sum
	terms := 0
	for more := true; more && r.err == nil; more = r.eat('+') {
		r.expect('{')
		if zeros := r.constant('0'); zeros != width-1 {
			r.fail("%d zeros before a bit of a sum of %d", zeros, width)
		}
		r.expect(',')
		r.bitOrConstant()
		r.expect('}')
		terms++
	}
	if bits.Len(uint(terms)) != width {
		r.fail("a sum of %d terms in %d bits", terms, width)
	}
}

// wide reads a word, which must have the given number of bits.
func (r *reader) wide(width int) {
	if got := r.concatenation(); got != width {
		r.fail("%d bits for %d", got, width)
	}
}
