package encoder

import (
	"math/bits"
	"slices"
)

// plan returns the best circuit for the comparisons of a word with thresholds, which
// ascend.
//
// A threshold of which at most K bits matter is one LUT, or a bit. Of the others, some are
// carried (carry.go) and the rest stand between those that are there (between.go): the
// fewer are carried, the fewer carries there can be. Tried are all, and what is left when
// they are taken out one by one in some orders, as long as all others can be had. Each
// such set is packed into every form; of those forms with the fewest LUTs and of those
// with the fewest levels the first is built.
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
	narrow, wide []uint64 // thresholds of which at most K bits matter, and the others
	best         *circuit
	cost         float64
}

// consider tries circuits in which the given thresholds are carried.
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

// worth returns what a circuit costs by the objective.
func (p *planner) worth(c *circuit) float64 {
	luts, levels := c.size()
	switch p.o.Objective {
	case Area:
		return float64(luts) + float64(float64(levels)/1024)
	case Depth:
		return float64(float64(luts)/(1<<20)) + float64(levels)
	default:
		level := max(1, float64(len(p.narrow)+len(p.wide))/10)
		return float64(luts) + float64(level*float64(levels)*(1+1e-6)) // prefers the shallower of two equal ones
	}
}

// start returns a circuit with the narrow thresholds, and with the highest bit, which is a
// comparison too.
func (p *planner) start() *circuit {
	c := newCircuit(p.width)
	for _, t := range append([]uint64{ones(p.width - 1)}, p.narrow...) {
		whole := stage{from: min(bits.TrailingZeros64(^t), p.width), to: p.width}
		c.above[t] = whole.build(c, &block{items: []uint64{t}}, 0)
	}
	return c
}

// rest adds the wide thresholds that are not built by carries, in an order in which each is built from those before
// it.
func (p *planner) rest(c *circuit) {
	l := newLine(p.width, p.o.K, slices.Concat(p.narrow, p.wide))
	for t := range c.above {
		l.put(t, true)
	}
	l.fill(0, len(l.present)-1, func(t uint64, g gap) { c.between(g, t) })
}

// sparse returns the wide thresholds that are still carried after as many as can be had
// otherwise are taken out, in the given order.
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

// orders returns orders in which thresholds are taken out: up, down, and every second
// one first.
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
