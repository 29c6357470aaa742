package verilog

import (
	"sort"
	"strconv"

	"ialgn/netlist"
)

// bitset is a set of small integers.
type bitset []uint64

func newBitset(n int) bitset       { return make(bitset, (n+63)/64) }
func (s bitset) add(i int)         { s[i>>6] |= 1 << (i & 63) }
func (s bitset) has(i int) bool    { return s[i>>6]>>(i&63)&1 == 1 }
func (s bitset) addNew(i int) bool { old := s.has(i); s.add(i); return !old }
func (s bitset) addNets(v []netlist.Net) {
	for _, v := range v {
		s.add(int(v))
	}
}

// A signal is what has a name of its own in the module: an input port or a cell. Input
// port i is signal i, cell c is the signal after all ports; constants have none.
type signal int64

const constant signal = -1

// names says what each net is called. It computes names when they are asked for, so
// that the largest netlist needs no string a gate.
type names struct {
	n        *netlist.Netlist
	firstBus netlist.Net             // nets below it are driven by cells with one output
	alias    map[netlist.Cell]string // buses that are called as the port or probe that they are
	repeated bitset                  // cells whose gate of the model named a cell before
}

// isBus reports whether cells of kind k drive a vector, others drive a scalar.
func isBus(k netlist.Kind) bool {
	return k == netlist.Popcount || k == netlist.Counter || k == netlist.Argmax
}

// Names gives every net of a netlist the name that it has in Verilog, for formats that say
// the same of it.
type Names struct{ names *names }

// NewNames returns the names of the nets of n.
func NewNames(n *netlist.Netlist) Names { return Names{newNames(n)} }

// AppendNet appends the name of net v, which is no constant: x[3] for a bit of a port or of
// a cell with several outputs, c3_k17_l42 for the gate of class 3, chain 17 and layer 42.
func (m Names) AppendNet(buf []byte, v netlist.Net) []byte { return m.names.net(buf, v) }

// CheckPortName returns nil if s can name a port or a probe beside [Names]: it is an
// identifier ([netlist.CheckName]) and none of the names that cells have.
func CheckPortName(s string) error {
	if err := netlist.CheckName(s); err != nil {
		return err
	}
	return checkReserved(s)
}

