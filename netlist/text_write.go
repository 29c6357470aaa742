package netlist

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
)

// textVersion is the version of the text form, written in its first line.
const textVersion = 1

// netsPerLine is the maximum number of nets or classes in a line. A label begins a new line.
const netsPerLine = 16

// WriteText writes n in the text form of docs/reference/netlist.md, with one line for each cell. [ParseText] converts
// the text back to an equal netlist.
//
// The netlist must be valid. All possible errors come from w.
func WriteText(w io.Writer, n *Netlist) error {
	t := &textWriter{w: bufio.NewWriterSize(w, 1<<16)}
	t.printf("ialgn netlist %d\nname %s\n", textVersion, n.Name)
	for i := range n.primitives {
		t.primitive(&n.primitives[i])
	}
	list(t, "classes", n.class)
	list(t, "offsets", n.offsets)
	list(t, "ties", n.ties)
	t.positions(n.places)
	for _, p := range n.inputs {
		t.printf("input %s word %d\n", p.Name, p.Word)
		t.bus(p)
	}
	t.printf("cells\n")
	for c := range n.kind {
		t.cell(n, Cell(c))
	}
	for _, p := range n.outputs {
		t.printf("output %s word %d\n", p.Name, p.Word)
		t.bus(p)
	}
	for _, p := range n.probes {
		t.printf("probe %s\n", p.Name)
		t.bus(Port{Nets: p.Nets})
	}
	t.printf("end\n")
	if err := t.w.Flush(); err != nil {
		return fmt.Errorf("netlist text: %w", err)
	}
	return nil
}

// textWriter writes the text form. It ignores write errors, since the last Flush of bufio reports them.
type textWriter struct {
	w    *bufio.Writer
	line []byte
}

func (t *textWriter) printf(format string, args ...any) { fmt.Fprintf(t.w, format, args...) }

func (t *textWriter) primitive(p *PrimitiveType) {
	t.printf("primitive %s = %s(%#x)", p.Output, p.Name, p.Table)
	for _, pin := range p.Inputs {
		t.printf(" %s", pin)
	}
	t.printf("\n")
}

// list writes a section that consists of numbers, unless there are none.
func list[T uint16 | uint32](t *textWriter, section string, numbers []T) {
	if len(numbers) == 0 {
		return
	}
	t.printf("%s\n", section)
	t.line = t.line[:0]
	for i, v := range numbers {
		t.item(i, uint64(v))
	}
	t.endLine()
}

func (t *textWriter) positions(all []Positions) {
	if len(all) > 0 {
		t.printf("positions\n")
	}
	for _, p := range all {
		t.printf("  %d %d %d\n", p.Layer, p.Rows, p.Columns)
	}
}

// item appends the value v, which has index i in a list, to the line. If the line is full, item begins another line
// first.
func (t *textWriter) item(i int, v uint64) {
	if i%netsPerLine == 0 && len(t.line) > 0 {
		t.endLine()
	}
	if len(t.line) == 0 {
		t.line = append(t.line, ' ')
	}
	t.line = strconv.AppendUint(append(t.line, ' '), v, 10)
}

func (t *textWriter) endLine() {
	_, _ = t.w.Write(append(t.line, '\n'))
	t.line = t.line[:0]
}

// bus writes the nets of a port: one line for each labelled word or, without labels, netsPerLine nets in each line.
func (t *textWriter) bus(p Port) {
	t.line = t.line[:0]
	for i, v := range p.Nets {
		if len(p.Labels) > 0 && i%p.Word == 0 {
			if i > 0 {
				t.endLine()
			}
			t.line = strconv.AppendQuote(append(t.line, "  "...), p.Labels[i/p.Word])
			t.line = strconv.AppendUint(append(t.line, ' '), uint64(v), 10)
			continue
		}
		if len(p.Labels) > 0 {
			t.line = strconv.AppendUint(append(t.line, ' '), uint64(v), 10)
			continue
		}
		t.item(i, uint64(v))
	}
	t.endLine()
}

// cell writes a cell, such as "7 = function(0x8) 2 3 @4.0".
func (t *textWriter) cell(n *Netlist, c Cell) {
	line := strconv.AppendUint(append(t.line[:0], "  "...), uint64(n.Output(c)), 10)
	if n.Outputs(c) > 1 {
		line = strconv.AppendUint(append(line, '-'), uint64(n.outStart[c+1]-1), 10)
	}
	line = append(append(line, " = "...), n.kind[c].String()...)
	switch n.kind[c] {
	case Function:
		line = strconv.AppendUint(append(line, "(0x"...), n.param[c], 16)
		line = append(line, ')')
	case Compare, Primitive:
		line = strconv.AppendUint(append(line, '('), n.param[c], 10)
		line = append(line, ')')
	case Argmax:
		width, margin := ArgmaxForm(n.param[c])
		line = strconv.AppendInt(append(line, '('), int64(width), 10)
		if margin > 0 {
			line = strconv.AppendInt(append(line, " margin "...), int64(margin), 10)
		}
		line = append(line, ')')
	}
	for _, v := range n.Inputs(c) {
		line = strconv.AppendUint(append(line, ' '), uint64(v), 10)
	}
	if n.layer[c] != 0 || n.chain[c] != 0 {
		line = strconv.AppendUint(append(line, " @"...), uint64(n.layer[c]), 10)
		line = strconv.AppendUint(append(line, '.'), uint64(n.chain[c]), 10)
	}
	t.line = line
	t.endLine()
}
