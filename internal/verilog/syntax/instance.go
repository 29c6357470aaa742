package syntax

import (
	"bytes"
	"math/big"
	"math/bits"
	"slices"
	"strings"

	"ialgn/internal/target"
	"ialgn/internal/verilog"
	"ialgn/netlist"
)

// instance reads an instance of a module. The module's name was just read.
func (r *reader) instance(module []byte) {
	if len(module) == 0 {
		r.odd()
		return
	}
	if suffix, ok := strings.CutPrefix(string(module), r.name); ok {
		for _, h := range verilog.Helpers() {
			if h.Suffix == suffix {
				r.used[suffix] = true
				r.helper(h)
				return
			}
		}
	}
	r.primitive(module)
}

// helper reads an instance of a module in the same file.
func (r *reader) helper(h verilog.Helper) {
	if h.Suffix == "_register" {
		r.register(h)
		return
	}
	r.s.Form = Operator
	values := r.parameters(h.Parameters)
	r.instanceName()
	r.expect('(')
	r.openPin(h.Inputs[0])
	width := r.concatenation()
	r.expect(')')
	r.expect(',')
	r.openPin(h.Output)
	n := r.target()
	r.expect(')')
	r.expect(')')
	if r.err != nil {
		return
	}
	if in, out := operatorWidths(values); width != in || int(r.list[n].width) != out {
		r.fail("an operator of %d bits that gives %d, with the parameters %v", width, r.list[n].width, values)
	}
	r.drive(n, 0, r.list[n].bits())
}

// operatorWidths returns the widths of the input and the output of a popcount or an argmax, which may have a margin.
// The widths are 0 if the parameters of the instance do not match each other.
func operatorWidths(values []int) (in, out int) {
	if len(values) == 2 { // the popcount's WIDTH and BITS
		if values[0] < 2 || values[1] != bits.Len(uint(values[0])) {
			return 0, 0
		}
		return values[0], values[1]
	}
	classes, word, index := values[0], values[1], values[2]
	if classes < 2 || word < 1 || word > mostWidth/classes || index != netlist.ClassBits(classes) {
		return 0, 0
	}
	if len(values) == 3 {
		return classes * word, index
	}
	if margin := values[3]; margin < 1 || bits.Len(uint(margin)) > word {
		return 0, 0
	}
	return classes * word, index + 1
}

// parameters reads the values of the named parameters. It reads a tie order, which is the last parameter, but does not
// return it.
func (r *reader) parameters(names []string) (values []int) {
	r.expect('#')
	r.expect('(')
	for i, name := range names {
		if i > 0 {
			r.expect(',')
		}
		r.openPin(name)
		if name == verilog.OrderParameter {
			r.order(values[0], values[2])
		} else {
			values = append(values, r.number())
		}
		r.expect(')')
	}
	r.expect(')')
	return values
}

// openPin reads the name of a pin or a parameter and the parenthesis before its value.
func (r *reader) openPin(name string) {
	r.expect('.')
	r.expectWord(name)
	r.expect('(')
}

// instanceName reads and declares the name of an instance.
func (r *reader) instanceName() {
	name := r.word()
	if !bytes.HasSuffix(name, []byte("_i")) {
		r.fail("an instance %.40q", name)
	}
	r.declare(name, scalar, reserved)
}

// register reads an instance of a register. A register of several bits has its width as a parameter. The register
// must use the module's clock and enable.
func (r *reader) register(h verilog.Helper) {
	r.s.Form = Register
	if !r.clocked {
		r.fail("a register without a clock")
	}
	width := 1
	if r.next() == '#' {
		if width = r.parameters(h.Parameters)[0]; r.err == nil && width < 2 {
			r.fail("a register of %d bits with its width", width)
		}
	}
	r.instanceName()
	r.expect('(')
	last := len(h.Inputs) - 1
	for _, pin := range h.Inputs[:last] {
		r.openPin(pin)
		r.expectWord(pin)
		r.expect(')')
		r.expect(',')
	}
	r.openPin(h.Inputs[last])
	r.bitList(width, r.bitOrConstant)
	r.expect(')')
	r.expect(',')
	r.openPin(h.Output)
	r.bitList(width, r.driveScalar)
	r.expect(')')
	r.expect(')')
}

// bitList reads the given number of bits. Several bits are in braces.
func (r *reader) bitList(width int, bit func()) {
	if width == 1 {
		bit()
		return
	}
	r.expect('{')
	for i := 0; i < width && r.err == nil; i++ {
		if i > 0 {
			r.expect(',')
		}
		bit()
	}
	r.expect('}')
}

// driveScalar reads the name of a scalar and records that it is driven.
func (r *reader) driveScalar() {
	n := r.target()
	if r.err == nil && r.list[n].width != scalar {
		r.fail("%.40q, which is a vector", r.spelled(n))
	}
	r.drive(n, 0, 1)
}

// family lists the primitives of a target.
type family []verilog.Primitive

// families returns the primitives of all targets.
func families() []family {
	var all []family
	for _, f := range target.Families() {
		all = append(all, verilog.Primitives(f))
	}
	return all
}

