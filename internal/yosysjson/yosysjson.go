// Package yosysjson writes netlists as JSON for yosys read_json (the format of its write_json command), with a
// $lut cell for each function cell.
//
// Nets have the same names as in Verilog, which come from the gates of the model. Cells have the name of their net
// with the suffix _i. The src attribute of a net and of its cell gives the class, chain and layer as text. A register
// is a $_DFF_P_ or $_DFFE_PP_ on the clock clk, and its net is initially 0. A net that equals another net, an input
// or a constant has no cell. Therefore `stat` counts exactly the LUTs of the netlist.
package yosysjson

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"ialgn/internal/lowering"
	"ialgn/internal/names"
	"ialgn/netlist"
)

// Options says how a netlist is written.
type Options struct {
	Module  string // name of the module; if empty, the netlist's name
	Creator string // name and version of the program that writes the file
}

// clock is the additional input of a netlist with registers.
const clock = "clk"

// Write writes n. Operators that have no cell in the format become function cells (see package lowering). A function
// cell that is constant becomes the constant. A function cell that is a copy becomes the copied net. Probes become
// nets with their names.
//
// Write returns an error before it writes anything if the name of the module, a port or a probe is not valid in
// the file, or if a netlist with registers has a port called clk. Later errors come from w.
func Write(w io.Writer, n *netlist.Netlist, opt Options) error {
	if opt.Module == "" {
		opt.Module = n.Name
	}
	lowered := lowering.Functions(n)
	f := &file{
		w: bufio.NewWriterSize(w, 1<<16), n: lowered, names: names.New(lowered),
		constants: map[netlist.Net]bool{}, copies: map[netlist.Net]netlist.Net{},
	}
	if err := f.check(opt.Module); err != nil {
		return err
	}
	f.constants[netlist.False], f.constants[netlist.True] = false, true
	fmt.Fprintf(f.w, "{\n\"creator\": %s,\n\"modules\": {\n%s: {\n", quote(opt.Creator), quote(opt.Module))
	f.text("\"attributes\": {\"top\": \"00000000000000000000000000000001\"},\n")
	f.section("cells", func() {
		for c := range netlist.Cell(lowered.Cells()) {
			f.cell(c)
		}
	})
	f.section("ports", f.ports)
	f.section("netnames", f.netnames)
	f.text("\"memories\": {}\n}\n}\n}\n")
	return f.w.Flush()
}

// file is a file that is being written. Its buffer keeps the first error for Flush.
type file struct {
	w         *bufio.Writer
	n         *netlist.Netlist
	names     *names.Names
	constants map[netlist.Net]bool // value of each constant net
	copies    map[netlist.Net]netlist.Net
	registers bool
	later     bool // whether the current section already has an element
	buf       []byte
}

func (f *file) check(module string) error {
	if err := names.CheckIdentifier(module); err != nil {
		return fmt.Errorf("yosys-json: module: %w", err)
	}
	for c := range netlist.Cell(f.n.Cells()) {
		f.registers = f.registers || f.n.Kind(c) == netlist.Register
	}
	for _, ports := range [][]netlist.Port{f.n.InputPorts(), f.n.OutputPorts(), f.n.Probes()} {
		for _, p := range ports {
			if err := names.CheckPort(p.Name); err != nil {
				return fmt.Errorf("yosys-json: port or probe: %w", err)
			}
			if f.registers && p.Name == clock {
				return fmt.Errorf("yosys-json: a port is called %s, which is the clock of the registers: rename it", clock)
			}
		}
	}
	return nil
}

// section writes an object. The function write writes the object's elements.
func (f *file) section(name string, write func()) {
	f.later = false
	f.text(quote(name) + ": {")
	write()
	f.text("\n},\n")
}

// element begins an element of a section.
func (f *file) element(name []byte) {
	if f.later {
		f.text(",")
	}
	f.later = true
	fmt.Fprintf(f.w, "\n\"%s\": ", name)
}

// bits returns nets as a JSON array. A net is written as its number. The constants 0 and 1 are written as strings.
func (f *file) bits(nets ...netlist.Net) string {
	line := []byte{'['}
	for i, v := range nets {
		if i > 0 {
			line = append(line, ", "...)
		}
		v = f.original(v)
		if value, ok := f.constants[v]; ok {
			line = append(line, map[bool]string{false: `"0"`, true: `"1"`}[value]...)
		} else {
			line = strconv.AppendUint(line, uint64(v), 10)
		}
	}
	return string(append(line, ']'))
}

// original returns the net that v copies, or v itself.
func (f *file) original(v netlist.Net) netlist.Net {
	if w, ok := f.copies[v]; ok {
		return w
	}
	return v
}

// isCopy reports whether the output of function cell c equals one of its inputs. pins lists the inputs on which the
// cell depends.
func isCopy(n *netlist.Netlist, c netlist.Cell, pins []int) bool {
	return len(pins) == 1 && netlist.Effective(n.Param(c), n.Inputs(c)) == netlist.PinTable(pins[0])
}

// clockBit returns the number of the clock's net, which comes after all other nets.
func (f *file) clockBit() int { return f.n.Nets() }

// support returns the inputs on which function cell c depends, in order.
func support(n *netlist.Netlist, c netlist.Cell) (pins []int) {
	s := netlist.Support(netlist.Effective(n.Param(c), n.Inputs(c)))
	for j := 0; s != 0; s, j = s>>1, j+1 {
		if s&1 == 1 {
			pins = append(pins, j)
		}
	}
	return pins
}

