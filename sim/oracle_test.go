package sim

import (
	"slices"

	"ialgn/netlist"
)

// oracle is a slow and simple evaluator for one sample. It holds one bool for each net, and evaluates every kind of
// cell by its definition in package netlist.
type oracle struct {
	n     *netlist.Netlist
	state map[netlist.Cell]bool
	value []bool
}

func newOracle(n *netlist.Netlist) *oracle {
	return &oracle{n, map[netlist.Cell]bool{}, make([]bool, n.Nets())}
}

// run evaluates the cells. The input has one bool for each bit of the input ports, in port order.
func (o *oracle) run(in []bool) {
	o.value[netlist.True] = true
	for _, p := range o.n.InputPorts() {
		for _, v := range p.Nets {
			o.value[v], in = in[0], in[1:]
		}
	}
	for c := range netlist.Cell(o.n.Cells()) {
		result := o.cell(c)
		for k := range o.n.Outputs(c) {
			o.value[int(o.n.Output(c))+k] = result>>k&1 == 1
		}
	}
}

// clock simulates the clock edge after run.
func (o *oracle) clock() {
	for c := range netlist.Cell(o.n.Cells()) {
		in := o.n.Inputs(c)
		if o.n.Kind(c) == netlist.Register && (len(in) == 1 || o.value[in[1]]) {
			o.state[c] = o.value[in[0]]
		}
	}
}

// number reads nets as an unsigned number, least significant bit first.
func (o *oracle) number(nets []netlist.Net) uint64 {
	x := uint64(0)
	for i, v := range nets {
		if o.value[v] {
			x |= 1 << i
		}
	}
	return x
}

func (o *oracle) ones(nets []netlist.Net) uint64 {
	count := uint64(0)
	for _, v := range nets {
		if o.value[v] {
			count++
		}
	}
	return count
}

// cell returns the outputs of a cell as a number.
func (o *oracle) cell(c netlist.Cell) uint64 {
	in, param := o.n.Inputs(c), o.n.Param(c)
	switch o.n.Kind(c) {
	case netlist.Function:
		return param >> o.number(in) & 1
	case netlist.Primitive:
		return o.n.Primitives()[param].Table >> o.number(in) & 1
	case netlist.Compare:
		return b2u(o.number(in) > param)
	case netlist.Popcount, netlist.Counter:
		return o.ones(in)
	case netlist.Carry:
		return b2u(o.ones(in) >= 2)
	case netlist.Register:
		return b2u(o.state[c])
	case netlist.Argmax:
		width, margin := o.n.ArgmaxWidth(c), uint64(o.n.Margin(c))
		var words []uint64
		for ; len(in) > 0; in = in[width:] {
			words = append(words, o.number(in[:width]))
		}
		index := slices.Index(words, slices.Max(words))
		for _, class := range slices.Backward(o.n.Ties()) { // from the last to the first, so that the first one is left
			if words[class] == slices.Max(words) {
				index = int(class)
			}
		}
		for class, x := range words {
			if margin > 0 && class != index && x+margin > words[index] {
				return uint64(index) | 1<<o.n.IndexBits(c)
			}
		}
		return uint64(index)
	default:
		panic("oracle: a kind that it does not know")
	}
}

func b2u(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// inputBits returns the number of bits of all input ports.
func inputBits(n *netlist.Netlist) int {
	sum := 0
	for _, p := range n.InputPorts() {
		sum += len(p.Nets)
	}
	return sum
}

// split cuts the rows of all input bits into one slice for each port.
func split(n *netlist.Netlist, rows []uint64, words int) [][]uint64 {
	var in [][]uint64
	for _, p := range n.InputPorts() {
		size := len(p.Nets) * words
		in, rows = append(in, rows[:size]), rows[size:]
	}
	return in
}

// sampleOf returns the bits of one sample.
func sampleOf(rows []uint64, words, sample int) []bool {
	in := make([]bool, len(rows)/words)
	for r := range in {
		in[r] = rows[r*words+sample/64]>>(sample%64)&1 == 1
	}
	return in
}

// differs runs the simulator and the oracle on random samples for the given number of clocks. It returns the first
// net on which they disagree.
func differs(n *netlist.Netlist, block, words, clocks int, random func() uint64) (clock, sample int, net netlist.Net,
	found bool, err error,
) {
	s, err := NewBlock(n, block)
	if err != nil {
		return 0, 0, 0, false, err
	}
	oracles := make([]*oracle, words*64)
	for i := range oracles {
		oracles[i] = newOracle(n)
	}
	for clock := range clocks {
		rows := make([]uint64, inputBits(n)*words)
		for i := range rows {
			rows[i] = random()
		}
		if err := s.Step(words, split(n, rows, words)...); err != nil {
			return 0, 0, 0, false, err
		}
		for i, o := range oracles {
			o.run(sampleOf(rows, words, i))
			o.clock()
			for v := range netlist.Net(n.Nets()) {
				if got := s.Net(v)[i/64] >> (i % 64) & 1; got != b2u(o.value[v]) {
					return clock, i, v, true, nil
				}
			}
		}
	}
	return 0, 0, 0, false, nil
}
