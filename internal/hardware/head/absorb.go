package head

import (
	"math"
	"math/bits"
	"slices"

	"ialgn/internal/counts"
	"ialgn/netlist"
)

// A gate that only a popcount reads need not be a cell. The first counter that counts the gate can also compute
// (absorb) it, if the counter's LUTs have inputs left. Suppose that each bit costs b LUTs in the rest of the tree. A
// counter of n bits with m outputs that absorbs g gates then saves g + b (n - m) - m LUTs. For K = 6, a full adder
// that absorbs three gates of two inputs saves two LUTs. It saves more if the gates share inputs.

// item is a bit that a counter may absorb, as a function of nets of the old netlist. The bit is the output of a gate,
// or a single net as a function of itself. Absorbing a single net saves no cell.
type item struct {
	input  int // number of the popcount's input
	bit    bit
	gate   bool
	leaves []netlist.Net
	table  uint64 // extended to six inputs
}

// plain returns the item for a bit that is not a gate.
func plain(input int, b bit) item {
	return item{input: input, bit: b, leaves: []netlist.Net{b.net}, table: netlist.Extend(b.term(1).Table, 1)}
}

// own returns the item's table without the extension to six inputs.
func (it item) own() uint64 { return it.table & netlist.TableMask(len(it.leaves)) }

// group is a counter with the gates that it absorbs.
type group struct {
	leaves []netlist.Net
	items  []item
}

func (g *group) add(it item) {
	for _, v := range it.leaves {
		if !slices.Contains(g.leaves, v) {
			g.leaves = append(g.leaves, v)
		}
	}
	g.items = append(g.items, it)
}

// gates returns the number of gates that a group absorbs.
func (g *group) gates() (count int) {
	for _, it := range g.items {
		if it.gate {
			count++
		}
	}
	return count
}

// absorber chooses the groups of one popcount.
type absorber struct {
	k        int
	gates    []item                // gates that may be absorbed; gates with few inputs come first
	wires    []item                // the rest
	bit      map[netlist.Net]item  // [net]: the item in wires for the net
	taken    []bool                // [popcount input]: whether the input is absorbed
	lastRate []float64             // [gate]: the best rate at the gate's last evaluation
	readers  map[netlist.Net][]int // [net]: the gates that read the net
	near     [][]int               // [gate]: the gates that share leaves with the gate (see sharing); nil until needed
	short    int                   // number of a gate; all two-input gates with lower numbers are taken
	groups   []group
	rows     []row
}

// worthOfBit returns the number of LUTs that a tree saves if it has to add one bit less.
func worthOfBit(k int) float64 { return [...]float64{4: 1.75, 5: 1.5, 6: 1}[k] }

// rate returns the number of LUTs that a group saves, divided by the number of gates that it absorbs.
func (a *absorber) rate(g *group) float64 {
	gates := g.gates()
	if gates == 0 {
		return 0
	}
	least, most := g.limits()
	m := bits.Len(uint(most - least))
	return (float64(gates) + float64(worthOfBit(a.k)*float64(len(g.items)-m)) - float64(m)) / float64(gates)
}

// limits returns the smallest and the largest number of items of a group that can be 1 at the same time. Gates that
// share inputs may exclude each other. The count then needs fewer digits.
func (g *group) limits() (least, most int) {
	least = len(g.items)
	var digit [3]uint64 // digits of the number of ones; each is a table over the values of the leaves
	for _, it := range g.items {
		carry := it.over(g.leaves)
		for d := range digit {
			digit[d], carry = digit[d]^carry, digit[d]&carry
		}
	}
	for ones := range len(g.items) + 1 {
		is := ^uint64(0)
		for d := range digit {
			is &= digit[d] ^ (uint64(ones>>d&1) - 1)
		}
		if is != 0 {
			least, most = min(least, ones), ones
		}
	}
	return least, most
}

