package readback

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// module is a module in yosys's BLIF. It has nets with names, and parts that drive the nets.
type module struct {
	name    string
	nets    map[string]int32
	names   []string // name of each net
	inputs  []int32
	outputs []int32
	parts   []part
	driver  []int32 // by net: the index of the part that drives the net, or one of the values below
}

// Values of module.driver for nets that no part drives.
const (
	noDriver   = -1
	inputPort  = -2
	noDigit    = -3 // the net has yosys's unknown value
	mostInputs = 4  // the largest number of inputs of a cover, and of yosys's gates
)

// part drives nets: a gate, a register, an arithmetic cell or an instance of a module.
type part struct {
	kind
	table uint16 // function of a cover: bit i is the output if the inputs are the binary digits of i
	in    []int32
	out   []int32
	// A sum or a comparison reads two numbers, in[:a] and in[a:]. For an instance, the field in has one element for
	// each port, and the field out is empty. The module of the instance determines which ports are outputs.
	a     int
	of    string   // module of an instance
	ports []string // port names of an instance, one for each element of in
}

type kind uint8

const (
	cover    kind = iota // a function
	register             // a register of in[0], clocked by in[1]
	sum                  // the sum of two unsigned numbers, modulo 2 to the power of the width of out
	greater              // whether the first of two unsigned numbers is greater than the second
	instance
)

// blifReader reads the subset of BLIF that yosys writes. It returns an error for everything else, because text that
// it ignored could drive a wire or change the function.
type blifReader struct {
	s       *bufio.Scanner
	line    int
	modules map[string]*module
	m       *module
	pins    []int32 // unused space for the results of netList
	start   byte    // the only defined start value that a register may have
}

// maxBLIFLine bounds the length of a line. Lines are long, because all ports of a module are on one line.
const maxBLIFLine = 1 << 30

// In a BLIF file, a register may have these start values besides 0 and 1.
const (
	anyStart     = '2' // the file gives no start value
	unknownStart = '3'
)

// readBLIF returns the modules of a file by their names. Each register must have no defined start value or the given
// start value.
func readBLIF(r io.Reader, start byte) (map[string]*module, error) {
	b := &blifReader{s: bufio.NewScanner(r), modules: map[string]*module{}, start: start}
	b.s.Buffer(make([]byte, 1<<20), maxBLIFLine)
	for b.s.Scan() {
		b.line++
		if err := b.directive(b.s.Bytes()); err != nil {
			var is *mismatchError
			if errors.As(err, &is) {
				return nil, err
			}
			return nil, fmt.Errorf("readback: BLIF of yosys, line %d: %w", b.line, err)
		}
	}
	if b.m != nil {
		return nil, fmt.Errorf("readback: BLIF of yosys, line %d: the file is cut off", b.line)
	}
	return b.modules, b.s.Err()
}

// directive reads one line.
func (b *blifReader) directive(line []byte) error {
	word, rest, _ := bytes.Cut(line, []byte{' '})
	switch string(word) {
	case "", "#":
		return nil
	case ".model":
		return b.begin(string(rest))
	}
	if b.m == nil {
		return fmt.Errorf("%.40q is outside of a model", line)
	}
	switch string(word) {
	case ".inputs":
		for _, v := range b.netList(rest) {
			b.m.inputs = append(b.m.inputs, v)
			if err := b.drive(v, inputPort); err != nil {
				return err
			}
		}
		return nil
	case ".outputs":
		b.m.outputs = append(b.m.outputs, b.netList(rest)...)
		return nil
	case ".names":
		return b.names(rest)
	case ".latch":
		return b.latch(rest)
	case ".subckt":
		return b.instance(rest)
	case ".param":
		return b.parameter(string(rest))
	case ".end":
		b.modules[b.m.name], b.m = b.m, nil
		return nil
	}
	return b.row(line)
}

func (b *blifReader) begin(name string) error {
	if b.m != nil || b.modules[name] != nil {
		return fmt.Errorf("model %.100q is not expected here", name)
	}
	b.m = &module{name: name, nets: map[string]int32{}}
	return nil
}

// netList returns the nets with the given names, which are separated by single blanks.
func (b *blifReader) netList(text []byte) []int32 {
	n := 0
	if len(text) > 0 {
		n = 1 + bytes.Count(text, []byte{' '})
	}
	if cap(b.pins)-len(b.pins) < n {
		b.pins = make([]int32, 0, max(n, 1<<14))
	}
	begin := len(b.pins)
	for field := range bytes.FieldsSeq(text) {
		b.pins = append(b.pins, b.net(field))
	}
	return b.pins[begin:len(b.pins):len(b.pins)]
}

// net returns the net with a name, and adds it if it is new.
func (b *blifReader) net(name []byte) int32 {
	if v, ok := b.m.nets[string(name)]; ok {
		return v
	}
	v, s := int32(len(b.m.names)), string(name)
	b.m.nets[s] = v
	b.m.names = append(b.m.names, s)
	b.m.driver = append(b.m.driver, noDriver)
	return v
}

