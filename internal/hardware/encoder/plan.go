package encoder

import (
	"math/bits"
	"slices"
)

// plan returns the best circuit for the comparisons of a word with the thresholds, which are in
// ascending order.
//
// A threshold with at most K bits that matter takes one LUT, or is a bit of the word. A wide threshold, with more bits
// that matter, is built either by carries (carry.go) or from its neighbours (between.go). The fewer thresholds are
// built by carries, the fewer LUTs the carries take. plan first tries to build all wide thresholds by carries, and
// then smaller sets of them. To find a smaller set, plan removes thresholds one at a time, in several different
// orders, as long as the removed thresholds can be built from their neighbours. Each set is packed into every form of
// carry circuit (forms). From each set, plan builds the first form with the fewest LUTs and the first form with the
// fewest levels. It returns the best circuit of all sets.
func plan(width int, thresholds []uint64, o Options) *circuit {
	p := planner{o: o, width: width}
	for _, t := range thresholds {
		if width-bits.TrailingZeros64(^t) > o.K {
			p.wide = append(p.wide, t)
		} else {
			p.narrow = append(p.narrow, t)
		}
	}
	p.consider(p.wide)
	for _, order := range p.orders() {
		if carried := p.sparse(order); len(carried) < len(p.wide) {
			p.consider(carried)
		}
	}
	return p.best
}

// planner searches for the circuit of one word.
type planner struct {
	o            Options
	width        int
	narrow, wide []uint64 // narrow: thresholds with at most K bits that matter; wide: the others
	best         *circuit
	cost         float64
}

// consider tries circuits in which carries build the given thresholds.
func (p *planner) consider(carried []uint64) {
	if len(carried) == 0 {
		p.try(nil)
		return
	}
	var small, shallow *forest
	for _, form := range forms(p.width, p.o.K, carried) {
		f := pack(form, carried)
		if small == nil || f.size() < small.size() {
			small = f
		}
		if shallow == nil || len(f.form) < len(shallow.form) || len(f.form) == len(shallow.form) &&
			f.size() < shallow.size() {
			shallow = f
		}
	}
	p.try(small)
	if shallow != small {
		p.try(shallow)
	}
}

// try builds a circuit and keeps it if it is the best.
func (p *planner) try(f *forest) {
	c := p.start()
	if f != nil {
		f.build(c, p.width)
	}
	p.rest(c)
	if cost := p.worth(c); p.best == nil || cost < p.cost {
		p.best, p.cost = c, cost
	}
}

// worth returns the cost of a circuit under the objective.
func (p *planner) worth(c *circuit) float64 {
	luts, levels := c.size()
	switch p.o.Objective {
	case Area:
		return float64(luts) + float64(float64(levels)/1024)
	case Depth:
		return float64(float64(luts)/(1<<20)) + float64(levels)
	default:
		level := max(1, float64(len(p.narrow)+len(p.wide))/10)
		return float64(luts) + float64(level*float64(levels)*(1+1e-6)) // prefers the shallower of two equally large circuits
	}
}

// start returns a circuit that has the comparisons with the narrow thresholds, and the comparison that is the word's
// top bit.
func (p *planner) start() *circuit {
	c := newCircuit(p.width)
	for _, t := range append([]uint64{ones(p.width - 1)}, p.narrow...) {
		whole := stage{from: min(bits.TrailingZeros64(^t), p.width), to: p.width}
		c.above[t] = whole.build(c, &block{items: []uint64{t}}, 0)
	}
	return c
}

// rest adds the comparisons with the wide thresholds that carries do not build. The order is such that each
// comparison can be built from earlier ones.
func (p *planner) rest(c *circuit) {
	l := newLine(p.width, p.o.K, slices.Concat(p.narrow, p.wide))
	for t := range c.above {
		l.put(t, true)
	}
	l.fill(0, len(l.present)-1, func(t uint64, g gap) { c.between(g, t) })
}

// sparse returns the wide thresholds that carries must build. It removes the others in the given order. A threshold
// can be removed if it can be built from its neighbours.
func (p *planner) sparse(order []uint64) (carried []uint64) {
	l := newLine(p.width, p.o.K, slices.Concat(p.narrow, p.wide))
	for i := range l.present {
		l.present[i] = true
	}
	for _, t := range order {
		l.remove(t)
	}
	for _, t := range p.wide {
		if i, _ := slices.BinarySearch(l.thresholds, t); l.present[i] {
			carried = append(carried, t)
		}
	}
	return carried
}

// orders returns the orders in which thresholds are removed. The thresholds are in ascending order, in descending
// order, or in an order that begins with every second threshold.
func (p *planner) orders() [][]uint64 {
	down := slices.Clone(p.wide)
	slices.Reverse(down)
	var odd, even []uint64
	for i, t := range p.wide {
		if i%2 == 0 {
			even = append(even, t)
		} else {
			odd = append(odd, t)
		}
	}
	return [][]uint64{p.wide, down, slices.Concat(odd, even), slices.Concat(even, odd)}
}
