package counts

import (
	"errors"
	"fmt"
	"slices"

	"ialgn/netlist"
)

// Check proves that after is before with each popcount and counter replaced by cells that
// compute the same, and each argmax by the nets that the hint names. It returns what could
// not be shown. For the argmaxes themselves, the hint has words and index as cut points of
// a proof by other means.
//
// The proof of a count has three parts:
//
//   - each bit that the hint says is counted is the popcount's input of that number: the
//     same cell of both netlists, or the same function of the same nets, tried out;
//   - each counter's identity holds, tried out for every value of its leaves on the cells
//     of the netlist;
//   - the sum of all identities, each a linear equation in the values of nets, says that
//     the digits are congruent to the sum of the bits modulo 2^digits, and that sum is
//     smaller than 2^digits.
//
// It takes a few microseconds a counter.
func Check(before, after *netlist.Netlist, h *Hint) error {
	p := &proof{before: before, after: after, to: map[netlist.Net]netlist.Net{}, from: map[netlist.Net]netlist.Net{}}
	if err := p.match(h); err != nil {
		return fmt.Errorf("counts: %w", err)
	}
	for i := range h.Counts {
		c := &h.Counts[i]
		if err := p.count(c); err != nil {
			return fmt.Errorf("counts: popcount %d: %w", c.Popcount, err)
		}
	}
	return nil
}

// proof is what is known about two netlists.
type proof struct {
	before, after *netlist.Netlist
	same          map[cellKey]netlist.Net     // cells of the netlist after lowering: the first among equal cells
	first         []netlist.Net               // nets of the netlist after lowering: the first net equal to each
	to            map[netlist.Net]netlist.Net // nets of before that are nets of after
	from          map[netlist.Net]netlist.Net // the inverse map
}

// cellKey is what a cell computes.
type cellKey struct {
	kind  netlist.Kind
	param uint64
	in    string
}

func keyOf(n *netlist.Netlist, c netlist.Cell, in []netlist.Net) cellKey {
	return cellKey{n.Kind(c), n.Param(c), fmt.Sprint(in)}
}

// match finds the nets of before in after: the ports, cells of equal inputs and function,
// and what the hint says about popcounts and argmaxes, which is what [proof.count] shows.
func (p *proof) match(h *Hint) error {
	p.classify()
	if err := p.inputs(); err != nil {
		return err
	}
	hinted := map[netlist.Cell][]netlist.Net{}
	for _, c := range h.Counts {
		hinted[c.Popcount] = c.Digits
	}
	for _, a := range h.Argmaxs {
		hinted[a.Argmax] = a.Index
	}
	words := map[netlist.Cell][][]netlist.Net{}
	for _, a := range h.Argmaxs {
		words[a.Argmax] = a.Words
	}
	for i := range netlist.Cell(p.before.Cells()) {
		switch p.before.Kind(i) {
		case netlist.Argmax:
			if hinted[i] != nil && !p.sameWords(p.before.Inputs(i), slices.Concat(words[i]...)) {
				return fmt.Errorf("argmax %d: the words of the hint are not its inputs", i)
			}
			fallthrough
		case netlist.Popcount, netlist.Counter:
			if len(hinted[i]) > 0 && len(hinted[i]) != p.before.Outputs(i) {
				return fmt.Errorf("cell %d: the hint has %d outputs for it, it has %d", i, len(hinted[i]), p.before.Outputs(i))
			}
			for k, v := range hinted[i] {
				p.set(p.before.Output(i)+netlist.Net(k), v)
			}
		default:
			p.matchCell(i)
		}
	}
	return p.ports()
}

// classify finds the cells of after that are equal.
func (p *proof) classify() {
	n := p.after
	p.same = map[cellKey]netlist.Net{}
	p.first = make([]netlist.Net, n.Nets())
	for v := range p.first {
		p.first[v] = netlist.Net(v)
	}
	var in []netlist.Net
	for i := range netlist.Cell(n.Cells()) {
		in = in[:0]
		for _, v := range n.Inputs(i) {
			in = append(in, p.first[v])
		}
		key := keyOf(n, i, in)
		if v, ok := p.same[key]; ok {
			p.first[n.Output(i)] = v
		} else {
			p.same[key] = n.Output(i)
		}
	}
}

func (p *proof) set(v, w netlist.Net) {
	if int(w) >= len(p.first) {
		return // the net does not exist, so nothing is known about v
	}
	p.to[v] = p.first[w]
	if _, ok := p.from[p.first[w]]; !ok {
		p.from[p.first[w]] = v
	}
}

func (p *proof) inputs() error {
	p.set(netlist.False, netlist.False)
	p.set(netlist.True, netlist.True)
	a, b := p.before.InputPorts(), p.after.InputPorts()
	same := func(x, y netlist.Port) bool { return x.Name == y.Name && len(x.Nets) == len(y.Nets) }
	if !slices.EqualFunc(a, b, same) {
		return errors.New("the netlists have different input ports")
	}
	for i, port := range a {
		for k, v := range port.Nets {
			p.set(v, b[i].Nets[k])
		}
	}
	return nil
}

