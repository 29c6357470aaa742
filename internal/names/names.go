// Package names gives every net of a netlist a name. Verilog and all other formats that describe the same netlist
// use these names. The package also checks the names of ports and modules.
package names

import (
	"sort"
	"strconv"

	"ialgn/internal/bitplane"
	"ialgn/netlist"
)

// Signal is an input port or a cell. Each signal has a name of its own. The signals of the ports come first. Input
// port i is signal i, and cell c is signal c plus the number of input ports. A constant is not a signal.
type Signal int64

// Constant takes the place of a signal for a net that is constant.
const Constant Signal = -1

// IsBus reports whether cells of kind k drive a vector. Other cells drive a scalar.
func IsBus(k netlist.Kind) bool {
	return k == netlist.Popcount || k == netlist.Counter || k == netlist.Argmax
}

// Names gives every net of a netlist its name. It computes names on demand, so it stores no string for each gate,
// even for the largest netlist. A name depends only on the owner of the cell (its gate, word or bus) and on earlier
// cells with the same owner:
//
//	c3_k17_l42        the gate of class 3, chain 17 and layer 42
//	k17_y4_x5_l42     the gate of node 17 of layer 42 at row 4 and column 5 of an image, if positions share the node
//	c3_k17_l42_n1     another cell of that gate
//	x12_gt63          in the encoder: word 12 of the port x is above 63
//	x12_e0            another cell of the encoder that reads only word 12 of x
//	count_3_b2        a cell of the head that is count_3[2]
//	count_3_n5        a cell that leads to the probe count_3
//	class_index_n5    a cell of the argmax, which leads to the port class_index and to no probe
//	other_n0          a cell that leads only to gates or to nothing
//	c3_k17_l42_s2     a register in stage 2 that holds c3_k17_l42
//	x_5_s1            a register that holds x[5]
//
// An additional gate therefore renames nothing outside its chain and the counter of its class.
//
// Numbers start at 0. Only the numbers of additional cells of a gate and of additional registers start at 1. If a
// port's name ends in a digit or in _, a _ precedes the number of the word.
type Names struct {
	n        *netlist.Netlist
	firstBus netlist.Net             // all lower nets are driven by cells with one output
	alias    map[netlist.Cell]string // for each cell that is a whole bus, the name of its port or probe
	belong   *belongings             // cells whose names cannot be derived from their gates
	words    []wordOf                // words of the input ports
	buses    []netlist.Port          // probes and output ports
}

// New returns the names of the nets of n.
func New(n *netlist.Netlist) *Names {
	m := &Names{
		n: n, firstBus: netlist.Net(n.Nets()), alias: map[netlist.Cell]string{}, belong: newBelongings(n),
		words: inputWords(n), buses: buses(n),
	}
	for c := range netlist.Cell(n.Cells()) {
		if IsBus(n.Kind(c)) {
			m.firstBus = n.Output(c)
			break
		}
	}
	for _, ports := range [][]netlist.Port{n.OutputPorts(), n.Probes()} {
		for _, p := range ports {
			if c, ok := m.wholeBus(p.Nets); ok && m.alias[c] == "" {
				m.alias[c] = p.Name
			}
		}
	}
	return m
}

// wholeBus returns the vector cell whose outputs are exactly the given nets. The boolean result is false if there is
// no such cell.
func (m *Names) wholeBus(nets []netlist.Net) (netlist.Cell, bool) {
	c, pin, ok := m.n.Driver(nets[0])
	if !ok || pin != 0 || !IsBus(m.n.Kind(c)) || m.n.Outputs(c) != len(nets) {
		return 0, false
	}
	for i, v := range nets {
		if v != nets[0]+netlist.Net(i) {
			return 0, false
		}
	}
	return c, true
}

// Aliased reports whether the port or probe p consists of all outputs of one cell, which then has the name of p.
func (m *Names) Aliased(p netlist.Port) bool {
	c, ok := m.wholeBus(p.Nets)
	return ok && m.alias[c] == p.Name
}

// repeatedOrigins returns the cells whose origin also belongs to an earlier cell. It omits registers, because a
// register is named after the signal that it holds.
func repeatedOrigins(n *netlist.Netlist) bitplane.Set {
	layers, chains := 0, 0
	for c := range netlist.Cell(n.Cells()) {
		o := n.Origin(c)
		layers, chains = max(layers, int(o.Layer)), max(chains, int(o.Chain)+1)
	}
	repeated := bitplane.NewSet(n.Cells())
	first := originSet(layers, chains, n.Cells())
	for c := range netlist.Cell(n.Cells()) {
		if o := n.Origin(c); o.Layer > 0 && n.Kind(c) != netlist.Register && !first(o) {
			repeated.Add(int(c))
		}
	}
	return repeated
}

// originSet returns a function that reports whether it sees an origin for the first time. The function keeps one bit
// for each possible origin, or a map if there are many possible origins compared with the number of cells.
func originSet(layers, chains, cells int) func(netlist.Origin) bool {
	if all := layers * chains; all <= 64*cells+1024 {
		seen := bitplane.NewSet(all)
		return func(o netlist.Origin) bool { return seen.Add((int(o.Layer)-1)*chains + int(o.Chain)) }
	}
	seen := map[netlist.Origin]bool{}
	return func(o netlist.Origin) bool {
		old := seen[o]
		seen[o] = true
		return !old
	}
}

