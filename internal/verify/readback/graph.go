package readback

import (
	"fmt"
	"strconv"
	"strings"

	"ialgn/netlist"
)

// literal is twice a variable of a graph, plus one for its complement. Variable 0 is the
// constant 0.
type literal uint32

func (l literal) variable() int  { return int(l / 2) }
func (l literal) inverted() bool { return l&1 == 1 }

// bit is one bit of a named wire or port.
type bit struct {
	name  string
	index int
}

// newBit parses a name such as x[3].
func newBit(s string) bit {
	if open := strings.IndexByte(s, '['); open > 0 && strings.HasSuffix(s, "]") {
		if i, err := strconv.Atoi(s[open+1 : len(s)-1]); err == nil {
			return bit{s[:open], i}
		}
	}
	return bit{s, 0}
}

// graph is an and-inverter graph. Its variables are the constant, the inputs, the registers and the gates, in
// this order.
type graph struct {
	inputs  map[bit]literal
	outputs map[bit]literal
	wires   map[bit]literal // all wires with a name

	firstRegister, firstGate int
	registers                []literal    // next value of each register
	clocks                   []literal    // clock of each register
	gates                    [][2]literal // conjunctions
	alias                    []literal    // by variable: a literal equal to the variable, usually the variable itself
}

// newGraph returns a graph of the given inputs and number of registers, without gates.
func newGraph(inputs []string, registers int) *graph {
	g := &graph{
		inputs: map[bit]literal{}, outputs: map[bit]literal{}, wires: map[bit]literal{},
		firstRegister: 1 + len(inputs), firstGate: 1 + len(inputs) + registers,
	}
	for i, name := range inputs {
		g.inputs[newBit(name)] = literal(2 * (1 + i))
	}
	for v := range g.firstGate {
		g.alias = append(g.alias, literal(2*v))
	}
	return g
}

// and returns the conjunction of two literals. It makes no gate if the result is constant or equals one of the two
// literals.
func (g *graph) and(a, b literal) literal {
	switch {
	case a == 0 || b == 0 || a == b^1:
		return 0
	case a == 1 || a == b:
		return b
	case b == 1:
		return a
	}
	l := literal(2 * g.variables())
	g.gates, g.alias = append(g.gates, [2]literal{a, b}), append(g.alias, l)
	return l
}

func (g *graph) or(a, b literal) literal { return g.and(a^1, b^1) ^ 1 }

// xor returns the exclusive or. Its gates have the same form as in the sums that the code for netlists writes.
func (g *graph) xor(a, b literal) literal { return g.and(g.and(a, b)^1, g.and(a^1, b^1)^1) }

// addDigit adds three binary digits. It returns the digit of the sum and the carry.
func (g *graph) addDigit(a, b, c literal) (digit, carry literal) {
	half := g.xor(a, b)
	return g.xor(half, c), g.or(g.and(a, b), g.and(half, c))
}

// greater returns whether number a is greater than number b. The highest digit in which the numbers differ decides.
func (g *graph) greater(a, b []literal) literal {
	above := literal(0)
	for i := range max(len(a), len(b)) {
		x, y := digit(a, i), digit(b, i)^1
		above = g.or(g.and(x, y), g.and(g.or(x, y), above))
	}
	return above
}

// function returns a literal for a function of other literals (in). The table defines the function. Bit i of the
// table is the function's value if in[k] is bit k of i, for all k.
func (g *graph) function(table uint16, in []literal) literal {
	if len(in) == 0 {
		return literal(table & 1)
	}
	last := len(in) - 1
	half := uint(1) << last
	low := g.function(table&(1<<half-1), in[:last])
	high := g.function(table>>half, in[:last])
	switch {
	case low == high:
		return low
	case low == high^1:
		return g.xor(in[last], low)
	case high == 1:
		return g.or(in[last], low)
	case low == 1:
		return g.or(in[last]^1, high)
	}
	return g.or(g.and(in[last], high), g.and(in[last]^1, low))
}

func (g *graph) variables() int { return g.firstGate + len(g.gates) }

// to returns the literal that is known to equal l.
func (g *graph) to(l literal) literal { return g.alias[l.variable()] ^ l&1 }

