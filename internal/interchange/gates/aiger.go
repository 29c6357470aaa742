package gates

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"ialgn/internal/interchange/given"
	"ialgn/internal/interchange/graph"
	"ialgn/internal/message"
)

// aigerReader reads an AIGER file. The format is described in Biere, "The AIGER And-Inverter Graph (AIG) Format",
// version 20071012.
type aigerReader struct {
	r                                *bufio.Reader
	line                             int // number of the current line
	ascii                            bool
	variables, inputs, outputs, ands int
	circuit                          *graph.Circuit
	refs                             map[uint32]graph.Ref // in an ASCII file, the bit of each variable that was read
	inverted                         map[uint32]graph.Ref // for each odd literal, the node of the complement
}

// ReadAIGER returns the network of a combinational and-inverter graph, binary or ASCII. It returns an error for
// latches and for the sections of later versions of the format. It skips names and comments.
func ReadAIGER(src *given.Source) (*graph.Network, error) {
	a := &aigerReader{
		r:        bufio.NewReaderSize(io.NewSectionReader(src.File, 0, src.Size), 1<<16),
		inverted: map[uint32]graph.Ref{},
	}
	outputs, err := a.read()
	if err != nil {
		return nil, fmt.Errorf("line %d: %w", a.line, err)
	}
	return network(src, "aiger", a.circuit, outputs)
}

// read reads everything before the names.
func (a *aigerReader) read() ([]graph.Ref, error) {
	if err := a.header(); err != nil {
		return nil, err
	}
	a.circuit = graph.NewCircuit(a.inputs)
	if a.ascii {
		return a.readASCII()
	}
	var literals []uint32
	for range a.outputs {
		v, err := a.numbers(1)
		if err != nil {
			return nil, err
		}
		literals = append(literals, v[0])
	}
	for i := range a.ands {
		if err := a.gate(uint32(2 * (a.inputs + 1 + i))); err != nil {
			return nil, fmt.Errorf("gate %d of %d: %w", i, a.ands, err)
		}
	}
	return a.outputRefs(literals)
}

// header reads the numbers of variables, inputs, latches, outputs and gates.
func (a *aigerReader) header() error {
	text, err := a.text()
	if err != nil {
		return err
	}
	fields := strings.Fields(text)
	if len(fields) < 6 || len(fields) > 10 || fields[0] != "aig" && fields[0] != "aag" {
		return fmt.Errorf("header %.40q: want aig or aag with the numbers of variables, inputs, latches, outputs and gates",
			text)
	}
	a.ascii = fields[0] == "aag"
	var v [9]int
	for i, s := range fields[1:] {
		n, err := strconv.ParseUint(s, 10, 30)
		if err != nil {
			return fmt.Errorf("header: %.20q is no number below 2^30", s)
		}
		v[i] = int(n)
	}
	a.variables, a.inputs, a.outputs, a.ands = v[0], v[1], v[3], v[4]
	switch {
	case v[2] != 0:
		return fmt.Errorf("%s, where a combinational circuit is wanted", message.Plural(v[2], "latch", "latches"))
	case v[5]|v[6]|v[7]|v[8] != 0:
		return errors.New("properties and constraints of AIGER 1.9, where a circuit is wanted")
	case a.inputs > maxInputs:
		return fmt.Errorf("%d inputs, more than the %d that are read", a.inputs, maxInputs)
	case a.ands > graph.MaxNodes:
		return fmt.Errorf("%d gates, more than the %d that are read", a.ands, graph.MaxNodes)
	case a.variables < a.inputs+a.ands || !a.ascii && a.variables != a.inputs+a.ands:
		return fmt.Errorf("%d variables of %d inputs and %d gates", a.variables, a.inputs, a.ands)
	}
	return nil
}

// maxLine is the maximum length of a line of numbers.
const maxLine = 256

// text returns the next line.
func (a *aigerReader) text() (string, error) {
	a.line++
	var line []byte
	for {
		c, err := a.r.ReadByte()
		switch {
		case errors.Is(err, io.EOF) && len(line) > 0: // the last line may lack its line end
			return strings.TrimSuffix(string(line), "\r"), nil
		case errors.Is(err, io.EOF):
			return "", errors.New("the file ends here, it is cut off")
		case err != nil:
			return "", err
		case c == '\n':
			return strings.TrimSuffix(string(line), "\r"), nil
		case len(line) == maxLine:
			return "", fmt.Errorf("a line of more than %d characters", maxLine)
		}
		line = append(line, c)
	}
}

// numbers reads a line with the given number of literals.
func (a *aigerReader) numbers(count int) ([3]uint32, error) {
	var v [3]uint32
	text, err := a.text()
	if err != nil {
		return v, err
	}
	fields := strings.Fields(text)
	if len(fields) != count {
		return v, fmt.Errorf("%.40q: want %s", text, message.Plural(count, "literal", "literals"))
	}
	for i, s := range fields {
		n, err := strconv.ParseUint(s, 10, 31)
		if err != nil || int(n/2) > a.variables {
			return v, fmt.Errorf("%.20q is no literal of %d variables", s, a.variables)
		}
		v[i] = uint32(n)
	}
	return v, nil
}

