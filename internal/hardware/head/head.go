// Package head lowers the head of a classifier, which is its popcounts and argmax, to the cells of
// a target.
//
// [Lower] is a pass from netlist to netlist. It replaces
//
//   - each popcount by a tree of counters, made of functions of at most K inputs. For K = 6, most counters have six
//     inputs and three outputs (6:3). For K up to 4, the counters are full adders. For K = 4, there are also (7:3)
//     counters of seven LUTs, if they do not add too many levels. With carry chains, each popcount becomes adders of
//     [netlist.Carry] cells instead;
//   - each argmax by a tournament, in which matches of two to four words decide the winner. Equal words win
//     in their tie order. With a margin, either each match of two words also finds out whether its words are close,
//     or each word is compared with the largest word minus the margin.
//
// A bit from a deep chain, which arrives late, enters the tree near the root. Constant, equal and complementary bits
// of a class are added up beforehand. If [Options.Absorb] is set, the first counters compute or replace gates that
// nothing else reads. They may also use free inputs of gates' LUTs to add other bits.
//
// Lower should be the last pass that changes cells. Constant folding would separate joined carry chains. If a later
// pass renumbers nets, the hint has to be converted ([counts.Hint.Map]).
//
// Lower also returns a [counts.Hint] with the inputs and outputs of each counter. Package counts
// uses it to prove that every count is the sum of its popcount's bits.
package head

import (
	"fmt"
	"slices"

	"ialgn/internal/counts"
	"ialgn/netlist"
)

// Objective says how many LUTs a level is worth.
type Objective uint8

// These are the objectives.
const (
	Balanced Objective = iota // a level is worth about a fiftieth of the LUTs
	Area                      // uses as few LUTs as possible, and saves levels only if this costs no LUT
	Depth                     // uses as few levels as possible
)

// levelCost returns the number of LUTs that a level is worth in a sum of the given number of bits.
func (o Objective) levelCost(bits int) float64 {
	switch o {
	case Area:
		return 0.25
	case Depth:
		return 1e4
	default:
		return max(4, float64(bits)/50)
	}
}

// Options are the target's cells and the objective.
type Options struct {
	K         int // inputs of a LUT, 2 to 6
	Objective Objective
	// Levels, if not 0, is the level by which the counts should arrive, counted from the inputs of the netlist. If
	// this is possible, the counts arrive in time with every objective.
	Levels int

	// Carry builds sums from adders with carry cells. As on iCE40, each carry cell is next to a LUT. Cells on a chain
	// add no level. Objective and Levels affect only small sums.
	Carry bool
	// Unjoined starts each chain of carries separately. A cell that joins two chains reads one net at two pins.
	// nextpnr-ice40 0.4 does not terminate if it cannot route one net to two pins of a cell.
	Unjoined bool

	// Absorb lets the first counters compute gates that nothing else reads, if the counters' LUTs have inputs left.
	// These gates are short chains or the last LUTs of long chains. If Objective is not Depth and Levels is 0,
	// counters also replace gates whose LUTs have inputs left, or mix the gates' outputs with other bits. With
	// Balanced, these changes add at most two levels.
	Absorb bool

	Threads int // 0: one for each processor; does not affect the result

	plans  map[string]*plan
	splits *splits
}

// plan returns the best tree for a profile. It searches only once for each profile, because most classes of a network
// have the same profile.
func (o *Options) plan(digits int, in profile, first int32) *plan {
	w := o.worth(in, digits, first)
	key := fmt.Sprint(digits, w.maxLevels, in)
	if p, ok := o.plans[key]; ok {
		return p
	}
	p := search(o.K, digits, in, w)
	o.plans[key] = &p
	return &p
}

// worth returns the goal of the search for a tree.
func (o *Options) worth(in profile, digits int, first int32) worth {
	w := worth{level: o.Objective.levelCost(in.bits(digits))}
	if o.Levels > 0 {
		w.maxLevels = max(1, o.Levels-int(first))
	}
	return w
}

// Lower returns n with every popcount, counter and argmax replaced by cells of the target, and the
// hint for [counts.Prove]. It drops cells that reach no port and no probe.
//
// Requires: nothing. Gates should be mapped already, because their levels determine when bits arrive.
// Ensures:  the functions of ports and probes; no popcount, counter or argmax is left.
// Cost:     a few milliseconds for each popcount with a different profile of arrivals, and a
// microsecond for each bit.
//
// Lower returns an error if the options are out of range.
func Lower(n *netlist.Netlist, o Options) (*netlist.Netlist, *counts.Hint, error) {
	if o.K < 2 || o.K > netlist.MaxFunctionInputs {
		return nil, nil, fmt.Errorf("head: LUTs of %d inputs are out of range, use 2 to %d", o.K, netlist.MaxFunctionInputs)
	}
	if o.Objective > Depth {
		return nil, nil, fmt.Errorf("head: objective %d is unknown, use Balanced, Area or Depth", o.Objective)
	}
	if o.Levels < 0 {
		return nil, nil, fmt.Errorf("head: %d levels are out of range, use 0 for no bound", o.Levels)
	}
	o.plans, o.splits = map[string]*plan{}, newSplits(&o)
	l := &lowering{Copier: netlist.NewCopier(n), o: &o, fold: newFolding(n, &o), hint: &counts.Hint{}}
	l.run()
	return l.Finish(), l.hint, nil
}

