// Package blif writes netlists in the Berkeley Logic Interchange Format ("Berkeley Logic Interchange Format
// (BLIF)", University of California, 1992), for yosys and abc.
//
// A function cell is one .names with a short cover. The cover consists of prime cubes. It covers either the function
// or its complement, whichever needs fewer cubes. No cube is superfluous. Bits of ports have names such as x[3],
// which the command read_blif -wideports of yosys joins to buses again. Other nets have the same names as in Verilog.
// A net that drives an output has the output's name, which avoids a buffer. For each such net, a comment at the top of
// the file gives the name of the net's gate. A register is a .latch that starts at 0, on the clock clk.
package blif

import (
	"bufio"
	"fmt"
	"io"

	"ialgn/internal/lowering"
	"ialgn/internal/names"
	"ialgn/netlist"
)

// Options says how a netlist is written.
type Options struct {
	Module string   // name of the model; if empty, the netlist's name
	Header []string // lines for the comment at the top
}

// clock is the additional input of a netlist with registers.
const clock = "clk"

// Write writes n. Operators that have no form in BLIF become function cells (see package lowering). Probes are left
// out. If an output bit is an input, a constant, or the same net as another output, it gets its own cover, which has
// one input or none.
//
// Write returns an error before it writes anything if the name of the model or of a port is not valid in the
// file, or if a netlist with registers has a port called clk. Later errors come from w.
func Write(w io.Writer, n *netlist.Netlist, opt Options) error {
	if opt.Module == "" {
		opt.Module = n.Name
	}
	lowered := lowering.Functions(n)
	f := &file{w: bufio.NewWriterSize(w, 1<<16), n: lowered, names: names.New(lowered), covers: covers{}}
	if err := f.check(opt.Module); err != nil {
		return err
	}
	f.alias = f.outputNames()
	for _, line := range opt.Header {
		fmt.Fprintf(f.w, "# %s\n", printable(line))
	}
	f.comments()
	fmt.Fprintf(f.w, ".model %s\n", opt.Module)
	f.ports(".inputs", n.InputPorts(), f.registers)
	f.ports(".outputs", n.OutputPorts(), false)
	for c := range netlist.Cell(lowered.Cells()) {
		f.cell(c)
	}
	f.outputs()
	f.text(".end\n")
	return f.w.Flush()
}

// file is a file that is being written. Its buffer keeps the first error for Flush.
type file struct {
	w         *bufio.Writer
	n         *netlist.Netlist
	names     *names.Names
	covers    covers
	alias     map[netlist.Net]string // names of the nets that are outputs
	registers bool
	buf       []byte
}

func (f *file) check(module string) error {
	if err := names.CheckIdentifier(module); err != nil {
		return fmt.Errorf("blif: model: %w", err)
	}
	for c := range netlist.Cell(f.n.Cells()) {
		f.registers = f.registers || f.n.Kind(c) == netlist.Register
	}
	for _, ports := range [][]netlist.Port{f.n.InputPorts(), f.n.OutputPorts()} {
		for _, p := range ports {
			if err := names.CheckPort(p.Name); err != nil {
				return fmt.Errorf("blif: port: %w", err)
			}
			if f.registers && p.Name == clock {
				return fmt.Errorf("blif: a port is called %s, which is the clock of the registers: rename it", clock)
			}
		}
	}
	return nil
}

// outputNames returns names for the nets that cells drive and that are outputs. A net with several outputs has
// the name of the first one.
func (f *file) outputNames() map[netlist.Net]string {
	alias := map[netlist.Net]string{}
	for _, p := range f.n.OutputPorts() {
		for i, v := range p.Nets {
			if _, named := alias[v]; !named && v >= f.n.FirstCellNet() {
				alias[v] = bit(p, i)
			}
		}
	}
	return alias
}

// bit returns the name of a bit of a port.
func bit(p netlist.Port, i int) string { return fmt.Sprintf("%s[%d]", p.Name, i) }

// columns is the column at which long lines are wrapped.
const columns = 100

// ports writes the names of all bits of ports, and of the clock.
func (f *file) ports(directive string, ports []netlist.Port, clocked bool) {
	f.text(directive)
	column := len(directive)
	item := func(s string) {
		if column+1+len(s) > columns {
			f.text(" \\\n")
			column = 0
		}
		f.text(" " + s)
		column += 1 + len(s)
	}
	for _, p := range ports {
		for i := range p.Nets {
			item(bit(p, i))
		}
	}
	if clocked {
		item(clock)
	}
	f.text("\n")
}