// with returns a copy of the graph in which some variables are replaced by the given values. It propagates
// constants.
func (g *graph) with(values map[literal]literal) *graph {
	n := *g
	n.alias = append([]literal{}, g.alias...)
	n.gates = append([][2]literal{}, g.gates...)
	for l, value := range values {
		n.alias[l.variable()] = value
	}
	for i, in := range n.gates {
		v := n.firstGate + i
		if g.alias[v] != literal(2*v) {
			n.alias[v] = n.to(g.alias[v])
			continue
		}
		a, b := n.to(in[0]), n.to(in[1])
		n.gates[i] = [2]literal{a, b}
		switch {
		case a == 0 || b == 0 || a == b^1:
			n.alias[v] = 0
		case a == 1 || a == b:
			n.alias[v] = b
		case b == 1:
			n.alias[v] = a
		default:
			if l, ok := n.inBothCases(a, b); ok {
				n.alias[v] = l
			}
		}
	}
	return &n
}

// inBothCases returns the conjunction of two literals if they are the halves of a multiplexer of two equal values. Such
// a multiplexer remains of a look-up table whose other inputs are constant.
func (g *graph) inBothCases(a, b literal) (l literal, ok bool) {
	if !a.inverted() || !b.inverted() || a.variable() < g.firstGate || b.variable() < g.firstGate {
		return 0, false
	}
	x, y := g.gates[a.variable()-g.firstGate], g.gates[b.variable()-g.firstGate]
	for i := range 2 {
		for j := range 2 {
			if x[i] == y[j]^1 && x[1-i] == y[1-j] {
				return x[1-i] ^ 1, true
			}
		}
	}
	return 0, false
}

// mark marks the variable of a literal, and the variables on which the literal depends through gates.
func (g *graph) mark(l literal, seen []bool) {
	stack := []int{g.to(l).variable()}
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[v] {
			continue
		}
		seen[v] = true
		if v >= g.firstGate {
			in := g.gates[v-g.firstGate]
			stack = append(stack, g.to(in[0]).variable(), g.to(in[1]).variable())
		}
	}
}

// builder builds function cells from a part of a graph.
type builder struct {
	*netlist.Builder
	g   *graph
	net map[int]netlist.Net // nets by variable
}

func newBuilder(g *graph, name string) *builder {
	return &builder{netlist.NewBuilder(name), g, map[int]netlist.Net{0: netlist.False}}
}

// build returns the net of a literal, and adds the cells that it needs.
func (b *builder) build(l literal) netlist.Net {
	l = b.g.to(l)
	b.variable(l.variable())
	return place{b.net[l.variable()], l.inverted()}.in(b.Builder)
}

const tableNot = 0b01

// variable makes the net of a variable. It uses a stack of variables instead of recursion, because the logic of a
// variable may be deep.
func (b *builder) variable(v int) {
	stack := []int{v}
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		if _, ok := b.net[v]; ok {
			stack = stack[:len(stack)-1]
			continue
		}
		if wait := b.missing(v); len(wait) > 0 {
			stack = append(stack, wait...)
			continue
		}
		b.define(v, v)
		stack = stack[:len(stack)-1]
	}
}

// needs returns the literals that define a variable: the inputs of a gate, or the next value of a register.
func (g *graph) needs(v int) []literal {
	switch {
	case v >= g.firstGate:
		in := g.gates[v-g.firstGate]
		return []literal{g.to(in[0]), g.to(in[1])}
	case v >= g.firstRegister:
		return []literal{g.to(g.registers[v-g.firstRegister])}
	}
	panic(fmt.Sprintf("readback: input variable %d has no net", v))
}

func (b *builder) missing(v int) []int {
	var wait []int
	for _, l := range b.g.needs(v) {
		if _, ok := b.net[l.variable()]; !ok {
			wait = append(wait, l.variable())
		}
	}
	return wait
}

// define makes a net from the definition of variable v. The argument as is the number of the variable that gets this
// net. The variables in the definition must already have nets.
func (b *builder) define(v, as int) {
	needs := b.g.needs(v)
	in := make([]netlist.Net, len(needs))
	for i, l := range needs {
		in[i] = b.net[l.variable()]
	}
	if len(needs) == 1 { // a register, which is treated as a wire
		b.net[as] = place{in[0], needs[0].inverted()}.in(b.Builder)
		return
	}
	table := uint64(0)
	for i := range uint64(4) {
		a, c := i&1 == 1 != needs[0].inverted(), i>>1 == 1 != needs[1].inverted()
		if a && c {
			table |= 1 << i
		}
	}
	b.net[as] = b.Function(table, netlist.Origin{}, in...)
}
