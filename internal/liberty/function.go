package liberty

import (
	"fmt"
	"slices"
	"strings"
)

// Function is a Boolean function of the pins of a cell, as a tree.
type Function struct {
	op   byte // '&', '|', '^', '!', '0', '1', or 'p' for a pin
	pin  string
	args []*Function
}

// maxOperators bounds the operators and pins of a function.
const maxOperators = 1000

// parseFunction parses an expression of Liberty. An exclamation mark before an operand or an apostrophe behind it
// inverts the operand. The other operators, from the tightest to the loosest, are ^, then & and * and a blank, then |
// and +.
func parseFunction(text string) (*Function, error) {
	p := &functionParser{text: text}
	f, err := p.either()
	if err != nil {
		return nil, err
	}
	if p.skip(); p.at < len(p.text) {
		return nil, fmt.Errorf("function %.60q: %.20q is not expected", text, p.text[p.at:])
	}
	return f, nil
}

type functionParser struct {
	text      string
	at        int
	operators int
}

func (p *functionParser) skip() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n\\", p.text[p.at]) >= 0 {
		p.at++
	}
}

// peek returns the next byte that is not blank, or 0 at the end.
func (p *functionParser) peek() byte {
	if p.skip(); p.at == len(p.text) {
		return 0
	}
	return p.text[p.at]
}

func (p *functionParser) fail(format string, args ...any) error {
	return fmt.Errorf("function %.60q: %s", p.text, fmt.Sprintf(format, args...))
}

// either parses operands joined by | or +.
func (p *functionParser) either() (*Function, error) {
	return p.chain('|', p.both, func(c byte) (bool, int) { return c == '|' || c == '+', 1 })
}

// both parses operands joined by &, * or nothing.
func (p *functionParser) both() (*Function, error) {
	return p.chain('&', p.differ, func(c byte) (bool, int) {
		switch {
		case c == '&' || c == '*':
			return true, 1
		case c == '(' || c == '!' || nameByte(c):
			return true, 0
		}
		return false, 0
	})
}

// differ parses operands joined by ^.
func (p *functionParser) differ() (*Function, error) {
	return p.chain('^', p.operand, func(c byte) (bool, int) { return c == '^', 1 })
}

// chain parses one or more operands. joins reports whether a byte continues the chain, and the length of the
// operator.
func (p *functionParser) chain(op byte, operand func() (*Function, error), joins func(byte) (bool, int),
) (*Function, error) {
	f, err := operand()
	if err != nil {
		return nil, err
	}
	args := []*Function{f}
	for {
		joined, length := joins(p.peek())
		if !joined {
			break
		}
		p.at += length
		g, err := operand()
		if err != nil {
			return nil, err
		}
		args = append(args, g)
	}
	if len(args) == 1 {
		return f, nil
	}
	return &Function{op: op, args: args}, nil
}

// operand parses a pin, a constant or a function in parentheses, with inversions.
func (p *functionParser) operand() (f *Function, err error) {
	if p.operators++; p.operators > maxOperators {
		return nil, p.fail("more than %d operands", maxOperators)
	}
	switch c := p.peek(); {
	case c == 0:
		return nil, p.fail("it ends without an operand")
	case c == '!':
		p.at++
		if f, err = p.operand(); err != nil {
			return nil, err
		}
		return inverted(f), nil
	case c == '(':
		p.at++
		if f, err = p.either(); err != nil {
			return nil, err
		}
		if p.peek() != ')' {
			return nil, p.fail("a parenthesis is not closed")
		}
		p.at++
	case nameByte(c):
		begin := p.at
		for p.at < len(p.text) && nameByte(p.text[p.at]) {
			p.at++
		}
		switch name := p.text[begin:p.at]; name {
		case "0", "1":
			f = &Function{op: name[0]}
		default:
			f = &Function{op: 'p', pin: name}
		}
	default:
		return nil, p.fail("%.20q is not expected", p.text[p.at:])
	}
	for p.peek() == '\'' {
		p.at++
		f = inverted(f)
	}
	return f, nil
}

func inverted(f *Function) *Function { return &Function{op: '!', args: []*Function{f}} }

func nameByte(c byte) bool {
	return c == '_' || c == '[' || c == ']' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// Pins returns the names of the pins that a function reads, in the order in which they first occur.
func (f *Function) Pins() []string {
	var names []string
	f.visit(func(pin string) {
		if !slices.Contains(names, pin) {
			names = append(names, pin)
		}
	})
	return names
}

func (f *Function) visit(each func(pin string)) {
	if f.op == 'p' {
		each(f.pin)
	}
	for _, g := range f.args {
		g.visit(each)
	}
}

// Value returns the value of a function for given values of its pins.
func (f *Function) Value(pin func(name string) bool) bool {
	switch f.op {
	case 'p':
		return pin(f.pin)
	case '0', '1':
		return f.op == '1'
	case '!':
		return !f.args[0].Value(pin)
	}
	value := f.args[0].Value(pin)
	for _, g := range f.args[1:] {
		switch v := g.Value(pin); f.op {
		case '&':
			value = value && v
		case '|':
			value = value || v
		case '^':
			value = value != v
		}
	}
	return value
}

// maxTable is the largest number of pins of a function that has a table.
const maxTable = 6

// table returns the table of a function of the given pins: bit i is the value if pin k is bit k of i. It returns false
// if the function reads another pin, or if there are more than six pins.
func (f *Function) table(pins ...string) (table uint64, ok bool) {
	if len(pins) > maxTable {
		return 0, false
	}
	for _, name := range f.Pins() {
		if !slices.Contains(pins, name) {
			return 0, false
		}
	}
	for i := range uint(1) << len(pins) {
		if f.Value(func(name string) bool { return i>>slices.Index(pins, name)&1 == 1 }) {
			table |= 1 << i
		}
	}
	return table, true
}

// String returns the function as an expression of Verilog.
func (f *Function) String() string {
	switch f.op {
	case 'p':
		return f.pin
	case '0', '1':
		return "1'b" + string(f.op)
	case '!':
		return "~" + f.args[0].String()
	}
	var parts []string
	for _, g := range f.args {
		parts = append(parts, g.String())
	}
	return "(" + strings.Join(parts, " "+string(f.op)+" ") + ")"
}