func newNames(n *netlist.Netlist) *names {
	m := &names{n: n, firstBus: netlist.Net(n.Nets()), alias: map[netlist.Cell]string{}, repeated: repeatedOrigins(n)}
	for c := range netlist.Cell(n.Cells()) {
		if isBus(n.Kind(c)) {
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

// wholeBus returns the cell whose outputs are exactly the given nets, if it is one
// that drives a vector.
func (m *names) wholeBus(nets []netlist.Net) (netlist.Cell, bool) {
	c, pin, ok := m.n.Driver(nets[0])
	if !ok || pin != 0 || !isBus(m.n.Kind(c)) || m.n.Outputs(c) != len(nets) {
		return 0, false
	}
	for i, v := range nets {
		if v != nets[0]+netlist.Net(i) {
			return 0, false
		}
	}
	return c, true
}

// aliased reports whether the port or probe p is itself the bus of a cell.
func (m *names) aliased(p netlist.Port) bool {
	c, ok := m.wholeBus(p.Nets)
	return ok && m.alias[c] == p.Name
}

// repeatedOrigins returns the cells whose origin an earlier cell has too.
func repeatedOrigins(n *netlist.Netlist) bitset {
	layers, chains := 0, 0
	for c := range netlist.Cell(n.Cells()) {
		o := n.Origin(c)
		layers, chains = max(layers, int(o.Layer)), max(chains, int(o.Chain)+1)
	}
	repeated := newBitset(n.Cells())
	first := originSet(layers, chains, n.Cells())
	for c := range netlist.Cell(n.Cells()) {
		if o := n.Origin(c); o.Layer > 0 && !first(o) {
			repeated.add(int(c))
		}
	}
	return repeated
}

// originSet returns a function that reports whether it sees an origin for the first
// time. It keeps one bit for each possible origin where that is little, and a map
// where origins are few and far between.
func originSet(layers, chains, cells int) func(netlist.Origin) bool {
	if all := layers * chains; all <= 64*cells+1024 {
		seen := newBitset(all)
		return func(o netlist.Origin) bool { return seen.addNew((int(o.Layer)-1)*chains + int(o.Chain)) }
	}
	seen := map[netlist.Origin]bool{}
	return func(o netlist.Origin) bool {
		old := seen[o]
		seen[o] = true
		return !old
	}
}

// locate returns the signal that net v is a bit of, and which bit.
func (m *names) locate(v netlist.Net) (s signal, bit int) {
	ports := m.n.InputPorts()
	switch first := m.n.FirstCellNet(); {
	case v <= netlist.True:
		return constant, int(v)
	case v < first:
		i := sort.Search(len(ports), func(i int) bool { return ports[i].Nets[0] > v }) - 1
		return signal(i), int(v - ports[i].Nets[0])
	case v < m.firstBus:
		return m.cell(netlist.Cell(v - first)), 0
	}
	c, pin, _ := m.n.Driver(v)
	return m.cell(c), pin
}

func (m *names) cell(c netlist.Cell) signal { return signal(len(m.n.InputPorts())) + signal(c) }

// width returns the number of bits of a vector, 0 for a scalar or a constant.
func (m *names) width(s signal) int {
	ports := m.n.InputPorts()
	if s == constant {
		return 0
	}
	if int(s) < len(ports) {
		return len(ports[s].Nets)
	}
	if c := netlist.Cell(int(s) - len(ports)); isBus(m.n.Kind(c)) {
		return m.n.Outputs(c)
	}
	return 0
}

// signal appends the name of a port or a cell.
func (m *names) signal(buf []byte, s signal) []byte {
	if ports := m.n.InputPorts(); int(s) < len(ports) {
		return append(buf, ports[s].Name...)
	}
	return m.cellName(buf, netlist.Cell(int(s)-len(m.n.InputPorts())))
}

// prefix of the names of cells that came from no gate of the model.
var prefix = map[netlist.Kind]string{
	netlist.Function: "fn_", netlist.Compare: "cmp_", netlist.Popcount: "pop_", netlist.Counter: "ctr_",
	netlist.Argmax: "argmax_", netlist.Carry: "carry_", netlist.Register: "reg_", netlist.Primitive: "prim_",
}

// cellName appends the name of cell c: that of the port or probe that it is, else of
// the gate of the model that it came from (class, chain, layer), else its kind and
// index. Where several cells came from one gate, all but the first add their index.
func (m *names) cellName(buf []byte, c netlist.Cell) []byte {
	if name, ok := m.alias[c]; ok && isBus(m.n.Kind(c)) {
		return append(buf, name...)
	}
	o := m.n.Origin(c)
	if o.Layer == 0 || isBus(m.n.Kind(c)) {
		return m.indexName(buf, c)
	}
	if class := m.n.ChainClasses(); int(o.Chain) < len(class) {
		buf = append(strconv.AppendUint(append(buf, 'c'), uint64(class[o.Chain]), 10), '_')
	}
	buf = strconv.AppendUint(append(buf, 'k'), uint64(o.Chain), 10)
	buf = strconv.AppendUint(append(buf, "_l"...), uint64(o.Layer), 10)
	if m.repeated.has(int(c)) {
		buf = strconv.AppendUint(append(buf, "_n"...), uint64(c), 10)
	}
	return buf
}

// indexName appends the kind and the index of cell c.
func (m *names) indexName(buf []byte, c netlist.Cell) []byte {
	return strconv.AppendUint(append(buf, prefix[m.n.Kind(c)]...), uint64(c), 10)
}

// net appends one bit as an operand.
func (m *names) net(buf []byte, v netlist.Net) []byte {
	s, bit := m.locate(v)
	return m.piece(buf, piece{s, bit, 1})
}
