package head

import (
	"math/bits"
	"slices"

	"ialgn/netlist"
)

// A gate that only a popcount reads need not be a cell: the first counter that counts it
// can compute it, if its LUTs have inputs left. With bits that cost b LUTs each further up
// in the tree, a counter of n bits with m outputs that takes g gates in saves
// g + b (n - m) - m LUTs: for K = 6 two for a full adder on three gates of two inputs each,
// and more where gates share inputs.

// item is a bit that may be absorbed, as a function of nets of the old netlist: a gate of
// few inputs, or a bit as it is, which is a function of itself and saves no cell.
type item struct {
	input  int // of the popcount
	gate   bool
	leaves []netlist.Net
	table  uint64 // extended
}

// group is a counter with the gates that it absorbs.
type group struct {
	leaves []netlist.Net
	items  []item
}

// absorber chooses the groups of one popcount.
type absorber struct {
	k       int
	gates   []item // absorbable, with two inputs, then with three
	plain   []item // the rest
	taken   map[int]bool
	readers map[netlist.Net][]int // gates that read a net
	groups  []group
}

// worthOfBit returns the LUTs that a tree takes for each bit that it makes fewer.
func worthOfBit(k int) float64 {
	return []float64{3: 2, 4: 1.75, 5: 1.5, 6: 1}[k]
}

// saves returns the LUTs that a group saves.
func (a *absorber) saves(g *group) float64 {
	gates := 0
	for _, it := range g.items {
		if it.gate {
			gates++
		}
	}
	n := len(g.items)
	m := bits.Len(uint(n))
	return float64(gates) + worthOfBit(a.k)*float64(n-m) - float64(m)
}

// absorb chooses groups among items.
func absorb(k int, items []item) []group {
	if k < 4 { // a full adder leaves no input
		return nil
	}
	a := &absorber{k: k, taken: map[int]bool{}, readers: map[netlist.Net][]int{}}
	for _, it := range items {
		if it.gate {
			a.gates = append(a.gates, it)
		} else {
			a.plain = append(a.plain, it)
		}
	}
	slices.SortStableFunc(a.gates, func(x, y item) int { return len(x.leaves) - len(y.leaves) })
	for i, it := range a.gates {
		for _, v := range it.leaves {
			a.readers[v] = append(a.readers[v], i)
		}
	}
	a.shared()
	a.adders()
	return a.groups
}

// shared makes groups of gates that read the same nets, as long as they save more a gate
// than full adders do.
func (a *absorber) shared() {
	base := a.adder(a.k)
	for i := range a.gates {
		if a.taken[a.gates[i].input] {
			continue
		}
		g := a.grow(i)
		if len(g.items) > 3 && a.saves(&g)*float64(base) > a.saves(a.example(base))*float64(len(g.items)) {
			a.take(g)
		}
	}
}

// example returns a full adder on so many gates.
func (a *absorber) example(gates int) *group {
	g := &group{items: make([]item, 3)}
	for i := range gates {
		g.items[i].gate = true
	}
	return g
}

// grow returns the group around gate i, to which the gate that needs the fewest further
// nets is added again and again, up to seven.
func (a *absorber) grow(i int) group {
	g := group{slices.Clone(a.gates[i].leaves), []item{a.gates[i]}}
	in := map[int]bool{i: true}
	for len(g.items) < 7 {
		next, fewest := -1, a.k-len(g.leaves)+1
		for _, v := range g.leaves {
			for _, j := range a.readers[v] {
				if in[j] || a.taken[a.gates[j].input] {
					continue
				}
				if more := missing(g.leaves, a.gates[j].leaves); more < fewest {
					next, fewest = j, more
				}
			}
		}
		if next < 0 {
			return g
		}
		in[next] = true
		g.add(a.gates[next])
	}
	return g
}

// missing returns how many of some nets are not among others.
func missing(among, nets []netlist.Net) (count int) {
	for _, v := range nets {
		if !slices.Contains(among, v) {
			count++
		}
	}
	return count
}

func (g *group) add(it item) {
	for _, v := range it.leaves {
		if !slices.Contains(g.leaves, v) {
			g.leaves = append(g.leaves, v)
		}
	}
	g.items = append(g.items, it)
}

func (a *absorber) take(g group) {
	for _, it := range g.items {
		a.taken[it.input] = true
	}
	a.groups = append(a.groups, g)
}

