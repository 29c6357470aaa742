package verilog

import "ialgn/netlist"

// operands is the type of a function that appends the name of a net to a buffer.
type operands func(buf []byte, v netlist.Net) []byte

// binary has the expression for each function that depends on both of its two inputs. The index is the function's
// table in LUT INIT order.
var binary = [16]struct {
	op             byte
	notA, notB, no bool // complement of A, of B, and of the result
}{
	0b0001: {op: '|', no: true},
	0b0010: {op: '&', notB: true},
	0b0100: {op: '&', notA: true},
	0b0110: {op: '^'},
	0b0111: {op: '&', no: true},
	0b1000: {op: '&'},
	0b1001: {op: '^', no: true},
	0b1011: {op: '|', notB: true},
	0b1101: {op: '|', notA: true},
	0b1110: {op: '|'},
}

// The context of a subexpression is one of the operators &, | and ^, or one of these constants. A subexpression with
// the same operator as its context needs no parentheses.
const (
	contextTop = ' '
	contextMux = '?'
)

// expression writes functions of a cell's nets, given as extended tables.
type expression struct {
	in   []netlist.Net
	name operands
}

// append appends the function, in parentheses if the context needs them. The text names exactly the inputs on which
// the function depends.
func (e expression) append(buf []byte, table uint64, context byte) []byte {
	var pins [netlist.MaxFunctionInputs]int
	n := 0
	for s, j := netlist.Support(table), 0; s != 0; s, j = s>>1, j+1 {
		if s&1 == 1 {
			pins[n] = j
			n++
		}
	}
	switch {
	case n == 0 && table == 0:
		return append(buf, "1'b0"...)
	case n == 0:
		return append(buf, "1'b1"...)
	case n == 1:
		return e.literal(buf, pins[0], table>>(1<<pins[0])&1 == 0)
	case n == 2:
		return e.binary(buf, table, pins[0], pins[1], context)
	case n == 3 && table == majority(pins[0], pins[1], pins[2]):
		return e.majority(buf, pins, context)
	}
	return e.split(buf, netlist.Decompose(table), context)
}

func (e expression) literal(buf []byte, pin int, inverted bool) []byte {
	if inverted {
		buf = append(buf, '~')
	}
	return e.name(buf, e.in[pin])
}

func (e expression) binary(buf []byte, table uint64, a, b int, context byte) []byte {
	at := func(i, j int) uint64 { return table >> (i<<a | j<<b) & 1 }
	f := binary[at(0, 0)|at(1, 0)<<1|at(0, 1)<<2|at(1, 1)<<3]
	if f.no {
		buf, context = append(buf, '~'), contextMux // with this context, the operand always gets parentheses
	}
	buf, closing := open(buf, f.op, context)
	buf = e.literal(buf, a, f.notA)
	buf = append(buf, ' ', f.op, ' ')
	buf = e.literal(buf, b, f.notB)
	return append(buf, closing...)
}

// open begins an expression with operator op in a context. It returns the text that ends the expression.
func open(buf []byte, op, context byte) ([]byte, string) {
	if context == contextTop || op == context && op != contextMux {
		return buf, ""
	}
	return append(buf, '('), ")"
}

// majority returns the extended table of the majority of three inputs.
func majority(i, j, k int) uint64 {
	a, b, c := netlist.PinTable(i), netlist.PinTable(j), netlist.PinTable(k)
	return a&b | a&c | b&c
}

func (e expression) majority(buf []byte, pins [netlist.MaxFunctionInputs]int, context byte) []byte {
	buf, closing := open(buf, '|', context)
	for i, pair := range [3][2]int{{0, 1}, {0, 2}, {1, 2}} {
		if i > 0 {
			buf = append(buf, " | "...)
		}
		buf = e.name(append(buf, '('), e.in[pins[pair[0]]])
		buf = append(e.name(append(buf, " & "...), e.in[pins[pair[1]]]), ')')
	}
	return append(buf, closing...)
}

// split writes one step of a decomposition, and the steps below it.
func (e expression) split(buf []byte, s netlist.Split, context byte) []byte {
	op := [...]byte{netlist.SplitAnd: '&', netlist.SplitOr: '|', netlist.SplitXor: '^', netlist.SplitMux: contextMux}[s.Op]
	buf, closing := open(buf, op, context)
	buf = e.literal(buf, s.Pin, s.Inverted)
	buf = append(buf, ' ', op, ' ')
	if s.Op == netlist.SplitMux {
		buf = e.append(buf, s.High, contextMux)
		buf = append(buf, " : "...)
	}
	buf = e.append(buf, s.Low, op)
	return append(buf, closing...)
}
