package head

import (
	"runtime"
	"slices"
	"sync/atomic"

	"ialgn/internal/counts"
	"ialgn/internal/crew"
	"ialgn/netlist"
)

// folding finds constant, equal and complementary bits among the inputs of a netlist's popcounts.
type folding struct {
	n       *netlist.Netlist
	counts  map[netlist.Cell]*folded
	readers []uint8 // [net]: number of readers; set only if gates are absorbed
}

// folded is one popcount's inputs after folding.
type folded struct {
	addends              // the bits to add, as nets of the old netlist
	inputs  []counts.Bit // [input]: the bit that the input counts, as nets of the old netlist
	groups  []group
	rows    []row
	mixable bool  // whether other bits may be mixed into the LUTs that drive the bits
	limit   int32 // largest number of levels
}

// newFolding folds all popcounts and counters of n, in parallel. If absorption is on, it also chooses which counter
// absorbs which gate.
func newFolding(n *netlist.Netlist, o *Options) *folding {
	f := &folding{n: n, counts: map[netlist.Cell]*folded{}}
	if o.Absorb {
		f.countReaders()
	}
	var counts []netlist.Cell
	for i := range netlist.Cell(n.Cells()) {
		if kind := n.Kind(i); kind == netlist.Popcount || kind == netlist.Counter {
			counts = append(counts, i)
		}
	}
	all := make([]*folded, len(counts))
	o.parallel(len(counts), func(i int) { all[i] = f.foldOne(counts[i], o) })
	for i, c := range counts {
		f.counts[c] = all[i]
	}
	f.chooseLimits(o)
	return f
}

// foldOne folds one popcount or counter. It changes no shared state, so it may run in parallel.
func (f *folding) foldOne(c netlist.Cell, o *Options) *folded {
	r, once := f.foldCount(f.n.Inputs(c))
	if o.Absorb {
		f.absorb(o, r, once)
	}
	return r
}

// parallel calls the function do for each number below n, on o.Threads threads.
func (o *Options) parallel(n int, do func(i int)) {
	threads := o.Threads
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	var next atomic.Int64
	crew.Each(min(threads, n), func(int) {
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			do(i)
		}
	})
}

func (f *folding) fold(i netlist.Cell) *folded { return f.counts[i] }

// literal looks through inverters. It returns the net before the inverters, and whether v is the complement of this
// net.
func (f *folding) literal(v netlist.Net) bit {
	b := bit{net: v}
	for {
		c, _, ok := f.n.Driver(b.net)
		if !ok || f.n.Kind(c) != netlist.Function {
			return b
		}
		t := netlist.Effective(f.n.Param(c), f.n.Inputs(c))
		s := netlist.Support(t)
		switch {
		case s == 0:
			return bit{netlist.Net(t & 1), b.inverted}
		case s&(s-1) != 0:
			return b
		}
		pin := 0
		for s>>pin&1 == 0 {
			pin++
		}
		b = bit{f.n.Inputs(c)[pin], b.inverted != (t>>(1<<pin)&1 == 0)}
	}
}

// opposite is a key that is the same for a cell and for a cell with the complementary function.
type opposite struct {
	table  uint64
	inputs [netlist.MaxFunctionInputs]netlist.Net
}

// complement returns a key and says whether b is inverted relative to the key. Two nets have the same key if they
// are equal or complementary functions of the same nets.
func (f *folding) complement(b bit) (key opposite, inverted bool) {
	c, _, ok := f.n.Driver(b.net)
	if !ok || f.n.Kind(c) != netlist.Function {
		return opposite{tableCopy, [netlist.MaxFunctionInputs]netlist.Net{b.net}}, b.inverted
	}
	in := f.n.Inputs(c)
	t := netlist.Extend(f.n.Param(c), len(in))
	order := make([]int, len(in))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return int(in[i]) - int(in[j]) })
	sorted := tabulate(len(in), func(inputs uint) bool {
		at := uint(0)
		for place, i := range order {
			at |= inputs >> place & 1 << i
		}
		return t>>at&1 == 1
	})
	for place, i := range order {
		key.inputs[place] = in[i]
	}
	if inverted = sorted&1 == 1; inverted {
		sorted = ^sorted & (1<<(1<<len(in)) - 1)
	}
	key.table = sorted
	return key, inverted != b.inverted
}

// foldCount folds the inputs of one popcount. The sum of a bit and its complement is always one. Two equal bits
// become one bit of twice the weight. The result once holds the inputs that are counted only once.
func (f *folding) foldCount(in []netlist.Net) (r *folded, once map[int]bit) {
	once = map[int]bit{}
	r = &folded{inputs: make([]counts.Bit, len(in)), limit: noMixing}
	type sides [2][]int // the inputs that equal a function, and the inputs that equal its complement
	found := map[opposite]*sides{}
	var order []*sides
	literal := make([]bit, len(in))
	for i, v := range in {
		b := f.literal(v)
		literal[i] = b
		r.inputs[i] = counts.Bit{Nets: []netlist.Net{b.net}, Table: b.term(1).Table}
		if b.net <= netlist.True {
			r.constant += uint64(b.net&1) ^ side(b.inverted)
			continue
		}
		key, inverted := f.complement(b)
		s := found[key]
		if s == nil {
			s = &sides{}
			found[key] = s
			order = append(order, s)
		}
		s[side(inverted)] = append(s[side(inverted)], i)
	}
	for _, s := range order {
		pairs := min(len(s[0]), len(s[1]))
		for p := range pairs {
			i, j := s[0][p], s[1][p]
			r.inputs[i], r.inputs[j] = counts.Bit{Pair: &j}, counts.Bit{Pair: &i}
		}
		r.constant += uint64(pairs)
		for _, rest := range [][]int{s[0][pairs:], s[1][pairs:]} {
			if len(rest) == 1 {
				once[rest[0]] = literal[rest[0]]
			}
			if len(rest) > 0 {
				r.add(literal[rest[0]], len(rest))
				for _, i := range rest {
					b := literal[rest[0]]
					r.inputs[i] = counts.Bit{Nets: []netlist.Net{b.net}, Table: b.term(1).Table}
				}
			}
		}
	}
	return r, once
}

func side(inverted bool) uint64 {
	if inverted {
		return 1
	}
	return 0
}

// add adds a bit that is counted several times.
func (f *folded) add(b bit, times int) {
	for d := 0; times>>d > 0; d++ {
		if times>>d&1 == 1 {
			f.bits[d] = append(f.bits[d], b)
		}
	}
}

// live returns the cells that reach an output port or a probe after the counts are folded.
func (f *folding) live() []bool {
	n := f.n
	net, cell := make([]bool, n.Nets()), make([]bool, n.Cells())
	for _, ports := range [][]netlist.Port{n.OutputPorts(), n.Probes()} {
		for _, p := range ports {
			for _, v := range p.Nets {
				net[v] = true
			}
		}
	}
	for i := n.Cells() - 1; i >= 0; i-- {
		c := netlist.Cell(i)
		for k := range n.Outputs(c) {
			cell[c] = cell[c] || net[int(n.Output(c))+k]
		}
		if !cell[c] {
			continue
		}
		if r := f.counts[c]; r != nil {
			for _, list := range r.bits {
				for _, b := range list {
					net[b.net] = true
				}
			}
			for _, it := range r.absorbed() {
				for _, v := range it.leaves {
					net[v] = true
				}
			}
			continue
		}
		for _, v := range n.Inputs(c) {
			net[v] = true
		}
	}
	return cell
}
