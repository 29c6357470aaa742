package verify

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// A source is an emitted Verilog file, taken apart into what stands around the statements of
// its first module and these, so that a part of the module can be written: every line of the
// part is a line of the file. It knows the few forms that package verilog writes, and refuses
// what it does not know rather than lose it.
type source struct {
	head, tail []byte
	statements []statement
	drivers    map[string][]int // statements that drive a wire, or bits of it
}

// A statement is some lines of a module.
type statement struct {
	text   []byte // whole lines
	role   role
	drives []string // wires that it gives values to
	reads  []string // and those that it may read
	names  []string // that it declares
}

// role says when a statement belongs to a part.
type role uint8

const (
	always   role = iota // for what has no other: control, parameters, comments
	declares             // where one of its names is needed
	drives               // where what it drives is needed
)

// parseSource takes a file apart. It returns an error that names the line where a statement
// is none that package verilog writes, or drives what an earlier one drives.
func parseSource(text []byte) (*source, error) {
	begin := bytes.Index(text, []byte("\n);\n"))
	if begin < 0 || bytes.Count(text[:begin], []byte("\nmodule ")) != 1 {
		return nil, fmt.Errorf("verify: the Verilog does not begin with one module as ialgn writes it; compile again")
	}
	begin += len("\n);\n")
	end := bytes.Index(text[begin:], []byte("\nendmodule\n"))
	if end < 0 {
		return nil, fmt.Errorf("verify: the Verilog's module has no end; compile again")
	}
	end += begin + 1
	s := &source{head: text[:begin], tail: text[end:], drivers: map[string][]int{}}
	line := bytes.Count(text[:begin], []byte("\n"))
	for body := text[begin:end]; len(body) > 0; {
		st, lines := nextStatement(body)
		line++
		if err := st.read(); err != nil {
			return nil, fmt.Errorf("verify: line %d of the Verilog: %w; simulate it as a whole, or compile again", line, err)
		}
		if err := s.add(st); err != nil {
			return nil, fmt.Errorf("verify: line %d of the Verilog: %w", line, err)
		}
		line += lines - 1
		body = body[len(st.text):]
	}
	return s, nil
}

// nextStatement returns the first statement of some lines, and of how many it is: a line that
// is empty or a comment, or all up to the end of a line with a semicolon.
func nextStatement(body []byte) (statement, int) {
	size, lines := 0, 0
	for size < len(body) {
		end := bytes.IndexByte(body[size:], '\n') + 1
		if end == 0 {
			end = len(body) - size
		}
		line := bytes.TrimSpace(body[size : size+end])
		size += end
		lines++
		if lines == 1 && (len(line) == 0 || bytes.HasPrefix(line, []byte("//"))) || bytes.HasSuffix(line, []byte(";")) {
			break
		}
	}
	return statement{text: body[:size]}, lines
}

// add appends a statement and notes what it drives.
func (s *source) add(st statement) error {
	for _, name := range st.drives {
		for _, other := range s.drivers[name] {
			if a, b := s.statements[other].bits(), st.bits(); a == b || a == "" || b == "" {
				return fmt.Errorf("%s is driven a second time", name)
			}
		}
		s.drivers[name] = append(s.drivers[name], len(s.statements))
	}
	s.statements = append(s.statements, st)
	return nil
}

// bits returns the bits of a wire that an assign selects, such as [3:0]; else "".
func (st *statement) bits() string {
	rest, ok := strings.CutPrefix(strings.TrimSpace(string(st.text)), "assign ")
	left, _, _ := strings.Cut(rest, " = ")
	if i := strings.IndexByte(left, '['); ok && i >= 0 {
		return left[i:]
	}
	return ""
}

// read finds out what a statement does.
func (st *statement) read() error {
	text := string(bytes.TrimSpace(st.text))
	if text == "" || strings.HasPrefix(text, "//") {
		return nil
	}
	first, rest, _ := strings.Cut(text, " ")
	known := strings.Count(text, ";") == 1 && strings.HasSuffix(text, ";") && !strings.ContainsAny(text, "`\"\\") &&
		!strings.Contains(text, "/*") && !strings.Contains(text, "//")
	if known {
		switch first {
		case "localparam", "always", "else":
		case "assign":
			known = st.readAssign(rest)
		case "wire", "reg":
			known = st.readDeclaration(first, rest)
		default:
			known = st.readInstance(text)
		}
	}
	if !known {
		return fmt.Errorf("%.60q is nothing that ialgn writes", text)
	}
	return nil
}