// matchCell finds the cell of after that is cell i of before, if there is one.
func (p *proof) matchCell(i netlist.Cell) {
	in := make([]netlist.Net, 0, netlist.MaxFunctionInputs)
	for _, v := range p.before.Inputs(i) {
		w, ok := p.to[v]
		if !ok {
			return
		}
		in = append(in, w)
	}
	if w, ok := p.same[keyOf(p.before, i, in)]; ok {
		p.set(p.before.Output(i), w)
	}
}

func (p *proof) sameWords(before, after []netlist.Net) bool {
	return slices.EqualFunc(before, after, func(v, w netlist.Net) bool {
		u, ok := p.to[v]
		return ok && int(w) < len(p.first) && u == p.first[w]
	})
}

// ports checks that output ports and probes are the same nets.
func (p *proof) ports() error {
	for _, pair := range [][2][]netlist.Port{
		{p.before.OutputPorts(), p.after.OutputPorts()}, {p.before.Probes(), p.after.Probes()},
	} {
		if len(pair[0]) != len(pair[1]) {
			return errors.New("the netlists have different output ports or probes")
		}
		for i, a := range pair[0] {
			if b := pair[1][i]; a.Name != b.Name || !p.sameWords(a.Nets, b.Nets) {
				return fmt.Errorf("port or probe %s is not the same net", a.Name)
			}
		}
	}
	return nil
}

// count proves one count.
func (p *proof) count(c *Count) error {
	in := p.before.Inputs(c.Popcount)
	if len(c.Bits) != len(in) {
		return fmt.Errorf("the hint has %d bits, it has %d inputs", len(c.Bits), len(in))
	}
	if err := p.sum(c); err != nil {
		return err
	}
	for i := range c.Bits {
		if err := p.bit(in, i, c.Bits); err != nil {
			return fmt.Errorf("input %d: %w", i, err)
		}
	}
	return nil
}

// bit shows that input i of a popcount is what the hint says.
func (p *proof) bit(in []netlist.Net, i int, all []Bit) error {
	if j := all[i].Pair; j != nil {
		return p.related(in[i], in[*j], true)
	}
	return p.isFunction(in[i], all[i])
}

// isFunction shows that net v of before is the function of nets of after that b says.
func (p *proof) isFunction(v netlist.Net, b Bit) error {
	nets := make([]netlist.Net, len(b.Nets))
	for k, w := range b.Nets {
		u, ok := p.from[p.first[w]]
		if !ok {
			return fmt.Errorf("net %d is not in the netlist before", w)
		}
		nets[k] = u
	}
	if len(nets) == 1 {
		return p.related(v, nets[0], b.Table&1 == 1)
	}
	e, err := p.cone(nets)
	if err != nil {
		return err
	}
	got, err := e.Value(v)
	if err != nil {
		return err
	}
	want, err := e.term(b.Table, nets)
	if err != nil || !slices.Equal(got, want) {
		return errors.New("it is another function than the hint says")
	}
	return nil
}

// related shows that two nets of before are equal, or complements, for all values of some
// nets that both depend on: it looks for those from the two nets downwards.
func (p *proof) related(v, w netlist.Net, complement bool) error {
	if v == w && !complement {
		return nil
	}
	for cut := distinct([]netlist.Net{v, w}); len(cut) <= MaxLeaves; {
		e, err := p.cone(cut)
		if err != nil {
			return err
		}
		a, err := e.Value(v)
		if err != nil {
			return err
		}
		b, err := e.Value(w)
		if err != nil {
			return err
		}
		if complement {
			b = e.fill(func(i int) bool { return b[i/64]>>(i%64)&1 == 0 })
		}
		if slices.Equal(a, b) {
			return nil
		}
		lower, ok := p.lowered(cut)
		if !ok {
			break
		}
		cut = lower
	}
	return fmt.Errorf("nets %d and %d are not seen to be equal or complements", v, w)
}

// cone returns a cone of before whose leaves have one value where they are one net of
// after: what is known about a popcount's digits is known of them, too.
func (p *proof) cone(cut []netlist.Net) (*Cone, error) {
	stands := map[netlist.Net]netlist.Net{} // keyed by nets of the netlist after lowering
	for _, v := range []netlist.Net{netlist.False, netlist.True} {
		stands[v] = v
	}
	var leaves []netlist.Net
	for _, v := range distinct(cut) {
		w, ok := p.to[v]
		if _, twice := stands[w]; ok && twice {
			continue
		}
		leaves = append(leaves, v)
		if ok {
			stands[w] = v
		}
	}
	e, err := NewCone(p.before, leaves)
	if err != nil {
		return nil, err
	}
	e.same = func(v netlist.Net) (netlist.Net, bool) {
		w, ok := p.to[v]
		if !ok {
			return 0, false
		}
		u, ok := stands[w]
		return u, ok
	}
	return e, nil
}

// lowered returns a cut with the highest of its nets that a function drives replaced by the
// function's inputs, if there is one.
func (p *proof) lowered(cut []netlist.Net) (lower []netlist.Net, ok bool) {
	slices.Sort(cut)
	for k, v := range slices.Backward(cut) {
		if c, _, ok := p.before.Driver(v); ok && p.before.Kind(c) == netlist.Function {
			return distinct(append(slices.Delete(cut, k, k+1), p.before.Inputs(c)...)), true
		}
	}
	return nil, false
}

func distinct(nets []netlist.Net) []netlist.Net {
	var list []netlist.Net
	for _, v := range nets {
		if v > netlist.True && !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	return list
}