// has reports whether the family has a primitive with this name, parameter and pins. The last pin
// is the output.
func (f family) has(name, parameter string, pins []string) bool {
	return slices.ContainsFunc(f, func(p verilog.Primitive) bool {
		last := len(p.Inputs)
		return p.Name == name && p.Parameter == parameter && len(pins) == last+1 && pins[last] == p.Output &&
			slices.Equal(pins[:last], p.Inputs)
	})
}

// primitive reads an instance of a primitive. All primitives of a file must belong to one family.
func (r *reader) primitive(name []byte) {
	if !slices.ContainsFunc(r.families, func(f family) bool {
		return slices.ContainsFunc(f, func(p verilog.Primitive) bool { return p.Name == string(name) })
	}) {
		r.back(r.s.From)
		r.odd()
		return
	}
	r.s.Form = Carry
	parameter, width := "", 0
	if r.eat('#') {
		r.s.Form = LUT
		parameter, width = r.table()
	}
	r.instanceName()
	pins := r.pins()
	r.families = slices.DeleteFunc(r.families, func(f family) bool { return !f.has(string(name), parameter, pins) })
	if r.err == nil && (len(r.families) == 0 || parameter != "" && width != 1<<(len(pins)-1)) {
		r.fail("%s with the parameter %q of %d bits and the pins %v", name, parameter, width, pins)
	}
}

// order reads a tie order: a constant with a number of the given number of bits for each class. Each class must
// occur once.
func (r *reader) order(classes, size int) {
	if r.err != nil || size < 1 || size > 16 || classes > 1<<size {
		r.odd()
		return
	}
	width := r.number()
	r.fixed("'h")
	begin := r.at
	for isDigit(r.here()) || r.here()-'a' < 6 {
		r.at++
	}
	value, ok := new(big.Int), false
	if width == classes*size && r.at-begin == (width+3)/4 {
		value, ok = value.SetString(string(r.text[begin:r.at]), 16)
	}
	if r.err != nil || !ok || value.BitLen() > width {
		r.fail("a tie order of %d bits for %d classes", width, classes)
		return
	}
	seen := make([]bool, classes)
	for place := range classes {
		class := new(big.Int).Rsh(value, uint(place*size)).Int64() & (1<<size - 1)
		if class >= int64(classes) || seen[class] {
			r.fail("a tie order without class %d, or with a class twice", slices.Index(seen, false))
			return
		}
		seen[class] = true
	}
}

// table reads the parameter of a LUT, which is a constant. The constant must not have more digits than its number of
// bits needs.
func (r *reader) table() (parameter string, width int) {
	r.expect('(')
	r.expect('.')
	parameter = string(r.word())
	r.expect('(')
	width = r.number()
	r.fixed("'h")
	begin := r.at
	for isDigit(r.here()) || r.here()-'a' < 6 {
		r.at++
	}
	if digits := r.at - begin; r.err == nil && (digits != max(1, width/4) || width < 4 && r.text[begin] >= '0'+1<<width) {
		r.fail("a table of %d bits in %d digits", width, digits)
	}
	r.expect(')')
	r.expect(')')
	return parameter, width
}

// pins reads the pins of a primitive. The last pin is the output.
func (r *reader) pins() (names []string) {
	r.expect('(')
	for r.err == nil {
		if len(names) > netlist.MaxFunctionInputs {
			r.fail("a primitive of more than %d inputs", netlist.MaxFunctionInputs)
			break
		}
		r.expect('.')
		names = append(names, string(r.word()))
		r.expect('(')
		if r.isLastPin() {
			r.driveScalar()
			r.expect(')')
			break
		}
		r.bitOrConstant()
		r.expect(')')
		r.expect(',')
	}
	r.expect(')')
	return names
}

// isLastPin reports whether the pin that was just opened is the last pin of its instance.
func (r *reader) isLastPin() bool {
	rest, _, _ := bytes.Cut(r.text[r.at:], []byte{';'})
	return bytes.IndexByte(rest, '.') < 0
}

// cells reads the models of primitives.
func (s *scanner) cells() {
	s.comments()
	s.fixed(verilog.NoNets)
	end := "\n" + verilog.AnyNets
	if bytes.HasPrefix(s.text[s.at:], []byte(verilog.SimulationOnly)) {
		s.at += len(verilog.SimulationOnly)
		end = verilog.AnyTool + end
	}
	for all, last := families(), -1; s.err == nil && !bytes.Equal(s.text[s.at:], []byte(end)); {
		if all, last = s.model(all, last); len(all) == 0 {
			s.at++ // skip an empty line
			s.odd()
			return
		}
	}
	s.fixed(end)
}

// model reads the model of a primitive. A file has primitives of one family, in the order of the family. The families
// that are still possible are in the first argument (of). The second argument (after) is the number of the previous
// primitive. model returns the families in which this primitive comes later than the previous primitive, and the
// number of this primitive. If the text is not a model, it returns no families.
func (s *scanner) model(of []family, after int) (have []family, number int) {
	end := s.at
	for _, f := range of {
		for i := after + 1; i < len(f); i++ {
			try := scanner{text: s.text, at: s.at}
			if try.fixed(f[i].Model()); try.err == nil {
				have, number, end = append(have, f), i, try.at
			}
		}
	}
	s.back(end)
	return have, number
}
