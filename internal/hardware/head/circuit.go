package head

import (
	"math/bits"

	"ialgn/netlist"
)

// circuit is a draft of cells, which are later added to a netlist or discarded. It has its own numbers for nets. 0
// and 1 are the constants, as in a netlist. The inputs and cells follow, in the order in which they are added.
//
// No two cells of a circuit are equal. No cell has more than k inputs, and no cell has a constant, repeated or
// irrelevant input. Carry cells may break these rules.
type circuit struct {
	k     int
	nodes []node
	seen  map[string]netlist.Net
	key   []byte // scratch

	inputs    map[netlist.Net]netlist.Net // nets of the netlist that words have added as inputs
	comparers comparers
}

// node is an input or a cell of a circuit.
type node struct {
	level int32         // LUTs on the longest path from the netlist's inputs to the node
	net   netlist.Net   // an input's net in the netlist
	in    []netlist.Net // inputs of a cell; nil for an input
	table uint64
	carry bool
}

func newCircuit(k int) *circuit {
	return &circuit{
		k: k, nodes: make([]node, 2), seen: map[string]netlist.Net{}, inputs: map[netlist.Net]netlist.Net{},
		comparers: comparers{},
	}
}

// input adds net v of a netlist as an input, which arrives at the given level. If v is a constant, input returns the
// same constant.
func (c *circuit) input(v netlist.Net, level int32) netlist.Net {
	if v <= netlist.True {
		return v
	}
	return c.add(node{level: level, net: v})
}

func (c *circuit) add(n node) netlist.Net {
	c.nodes = append(c.nodes, n)
	return netlist.Net(len(c.nodes) - 1)
}

func (c *circuit) level(v netlist.Net) int32 { return c.nodes[v].level }

// latest returns the highest level of the nets.
func (c *circuit) latest(nets []netlist.Net) int32 {
	l := int32(0)
	for _, v := range nets {
		l = max(l, c.level(v))
	}
	return l
}

// function returns a net that computes the table of up to six nets. It adds no cell if the function is a constant or
// equals one of the nets. It adds several cells if the function depends on more than k nets. Otherwise it adds one
// cell.
func (c *circuit) function(table uint64, in ...netlist.Net) netlist.Net {
	return c.extended(netlist.Effective(table, in), in)
}

func (c *circuit) extended(table uint64, in []netlist.Net) netlist.Net {
	support := netlist.Support(table)
	switch n := bits.OnesCount8(support); {
	case n == 0:
		return netlist.Net(table & 1)
	case n > c.k:
		return c.decompose(table, in)
	}
	kept := make([]netlist.Net, 0, netlist.MaxFunctionInputs)
	for s := support; s != 0; s &= s - 1 {
		kept = append(kept, in[bits.TrailingZeros8(s)])
	}
	table = netlist.Project(table, support)
	if len(kept) == 1 && table == tableCopy {
		return kept[0]
	}
	return c.cell(node{in: kept, table: table})
}

// cell returns the output of an existing equal cell, or adds a cell.
func (c *circuit) cell(n node) netlist.Net {
	c.key = appendKey(c.key[:0], n)
	if v, ok := c.seen[string(c.key)]; ok {
		return v
	}
	n.level = c.latest(n.in)
	if !n.carry {
		n.level++
	}
	v := c.add(n)
	c.seen[string(c.key)] = v
	return v
}

// appendKey appends a key that is unique to the cell.
func appendKey(key []byte, n node) []byte {
	if n.carry {
		key = append(key, 'c')
	}
	for i := range 8 {
		key = append(key, byte(n.table>>(8*i)))
	}
	for _, v := range n.in {
		key = append(key, byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
	}
	return key
}

// decompose builds a function of more than k inputs from smaller functions, step by step.
func (c *circuit) decompose(table uint64, in []netlist.Net) netlist.Net {
	s := netlist.Decompose(table)
	pin, low := in[s.Pin], c.extended(s.Low, in)
	if s.Inverted {
		pin = c.function(tableNot, pin)
	}
	switch s.Op {
	case netlist.SplitAnd:
		return c.function(tableAnd, pin, low)
	case netlist.SplitOr:
		return c.function(tableOr, pin, low)
	case netlist.SplitXor:
		return c.function(tableXor, pin, low)
	}
	high := c.extended(s.High, in)
	if c.k >= 3 {
		return c.function(tableMux, pin, low, high)
	}
	return c.function(tableOr, c.function(tableAnd, pin, high), c.function(tableAndNot, low, pin))
}

// carry returns the majority of three nets as a carry cell. It never simplifies the cell, because a function cell in
// its place would break a chain.
func (c *circuit) carry(a, b, ci netlist.Net) netlist.Net {
	return c.cell(node{in: []netlist.Net{a, b, ci}, carry: true})
}

// inverted returns the complement of a net.
func (c *circuit) inverted(v netlist.Net) netlist.Net { return c.function(tableNot, v) }

// reached marks the cells on which the given nets depend.
func (c *circuit) reached(nets []netlist.Net) []bool {
	live := make([]bool, len(c.nodes))
	for _, v := range nets {
		live[v] = true
	}
	for v := len(c.nodes) - 1; v > int(netlist.True); v-- {
		if live[v] {
			for _, w := range c.nodes[v].in {
				live[w] = true
			}
		}
	}
	return live
}

// luts returns the number of function cells on which the given nets depend, directly or indirectly.
func (c *circuit) luts(nets []netlist.Net) int {
	count := 0
	for v, live := range c.reached(nets) {
		if live && c.nodes[v].in != nil && !c.nodes[v].carry {
			count++
		}
	}
	return count
}

// These are the tables of some functions, in LUT INIT order.
const (
	tableNot    = 0b01
	tableCopy   = 0b10
	tableAnd    = 0b1000
	tableAndNot = 0b0010 // a and not b
	tableOr     = 0b1110
	tableXor    = 0b0110
	tableMux    = 0b11100100 // a ? c : b
)

// tabulate returns the table of a function of n inputs. Bit j of f's argument is input j.
func tabulate(n int, f func(inputs uint) bool) (table uint64) {
	for i := range uint(1) << n {
		if f(i) {
			table |= 1 << i
		}
	}
	return table
}
