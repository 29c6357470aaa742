package wordcode

import (
	"math/bits"

	"ialgn/netlist"
)

// lowering is the state of building a program.
type lowering struct {
	n        *netlist.Netlist
	p        *Program
	lits     []Literal // literal of each net whose driver is lowered
	done     []bool    // [cell]: whether the cell is lowered
	stack    []frame
	tooLarge bool
	tables   bool // whether a function of three values becomes one operation
}

// frame is a cell whose inputs are being lowered.
type frame struct {
	cell  netlist.Cell
	pin   int      // inputs before this index have been lowered
	count *counter // counter of a popcount, to which each input is added as soon as the input has been computed
}

func newLowering(n *netlist.Netlist) *lowering {
	inputs := int(n.FirstCellNet()) - 2
	l := &lowering{n: n, p: &Program{Inputs: inputs}, lits: make([]Literal, n.Nets()), done: make([]bool, n.Cells())}
	l.p.Ops = make([]Op, 0, n.Cells())
	l.lits[netlist.True] = constant1
	for i := range inputs {
		l.lits[2+i] = Literal(2 * (i + 1))
	}
	return l
}

// need lowers all cells on which the driver of v depends, and then the driver. It uses its own stack instead of
// recursion, since a network may be very deep.
func (l *lowering) need(v netlist.Net) {
	l.push(v)
	for len(l.stack) > 0 {
		if !l.advance(len(l.stack) - 1) {
			continue
		}
		f := l.stack[len(l.stack)-1]
		l.stack = l.stack[:len(l.stack)-1]
		l.cell(f)
	}
}

// push begins to lower the cell that drives v. It returns false if no cell has to be lowered.
func (l *lowering) push(v netlist.Net) bool {
	c, _, ok := l.n.Driver(v)
	if !ok || l.done[c] {
		return false
	}
	f := frame{cell: c}
	if k := l.n.Kind(c); k == netlist.Popcount || k == netlist.Counter {
		f.count = &counter{l: l}
	}
	l.stack = append(l.stack, f)
	return true
}

// advance goes through the inputs of a frame and reports whether all are done. If an input is not done, advance
// pushes the input's cell and returns false.
func (l *lowering) advance(at int) bool {
	f := l.stack[at]
	in := l.n.Inputs(f.cell)
	for ; f.pin < len(in); f.pin++ {
		if l.push(in[f.pin]) {
			break
		}
		if f.count != nil {
			f.count.add(l.lits[in[f.pin]])
		}
	}
	l.stack[at].pin = f.pin
	return f.pin == len(in)
}

// cell lowers a cell whose inputs are done.
func (l *lowering) cell(f frame) {
	n, c := l.n, f.cell
	l.done[c] = true
	in, out := n.Inputs(c), l.lits[n.Output(c):][:n.Outputs(c)]
	switch n.Kind(c) {
	case netlist.Function:
		out[0] = l.function(netlist.Effective(n.Param(c), in), in)
	case netlist.Primitive:
		out[0] = l.function(netlist.Effective(n.Primitives()[n.Param(c)].Table, in), in)
	case netlist.Carry:
		_, out[0] = l.fullAdder(l.lits[in[0]], l.lits[in[1]], l.lits[in[2]])
	case netlist.Compare:
		out[0] = l.compare(in, n.Param(c))
	case netlist.Popcount, netlist.Counter:
		copy(out, f.count.digits(len(out)))
	case netlist.Argmax:
		width, margin := netlist.ArgmaxForm(n.Param(c))
		copy(out, l.argmax(in, width, margin, len(out)))
	}
}

// op adds an operation on the values of literals and returns its result.
func (l *lowering) op(o Operator, a, b, c Literal) Literal {
	v := Value(l.p.Inputs + 1 + len(l.p.Ops))
	if v >= maxValues {
		l.tooLarge = true
		return constant0
	}
	l.p.Ops = append(l.p.Ops, Op{o, 0, a.Value(), b.Value(), c.Value()})
	return Literal(v << 1)
}

// lookup adds a Lookup on three literals whose values are different and not constant. The literals are the inputs 0,
// 1 and 2 of the table. The table is extended, see [netlist.Extend].
func (l *lowering) lookup(table uint64, a, b, c Literal) Literal {
	for pin, x := range [3]Literal{a, b, c} {
		if x.Inverted() {
			low, high := netlist.Cofactors(table, pin)
			table = low&netlist.PinTable(pin) | high&^netlist.PinTable(pin)
		}
	}
	x := l.op(Lookup, a, b, c)
	if x != constant0 {
		l.p.Ops[len(l.p.Ops)-1].Table = uint8(table)
	}
	return x
}

// distinct reports whether the values of three literals are different and not constant.
func distinct(a, b, c Literal) bool {
	x, y, z := a.Value(), b.Value(), c.Value()
	return x != 0 && y != 0 && z != 0 && x != y && x != z && y != z
}