// cell writes a function cell or a register.
func (f *file) cell(c netlist.Cell) {
	out := f.n.Output(c)
	if f.n.Kind(c) == netlist.Register {
		f.register(c)
		return
	}
	in := f.n.Inputs(c)
	table := netlist.Effective(f.n.Param(c), in)
	var pins []int
	line := append(f.buf[:0], ".names"...)
	for s, j := netlist.Support(table), 0; s != 0; s, j = s>>1, j+1 {
		if s&1 == 1 {
			pins = append(pins, j)
			line = f.net(append(line, ' '), in[j])
		}
	}
	line = append(f.net(append(line, ' '), out), '\n')
	f.buf = line
	_, _ = f.w.Write(line)
	cover := f.covers.of(table)
	for _, cube := range cover.cubes {
		f.cube(cube, pins, cover.value)
	}
}

// comments writes the gate of each output as a comment. The comments are at the top, because yosys does not
// allow a comment after the .names of a constant.
func (f *file) comments() {
	for _, p := range f.n.OutputPorts() {
		for i, v := range p.Nets {
			if c, _, ok := f.n.Driver(v); ok && f.n.Origin(c).Layer > 0 {
				line := append(append(f.buf[:0], "# "...), bit(p, i)...)
				line = append(f.names.AppendNet(append(line, " is "...), v), '\n')
				f.buf = line
				_, _ = f.w.Write(line)
			}
		}
	}
}

// cube writes a line of a cover.
func (f *file) cube(c cube, pins []int, value byte) {
	line := f.buf[:0]
	for _, j := range pins {
		switch {
		case c.one>>j&1 == 1:
			line = append(line, '1')
		case c.zero>>j&1 == 1:
			line = append(line, '0')
		default:
			line = append(line, '-')
		}
	}
	if len(pins) > 0 {
		line = append(line, ' ')
	}
	f.buf = append(line, value, '\n')
	_, _ = f.w.Write(f.buf)
}

// register writes a latch. The format has no enable, so a multiplexer before the latch keeps the old value
// while the enable is 0.
func (f *file) register(c netlist.Cell) {
	in, out := f.n.Inputs(c), string(f.net(nil, f.n.Output(c)))
	data := f.operand(in[0])
	if len(in) > 1 {
		next := string(f.names.AppendNet(nil, f.n.Output(c))) + "_next"
		f.text(fmt.Sprintf(".names %s %s %s %s\n11- 1\n0-1 1\n", f.operand(in[1]), data, out, next))
		data = next
	}
	f.text(fmt.Sprintf(".latch %s %s re %s 0\n", data, out, clock))
}

// operand returns the name of a net that a latch reads. If the net is a constant, operand first writes a cover for
// it, because a latch cannot read a constant directly.
func (f *file) operand(v netlist.Net) string {
	if v > netlist.True {
		return string(f.net(nil, v))
	}
	name := [2]string{"constant_0", "constant_1"}[v]
	if _, defined := f.alias[v]; !defined {
		f.alias[v] = name
		f.text(".names " + name + "\n" + [2]string{"", "1\n"}[v])
	}
	return name
}

// net appends the name of a net.
func (f *file) net(buf []byte, v netlist.Net) []byte {
	if name, ok := f.alias[v]; ok {
		return append(buf, name...)
	}
	return f.names.AppendNet(buf, v)
}

// outputs writes covers for the output bits that do not share a net's name.
func (f *file) outputs() {
	for _, p := range f.n.OutputPorts() {
		for i, v := range p.Nets {
			name := bit(p, i)
			switch {
			case v == netlist.False:
				f.text(".names " + name + "\n")
			case v == netlist.True:
				f.text(".names " + name + "\n1\n")
			case f.alias[v] != name:
				f.text(fmt.Sprintf(".names %s %s\n1 1\n", f.net(nil, v), name))
			}
		}
	}
}

func (f *file) text(s string) { _, _ = f.w.WriteString(s) }

// printable returns s with ? for a backslash, which would join lines, and for all bytes other than printable
// ASCII.
func printable(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c < ' ' || c > '~' || c == '\\' {
			b[i] = '?'
		}
	}
	return string(b)
}
