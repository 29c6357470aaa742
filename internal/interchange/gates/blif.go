package gates

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"ialgn/internal/interchange/given"
	"ialgn/internal/interchange/graph"
	"ialgn/internal/message"
)

// blifReader reads a BLIF file. The format is described in "Berkeley Logic Interchange Format (BLIF)", University of
// California, 1992.
type blifReader struct {
	r       *bufio.Reader
	line    int // number of the line on which the current logical line begins
	next    int
	nets    map[string]int32
	drivers []int32 // for each net, the index of its cover, or one of the values below
	used    []int32 // for each net, the line that named it first
	inputs  []int32
	outputs []int32
	covers  []cover
	refs    []graph.Ref // for each net, its bit in the circuit
	begun   bool        // a model has begun
	ended   bool
	skipped string // reason to skip lines: .exdc (until .end), .model (until the end of the file), or empty
	cares   bool   // .exdc sections (don't cares) were skipped
	others  int    // number of models that were skipped
	filling bool   // the current directive is .names
	circuit *graph.Circuit
	free    []int32 // free space from which pins are taken
}

// These are the values of blifReader.drivers for nets without a cover.
const (
	undriven = -1
	isInput  = -2
)

// cover is the function of a .names directive.
type cover struct {
	line  int32
	out   int32
	pins  []int32
	table uint64 // for up to six pins, the truth table of the cubes; pin 0 is the highest digit
	cubes []byte // for more than six pins, a character for each cube and pin
	value byte   // output for the cubes: '0' or '1'; 0 if there are none yet
}

// ReadBLIF returns the network of the first model, which must be combinational. It returns an error, with the line,
// for latches, instances of other models and gates of libraries. It skips everything that does not change the
// function. This includes delays, loads, areas, don't cares (.exdc), and models without an instance.
func ReadBLIF(src *given.Source) (*graph.Network, error) {
	b := &blifReader{r: bufio.NewReaderSize(io.NewSectionReader(src.File, 0, src.Size), 1<<16), nets: map[string]int32{}}
	outputs, err := b.read()
	if err != nil {
		return nil, fmt.Errorf("line %d: %w", b.line, err)
	}
	n, err := network(src, "blif", b.circuit, outputs)
	if err != nil {
		return nil, err
	}
	if b.cares {
		n.Found("passed over", "don't cares: outputs have there what the circuit gives", "the file itself")
	}
	if b.others > 0 {
		n.Found("passed over", message.Plural(b.others, "model", "models")+" behind the first", "the file itself")
	}
	return n, nil
}

// read reads the file. It then adds the covers to the circuit in the order of their dependencies.
func (b *blifReader) read() ([]graph.Ref, error) {
	for {
		fields, err := b.fields()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if err := b.statement(fields); err != nil {
			return nil, err
		}
	}
	if !b.begun {
		return nil, errors.New("the file has no model: .inputs, .outputs and .names")
	}
	if net := b.undrivenNet(); net >= 0 {
		b.line = int(b.used[net])
		return nil, fmt.Errorf("%.60q is read here, but nothing drives it", b.name(net))
	}
	return b.emit()
}

// undrivenNet returns the first net in the file that has no driver although an output depends on it. It returns -1 if
// there is no such net. Undriven nets in unused logic do not count, because other programs leave such nets in their
// files.
func (b *blifReader) undrivenNet() int32 {
	found := int32(-1)
	seen := make([]bool, len(b.drivers))
	stack := slices.Clone(b.outputs)
	for len(stack) > 0 {
		net := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[net] {
			continue
		}
		seen[net] = true
		switch driver := b.drivers[net]; {
		case driver == undriven && (found < 0 || net < found):
			found = net
		case driver >= 0:
			stack = append(stack, b.covers[driver].pins...)
		}
	}
	return found
}

// name returns the name of a net, for error messages.
func (b *blifReader) name(net int32) string {
	for name, n := range b.nets {
		if n == net {
			return name
		}
	}
	return ""
}

// fields returns the words of the next line that is not empty. A backslash at the end of a line continues the line.
func (b *blifReader) fields() ([][]byte, error) {
	for {
		var text []byte
		b.line = b.next + 1
		for {
			part, err := b.r.ReadBytes('\n')
			if err != nil && (!errors.Is(err, io.EOF) || len(part)+len(text) == 0) {
				return nil, err
			}
			b.next++
			part, _, comment := bytes.Cut(bytes.TrimRight(part, "\r\n"), []byte{'#'})
			more, continued := bytes.CutSuffix(bytes.TrimRight(part, " \t"), []byte{'\\'})
			if !continued || comment || err != nil {
				text = append(text, part...)
				break
			}
			text = append(append(text, more...), ' ')
		}
		if words := bytes.Fields(text); len(words) > 0 {
			return words, nil
		}
	}
}

// statement processes a directive or a line of a cover.
func (b *blifReader) statement(fields [][]byte) error {
	word := string(fields[0])
	switch {
	case word == ".model" && b.begun: // .end may be missing; the first model is the circuit
		b.skipped = word
		b.others++
		return nil
	case b.skipped == ".model" && word == ".subckt": // this model may contain the first model
		return refused(word, fields[1:])
	case b.skipped == ".model", b.skipped == ".exdc" && word != ".end":
		return nil
	case word[0] != '.':
		return b.cube(fields)
	case b.ended:
		return fmt.Errorf("%.40s behind .end", word)
	}
	b.begun, b.filling, b.skipped = true, word == ".names", ""
	switch word {
	case ".model":
	case ".inputs":
		return b.input(fields[1:])
	case ".outputs":
		for _, name := range fields[1:] {
			b.outputs = append(b.outputs, b.net(name))
		}
	case ".names":
		return b.names(fields[1:])
	case ".conn", ".barbuf":
		return b.connection(fields)
	case ".exdc":
		b.skipped, b.cares = word, true
	case ".end":
		b.ended = true
	default:
		if !slices.Contains(silent, word) {
			return refused(word, fields[1:])
		}
	}
	return nil
}

