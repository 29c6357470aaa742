package syntax

import (
	"bytes"
	"strings"

	"ialgn/internal/names"
	"ialgn/internal/verilog"
)

// reader reads a file with a netlist's module.
type reader struct {
	scanner
	*symbols
	name  string // name of the module
	visit func(Statement)
	body  int // offset of the first statement
	s     Statement

	clocked  bool
	stages   int             // number of bits in the register that tracks valid samples
	samples  []byte          // expected statement for the bits that track valid samples; nil once it is read
	consumed int             // number of unused wires so far (wires that read otherwise unread names)
	used     map[string]bool // suffixes of the operator modules that have instances
	families []family        // families that the file's primitives may belong to
}

// file reads the whole file.
func (r *reader) file() {
	r.used, r.families = map[string]bool{}, families()
	r.comments()
	r.fixed(verilog.NoNets)
	r.comments()
	version := r.attribute()
	r.head()
	r.body = r.at
	if version != 0 {
		r.version(version)
	}
	for r.err == nil && r.statement() {
	}
	r.allDriven()
	r.fixed("endmodule\n")
	for _, h := range verilog.Helpers() {
		if r.used[h.Suffix] {
			r.fixed(h.Module(r.name))
		}
	}
	r.ending()
}

// ending reads the last lines of a file.
func (s *scanner) ending() {
	s.fixed("\n" + verilog.AnyNets)
	if s.at < len(s.text) {
		s.odd()
	}
}

// version reads the first lines of a module that identifies its build.
func (r *reader) version(version uint32) {
	r.begin()
	r.s.Form = Version
	from := r.at
	r.fixed(verilog.VersionLines(version))
	r.reserve(from, "VERSION")
	r.reserve(from, "unused_version")
	r.end()
}

// attribute reads the version of the build. It returns 0 if there is none.
func (r *reader) attribute() (version uint32) {
	const before = "(* ialgn_version = 32'h"
	if !bytes.HasPrefix(r.text[r.at:], []byte(before)) {
		return 0
	}
	digits := r.text[r.at+len(before):]
	for _, c := range digits[:min(8, len(digits))] {
		version = version<<4 | uint32(strings.IndexByte("0123456789abcdef", c)&15)
	}
	r.fixed(verilog.Attribute(version))
	return version
}

// head reads the module's name and its ports.
func (r *reader) head() {
	r.fixed("module " + r.name + " (\n")
	for direction := r.port(input); r.eat(','); {
		direction = r.port(direction)
	}
	r.expect(')')
	r.expect(';')
	r.fixed("\n")
	r.plan()
}

// port reads a port and returns its direction. Inputs must come first.
func (r *reader) port(before role) role {
	direction := input
	if before == output || string(r.peekWord()) == "output" {
		direction = output
	}
	r.expectWord(map[role]string{input: "input", output: "output"}[direction])
	r.expectWord("wire")
	width := scalar
	if r.next() == '[' {
		width = r.vectorRange()
	}
	name := r.word()
	control := r.controlPort(direction, before, width)
	switch {
	case (control != "") != (width == scalar) || control != "" && string(name) != control:
		r.fail("the port %.40q", name)
	case control != "":
		r.declare(name, scalar, reserved)
	default:
		r.declare(name, width, direction)
	}
	return direction
}

// controlPort returns the name that the port must have if it is a control port of a pipeline. Otherwise it returns
// "". Control ports are the first inputs and the first outputs. A module has all of them or none.
func (r *reader) controlPort(direction, before role, width int) string {
	switch at := len(r.list); {
	case direction == input && at == 0:
		r.clocked = width == scalar
		fallthrough
	case direction == input && at < len(verilog.ClockedPorts):
		if r.clocked {
			return verilog.ClockedPorts[at]
		}
	case direction != before && r.clocked:
		return verilog.OutValid
	}
	return ""
}

// vectorRange reads [N:0] and returns the width.
func (r *reader) vectorRange() int {
	r.expect('[')
	high := r.number()
	r.expect(':')
	r.expect('0')
	r.expect(']')
	return high + 1
}

// declare declares the name that was just read.
func (r *reader) declare(name []byte, width int, role role) Name {
	if r.err != nil {
		return None
	}
	if err := names.CheckWord(string(name)); err != nil {
		r.odd()
		return None
	}
	n, ok := r.add(name, r.at, width, role)
	if !ok {
		r.fail("a second %.40q", name)
	}
	if role == wire {
		r.s.Declares = append(r.s.Declares, n)
	}
	return n
}

// reserve declares a name that occurs in the text that was just read. The argument from is the offset at which this
// text begins.
func (r *reader) reserve(from int, name string) {
	if r.err != nil {
		return
	}
	at := from + bytes.Index(r.text[from:r.at], []byte(" "+name)) + 1
	if _, ok := r.add(r.text[at:at+len(name)], at+len(name), scalar, reserved); !ok {
		r.at = at
		r.fail("a second %s", name)
	}
}

// plan prepares the statements that a pipeline must have for the bits that track valid samples.
func (r *reader) plan() {
	if r.clocked {
		r.samples = []byte(verilog.SampleLines(r.stages))
	}
}

// allDriven fails if a wire or an output has no driver, or if a pipeline lacks its control statements.
func (r *reader) allDriven() {
	if r.err != nil {
		return
	}
	if r.samples != nil {
		r.fail("a module that does nothing with in_valid")
	}
	for i := range r.list {
		s := &r.list[i]
		if (s.role == output || s.role == wire) && int(s.driven) != s.bits() {
			r.at = s.begin
			r.fail("%.40q without a driver", r.spelled(Name(i)))
			return
		}
	}
}