// adder returns how many gates of two inputs fit a full adder of k inputs.
func (a *absorber) adder(k int) int { return min(3, k-3) }

// adders makes full adders on what is left: three bits each, with as many gates as fit,
// those of two inputs first.
func (a *absorber) adders() {
	free := func(list []item) []item {
		return slices.DeleteFunc(slices.Clone(list), func(it item) bool { return a.taken[it.input] })
	}
	gates, plain := free(a.gates), free(a.plain)
	for len(gates) > 0 {
		g := group{}
		for len(g.items) < 3 && len(gates) > 0 && len(g.leaves)+missing(g.leaves, gates[0].leaves) <= a.k-2+len(g.items) {
			g.add(gates[0])
			gates = gates[1:]
		}
		for len(g.items) < 3 && len(plain) > 0 && len(g.leaves) < a.k {
			g.add(plain[0])
			plain = plain[1:]
		}
		if len(g.items) < 3 || a.saves(&g) <= 0 {
			return
		}
		a.take(g)
	}
}

// items returns the bits of a count that are counted once, with what may be absorbed.
func (f *folding) items(r *folded, once map[int]bit) []item {
	var list []item
	for i := range r.inputs {
		b, ok := once[i]
		if !ok {
			continue
		}
		it := item{input: i, leaves: []netlist.Net{b.net}, table: netlist.Extend(b.term(1).Table, 1)}
		if c, _, driven := f.n.Driver(b.net); driven && f.n.Kind(c) == netlist.Function && f.readers[b.net] == 1 {
			in := f.n.Inputs(c)
			table := netlist.Effective(f.n.Param(c), in)
			if support := netlist.Support(table); bits.OnesCount8(support) == 2 || bits.OnesCount8(support) == 3 {
				it.gate, it.leaves = true, nil
				for s := support; s != 0; s &= s - 1 {
					it.leaves = append(it.leaves, in[bits.TrailingZeros8(s)])
				}
				it.table = netlist.Extend(project(table, support), len(it.leaves))
				if b.inverted {
					it.table = ^it.table
				}
			}
		}
		list = append(list, it)
	}
	return list
}

// countReaders counts the pins and ports that read each net.
func (f *folding) countReaders() {
	f.readers = make([]uint8, f.n.Nets())
	read := func(nets []netlist.Net) {
		for _, v := range nets {
			f.readers[v] = min(f.readers[v], 254) + 1
		}
	}
	for i := range netlist.Cell(f.n.Cells()) {
		read(f.n.Inputs(i))
	}
	for _, p := range slices.Concat(f.n.OutputPorts(), f.n.Probes()) {
		read(p.Nets)
	}
}

// absorb takes groups out of the bits of a count.
func (f *folding) absorb(k int, r *folded, once map[int]bit) {
	r.groups = absorb(k, f.items(r, once))
	gone := map[bit]bool{}
	for _, g := range r.groups {
		for _, it := range g.items {
			gone[once[it.input]] = true
			r.inputs[it.input] = Bit{Nets: slices.Clone(it.leaves), Table: it.table & (1<<(1<<len(it.leaves)) - 1)}
		}
	}
	r.bits[0] = slices.DeleteFunc(r.bits[0], func(b bit) bool { return gone[b] })
}

// groupSum adds the counter of a group to a circuit, whose nets for its leaves are given,
// and its digits to the sum.
func (c *circuit) groupSum(g *group, nets []netlist.Net, a *addends) Counter {
	counter := Counter{Leaves: leaves(nets)}
	for _, it := range g.items {
		in := make([]netlist.Net, len(it.leaves))
		for j, v := range it.leaves {
			in[j] = nets[slices.Index(g.leaves, v)]
		}
		counter.In = append(counter.In, Term{1, in, it.table & (1<<(1<<len(in)) - 1)})
	}
	for d := range bits.Len(uint(len(g.items))) {
		out := c.function(tabulate(len(nets), func(x uint) bool { return g.ones(x)>>d&1 == 1 }), nets...)
		a.bits[d] = append(a.bits[d], bit{net: out})
		counter.Out = append(counter.Out, bit{net: out}.term(1<<d))
	}
	return counter
}

// ones returns how many of the items are 1 for a value of the leaves.
func (g *group) ones(x uint) (count int) {
	for _, it := range g.items {
		at := uint(0)
		for j, v := range it.leaves {
			at |= x >> slices.Index(g.leaves, v) & 1 << j
		}
		count += int(it.table >> at & 1)
	}
	return count
}