// over returns the extended table of an item over the leaves of a group.
func (it item) over(leaves []netlist.Net) (table uint64) {
	var place [netlist.MaxFunctionInputs]int
	for j, v := range it.leaves {
		if place[j] = slices.Index(leaves, v); place[j] < 0 {
			place[j] = netlist.MaxFunctionInputs // this leaf is not in the group, so it reads as 0
		}
	}
	for x := range 64 {
		at := 0
		for j := range it.leaves {
			at |= x >> place[j] & 1 << j
		}
		table |= it.table >> at & 1 << x
	}
	return table
}

// newAbsorber returns an absorber for the items of a popcount with the given number of inputs.
func newAbsorber(k, inputs int, items []item) *absorber {
	a := &absorber{k: k, taken: make([]bool, inputs), readers: map[netlist.Net][]int{}, bit: map[netlist.Net]item{}}
	for _, it := range items {
		if it.gate {
			a.gates = append(a.gates, it)
		} else {
			a.wires = append(a.wires, it)
			a.bit[it.bit.net] = it
		}
	}
	slices.SortStableFunc(a.gates, func(x, y item) int { return len(x.leaves) - len(y.leaves) })
	a.near = make([][]int, len(a.gates))
	a.lastRate = slices.Repeat([]float64{math.Inf(1)}, len(a.gates))
	for i, it := range a.gates {
		for _, v := range it.leaves {
			a.readers[v] = append(a.readers[v], i)
		}
	}
	return a
}

// Groups are taken in rounds. Each round accepts groups with lower rates than the round before. Rows may be tried
// after the first firstRows rounds. The groups of these rounds save more than any row.
var (
	rates     = [...]float64{1.3, 1.2, 1.1, 1, 0.9, 0.8, 0.7, 0.66, 0.55, 0.45, 0.2}
	firstRows = 3
)

// choose first takes the groups that save most per gate, and then groups with lower and lower rates. If rows are
// allowed, it takes them between two rounds of groups, at the point where all groups and rows together save most.
func (a *absorber) choose(rows bool) ([]group, []row) {
	for _, least := range rates[:firstRows] {
		a.takeGroups(least)
	}
	best := a
	for at := firstRows; at <= len(rates); at++ {
		if rows {
			b := a.clone()
			b.placeRows()
			for _, least := range rates[at:] {
				b.takeGroups(least)
			}
			if best == a || best.saved() < b.saved() {
				best = b
			}
		}
		if at < len(rates) {
			a.takeGroups(rates[at])
		}
	}
	return best.groups, best.rows
}

// clone returns an independent copy of the absorber's state.
func (a *absorber) clone() *absorber {
	b := *a
	b.taken, b.lastRate, b.groups = slices.Clone(a.taken), slices.Clone(a.lastRate), slices.Clone(a.groups)
	return &b
}

// saved returns the number of LUTs that all groups and rows save.
func (a *absorber) saved() (luts float64) {
	for i := range a.groups {
		luts += float64(a.rate(&a.groups[i]) * float64(a.groups[i].gates()))
	}
	for i := range a.rows {
		luts += float64(worthOfBit(a.k) * float64(len(a.rows[i].pairs)))
	}
	return luts
}

// takeGroups takes groups that have at least the given rate. The best rate of a gate can only fall when other gates
// are taken. So a gate whose last rate was too low is not evaluated again.
func (a *absorber) takeGroups(least float64) {
	for i := range a.gates {
		for !a.taken[a.gates[i].input] && a.lastRate[i] >= least {
			g := a.best(i)
			if a.lastRate[i] = a.rate(&g); a.lastRate[i] >= least {
				a.take(g)
			}
		}
	}
}

func (a *absorber) take(g group) {
	for _, it := range g.items {
		a.taken[it.input] = true
	}
	a.groups = append(a.groups, g)
}

