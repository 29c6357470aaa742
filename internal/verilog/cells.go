package verilog

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"

	"ialgn/internal/bitplane"
	"ialgn/internal/names"
	"ialgn/internal/ties"
	"ialgn/netlist"
)

// cells declares and drives the outputs of the cells, section by section in the order of the netlist. A section is a
// sequence of gates in one layer, of comparators, or of other cells. It begins with its wires, followed by one assign
// for each cell. Registers are written elsewhere. cells also records which nets are read.
func (d *design) cells() {
	d.used = bitplane.NewSet(d.n.Nets())
	var run []netlist.Cell
	var title section
	for c := range netlist.Cell(d.n.Cells()) {
		if d.n.Kind(c) == netlist.Register {
			continue
		}
		if s := d.section(c); s != title || len(run) == 0 {
			d.run(title, run)
			title, run = s, run[:0]
		}
		run = append(run, c)
	}
	d.run(title, run)
}

// run writes the cells of a section.
func (d *design) run(title section, cells []netlist.Cell) {
	if len(cells) == 0 {
		return
	}
	d.text("\n  // " + title.String() + "\n")
	d.declare(cells)
	for _, c := range cells {
		d.drive(c)
	}
}

// section identifies the section of a cell.
type section struct {
	kind  netlist.Kind // kind of the cells that are not gates of the model
	layer uint16       // layer of the gates
}

func (d *design) section(c netlist.Cell) section {
	if o := d.n.Origin(c); o.Layer > 0 && !names.IsBus(d.n.Kind(c)) {
		return section{layer: o.Layer}
	}
	return section{kind: d.n.Kind(c)}
}

// String returns the section's title.
func (s section) String() string {
	if s.layer > 0 {
		return "layer " + strconv.Itoa(int(s.layer))
	}
	return map[netlist.Kind]string{
		netlist.Function: "functions", netlist.Compare: "comparators", netlist.Popcount: "popcounts",
		netlist.Counter: "counters", netlist.Argmax: "argmax", netlist.Carry: "carries",
	}[s.kind]
}

// declare writes the wires of the cells of a section.
func (d *design) declare(cells []netlist.Cell) {
	if !names.IsBus(d.n.Kind(cells[0])) {
		d.declareScalars(cells)
		return
	}
	for _, c := range cells {
		if !d.isOutput(c) {
			line := fmt.Appendf(d.start("  wire "), "[%d:0] ", d.n.Outputs(c)-1)
			d.end(append(d.AppendCell(line, c), ';'))
		}
	}
}

// declareScalars writes the declaration of cells with one output.
func (d *design) declareScalars(cells []netlist.Cell) {
	const keyword = "  wire "
	line := d.start(keyword)
	for i, c := range cells {
		line = d.AppendCell(line, c)
		if v := d.n.Output(c); d.n.Kind(c) == netlist.Carry && d.chains != nil && d.chains.Out(v) {
			line = d.net(append(line, ", "...), v)
		}
		if i == len(cells)-1 || len(line) > columns-20 {
			d.end(append(line, ';'))
			line = d.start(keyword)
			continue
		}
		line = append(line, ", "...)
	}
}

// isOutput reports whether cell c drives a whole output port. Such a cell has the port's name.
func (d *design) isOutput(c netlist.Cell) bool {
	name := string(d.AppendCell(nil, c))
	return slices.ContainsFunc(d.n.OutputPorts(), func(p netlist.Port) bool { return p.Name == name })
}

// drive writes the Verilog that computes cell c.
func (d *design) drive(c netlist.Cell) {
	if d.primitiveCell(c) {
		return
	}
	switch d.n.Kind(c) {
	case netlist.Function:
		d.function(c, d.n.Param(c))
	case netlist.Carry:
		d.function(c, majority3)
	case netlist.Compare:
		d.compare(c)
	case netlist.Counter:
		d.counter(c)
	case netlist.Popcount:
		d.popcount(c)
	case netlist.Argmax:
		d.argmax(c)
	}
}

// begin starts the assignment to the output of cell c.
func (d *design) begin(c netlist.Cell) []byte {
	return append(d.AppendCell(d.start("  assign "), c), " = "...)
}

func (d *design) function(c netlist.Cell, table uint64) {
	in := d.n.Inputs(c)
	t := netlist.Effective(table, in)
	for s, j := netlist.Support(t), 0; s != 0; s, j = s>>1, j+1 {
		if s&1 == 1 {
			d.used.Add(int(in[j]))
		}
	}
	line := expression{in, d.net}.append(d.begin(c), t, contextTop)
	d.end(append(line, ';'))
}

// compare writes a comparator. If the word can never exceed the threshold, compare writes the constant 0, because
// tools warn about such comparisons.
func (d *design) compare(c netlist.Cell) {
	in, threshold := d.n.Inputs(c), d.n.Param(c)
	if len(in) <= 64 && threshold >= ^uint64(0)>>(64-len(in)) {
		d.end(append(d.begin(c), "1'b0;"...))
		return
	}
	d.use(in)
	line := append(d.concatenation(d.begin(c), d.pieces(in)), " > "...)
	line = append(strconv.AppendInt(line, int64(len(in)), 10), "'d"...)
	d.end(append(strconv.AppendUint(line, threshold, 10), ';'))
}

