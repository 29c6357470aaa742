package names

import (
	"math"
	"math/bits"
	"slices"

	"ialgn/internal/bitplane"
	"ialgn/netlist"
)

// A belonging says what the name of a cell is made of where the gate that it came from
// does not say it alone.
type belonging struct {
	to     Sort
	index  int32  // number of the word or the bus; for a register, its stage
	number uint32 // among those that belong to the same, in cell order; the threshold, the bit
}

// A Sort of names says after what the cells are called that have it.
type Sort uint8

// The sorts of names; among them, where several fit, the lower one is taken.
const (
	OfGate      Sort = iota // a further cell of a gate
	OfWord                  // a cell of the encoder, of which the input word is the owner
	OfThreshold             // the same: word > number
	OfBit                   // a bit of a probe or an output port
	OfBus                   // a cell on the way to a probe, such as the count of a class, or to an output port
	OfNothing               // all else
	OfSignal                // a register, which holds a signal
)

// belongings has the belonging of those cells that need one: cells of no gate, registers,
// and all but the first cell of a gate. Most cells need none and cost a bit.
type belongings struct {
	need   bitplane.Set
	before []uint32 // members of need in lower elements of it
	list   []belonging
}

// of returns the belonging of cell c, nil where it needs none.
func (b *belongings) of(c netlist.Cell) *belonging {
	if !b.need.Has(int(c)) {
		return nil
	}
	below := b.need[c>>6] & (1<<(c&63) - 1)
	return &b.list[int(b.before[c>>6])+bits.OnesCount64(below)]
}

// each calls f for the cells that need a belonging, in order.
func (b *belongings) each(f func(c netlist.Cell, of *belonging)) {
	i := 0
	for w, left := range b.need {
		for ; left != 0; left &= left - 1 {
			f(netlist.Cell(64*w+bits.TrailingZeros64(left)), &b.list[i])
			i++
		}
	}
}

// Sorts returns the sorts of names that occur, leaving out the first cell of each gate. The value is false where all
// cells of a sort are buses that bear the name of a port or a probe.
func (m *Names) Sorts() map[Sort]bool {
	sorts := map[Sort]bool{}
	m.belong.each(func(c netlist.Cell, of *belonging) {
		_, bus := m.alias[c]
		sorts[of.to] = sorts[of.to] || !bus
	})
	return sorts
}

// newBelongings says what the cells of n belong to. A number depends on the cells of the
// same owner alone, so that a change elsewhere changes no name.
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

// reach finds what cells lead to.
type reach struct {
	*belongings
	n    *netlist.Netlist
	last bitplane.Set // cells that are bits of a bus
}

// buses returns the named buses that cells can lead to, probes first.
func buses(n *netlist.Netlist) []netlist.Port { return slices.Concat(n.Probes(), n.OutputPorts()) }

// reach sets the owner of cells of no gate: the bus that they are a bit of, else the first
// of those that they lead to. What lies beyond a bus does not count for the cells that lead
// to it: all counts lead to the class.
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

// bus notes which cells are the bits of a bus.
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

// lead notes that net v leads to a bus, or is a bit of it, unless its driver has an owner
// that goes before.
func (r *reach) lead(v netlist.Net, to belonging) {
	c, _, ok := r.n.Driver(v)
	if !ok || to.to == OfGate || r.last.Has(int(c)) {
		return
	}
	if of := r.of(c); of != nil && of.to != OfGate && (to.to < of.to || to.to == of.to && to.index < of.index) {
		*of = to
	}
}

// encoder sets the owner of the encoder's cells.
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

// numbers numbers the cells of each owner.
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

// source returns the net that register c holds, which is no register itself.
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