// lowering is a netlist that is being lowered.
type lowering struct {
	*netlist.Copier
	o     *Options
	fold  *folding
	hint  *counts.Hint
	level []int32 // level of each net of the new netlist built so far
}

func (l *lowering) run() {
	live := l.fold.live()
	for i := range netlist.Cell(l.Old.Cells()) {
		if !live[i] {
			continue
		}
		switch l.Old.Kind(i) {
		case netlist.Popcount, netlist.Counter:
			l.popcount(i)
		case netlist.Argmax:
			l.argmax(i)
		default:
			l.Copy(i)
			l.note(l.Old.Kind(i), l.Inputs(i), l.To(l.Old.Output(i)))
		}
	}
}

// levelOf returns the level of a net of the new netlist.
func (l *lowering) levelOf(v netlist.Net) int32 {
	if int(v) < len(l.level) {
		return l.level[v]
	}
	return 0
}

// note records the level of a cell. A LUT is one level above its latest input. A carry has the level of its latest
// input, because its delay on the chain is negligible. A register has level 0, because paths begin there.
func (l *lowering) note(k netlist.Kind, in []netlist.Net, out netlist.Net) {
	level := int32(0)
	if k != netlist.Register {
		for _, v := range in {
			level = max(level, l.levelOf(v))
		}
		if k != netlist.Carry && len(in) > 0 {
			level++
		}
	}
	for int(out) >= len(l.level) {
		l.level = append(l.level, 0)
	}
	l.level[out] = level
}

// popcount lowers a popcount or a counter.
func (l *lowering) popcount(i netlist.Cell) {
	f := l.fold.fold(i)
	s := newSum(l.o.K, f, func(old netlist.Net) (netlist.Net, int32) {
		v := l.To(old)
		return v, l.levelOf(v)
	})
	s.counters = s.mix(&s.addends, s.digits, f.limit, s.counters)
	digits, counters := s.sum(&s.addends, s.digits, l.o)
	counters = append(s.counters, counters...)
	to := l.commit(s.circuit, digits)
	count := counts.Count{Popcount: i, Digits: make([]netlist.Net, l.Old.Outputs(i))}
	for d, v := range digits {
		count.Digits[d] = to(v)
	}
	for d, v := range count.Digits {
		l.Set(l.Old.Output(i)+netlist.Net(d), v)
	}
	for _, b := range f.inputs {
		for j, v := range b.Nets {
			b.Nets[j] = l.To(v)
		}
		count.Bits = append(count.Bits, b)
	}
	h := counts.Hint{Counts: []counts.Count{{Counters: counters}}}
	count.Counters = h.Map(to).Counts[0].Counters
	l.hint.Counts = append(l.hint.Counts, count)
}

// argmax lowers an argmax.
func (l *lowering) argmax(i netlist.Cell) {
	in, size := l.Inputs(i), l.Old.ArgmaxWidth(i)
	hint := counts.Index{Argmax: i, Margin: l.Old.Margin(i)}
	for w := range len(in) / size {
		hint.Words = append(hint.Words, slices.Clone(in[w*size:(w+1)*size]))
	}
	c, outputs := bestTournament(l.o, hint.Words, l.Old.Contender, hint.Margin, l.levelOf)
	to := l.commit(c, outputs)
	if hint.Margin > 0 {
		last := len(outputs) - 1
		hint.Uncertain, outputs = to(outputs[last]), outputs[:last]
		l.Set(l.Old.Output(i)+netlist.Net(l.Old.IndexBits(i)), hint.Uncertain)
	}
	for k := range l.Old.IndexBits(i) {
		v := netlist.False
		if k < len(outputs) {
			v = to(outputs[k])
		}
		l.Set(l.Old.Output(i)+netlist.Net(k), v)
		hint.Index = append(hint.Index, v)
	}
	l.hint.Argmaxs = append(l.hint.Argmaxs, hint)
}

// commit adds cells of a circuit to the netlist. It adds only the cells on which the given outputs depend. It returns
// a function that maps nets of the circuit to nets of the netlist. The function returns False for cells that were not
// added.
func (l *lowering) commit(c *circuit, outputs []netlist.Net) func(netlist.Net) netlist.Net {
	to := make([]netlist.Net, len(c.nodes))
	to[netlist.True] = netlist.True
	in := make([]netlist.Net, 0, netlist.MaxFunctionInputs)
	for v, live := range c.reached(outputs) {
		n := &c.nodes[v]
		switch {
		case v <= int(netlist.True):
		case n.in == nil:
			to[v] = n.net
		case live:
			in = in[:0]
			for _, w := range n.in {
				in = append(in, to[w])
			}
			kind := netlist.Function
			if n.carry {
				kind = netlist.Carry
			}
			to[v] = l.Cell(kind, n.table, netlist.Origin{}, in...)
			l.note(kind, in, to[v])
		}
	}
	return func(v netlist.Net) netlist.Net { return to[v] }
}