// cell writes a cell, or records that its output is a constant or a copy.
func (f *file) cell(c netlist.Cell) {
	n, out := f.n, f.n.Output(c)
	name := append(f.names.AppendNet(f.buf[:0], out), "_i"...)
	f.buf = name
	if n.Kind(c) == netlist.Register {
		f.element(name)
		f.register(c)
		return
	}
	table, pins := netlist.Effective(n.Param(c), n.Inputs(c)), support(n, c)
	if len(pins) == 0 {
		f.constants[out] = table != 0
		return
	}
	if isCopy(n, c, pins) {
		f.copies[out] = f.original(n.Inputs(c)[pins[0]])
		return
	}
	var in []netlist.Net
	for _, j := range pins {
		in = append(in, n.Inputs(c)[j])
	}
	f.element(name)
	fmt.Fprintf(f.w, `{"type": "$lut", "parameters": {"WIDTH": "%032b", "LUT": "%s"}, `, len(pins), lut(table, pins))
	f.attributes(c, "")
	fmt.Fprintf(f.w, `, "port_directions": {"A": "input", "Y": "output"}, "connections": {"A": %s, "Y": %s}}`,
		f.bits(in...), f.bits(out))
}

// lut returns the table over the given pins as binary digits. The first digit is the output for inputs that are all
// 1.
func lut(table uint64, pins []int) string {
	digits := make([]byte, 1<<len(pins))
	for i := range digits {
		at := 0
		for k, j := range pins {
			at |= i >> k & 1 << j
		}
		digits[len(digits)-1-i] = '0' + byte(table>>at&1)
	}
	return string(digits)
}

func (f *file) register(c netlist.Cell) {
	in, kind, enable := f.n.Inputs(c), "$_DFF_P_", [2]string{}
	if len(in) > 1 {
		kind = "$_DFFE_PP_"
		enable = [2]string{`"E": "input", `, `"E": ` + f.bits(in[1]) + ", "}
	}
	fmt.Fprintf(f.w, `{"type": "%s", "parameters": {}, `, kind)
	f.attributes(c, "")
	fmt.Fprintf(f.w, `, "port_directions": {"C": "input", "D": "input", %s"Q": "output"}, "connections": {"C": [%d], "D": %s, %s"Q": %s}}`,
		enable[0], f.clockBit(), f.bits(in[0]), enable[1], f.bits(f.n.Output(c)))
}

// attributes writes the origin of a cell as src, and another attribute.
func (f *file) attributes(c netlist.Cell, other string) {
	o, src := f.n.Origin(c), ""
	if o.Layer > 0 {
		src = fmt.Sprintf("chain %d, layer %d", o.Chain, o.Layer)
		if node, row, column, shared := f.n.Place(o); shared {
			src = fmt.Sprintf("node %d at row %d and column %d, layer %d", node, row, column, o.Layer)
		} else if class := f.n.ChainClasses(); int(o.Chain) < len(class) {
			src = fmt.Sprintf("class %d, %s", class[o.Chain], src)
		}
		src = `"src": ` + quote(src)
		if other != "" {
			src += ", "
		}
	}
	f.text(`"attributes": {` + src + other + "}")
}

// ports writes the ports and, if there are registers, the clock.
func (f *file) ports() {
	for i, ports := range [][]netlist.Port{f.n.InputPorts(), f.n.OutputPorts()} {
		for _, p := range ports {
			f.element([]byte(p.Name))
			fmt.Fprintf(f.w, `{"direction": "%s", "bits": %s}`, [2]string{"input", "output"}[i], f.bits(p.Nets...))
		}
	}
	if f.registers {
		f.element([]byte(clock))
		fmt.Fprintf(f.w, `{"direction": "input", "bits": [%d]}`, f.clockBit())
	}
}

// netnames writes the names of ports, probes and the nets that cells drive.
func (f *file) netnames() {
	for _, ports := range [][]netlist.Port{f.n.InputPorts(), f.n.OutputPorts(), f.n.Probes()} {
		for _, p := range ports {
			f.element([]byte(p.Name))
			fmt.Fprintf(f.w, `{"bits": %s, "attributes": {}}`, f.bits(p.Nets...))
		}
	}
	if f.registers {
		f.element([]byte(clock))
		fmt.Fprintf(f.w, `{"bits": [%d], "attributes": {}}`, f.clockBit())
	}
	for c := range netlist.Cell(f.n.Cells()) {
		out := f.n.Output(c)
		if _, constant := f.constants[out]; constant || f.hidden(out) {
			continue
		}
		name := f.names.AppendNet(f.buf[:0], out)
		f.buf = name
		f.element(name)
		init := ""
		if f.n.Kind(c) == netlist.Register {
			init = `"init": "0"`
		}
		f.text(`{"bits": ` + f.bits(out) + ", ")
		f.attributes(c, init)
		f.text("}")
	}
}

// hidden reports whether net v is a copy of a constant or of a register. Such a net must have no second name, because
// yosys takes a register's initial value from one of the names of its net, which must be the register's own name.
func (f *file) hidden(v netlist.Net) bool {
	w, isCopy := f.copies[v]
	if !isCopy {
		return false
	}
	_, constant := f.constants[w]
	c, _, driven := f.n.Driver(w)
	return constant || driven && f.n.Kind(c) == netlist.Register
}

func (f *file) text(s string) { _, _ = f.w.WriteString(s) }

// quote returns s as a JSON string. Characters that are not printable ASCII become ?.
func quote(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r > '~':
			b.WriteByte('?')
		default:
			b.WriteRune(r)
		}
	}
	return `"` + b.String() + `"`
}