// best returns the best group around gate i. It adds one gate after another, up to seven items. Each time, it takes
// the gate that needs the fewest additional nets. Among all intermediate groups, it returns the group that saves
// most. A full adder with too few bits is filled up with gates of two inputs and plain bits.
func (a *absorber) best(i int) group {
	g := group{slices.Clone(a.gates[i].leaves), []item{a.gates[i]}}
	best := a.topped(a.filled(g))
	rate := a.rate(&best)
	for len(g.items) < 7 {
		next := a.next(&g)
		if next < 0 {
			break
		}
		g.add(a.gates[next])
		tries := []group{{slices.Clone(g.leaves), slices.Clone(g.items)}}
		if len(g.items) < 3 {
			tries = append(tries, a.filled(g))
		}
		for _, now := range tries {
			if now = a.topped(now); a.rate(&now) > rate {
				best, rate = now, a.rate(&now)
			}
		}
	}
	return best
}

// topped returns the group with additional bits. It adds only bits that are already among the group's leaves, and
// only as long as each bit saves something.
func (a *absorber) topped(g group) group {
	best, rate := g, a.rate(&g)
	for _, v := range g.leaves {
		if it, ok := a.bit[v]; ok && len(g.items) < 7 && !a.taken[it.input] && !g.has(it.input) {
			g.items = append(slices.Clone(g.items), it)
			if r := a.rate(&g); r > rate {
				best, rate = g, r
			}
		}
	}
	return best
}

// next returns the gate that shares nets with the group and needs the fewest additional nets, or -1
// if none fits.
func (a *absorber) next(g *group) int {
	next, fewest := -1, a.k-len(g.leaves)+1
	for _, v := range g.leaves {
		for _, j := range a.readers[v] {
			it := &a.gates[j]
			if a.taken[it.input] || g.has(it.input) {
				continue
			}
			if more := missing(g.leaves, it.leaves); more < fewest {
				next, fewest = j, more
			}
		}
	}
	return next
}

func (g *group) has(input int) bool {
	return slices.ContainsFunc(g.items, func(it item) bool { return it.input == input })
}

// missing returns the number of nets that are not in another list (among).
func missing(among, nets []netlist.Net) (count int) {
	for _, v := range nets {
		if !slices.Contains(among, v) {
			count++
		}
	}
	return count
}

// filled fills a group of fewer than three bits up to a full adder. It prefers gates of two inputs, if they leave
// enough inputs for the bits that are still missing. If it finds no such gate, it adds wires. If there are no wires,
// it adds the outputs of the gates that are hardest to absorb.
func (a *absorber) filled(g group) group {
	g = group{slices.Clone(g.leaves), slices.Clone(g.items)}
	lacks := func() bool { return len(g.items) < 3 && len(g.leaves) < a.k }
	free := func(it *item) bool { return !a.taken[it.input] && !g.has(it.input) }
	for ; a.short < len(a.gates) && a.taken[a.gates[a.short].input]; a.short++ {
	}
	for j := a.short; j < len(a.gates) && lacks() && len(a.gates[j].leaves) == 2; j++ {
		it := &a.gates[j]
		if len(g.leaves)+missing(g.leaves, it.leaves)+2-len(g.items) > a.k {
			break
		}
		if free(it) {
			g.add(*it)
		}
	}
	for len(a.wires) > 0 && a.taken[a.wires[0].input] {
		a.wires = a.wires[1:]
	}
	for j := 0; j < len(a.wires) && lacks(); j++ {
		if free(&a.wires[j]) {
			g.add(a.wires[j])
		}
	}
	for j := len(a.gates) - 1; j >= 0 && lacks(); j-- {
		if it := &a.gates[j]; free(it) && len(it.leaves) > 3 {
			g.add(plain(it.input, it.bit))
		}
	}
	return g
}