// and returns the conjunction of two literals. Complements become part of the operator or of the returned literal.
func (l *lowering) and(a, b Literal) Literal {
	switch {
	case a == constant0 || b == constant0 || a == b^1:
		return constant0
	case a == constant1 || a == b:
		return b
	case b == constant1:
		return a
	}
	switch {
	case a.Inverted() && b.Inverted():
		return l.op(Or, a, b, 0) ^ 1
	case a.Inverted():
		return l.op(AndNot, b, a, 0)
	case b.Inverted():
		return l.op(AndNot, a, b, 0)
	}
	return l.op(And, a, b, 0)
}

func (l *lowering) or(a, b Literal) Literal { return l.and(a^1, b^1) ^ 1 }

func (l *lowering) xor(a, b Literal) Literal {
	inverted := (a ^ b) & 1
	switch {
	case a.Value() == b.Value():
		return inverted
	case a.Value() == 0:
		return b ^ a
	case b.Value() == 0:
		return a ^ b
	}
	return l.op(Xor, a, b, 0) ^ inverted
}

// muxTable is the table of a multiplexer. If input 0 is 1, it selects input 1. Otherwise it selects input 2.
var muxTable = netlist.PinTable(0)&netlist.PinTable(1) | netlist.PinTable(2)&^netlist.PinTable(0)

func (l *lowering) mux(s, high, low Literal) Literal {
	switch {
	case l.tables && distinct(s, high, low):
		return l.lookup(muxTable, s, high, low)
	case high == constant0:
		return l.and(s^1, low)
	case high == constant1:
		return l.or(s, low)
	case low == constant0:
		return l.and(s, high)
	case low == constant1:
		return l.or(s^1, high)
	}
	return l.xor(low, l.and(s, l.xor(high, low)))
}

// function lowers a function of nets, given as an extended table.
func (l *lowering) function(table uint64, in []netlist.Net) Literal {
	switch table {
	case 0:
		return constant0
	case ^uint64(0):
		return constant1
	}
	if l.tables {
		if x, ok := l.narrow(table, in); ok {
			return x
		}
	}
	s := netlist.Decompose(table)
	pin := l.lits[in[s.Pin]]
	if s.Inverted {
		pin ^= 1
	}
	low := l.function(s.Low, in)
	switch s.Op {
	case netlist.SplitAnd:
		return l.and(pin, low)
	case netlist.SplitOr:
		return l.or(pin, low)
	case netlist.SplitXor:
		return l.xor(pin, low)
	default:
		return l.mux(pin, l.function(s.High, in), low)
	}
}

// narrow lowers a function that depends on three nets with different values to a Lookup. ok is
// false for other functions.
func (l *lowering) narrow(table uint64, in []netlist.Net) (x Literal, ok bool) {
	support := netlist.Support(table)
	if bits.OnesCount8(support) != 3 {
		return 0, false
	}
	var pins [3]Literal
	for i, rest := 0, support; rest != 0; i, rest = i+1, rest&(rest-1) {
		pins[i] = l.lits[in[bits.TrailingZeros8(rest)]]
	}
	if !distinct(pins[0], pins[1], pins[2]) {
		return 0, false
	}
	return l.lookup(netlist.Extend(netlist.Project(table, support), 3), pins[0], pins[1], pins[2]), true
}

// compare lowers word > threshold, from the least significant bit up. A higher bit that differs
// from the threshold's bit overrides all bits below it.
func (l *lowering) compare(word []netlist.Net, threshold uint64) Literal {
	above := constant0
	for i, v := range word {
		if threshold>>i&1 == 1 {
			above = l.and(l.lits[v], above)
		} else {
			above = l.or(l.lits[v], above)
		}
	}
	return above
}

// plain returns a literal that is not a complement, as full adders require.
func (l *lowering) plain(a Literal) Literal {
	if a.Inverted() {
		return l.op(Not, a, 0, 0)
	}
	return a
}

// fullAdder returns the sum and the carry of three bits. If one bit is constant, it lowers a half adder. A full adder
// of three complements gives the complements of the sum and the carry. Therefore a full adder of two complements
// costs the same as a full adder of one complement.
func (l *lowering) fullAdder(a, b, c Literal) (sum, carry Literal) {
	for range 2 { // move a constant to the end
		if a.Value() == 0 {
			a, b, c = b, c, a
		}
	}
	if b.Value() == 0 {
		b, c = c, b
	}
	switch c {
	case constant0:
		return l.xor(a, b), l.and(a, b)
	case constant1:
		return l.xor(a, b) ^ 1, l.or(a, b)
	}
	if l.tables {
		return l.adderTables(a, b, c)
	}
	flip := a&b&1 | a&c&1 | b&c&1
	a, b, c = l.plain(a^flip), l.plain(b^flip), l.plain(c^flip)
	return l.op(Sum, a, b, c) ^ flip, l.op(Carry, a, b, c) ^ flip
}

