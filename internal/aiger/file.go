package aiger

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// File is a combinational and-inverter graph with the names of its inputs and outputs.
type File struct {
	Inputs  []string // variable i+1 is input i
	Outputs []Output
	Gates   [][2]uint32 // variable len(Inputs)+1+i is the conjunction of two lower literals
}

// Output is an output of a [File].
type Output struct {
	Name    string
	Literal uint32
}

// Read reads a binary AIGER file whose inputs and outputs all have names.
//
// It is strict. Latches, sections of later versions of the format, gates out of order, missing or repeated names, and
// other lines in the symbol table cause errors that give the position. A comment section is skipped. The memory that
// Read needs depends on the contents that follow the header, not on the sizes that the header claims.
func Read(r io.Reader) (*File, error) {
	p := &parser{r: bufio.NewReader(r)}
	f, err := p.file()
	if err != nil {
		return nil, fmt.Errorf("aiger: %w", err)
	}
	return f, nil
}

// parser reads one file.
type parser struct {
	r                      *bufio.Reader
	line                   int // number of the line that text returned last
	inputs, outputs, gates int
}

func (p *parser) file() (*File, error) {
	if err := p.header(); err != nil {
		return nil, err
	}
	f := &File{}
	for i := range p.outputs {
		l, err := p.outputLiteral()
		if err != nil {
			return nil, fmt.Errorf("line %d: output %d of %d: %w", p.line, i, p.outputs, err)
		}
		f.Outputs = append(f.Outputs, Output{Literal: l})
	}
	for i := range p.gates {
		gate, err := p.gate(uint32(2 * (p.inputs + 1 + i)))
		if err != nil {
			return nil, fmt.Errorf("gate %d of %d: %w", i, p.gates, err)
		}
		f.Gates = append(f.Gates, gate)
	}
	return f, p.symbols(f)
}

// maxLine bounds the length of a line, so that a file without line ends is not read into one line.
const maxLine = 4096

// text returns the next line without its end, or io.EOF if there is none.
func (p *parser) text() (string, error) {
	p.line++
	var line []byte
	for {
		c, err := p.r.ReadByte()
		switch {
		case errors.Is(err, io.EOF) && len(line) > 0:
			return "", fmt.Errorf("the line has no end, the file is cut off")
		case err != nil:
			return "", err
		case c == '\n':
			return string(line), nil
		case len(line) == maxLine:
			return "", fmt.Errorf("the line is longer than %d characters, this is no AIGER file", maxLine)
		}
		line = append(line, c)
	}
}

func (p *parser) header() error {
	line, err := p.text()
	if err != nil {
		return fmt.Errorf("header: %w", endOfFile(err))
	}
	fields := strings.Split(line, " ")
	if fields[0] == "aag" {
		return fmt.Errorf("header: this is the ASCII form, write the binary form (\"aig\")")
	}
	if fields[0] != "aig" || len(fields) != 6 {
		return fmt.Errorf("header %.40q: want \"aig M I L O A\": not an AIGER file, or of a later version", line)
	}
	var v [5]int
	for i, s := range fields[1:] {
		n, err := parseNumber(s, maxLiteral/2)
		if err != nil {
			return fmt.Errorf("header: number %d: %w", i+1, err)
		}
		v[i] = n
	}
	if v[2] != 0 {
		return fmt.Errorf("header: %d latches, want a combinational graph", v[2])
	}
	if v[0] != v[1]+v[4] {
		return fmt.Errorf("header: %d variables for %d inputs and %d gates, they must add up", v[0], v[1], v[4])
	}
	p.inputs, p.outputs, p.gates = v[1], v[3], v[4]
	return nil
}

// parseNumber reads a decimal number without a sign or leading zeros.
func parseNumber(s string, largest int) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 || strconv.Itoa(n) != s {
		return 0, fmt.Errorf("%.20q is no number", s)
	}
	if n > largest {
		return 0, fmt.Errorf("%d is above the largest possible, %d", n, largest)
	}
	return n, nil
}

// endOfFile replaces io.EOF by an error that says that the file is cut off. It is used where the file must not end
// yet.
func endOfFile(err error) error {
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("the file ends here, it is cut off")
	}
	return err
}

func (p *parser) outputLiteral() (uint32, error) {
	line, err := p.text()
	if err != nil {
		return 0, endOfFile(err)
	}
	l, err := parseNumber(line, 2*(p.inputs+p.gates)+1)
	return uint32(l), err
}

