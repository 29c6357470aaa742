// Package encoder lowers the comparators of a classifier's thermometer encoder to look-up tables
// (LUTs) of K inputs.
//
// [Lower] is a pass from netlist to netlist. It takes all comparisons of one feature word together. It looks for a
// circuit with few LUTs and few levels. It uses three facts:
//
//   - trailing ones of a threshold do not matter. For example, if v is an 8-bit word, v > 127 is a bit of v, and v >
//     63 depends on only two bits (word.go);
//   - a comparison is a carry that runs up the word. One carry can serve several thresholds if higher bits of the
//     word say which threshold needs the carry (carry.go);
//   - if a < t < b, and the comparisons v > a and v > b are already built, then v > t needs only a few low bits of v,
//     which distinguish the values from a+1 to b (between.go).
//
// The search over these forms is in plan.go. A single comparison for which n bits matter takes ceil((n-1)/(K-1))
// LUTs, which is the minimum.
package encoder

import (
	"fmt"

	"ialgn/netlist"
)

// Objective says how many LUTs a level is worth.
type Objective uint8

// These are the objectives.
const (
	Balanced Objective = iota // a level is worth one LUT for every ten thresholds of a feature, but at least one LUT
	Area                      // the fewest LUTs, and then the fewest levels
	Depth                     // the fewest levels, and then the fewest LUTs
)

// Options are the target's LUT size and the objective.
type Options struct {
	K         int // inputs of a LUT, 2 to 6
	Objective Objective
}

func (o Options) check() error {
	if o.K < 2 || o.K > netlist.MaxFunctionInputs {
		return fmt.Errorf("encoder: LUTs of %d inputs are out of range, use 2 to %d", o.K, netlist.MaxFunctionInputs)
	}
	if o.Objective > Depth {
		return fmt.Errorf("encoder: objective %d is unknown, use Balanced, Area or Depth", o.Objective)
	}
	return nil
}

// Lower returns n with every comparison replaced by functions of at most K inputs. The new cells have no origin, so
// that [netlist.Netlist.Parts] counts them as part of the encoder. Comparisons that nothing reads are removed, and
// equal comparisons become one. A comparison that equals a bit of its word or a constant is replaced by that bit or
// constant.
//
// Requires: nothing. If n has dead cells, Lower also builds comparisons that only dead cells read.
// Ensures:  the functions of ports and probes; no comparison is left.
// Cost:     about a millisecond for each different set of thresholds that needs more than K bits. Other sets take
// almost no time.
//
// Lower runs before the head is lowered, because the head takes the levels of cells as arrival times. Lower returns
// an error if the options are out of range.
func Lower(n *netlist.Netlist, o Options) (*netlist.Netlist, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	l := &lowering{
		Copier: netlist.NewCopier(n), o: o, feature: words(n), plans: map[string]*circuit{},
		to: map[netlist.Cell]netlist.Net{},
	}
	for i := range netlist.Cell(n.Cells()) {
		if n.Kind(i) == netlist.Compare {
			l.compare(i)
		} else {
			l.Copy(i)
		}
	}
	return l.Finish(), nil
}

// lowering is a netlist that is being lowered.
type lowering struct {
	*netlist.Copier
	o       Options
	feature map[netlist.Cell]*word
	plans   map[string]*circuit
	to      map[netlist.Cell]netlist.Net // new net of each comparison whose word has been built
}

// compare sets the output of a comparison. If the comparison is the first one of its word, compare builds all
// comparisons of the word.
func (l *lowering) compare(i netlist.Cell) {
	v := netlist.False // a comparator that nothing reads becomes the constant 0
	if w := l.feature[i]; w != nil {
		if !w.built {
			w.built = true
			l.build(w)
		}
		v = l.to[i]
	}
	l.Set(l.Old.Output(i), v)
}

// build adds the cells of all comparisons of a word.
func (l *lowering) build(w *word) {
	nets, thresholds := w.reduced()
	key := fmt.Sprint(len(nets), thresholds)
	c := l.plans[key]
	if c == nil {
		c = plan(len(nets), thresholds, l.o)
		l.plans[key] = c
	}
	to := make([]netlist.Net, len(c.nodes))
	to[netlist.True] = netlist.True
	for b, v := range nets {
		to[bit(b)] = l.To(v)
	}
	live := c.reached()
	in := make([]netlist.Net, 0, netlist.MaxFunctionInputs)
	for v := int(bit(len(nets))); v < len(c.nodes); v++ {
		if !live[v] {
			continue
		}
		in = in[:0]
		for _, x := range c.nodes[v].in {
			in = append(in, to[x])
		}
		to[v] = l.Function(c.nodes[v].table, netlist.Origin{}, in...)
	}
	for _, u := range w.users {
		l.to[u.cell] = to[c.above[u.threshold>>(len(w.nets)-len(nets))]]
	}
}