// adderTables is like fullAdder, but uses two lookups. If a and c differ, the sum is the complement of b and the
// carry is b. Therefore the carry can be computed from a, c and the sum. This lookup does not read b, so the sum can
// overwrite b. If two bits have the same value number, they are equal or complementary. If they are equal, the carry
// equals these bits. If they are complementary, they add up to 1.
func (l *lowering) adderTables(a, b, c Literal) (sum, carry Literal) {
	for range 3 {
		switch a {
		case b:
			return c, a
		case b ^ 1:
			return c ^ 1, c
		}
		a, b, c = b, c, a
	}
	x, y, z := netlist.PinTable(0), netlist.PinTable(1), netlist.PinTable(2)
	sum = l.lookup(x^y^z, a, b, c)
	return sum, l.lookup(x&y|(x^y)&^z, a, c, sum)
}

// counter adds bits in the order in which they are computed. Two bits and the sum so far give a sum and a carry.
// Carries are paired in the same way. This method is by Harley and Seal (Warren, Hacker's Delight, section 5-1). The
// counter collects several bits and then adds all of them. As a result, the program has long runs of gates and long
// runs of full adders, which helps the branch prediction of the loop that interprets a [Table].
type counter struct {
	l    *lowering
	bits []Literal // bits that are still to be added
	sum  []Literal
	wait []Literal // [digit]: a bit that has no partner yet
	full []bool    // [digit]: whether wait has a bit
}

// run is the number of bits that are collected before they are added.
const run = 32

func (c *counter) add(x Literal) {
	if c.bits = append(c.bits, x); len(c.bits) == run || c.l.tables {
		c.flush()
	}
}

// flush adds the bits that were collected since the last flush.
func (c *counter) flush() {
	for _, x := range c.bits {
		c.addAtOnce(x)
	}
	c.bits = c.bits[:0]
}

func (c *counter) addAtOnce(x Literal) {
	for d := 0; ; d++ {
		if d == len(c.sum) {
			c.sum, c.wait, c.full = append(c.sum, constant0), append(c.wait, constant0), append(c.full, false)
		}
		if c.full[d] = !c.full[d]; c.full[d] {
			c.wait[d] = x
			return
		}
		c.sum[d], x = c.l.fullAdder(c.sum[d], c.wait[d], x)
	}
}

// digits returns the sum of all bits added, with the given number of digits.
func (c *counter) digits(width int) []Literal {
	c.flush()
	digits, carry := make([]Literal, width), constant0
	for d := range width {
		sum, wait := constant0, constant0
		if d < len(c.sum) {
			sum = c.sum[d]
			if c.full[d] {
				wait = c.wait[d]
			}
		}
		digits[d], carry = c.l.fullAdder(sum, wait, carry)
	}
	return digits
}

// argmax goes through the words in their tie order and keeps the largest word so far and its index. Only a strictly
// larger word replaces the largest word, so the first word of the order wins ties.
//
// With a margin, the last output says whether the largest word leads the second largest by less than the margin.
func (l *lowering) argmax(in []netlist.Net, width, margin, outputs int) []Literal {
	if margin > 0 {
		outputs--
	}
	best, index := make([]Literal, width), make([]Literal, outputs)
	first := l.n.Contender(0)
	for i, v := range in[first*width:][:width] {
		best[i] = l.lits[v]
	}
	for i := range index {
		index[i] = Literal(first >> i & 1)
	}
	for place := 1; place*width < len(in); place++ {
		class := l.n.Contender(place)
		word, differ := in[class*width:][:width], make([]Literal, width)
		larger := constant0
		for i, v := range word {
			x := l.lits[v]
			differ[i] = l.xor(x, best[i])
			larger = l.mux(differ[i], x, larger)
		}
		for i := range word {
			best[i] = l.xor(best[i], l.and(larger, differ[i]))
		}
		for i := range index {
			index[i] = l.mux(larger, Literal(class>>i&1), index[i])
		}
	}
	if margin > 0 {
		return append(index, l.uncertain(in, best, margin))
	}
	return index
}

// uncertain returns whether at least two words are larger than best - margin, where best is the largest word. This is
// the case if the largest word leads the second largest by less than the margin.
//
// With words of n bits, a word is larger than best - margin if word + (2^n - 1 - best) + margin is at least 2^n. If
// best is less than the margin, all words are.
func (l *lowering) uncertain(in []netlist.Net, best []Literal, margin int) Literal {
	width := len(best)
	if len(in) == width { // there is no second word
		return constant0
	}
	add, beyond := make([]Literal, width), constant0
	for i, x := range best {
		add[i], beyond = l.fullAdder(x^1, Literal(margin>>i&1), beyond)
	}
	one, two := constant0, constant0
	for ; len(in) > 0; in = in[width:] {
		near := constant0
		for i, v := range in[:width] {
			near = l.majority(l.lits[v], add[i], near)
		}
		two = l.or(two, l.and(one, near))
		one = l.or(one, near)
	}
	return l.or(two, beyond)
}

// majority returns the carry of three bits without their sum.
func (l *lowering) majority(a, b, c Literal) Literal {
	if l.tables && distinct(a, b, c) {
		x, y, z := netlist.PinTable(0), netlist.PinTable(1), netlist.PinTable(2)
		return l.lookup(x&y|(x^y)&z, a, b, c)
	}
	_, carry := l.fullAdder(a, b, c)
	return carry
}
