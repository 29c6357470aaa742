package dot

import (
	"fmt"
	"strings"

	"gonum.org/v1/gonum/graph/encoding"

	"ialgn/netlist"
)

// node is a node with attributes for drawing.
type node struct {
	netlist.Node
	n *netlist.Netlist
}

// Attributes returns the label and, for a port, its shape.
func (v node) Attributes() []encoding.Attribute {
	shape := ""
	lines := []string{v.Label()}
	name := func(j int) string { return fmt.Sprintf("[%d]", j) }
	if c, ok := v.Cell(); ok {
		lines = v.cellLines(c)
		name = func(j int) string { return pin(v.n, c, j) }
	} else {
		shape = "cds"
	}
	for j, net := range read(v.n, v.Node) {
		if net <= netlist.True {
			lines = append(lines, fmt.Sprintf("%s = %d", name(j), net))
		}
	}
	return attributes{"label", strings.Join(lines, "\n"), "shape", shape}.Attributes()
}

// cellLines describes what a cell computes and which gate of the model it came from.
func (v node) cellLines(c netlist.Cell) []string {
	n, lines := v.n, []string{v.Label()}
	if n.Kind(c) == netlist.Function {
		lines[0] = function(n.Param(c), len(n.Inputs(c)))
	}
	if o := n.Origin(c); o.Layer > 0 {
		lines = append(lines, origin(n, o))
	}
	return lines
}

// functions holds the expressions of functions with up to two inputs, indexed by table.
var functions = [3][]string{
	{"0", "1"},
	{"0", "~A", "A", "1"},
	{
		"0", "~(A | B)", "A & ~B", "~B", "~A & B", "~A", "A ^ B", "~(A & B)",
		"A & B", "~(A ^ B)", "A", "A | ~B", "B", "~A | B", "A | B", "1",
	},
}

// function describes a function cell. The description is an expression if the cell has up to two inputs, and its
// table otherwise.
func function(table uint64, inputs int) string {
	if inputs < len(functions) && table < uint64(len(functions[inputs])) {
		return functions[inputs][table]
	}
	return fmt.Sprintf("table %#x", table)
}

// origin returns the name of a gate of the model. As in the Verilog, the name consists of class, chain and layer.
func origin(n *netlist.Netlist, o netlist.Origin) string {
	if node, row, column, shared := n.Place(o); shared {
		return fmt.Sprintf("k%d_y%d_x%d_l%d", node, row, column, o.Layer)
	}
	gate := fmt.Sprintf("k%d_l%d", o.Chain, o.Layer)
	if class := n.ChainClasses(); int(o.Chain) < len(class) {
		gate = fmt.Sprintf("c%d_%s", class[o.Chain], gate)
	}
	return gate
}

// pin returns the name of pin j of cell c. The name is a letter if the cell is a function, and an index otherwise.
func pin(n *netlist.Netlist, c netlist.Cell, j int) string {
	if n.Kind(c) == netlist.Function {
		return string(rune('A' + j))
	}
	return fmt.Sprint(j)
}

// edge is an edge with attributes for drawing.
type edge struct {
	netlist.Edge
	n *netlist.Netlist
}

// Attributes returns the bits of the driver that the edge carries, and the pins of the reader that it feeds. The bits
// are left out if the driver has only one bit, and the pins are left out if the reader has only one pin.
func (e edge) Attributes() []encoding.Attribute {
	from, to := e.From().(netlist.Node), e.To().(netlist.Node)
	first, width := driven(e.n, from)
	nets := read(e.n, to)
	var bits, pins []int
	for j, v := range nets {
		if v >= first && v < first+netlist.Net(width) {
			bits, pins = append(bits, int(v-first)), append(pins, j)
		}
	}
	var tail, head string
	if width > 1 {
		tail = ranges(bits)
	}
	if len(nets) > 1 {
		head = ranges(pins)
		if c, ok := to.Cell(); ok && e.n.Kind(c) == netlist.Function {
			head = letters(e.n, c, pins)
		}
	}
	return attributes{"taillabel", tail, "headlabel", head}.Attributes()
}

// driven returns the first net that a node drives, and the number of nets that it drives.
func driven(n *netlist.Netlist, v netlist.Node) (netlist.Net, int) {
	if c, ok := v.Cell(); ok {
		return n.Output(c), n.Outputs(c)
	}
	p, _, _ := v.Port()
	return p.Nets[0], len(p.Nets)
}

// read returns the nets that a node reads. An input port reads no nets.
func read(n *netlist.Netlist, v netlist.Node) []netlist.Net {
	if c, ok := v.Cell(); ok {
		return n.Inputs(c)
	}
	if p, output, _ := v.Port(); output {
		return p.Nets
	}
	return nil
}

// ranges formats indices and joins consecutive ones, for example "7:4, 2".
func ranges(list []int) string {
	var parts []string
	for i := 0; i < len(list); {
		end := i + 1
		for end < len(list) && list[end] == list[end-1]+1 {
			end++
		}
		part := fmt.Sprint(list[i])
		if end > i+1 {
			part = fmt.Sprintf("%d:%d", list[end-1], list[i])
		}
		parts = append(parts, part)
		i = end
	}
	return strings.Join(parts, ", ")
}

func letters(n *netlist.Netlist, c netlist.Cell, pins []int) string {
	var parts []string
	for _, j := range pins {
		parts = append(parts, pin(n, c, j))
	}
	return strings.Join(parts, ", ")
}