// gate reads a gate in binary form. literal is the literal of its output.
func (a *aigerReader) gate(literal uint32) error {
	var in [2]uint32
	above := literal
	for i := range in {
		delta, err := a.delta()
		if err != nil {
			return err
		}
		if delta > above || i == 0 && delta == 0 {
			return fmt.Errorf("operand %d is not below the gate", i)
		}
		in[i] = above - delta
		above = in[i]
	}
	a.and(in[0], in[1])
	return nil
}

// delta reads a number that is stored with seven bits in each byte, lowest bits first.
func (a *aigerReader) delta() (uint32, error) {
	v := uint64(0)
	for shift := 0; shift < 35; shift += 7 {
		c, err := a.r.ReadByte()
		if errors.Is(err, io.EOF) {
			return 0, errors.New("the file ends here, it is cut off")
		}
		if err != nil {
			return 0, err
		}
		v |= uint64(c&0x7f) << shift
		if c < 0x80 {
			if v > math.MaxInt32 {
				break
			}
			return uint32(v), nil
		}
	}
	return 0, errors.New("a difference of literals has more than 31 bits")
}

// and returns the bit for the conjunction of two literals. The variables of both literals must exist.
func (a *aigerReader) and(p, q uint32) graph.Ref {
	// The truth table has a single 1. The digits of its line number are 0 for a complemented literal and 1 for any
	// other literal.
	line := 2*(1^p&1) + (1 ^ q&1)
	return a.circuit.Add(1<<line, a.ref(p), a.ref(q))
}

// ref returns the bit of a literal's variable, without the complement.
func (a *aigerReader) ref(literal uint32) graph.Ref {
	v := literal / 2
	switch {
	case v == 0:
		return graph.False
	case a.ascii:
		return a.refs[v]
	}
	return graph.Ref(v - 1)
}

// outputRefs returns the bits of output literals. It adds a node for each complemented literal.
func (a *aigerReader) outputRefs(literals []uint32) ([]graph.Ref, error) {
	outputs := make([]graph.Ref, len(literals))
	for i, l := range literals {
		ref := a.ref(l)
		switch {
		case l == 1:
			ref = graph.True
		case l&1 == 1:
			inverted, ok := a.inverted[l]
			if !ok {
				if err := room(a.circuit, 1); err != nil {
					return nil, err
				}
				inverted = a.circuit.Add(0b01, ref)
				a.inverted[l] = inverted
			}
			ref = inverted
		}
		outputs[i] = ref
	}
	return outputs, nil
}

// readASCII reads the ASCII form, in which the gates may be in any order.
func (a *aigerReader) readASCII() ([]graph.Ref, error) {
	a.refs = map[uint32]graph.Ref{}
	for i := range a.inputs {
		v, err := a.numbers(1)
		if err != nil {
			return nil, err
		}
		if _, twice := a.refs[v[0]/2]; twice || v[0] < 2 || v[0]&1 == 1 {
			return nil, fmt.Errorf("input %d is literal %d: want a variable of its own", i, v[0])
		}
		a.refs[v[0]/2] = graph.Ref(i)
	}
	var literals []uint32
	lines := a.line
	for range a.outputs {
		v, err := a.numbers(1)
		if err != nil {
			return nil, err
		}
		literals = append(literals, v[0])
	}
	if err := a.gates(); err != nil {
		return nil, err
	}
	end := a.line
	for i, l := range literals {
		if _, ok := a.refs[l/2]; !ok && l > 1 {
			a.line = lines + 1 + i
			return nil, fmt.Errorf("output %d is literal %d, which nothing drives", i, l)
		}
	}
	a.line = end
	return a.outputRefs(literals)
}

// gates reads the ASCII form of all gates.
func (a *aigerReader) gates() error {
	var ands [][3]uint32
	place := map[uint32]int32{} // for each variable, the gate that drives it
	lines := a.line
	for i := range a.ands {
		v, err := a.numbers(3)
		if err != nil {
			return err
		}
		_, gate := place[v[0]/2]
		if _, input := a.refs[v[0]/2]; gate || input || v[0] < 2 || v[0]&1 == 1 {
			return fmt.Errorf("gate %d is literal %d: want a variable of its own", i, v[0])
		}
		place[v[0]/2] = int32(i)
		ands = append(ands, v)
	}
	for i, and := range ands {
		for _, l := range and[1:] {
			_, gate := place[l/2]
			if _, input := a.refs[l/2]; !gate && !input && l > 1 {
				a.line = lines + 1 + i
				return fmt.Errorf("gate %d reads literal %d, which nothing drives", i, l)
			}
		}
	}
	cycle := a.addInOrder(ands, place)
	if cycle >= 0 {
		a.line = lines + 1 + cycle
		return fmt.Errorf("gate %d depends on itself", cycle)
	}
	return nil
}

// addInOrder adds each gate after the gates that it reads. It returns the number of a gate that depends on itself, or
// -1 if there is no such gate.
func (a *aigerReader) addInOrder(ands [][3]uint32, place map[uint32]int32) int {
	operand := func(i, k int) int32 {
		if gate, ok := place[ands[i][1+k]/2]; ok {
			return gate
		}
		return -1
	}
	cycle, _ := order(len(ands), func(int) int { return 2 }, operand, func(i int) error {
		a.refs[ands[i][0]/2] = a.and(ands[i][1], ands[i][2])
		return nil
	})
	return cycle
}