// silent lists directives that do not change the function. They are the directives of the format's section on delays,
// and directives of SIS and yosys.
var silent = []string{
	".area", ".delay", ".wire_load_slope", ".wire", ".input_arrival", ".default_input_arrival", ".output_required",
	".default_output_required", ".input_drive", ".default_input_drive", ".output_load", ".default_output_load",
	".max_input_load", ".default_max_input_load", ".clock", ".clock_event", ".cycle", ".input_required", ".output_arrival",
	".attr", ".cname", ".param", ".latch_order", ".code",
}

// refused returns the error for a directive that is not supported.
func refused(word string, arguments [][]byte) error {
	switch word {
	case ".latch", ".mlatch":
		return fmt.Errorf("%s, where a combinational circuit is wanted", word)
	case ".start_kiss", ".end_kiss":
		return fmt.Errorf("%s: a table of states, where a combinational circuit is wanted", word)
	case ".subckt":
		name := []byte("another model")
		if len(arguments) > 0 {
			name = arguments[0]
		}
		return message.WithHint(fmt.Errorf("%s: an instance of %.40q, where the circuit is to be flat", word, name),
			"flatten it, by yosys -p 'read_blif FILE; hierarchy -auto-top; flatten; write_blif FLAT', and import that")
	case ".gate":
		return message.WithHint(fmt.Errorf("%s: a cell of a library, where the circuit is to be in .names", word),
			"write it as .names, by abc -c 'read_library LIBRARY; read_blif FILE; strash; write_blif FLAT', and import that")
	case ".search":
		return message.WithHint(fmt.Errorf("%s: another file, where the circuit is to be in one", word),
			"put the other file into this one")
	}
	return message.WithHint(fmt.Errorf("%.40s is not read", word), "take the line out if it says nothing of the function")
}

// connection reads a directive that connects a net to another net.
func (b *blifReader) connection(fields [][]byte) error {
	if len(fields) != 3 {
		return fmt.Errorf("%s: %d names, want two", fields[0], len(fields)-1)
	}
	if err := b.names(fields[1:]); err != nil {
		return err
	}
	last := &b.covers[len(b.covers)-1]
	last.table, last.value = 0b10, '1'
	return nil
}

// net returns the number of the net with the given name. It adds a new net if there is none.
func (b *blifReader) net(name []byte) int32 {
	if n, ok := b.nets[string(name)]; ok {
		return n
	}
	n := int32(len(b.drivers))
	b.nets[string(name)] = n
	b.drivers = append(b.drivers, undriven)
	b.used = append(b.used, int32(b.line))
	return n
}

// input adds inputs, in order.
func (b *blifReader) input(names [][]byte) error {
	for _, name := range names {
		n := b.net(name)
		if err := b.drive(n, isInput, name); err != nil {
			return err
		}
		if b.inputs = append(b.inputs, n); len(b.inputs) > maxInputs {
			return fmt.Errorf("more than %d inputs", maxInputs)
		}
	}
	return nil
}

// drive sets the driver of a net.
func (b *blifReader) drive(net, driver int32, name []byte) error {
	if b.drivers[net] != undriven {
		return fmt.Errorf("%.60q is driven twice", name)
	}
	b.drivers[net] = driver
	return nil
}

// names processes a .names directive, which begins a cover.
func (b *blifReader) names(fields [][]byte) error {
	if len(fields) == 0 {
		return errors.New(".names without an output")
	}
	last := len(fields) - 1
	if cap(b.free)-len(b.free) < last {
		b.free = make([]int32, 0, max(last, 1<<12))
	}
	start := len(b.free)
	for _, name := range fields[:last] {
		b.free = append(b.free, b.net(name))
	}
	out := b.net(fields[last])
	if err := b.drive(out, int32(len(b.covers)), fields[last]); err != nil {
		return err
	}
	b.covers = append(b.covers, cover{line: int32(b.line), out: out, pins: b.free[start:len(b.free):len(b.free)]})
	return nil
}

// cube processes a line of the current cover.
func (b *blifReader) cube(fields [][]byte) error {
	if !b.filling {
		return fmt.Errorf("%.20q is not part of a .names", fields[0])
	}
	c := &b.covers[len(b.covers)-1]
	value := fields[len(fields)-1]
	var pins []byte
	if len(fields) == 2 {
		pins = fields[0]
	}
	switch {
	case len(fields) > 2 || len(pins) != len(c.pins):
		return fmt.Errorf("a line of %d words in a cover of %d inputs", len(fields), len(c.pins))
	case len(value) != 1 || value[0] != '0' && value[0] != '1':
		return fmt.Errorf("%.20q where the output is to be 0 or 1", value)
	case c.value != 0 && c.value != value[0]:
		return errors.New("a cover of both values")
	}
	for _, v := range pins {
		if v != '0' && v != '1' && v != '-' {
			return fmt.Errorf("%.20q where 0, 1 or - is expected for an input", v)
		}
	}
	c.value = value[0]
	if len(c.pins) <= graph.MaxPins {
		c.table |= lines(pins)
	} else {
		c.cubes = append(c.cubes, pins...)
	}
	return nil
}

// lines returns the truth table of a cube. The first pin is the highest digit of a line's number.
func lines(cube []byte) uint64 {
	table, n := uint64(0), len(cube)
	for line := range 1 << n {
		covered := true
		for i, v := range cube {
			covered = covered && (v == '-' || int(v-'0') == line>>(n-1-i)&1)
		}
		if covered {
			table |= 1 << line
		}
	}
	return table
}