// Locate returns the signal to which net v belongs, and the number of the bit within the signal. For a constant it
// returns [Constant] and the constant's value.
func (m *Names) Locate(v netlist.Net) (s Signal, bit int) {
	ports := m.n.InputPorts()
	switch first := m.n.FirstCellNet(); {
	case v <= netlist.True:
		return Constant, int(v)
	case v < first:
		i := sort.Search(len(ports), func(i int) bool { return ports[i].Nets[0] > v }) - 1
		return Signal(i), int(v - ports[i].Nets[0])
	case v < m.firstBus:
		return m.cell(netlist.Cell(v - first)), 0
	}
	c, pin, _ := m.n.Driver(v)
	return m.cell(c), pin
}

func (m *Names) cell(c netlist.Cell) Signal { return Signal(len(m.n.InputPorts())) + Signal(c) }

// Width returns the number of bits of a vector, or 0 for a scalar or a constant.
func (m *Names) Width(s Signal) int {
	ports := m.n.InputPorts()
	if s == Constant {
		return 0
	}
	if int(s) < len(ports) {
		return len(ports[s].Nets)
	}
	if c := netlist.Cell(int(s) - len(ports)); IsBus(m.n.Kind(c)) {
		return m.n.Outputs(c)
	}
	return 0
}

// AppendSignal appends the name of a port or a cell.
func (m *Names) AppendSignal(buf []byte, s Signal) []byte {
	if ports := m.n.InputPorts(); int(s) < len(ports) {
		return append(buf, ports[s].Name...)
	}
	return m.AppendCell(buf, netlist.Cell(int(s)-len(m.n.InputPorts())))
}

// AppendCell appends the name of cell c. If the cell is a port or a probe, it appends the name of the port or probe.
func (m *Names) AppendCell(buf []byte, c netlist.Cell) []byte {
	if IsBus(m.n.Kind(c)) {
		if name, ok := m.alias[c]; ok {
			return append(buf, name...)
		}
	}
	return m.AppendOwn(buf, c)
}

// AppendOwn appends the name that cell c has because of its owner, even if the cell is a port or a probe.
func (m *Names) AppendOwn(buf []byte, c netlist.Cell) []byte {
	of := m.belong.of(c)
	if of == nil {
		return m.gateName(buf, m.n.Origin(c))
	}
	switch of.to {
	case OfGate:
		buf = m.gateName(buf, m.n.Origin(c))
	case OfWord:
		return appendNumber(m.wordName(buf, int(of.index)), "_e", uint64(of.number))
	case OfThreshold:
		return appendNumber(m.wordName(buf, int(of.index)), "_gt", uint64(of.number))
	case OfBit:
		return appendNumber(append(buf, m.buses[of.index].Name...), "_b", uint64(of.number))
	case OfBus:
		buf = append(buf, m.buses[of.index].Name...)
	case OfNothing:
		buf = append(buf, "other"...)
	case OfSignal:
		if buf = m.register(buf, c, of.index); of.number == 0 {
			return buf
		}
	}
	return appendNumber(buf, "_n", uint64(of.number))
}

// gateName appends the name of a gate. It consists of class, chain and layer, or of node, position and layer.
func (m *Names) gateName(buf []byte, o netlist.Origin) []byte {
	if node, row, column, shared := m.n.Place(o); shared {
		buf = appendNumber(appendNumber(buf, "k", uint64(node)), "_y", uint64(row))
		return appendNumber(appendNumber(buf, "_x", uint64(column)), "_l", uint64(o.Layer))
	}
	if class := m.n.ChainClasses(); int(o.Chain) < len(class) {
		buf = append(appendNumber(buf, "c", uint64(class[o.Chain])), '_')
	}
	return appendNumber(appendNumber(buf, "k", uint64(o.Chain)), "_l", uint64(o.Layer))
}

// wordName appends the port and the number of an input word. The separator distinguishes word 2 of x1 from word 12
// of x.
func (m *Names) wordName(buf []byte, word int) []byte {
	w := m.words[word]
	name := m.n.InputPorts()[w.port].Name
	buf = append(buf, name...)
	if last := name[len(name)-1]; last == '_' || last-'0' < 10 {
		buf = append(buf, '_')
	}
	return strconv.AppendUint(buf, uint64(w.index), 10)
}

// register appends the name of register c. It consists of the signal that the register holds, and the stage.
func (m *Names) register(buf []byte, c netlist.Cell, stage int32) []byte {
	s, bit := m.Locate(source(m.n, c))
	switch {
	case s == Constant:
		buf = appendNumber(buf, "constant_", uint64(bit))
	case m.Width(s) > 0:
		buf = appendNumber(m.AppendSignal(buf, s), "_", uint64(bit))
	default:
		buf = m.AppendSignal(buf, s)
	}
	return appendNumber(buf, "_s", uint64(stage))
}

func appendNumber(buf []byte, before string, number uint64) []byte {
	return strconv.AppendUint(append(buf, before...), number, 10)
}

// AppendNet appends the name of net v, which must not be a constant. For example, the name is x[3] for a bit of a
// port or of a cell with several outputs, and c3_k17_l42 for the gate of class 3, chain 17 and layer 42.
func (m *Names) AppendNet(buf []byte, v netlist.Net) []byte {
	s, bit := m.Locate(v)
	buf = m.AppendSignal(buf, s)
	if m.Width(s) == 0 {
		return buf
	}
	return append(strconv.AppendInt(append(buf, '['), int64(bit), 10), ']')
}
