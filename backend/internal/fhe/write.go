package fhe

import (
	"bufio"
	"fmt"
	"io"
	"strconv"

	"ialgn/internal/names"
)

// Options says how a program is written.
type Options struct {
	Module string   // name of the program
	Header []string // lines for the comment at the top
}

// legend explains the lines of a program in its comment.
var legend = map[string][]string{
	"gates": {
		"A line 'WIRE GATE A B' is a gate of the wires A and B, and one bootstrap. !A is the inverse of A, which is free.",
	},
	"lut": {
		"A line 'WIRE lut TABLE A B ...' is bit A + 2 B + 4 C + 8 D of TABLE, and one programmable bootstrap.",
		"!A is the inverse of A, which is free.",
	},
}

// Write writes the program as text. It returns an error before it writes anything if a name is not valid.
func (p *Program) Write(w io.Writer, opt Options) error {
	if err := names.CheckIdentifier(opt.Module); err != nil {
		return fmt.Errorf("fhe-lut: module: %w", err)
	}
	for _, port := range append(p.inputs[:len(p.inputs):len(p.inputs)], p.outputs...) {
		if err := names.CheckPort(port.Name); err != nil {
			return fmt.Errorf("fhe-lut: port: %w", err)
		}
	}
	out := bufio.NewWriterSize(w, 1<<16)
	for _, line := range opt.Header {
		fmt.Fprintf(out, "# %s\n", line)
	}
	for _, line := range legend[p.kind()] {
		fmt.Fprintf(out, "# %s\n", line)
	}
	fmt.Fprintf(out, "fhe-lut 1 %s %s\nbootstraps %d\ndepth %d\n", p.Form, opt.Module, p.Bootstraps, p.Depth)
	for _, port := range p.inputs {
		fmt.Fprintf(out, "input %s %d\n", port.Name, len(port.Nets))
	}
	p.writeSteps(out)
	rest := p.bits
	for _, port := range p.outputs {
		line := append([]byte("output "), port.Name...)
		for _, o := range rest[:len(port.Nets)] {
			line = p.operand(append(line, ' '), o)
		}
		rest = rest[len(port.Nets):]
		fmt.Fprintf(out, "%s\n", line)
	}
	return out.Flush()
}

// kind returns gates or lut.
func (p *Program) kind() string {
	if p.Form == "gates" {
		return p.Form
	}
	return "lut"
}

func (p *Program) writeSteps(out *bufio.Writer) {
	var line []byte
	for i, level := range p.levels {
		fmt.Fprintf(out, "level %d %d\n", i+1, len(level))
		for _, s := range level {
			line = strconv.AppendInt(line[:0], int64(p.wire[s.number]), 10)
			operands := []operand{}
			for _, number := range s.in {
				operands = append(operands, operand{number, false})
			}
			if p.kind() == "gates" {
				g := gates[s.table]
				operands[0].inverted, operands[1].inverted = g.first, g.second
				line = append(append(line, ' '), g.name...)
			} else {
				line = fmt.Appendf(line, " lut 0x%x", s.table)
			}
			for _, o := range operands {
				line = p.operand(append(line, ' '), o)
			}
			line = append(line, '\n')
			_, _ = out.Write(line) // Flush returns the error
		}
	}
}

// operand appends the wire of a bit, or the constant 0 or 1 as false or true.
func (p *Program) operand(line []byte, o operand) []byte {
	if o.number == constant {
		return strconv.AppendBool(line, o.inverted)
	}
	if o.inverted {
		line = append(line, '!')
	}
	return strconv.AppendInt(line, int64(p.wire[o.number]), 10)
}

// gates lists the gates that all libraries have, by the table of two inputs. The fields first and second say whether an
// input is inverted.
var gates = map[uint64]struct {
	name          string
	first, second bool
}{
	0b1000: {"and", false, false}, 0b0111: {"nand", false, false},
	0b1110: {"or", false, false}, 0b0001: {"nor", false, false},
	0b0110: {"xor", false, false}, 0b1001: {"xnor", false, false},
	0b0100: {"and", true, false}, 0b0010: {"and", false, true},
	0b1101: {"or", true, false}, 0b1011: {"or", false, true},
}