// counter writes a small popcount as the sum of its inputs.
func (d *design) counter(c netlist.Cell) {
	in := d.n.Inputs(c)
	d.use(in)
	line := d.begin(c)
	for i, v := range in {
		if i > 0 {
			line = append(line, " + "...)
		}
		line = d.extended(line, v, d.n.Outputs(c))
	}
	d.end(append(line, ';'))
}

// extended appends net v as a word of the given width, padded with zeros.
func (d *design) extended(buf []byte, v netlist.Net, width int) []byte {
	if width == 1 {
		return d.net(buf, v)
	}
	buf = append(appendConstant(append(buf, '{'), 0, width-1), ", "...)
	return append(d.net(buf, v), '}')
}

func (d *design) popcount(c netlist.Cell) {
	in := d.n.Inputs(c)
	d.use(in)
	if len(in) == 1 {
		d.end(append(d.net(d.begin(c), in[0]), ';'))
		return
	}
	d.instance(c, popcountHelper, len(in), d.n.Outputs(c))
}

func (d *design) argmax(c netlist.Cell) {
	in, width, margin := d.n.Inputs(c), d.n.ArgmaxWidth(c), d.n.Margin(c)
	switch classes := len(in) / width; {
	case classes == 1 && margin > 0:
		d.assign(string(d.AppendCell(nil, c)), make([]netlist.Net, d.n.Outputs(c)))
	case classes == 1:
		d.end(append(d.begin(c), "1'b0;"...))
	default:
		d.use(in)
		values := []int{classes, width, d.n.IndexBits(c)}
		if margin > 0 {
			values = append(values, margin)
		}
		d.instance(c, d.argmaxHelper(c), values...)
	}
}

// argmaxHelper returns the module for argmax c.
func (d *design) argmaxHelper(c netlist.Cell) Helper {
	switch ordered := d.n.Ties() != nil; {
	case d.n.Margin(c) > 0 && ordered:
		return orderedMarginHelper
	case d.n.Margin(c) > 0:
		return marginHelper
	case ordered:
		return orderedHelper
	}
	return argmaxHelper
}

// instance writes cell c as an instance of a helper module, with its inputs as one word. A long word gets its own
// wire.
func (d *design) instance(c netlist.Cell, h Helper, values ...int) {
	in := d.n.Inputs(c)
	name := string(d.AppendOwn(nil, c))
	pieces := d.pieces(in)
	word := string(d.concatenation(nil, pieces[:min(len(pieces), longWord)]))
	if len(pieces) > longWord {
		word = name + "_in"
		d.text(fmt.Sprintf("  wire [%d:0] %s;\n", len(in)-1, word))
		d.assign(word, in)
	}
	var texts []string
	for _, v := range values {
		texts = append(texts, strconv.Itoa(v))
	}
	if len(texts) < len(h.Parameters) {
		texts = append(texts, ties.Verilog(d.n.Ties(), d.n.IndexBits(c)))
	}
	d.text(fmt.Sprintf("  %s%s %s_i (\n", d.module, h.head(texts), name))
	d.end(append(d.start("      ."), h.Inputs[0]+"("+word+"),"...))
	d.end(append(d.AppendCell(append(d.start("      ."), h.Output+"("...), c), "));"...))
}

// use records that nets are read.
func (d *design) use(nets []netlist.Net) {
	for _, v := range nets {
		d.used.Add(int(v))
	}
}

// unused writes wires that read those bits of input ports, cells and probes that nothing else reads.
func (d *design) unused() {
	for _, p := range d.n.OutputPorts() {
		d.use(p.Nets)
	}
	if d.clock != nil {
		d.use(d.n.InputPorts()[d.clock.Enable].Nets)
	}
	sink := sink{design: d}
	for _, p := range d.n.Probes() {
		if !d.Aliased(p) {
			d.use(p.Nets)
			sink.add(append(sink.begin(), p.Name...))
		}
	}
	var p piece
	for w, word := range d.used {
		for free := ^word; free != 0; free &= free - 1 {
			v := netlist.Net(64*w + bits.TrailingZeros64(free))
			if v <= netlist.True || int(v) >= d.n.Nets() {
				continue
			}
			if s, bit := d.Locate(v); !d.join(&p, s, bit) {
				sink.piece(p)
				p = piece{s, bit, 1}
			}
		}
	}
	sink.piece(p)
	sink.close()
}

// sink writes the wires for the method unused. Each wire reads up to [longWord] pieces.
type sink struct {
	*design
	line  []byte
	items int
	wires int
}

// begin returns the line to which the next item has to be appended.
func (s *sink) begin() []byte {
	if s.items == 0 {
		if s.wires == 0 {
			s.text("\n  // what nothing reads\n")
		}
		s.line = fmt.Appendf(s.line[:0], "  wire unused_%d = &{1'b0", s.wires)
		s.wires++
	}
	return append(s.line, ", "...)
}

func (s *sink) add(line []byte) {
	s.line = line
	if s.items++; s.items == longWord {
		s.close()
	}
}

func (s *sink) piece(p piece) {
	if p.count > 0 {
		s.add(s.design.piece(s.begin(), p))
	}
}

func (s *sink) close() {
	if s.items > 0 {
		s.end(append(s.line, "};"...))
		s.items = 0
	}
}