// drive records the driver of a net.
func (b *blifReader) drive(v, by int32) error {
	if b.m.driver[v] != noDriver {
		return mismatch("%s has more than one driver", b.m.names[v])
	}
	b.m.driver[v] = by
	return nil
}

// add adds a part, which becomes the driver of its outputs.
func (b *blifReader) add(p part) error {
	b.m.parts = append(b.m.parts, p)
	for _, v := range p.out {
		if err := b.drive(v, int32(len(b.m.parts)-1)); err != nil {
			return err
		}
	}
	return nil
}

// last returns the last part, or nil if this part is of another kind.
func (b *blifReader) last(k kind) *part {
	if n := len(b.m.parts); n > 0 && b.m.parts[n-1].kind == k {
		return &b.m.parts[n-1]
	}
	return nil
}

// names reads the head of a function. The rows of the function are on the next lines.
func (b *blifReader) names(rest []byte) error {
	pins := b.netList(rest)
	last := len(pins) - 1
	switch {
	case last < 0 || last > mostInputs:
		return fmt.Errorf("a function of %d inputs", last)
	case string(rest) == "$undef":
		return b.drive(pins[0], noDigit)
	}
	return b.add(part{kind: cover, in: pins[:last], out: pins[last:]})
}

// row reads a row of a function. The row describes a set of inputs for which the function is 1.
func (b *blifReader) row(line []byte) error {
	p := b.last(cover)
	if p == nil || !bytes.HasSuffix(line, []byte{'1'}) {
		return fmt.Errorf("%.40q is no line that is understood", line)
	}
	cube := bytes.TrimSuffix(line[:len(line)-1], []byte{' '})
	if len(cube) != len(p.in) {
		return fmt.Errorf("%.40q is no row of a function of %d inputs", line, len(p.in))
	}
	for i := range uint(1) << len(cube) {
		in := true
		for k, c := range cube {
			switch c {
			case '0', '1':
				in = in && i>>k&1 == uint(c-'0')
			case '-':
			default:
				return fmt.Errorf("%.40q is no row of a function", line)
			}
		}
		if in {
			p.table |= 1 << i
		}
	}
	return nil
}

// latch reads a register, such as ".latch D Q re CLOCK START". The register must have no initial value, because a
// valid bit would have this value before the first reset. In synthesised netlists, registers may also start as 0.
func (b *blifReader) latch(rest []byte) error {
	f := bytes.Fields(rest)
	if len(f) != 5 || string(f[2]) != "re" {
		return mismatch("yosys reads a latch, or a register that is not of a rising edge: %.100s", rest)
	}
	if s := f[4][0]; len(f[4]) != 1 || s != anyStart && s != unknownStart && s != b.start {
		return mismatch("register %.100s begins with %s, the netlist's with no value", f[1], f[4])
	}
	pins := b.netList(bytes.Join([][]byte{f[0], f[3], f[1]}, []byte{' '}))
	return b.add(part{kind: register, in: pins[:2], out: pins[2:]})
}

// wordCells are yosys's own cells that the script leaves unmapped.
var wordCells = map[string]kind{"$add": sum, "$gt": greater}

// instance reads ".subckt MODULE PORT=NET ...".
func (b *blifReader) instance(rest []byte) error {
	name, rest, _ := bytes.Cut(rest, []byte{' '})
	p := part{kind: instance, of: string(name)}
	for field := range bytes.FieldsSeq(rest) {
		port, net, ok := bytes.Cut(field, []byte{'='})
		if !ok {
			return fmt.Errorf("%.40q is no port", field)
		}
		p.ports, p.in = append(p.ports, string(port)), append(p.in, b.net(net))
	}
	if k, ok := wordCells[p.of]; ok {
		return b.operator(k, p)
	}
	return b.add(p)
}

// operator turns an instance with the ports A[0], A[1] …, B[0] …, Y[0] … into a sum or a comparison.
func (b *blifReader) operator(k kind, p part) error {
	width := [3]int{}
	for _, port := range p.ports {
		i := strings.IndexByte("ABY", port[0])
		if i < 0 || port != fmt.Sprintf("%c[%d]", port[0], width[i]) && port != port[:1] {
			return fmt.Errorf("port %.40q of %s", port, p.of)
		}
		width[i]++
	}
	y := width[0] + width[1]
	if y == 0 || width[2] == 0 || p.ports[0][0] != 'A' || p.ports[y-1][0] == 'Y' || p.ports[width[0]-1][0] != 'A' {
		return fmt.Errorf("ports of %s: %.100q", p.of, p.ports)
	}
	return b.add(part{kind: k, a: width[0], in: p.in[:y], out: p.in[y:]})
}

// parameter checks that a parameter of an operator does not make numbers signed. It ignores the widths, which follow
// from the ports.
func (b *blifReader) parameter(text string) error {
	name, value, _ := strings.Cut(text, " ")
	switch {
	case b.last(sum) == nil && b.last(greater) == nil:
		return mismatch("yosys reads a cell that is neither a gate nor a plain register, with a parameter %.100s", name)
	case strings.HasSuffix(name, "_SIGNED") && strings.Contains(value, "1"):
		return mismatch("yosys reads a sum or a comparison of numbers with a sign")
	}
	return nil
}