// items returns the bits that are counted once in a count, as items that may be absorbed.
func (f *folding) items(k int, r *folded, once map[int]bit) []item {
	var list []item
	for i := range r.inputs {
		b, ok := once[i]
		if !ok {
			continue
		}
		it := plain(i, b)
		if c, _, driven := f.n.Driver(b.net); driven && f.n.Kind(c) == netlist.Function && f.readers[b.net] == 1 {
			in := f.n.Inputs(c)
			table := netlist.Effective(f.n.Param(c), in)
			if support := netlist.Support(table); bits.OnesCount8(support) >= 2 && bits.OnesCount8(support) <= k {
				it.gate, it.leaves = true, nil
				for s := support; s != 0; s &= s - 1 {
					it.leaves = append(it.leaves, in[bits.TrailingZeros8(s)])
				}
				it.table = netlist.Extend(netlist.Project(table, support), len(it.leaves))
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

// absorb chooses groups and rows, and takes them out of the bits of a count. It does nothing for LUTs of three
// inputs, because a full adder leaves no input free. With the objective Depth, it makes no rows, because a row takes
// one more level.
func (f *folding) absorb(o *Options, r *folded, once map[int]bit) {
	if o.K < 4 {
		return
	}
	a := newAbsorber(o.K, len(r.inputs), f.items(o.K, r, once))
	deeper := o.Objective != Depth && o.Levels == 0
	r.groups, r.rows = a.choose(deeper)
	if r.mixable = deeper && !o.Carry; r.mixable {
		r.groups = append(r.groups, a.singles(r)...)
	}
	r.takeOut(once)
}

// singles returns a group for each gate whose LUT has inputs left. Each group has only this gate.
func (a *absorber) singles(r *folded) (list []group) {
	taken := make([]bool, len(a.taken))
	for _, it := range r.absorbed() {
		taken[it.input] = true
	}
	for _, it := range a.gates {
		if !taken[it.input] && len(it.leaves) < a.k {
			list = append(list, group{slices.Clone(it.leaves), []item{it}})
		}
	}
	return list
}

// takeOut removes the items of groups and rows from the bits that are still to be added.
func (f *folded) takeOut(once map[int]bit) {
	gone := map[bit]bool{}
	for _, it := range f.absorbed() {
		gone[once[it.input]] = true
		f.inputs[it.input] = counts.Bit{Nets: slices.Clone(it.leaves), Table: it.own()}
	}
	f.bits[0] = slices.DeleteFunc(f.bits[0], func(b bit) bool { return gone[b] })
}

// absorbed returns the items of all groups and rows.
func (f *folded) absorbed() (items []item) {
	for _, g := range f.groups {
		items = append(items, g.items...)
	}
	for i := range f.rows {
		items = append(items, f.rows[i].items()...)
	}
	return items
}

// groupSum adds the counter of a group to a circuit. The argument nets has the circuit's nets for the group's leaves.
// groupSum also adds the counter's digits and the least value of the group to the sum a.
func (c *circuit) groupSum(g *group, nets []netlist.Net, a *addends) counts.Counter {
	counter := counts.Counter{Leaves: counts.Leaves(nets)}
	var table [64]int
	for _, it := range g.items {
		in := make([]netlist.Net, len(it.leaves))
		for j, v := range it.leaves {
			in[j] = nets[slices.Index(g.leaves, v)]
		}
		counter.In = append(counter.In, counts.Term{Weight: 1, Nets: in, Table: it.own()})
		for x, over := 0, it.over(g.leaves); x < 64; x++ {
			table[x] += int(over >> x & 1)
		}
	}
	least, most := g.limits()
	for d := range bits.Len(uint(most - least)) {
		out := c.function(tabulate(len(nets), func(x uint) bool { return (table[x]-least)>>d&1 == 1 }), nets...)
		a.bits[d] = append(a.bits[d], bit{net: out})
		counter.Out = append(counter.Out, bit{net: out}.term(1<<d))
	}
	if least > 0 {
		a.constant += uint64(least)
		counter.Out = append(counter.Out, bit{net: netlist.True}.term(uint64(least)))
	}
	return counter
}