// gate reads the gate whose literal is l.
func (p *parser) gate(l uint32) (gate [2]uint32, err error) {
	for i, above := range []uint32{l, 0} {
		if i == 1 {
			above = gate[0]
		}
		delta, err := p.delta()
		if err != nil {
			return gate, err
		}
		if delta > above || i == 0 && delta == 0 {
			return gate, fmt.Errorf("input %d is not below the gate, the file is damaged", i)
		}
		gate[i] = above - delta
	}
	return gate, nil
}

// delta reads a number with seven bits in each byte, lowest first.
func (p *parser) delta() (uint32, error) {
	v := uint64(0)
	for shift := 0; shift < 35; shift += 7 {
		c, err := p.r.ReadByte()
		if err != nil {
			return 0, endOfFile(err)
		}
		v |= uint64(c&0x7f) << shift
		if c < 0x80 {
			if v > maxLiteral {
				break
			}
			return uint32(v), nil
		}
	}
	return 0, fmt.Errorf("a difference of literals has more than 31 bits, the file is damaged")
}

// symbols reads the symbol table and names the inputs and outputs of f.
func (p *parser) symbols(f *File) error {
	inputs, outputs := map[int]string{}, map[int]string{}
	p.line = 0
	for {
		line, err := p.text()
		if errors.Is(err, io.EOF) || err == nil && line == "c" {
			break
		}
		if err == nil {
			err = p.symbol(line, inputs, outputs)
		}
		if err != nil {
			return fmt.Errorf("symbol table, line %d: %w", p.line, err)
		}
	}
	if err := complete("input", inputs, p.inputs); err != nil {
		return err
	}
	if err := complete("output", outputs, p.outputs); err != nil {
		return err
	}
	for i := range p.inputs {
		f.Inputs = append(f.Inputs, inputs[i])
	}
	for i := range f.Outputs {
		f.Outputs[i].Name = outputs[i]
	}
	return nil
}

// symbol reads one line of the symbol table.
func (p *parser) symbol(line string, inputs, outputs map[int]string) error {
	position, name, _ := strings.Cut(line, " ")
	if position == "" || name == "" {
		return fmt.Errorf("%.40q: want i or o with a number, and a name", line)
	}
	names, count := inputs, p.inputs
	switch position[0] {
	case 'i':
	case 'o':
		names, count = outputs, p.outputs
	default:
		return fmt.Errorf("%.40q names neither an input nor an output", line)
	}
	i, err := parseNumber(position[1:], count-1)
	if err != nil {
		return fmt.Errorf("%.40q: %w", line, err)
	}
	if old, ok := names[i]; ok {
		return fmt.Errorf("%s has two names, %.40q and %.40q", position, old, name)
	}
	names[i] = name
	return nil
}

// complete checks that each of the numbers 0 to count-1 has a name and that all names differ. It returns at the first
// missing name, so its running time is bounded by the number of names, even if count is much larger.
func complete(what string, names map[int]string, count int) error {
	places := map[string]int{}
	for i := range count {
		name, ok := names[i]
		if !ok {
			return fmt.Errorf("%s %d has no name in the symbol table, write the file with symbols", what, i)
		}
		if other, ok := places[name]; ok {
			return fmt.Errorf("%ss %d and %d are both called %.40q", what, other, i, name)
		}
		places[name] = i
	}
	return nil
}

// Write writes f in binary AIGER with its symbol table.
func (f *File) Write(w io.Writer) error {
	out := bufio.NewWriterSize(w, 1<<16)
	inputs := len(f.Inputs)
	fmt.Fprintf(out, "aig %d %d 0 %d %d\n", inputs+len(f.Gates), inputs, len(f.Outputs), len(f.Gates))
	names := make([]string, len(f.Outputs))
	for i, o := range f.Outputs {
		fmt.Fprintf(out, "%d\n", o.Literal)
		names[i] = o.Name
	}
	for i, g := range f.Gates {
		writeGate(out, uint32(2*(inputs+1+i)), max(g[0], g[1]), min(g[0], g[1]))
	}
	writeSymbols(out, f.Inputs, names)
	return out.Flush()
}

// Eval evaluates f for 64 samples. Bit s of in[i] is input i of sample s; the outputs have the same form. Eval
// panics if len(in) is not the number of inputs.
func Eval(f *File, in []uint64) []uint64 {
	if len(in) != len(f.Inputs) {
		panic(fmt.Sprintf("aiger: %d words for %d inputs", len(in), len(f.Inputs)))
	}
	value := make([]uint64, 1, 1+len(in)+len(f.Gates))
	value = append(value, in...)
	literal := func(l uint32) uint64 { return value[l>>1] ^ -uint64(l&1) }
	for _, g := range f.Gates {
		value = append(value, literal(g[0])&literal(g[1]))
	}
	out := make([]uint64, len(f.Outputs))
	for i, o := range f.Outputs {
		out[i] = literal(o.Literal)
	}
	return out
}