// readAssign reads WIRE = EXPRESSION; and reports whether that is what it is.
func (st *statement) readAssign(text string) bool {
	left, right, ok := strings.Cut(text, " = ")
	st.role, st.drives, st.reads = drives, identifiers(left), identifiers(right)
	if ok && len(st.drives) == 1 && st.drives[0] == "out_valid" { // control, which every part has
		st.role = always
	}
	return ok && len(st.drives) == 1
}

// readDeclaration reads WIRE, ...; or WIRE = EXPRESSION;.
func (st *statement) readDeclaration(keyword, text string) bool {
	left, right, driven := strings.Cut(text, " = ")
	names := identifiers(left)
	switch {
	case keyword == "reg": // the valid bits
		st.role = always
	case driven:
		st.role, st.drives, st.reads = drives, names, identifiers(right)
		return len(names) == 1
	default:
		st.role, st.names = declares, names
	}
	return len(names) > 0 && !driven
}

// outputPins are the outputs of the modules and primitives that package verilog writes.
var outputPins = map[string]bool{"count": true, "index": true, "q": true, "O": true, "Z": true, "CO": true}

// readInstance reads MODULE #(.PARAMETER(VALUE)) NAME (.PIN(EXPRESSION), ...);
func (st *statement) readInstance(text string) bool {
	st.role = drives
	for part := range strings.SplitSeq(text, ".") {
		pin, rest, ok := strings.Cut(part, "(")
		expression, _, closed := strings.Cut(rest, ")")
		switch {
		case !ok || !closed || strings.ContainsAny(pin, " #"): // the module, or the last parameter and the name
			continue
		case outputPins[pin]:
			st.drives = append(st.drives, identifiers(expression)...)
		default:
			st.reads = append(st.reads, identifiers(expression)...)
		}
	}
	return len(st.drives) == 1 && len(st.reads) > 0
}

// identifiers returns the identifiers of an expression in order; sized constants have none.
func identifiers(expression string) []string {
	var names []string
	inWord := func(c byte) bool {
		return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
	}
	for i := 0; i < len(expression); i++ {
		if !inWord(expression[i]) {
			continue
		}
		from := i
		for i < len(expression) && (inWord(expression[i]) || expression[i] == '\'') {
			i++
		}
		if c := expression[from]; c < '0' || c > '9' {
			names = append(names, expression[from:i])
		}
	}
	return names
}

// A part is what is left of a module if only some of its wires are needed.
type part struct {
	*source
	kept map[int]bool
	need map[string]bool
}

// part returns what the given wires depend on. What drives a wire of cut is left out.
func (s *source) part(wires []string, cut map[string]bool) part {
	p := part{s, map[int]bool{}, map[string]bool{}}
	for waiting := wires; len(waiting) > 0; {
		name := waiting[len(waiting)-1]
		waiting = waiting[:len(waiting)-1]
		if p.need[name] {
			continue
		}
		p.need[name] = true
		if cut[name] {
			continue
		}
		for _, i := range s.drivers[name] {
			p.kept[i] = true
			waiting = append(waiting, s.statements[i].reads...)
		}
	}
	return p
}

// write writes the part, with further lines at the end of the module.
func (p part) write(w io.Writer, more string) error {
	var out bytes.Buffer
	out.Write(p.head)
	for i, st := range p.statements {
		keep := st.role == always || p.kept[i]
		for _, name := range st.names {
			keep = keep || st.role == declares && p.need[name]
		}
		if keep {
			out.Write(st.text)
		}
	}
	out.WriteString(more)
	out.Write(p.tail)
	_, err := w.Write(out.Bytes())
	return err
}

// cells returns how many statements drive something.
func (p part) cells() int { return len(p.kept) }
