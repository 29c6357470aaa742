package names

import (
	"math"
	"math/bits"
	"slices"

	"ialgn/internal/bitplane"
	"ialgn/netlist"
)

// belonging describes the parts of a cell's name that cannot be derived from the cell's gate.
type belonging struct {
	to     Sort
	index  int32  // stage of a register; for other cells, the number of the word or the bus
	number uint32 // the threshold or the bit, or else the index among the cells with the same owner
}

// Sort is the kind of thing after which a cell is named.
type Sort uint8

// These are the sorts of names. If several apply to a cell, the lowest one is used.
const (
	OfGate      Sort = iota // an additional cell of a gate
	OfWord                  // a cell of the encoder; the owner is an input word
	OfThreshold             // a cell of the encoder that computes word > number
	OfBit                   // a bit of a probe or an output port
	OfBus                   // a cell on the way to a probe, such as the count of a class, or to an output port
	OfNothing               // any other cell
	OfSignal                // a register, which holds a signal
)

// belongings holds the belonging of each cell that needs one. These cells are registers, cells of no gate, and all
// cells of a gate except the first. All other cells take only one bit of memory.
type belongings struct {
	need   bitplane.Set
	before []uint32 // for each word of need, the number of ones in all lower words
	list   []belonging
}

// of returns the belonging of cell c, or nil if the cell needs no belonging.
func (b *belongings) of(c netlist.Cell) *belonging {
	if !b.need.Has(int(c)) {
		return nil
	}
	below := b.need[c>>6] & (1<<(c&63) - 1)
	return &b.list[int(b.before[c>>6])+bits.OnesCount64(below)]
}

// each calls f for each cell that needs a belonging, in order.
func (b *belongings) each(f func(c netlist.Cell, of *belonging)) {
	i := 0
	for w, left := range b.need {
		for ; left != 0; left &= left - 1 {
			f(netlist.Cell(64*w+bits.TrailingZeros64(left)), &b.list[i])
			i++
		}
	}
}

// Sorts returns the sorts of names that the cells have. The first cell of each gate does not count. The map has false
// for a sort if each cell with such a name is a bus that is named after a port or a probe.
func (m *Names) Sorts() map[Sort]bool {
	sorts := map[Sort]bool{}
	m.belong.each(func(c netlist.Cell, of *belonging) {
		_, bus := m.alias[c]
		sorts[of.to] = sorts[of.to] || !bus
	})
	return sorts
}

// newBelongings determines the belongings of the cells of n. A cell's number depends only on cells with the same
// owner. A change elsewhere therefore changes no name.
func newBelongings(n *netlist.Netlist) *belongings {
	b := &belongings{need: repeatedOrigins(n)}
	for c := range netlist.Cell(n.Cells()) {
		if n.Origin(c).Layer == 0 || n.Kind(c) == netlist.Register {
			b.need.Add(int(c))
		}
	}
	b.before = make([]uint32, len(b.need))
	count := 0
	for w, word := range b.need {
		b.before[w] = uint32(count)
		count += bits.OnesCount64(word)
	}
	b.list = make([]belonging, count)
	if count > 0 {
		b.reach(n)
		b.encoder(n)
		b.numbers(n)
	}
	return b
}

// reach determines the buses to which cells lead.
type reach struct {
	*belongings
	n    *netlist.Netlist
	last bitplane.Set // cells that are bits of a bus
}

// buses returns the buses that can give a cell its name. The probes come first, then the output ports.
func buses(n *netlist.Netlist) []netlist.Port { return slices.Concat(n.Probes(), n.OutputPorts()) }

// reach sets the owner of the cells that belong to no gate. The owner is the bus that has the cell as a bit, or else
// the first bus that the cell leads to. Only the path to the next bus counts. Otherwise every cell of a class's count
// would also lead to the class index.
func (b *belongings) reach(n *netlist.Netlist) {
	r := reach{b, n, bitplane.NewSet(n.Cells())}
	cells := make([]netlist.Cell, 0, len(b.list))
	b.each(func(c netlist.Cell, of *belonging) {
		of.to = OfNothing
		if n.Origin(c).Layer > 0 && n.Kind(c) != netlist.Register {
			of.to = OfGate
		}
		cells = append(cells, c)
	})
	for i, p := range buses(n) {
		r.bus(i, p.Nets)
	}
	for i := len(cells) - 1; i >= 0; i-- {
		to := b.list[i]
		if to.to == OfBit {
			to = belonging{to: OfBus, index: to.index}
		}
		for _, v := range n.Inputs(cells[i]) {
			r.lead(v, to)
		}
	}
}

// bus records which cells are bits of a bus.
func (r *reach) bus(index int, nets []netlist.Net) {
	for bit, v := range nets {
		to := belonging{OfBit, int32(index), uint32(bit)}
		if c, _, ok := r.n.Driver(v); ok && IsBus(r.n.Kind(c)) {
			to = belonging{to: OfBus, index: int32(index)}
		}
		r.lead(v, to)
	}
	for _, v := range nets {
		if c, _, ok := r.n.Driver(v); ok {
			r.last.Add(int(c))
		}
	}
}

// lead records that net v leads to a bus or is a bit of the bus. It records nothing if the driver of v already has an
// owner with precedence.
func (r *reach) lead(v netlist.Net, to belonging) {
	c, _, ok := r.n.Driver(v)
	if !ok || to.to == OfGate || r.last.Has(int(c)) {
		return
	}
	if of := r.of(c); of != nil && of.to != OfGate && (to.to < of.to || to.to == of.to && to.index < of.index) {
		*of = to
	}
}

// encoder sets the owners of the encoder's cells.
func (b *belongings) encoder(n *netlist.Netlist) {
	word, e := n.Words(), newEncoder(n)
	seen := map[belonging]bool{}
	b.each(func(c netlist.Cell, of *belonging) {
		w := word[n.Output(c)]
		if of.to == OfGate || n.Kind(c) == netlist.Register || w < 0 {
			return
		}
		*of = belonging{to: OfWord, index: w}
		threshold, ok := e.threshold(c, int(w))
		as := belonging{OfThreshold, w, uint32(threshold)}
		if ok && threshold <= math.MaxUint32 && !seen[as] {
			seen[as] = true
			*of = as
		}
	})
}

// numbers assigns numbers to the cells of each owner.
func (b *belongings) numbers(n *netlist.Netlist) {
	gates := map[netlist.Origin]uint32{}
	owners := map[belonging]uint32{}
	type held struct {
		signal netlist.Net
		stage  int32
	}
	registers := map[held]uint32{}
	var stages []int32
	b.each(func(c netlist.Cell, of *belonging) {
		switch {
		case n.Kind(c) == netlist.Register:
			if stages == nil {
				stages = n.Stages()
			}
			h := held{source(n, c), max(0, stages[n.Output(c)])}
			*of = belonging{OfSignal, h.stage, registers[h]}
			registers[h]++
		case of.to == OfGate:
			gates[n.Origin(c)]++
			of.number = gates[n.Origin(c)]
		case of.to != OfThreshold && of.to != OfBit:
			key := *of
			of.number = owners[key]
			owners[key]++
		}
	})
}

// source returns the signal that register c holds, possibly through other registers.
func source(n *netlist.Netlist, c netlist.Cell) netlist.Net {
	for {
		v := n.Inputs(c)[0]
		d, _, ok := n.Driver(v)
		if !ok || n.Kind(d) != netlist.Register {
			return v
		}
		c = d
	}
}
