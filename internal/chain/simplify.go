package chain

import "slices"

// Simplifier shortens chains without changing their function. One Simplifier can be used for many
// chains, but not by several goroutines at once.
type Simplifier struct {
	order *Order
	known map[uint64]interval
	undo  []change
	kept  []Step
}

// NewSimplifier returns a Simplifier that uses the order of thermometer bits, which may be nil.
func NewSimplifier(o *Order) *Simplifier {
	return &Simplifier{order: o, known: map[uint64]interval{}}
}

// interval is the range of levels that a feature can still have. A net that is no thermometer bit
// is a feature of its own with the levels 0 and 1.
type interval struct{ low, high uint64 }

// change records an entry of the map known, as it was before a change.
type change struct {
	feature uint64
	before  interval
}

// Simplify removes the steps of a chain that cannot affect the output, and brings the chain into
// normal form.
//
// It walks from the output to the base. The chain before an AND matters only where the AND's side is 1. The chain
// before an OR matters only where the OR's side is 0. So the interval of levels that a feature can still have narrows
// on the way. A side may then have a known value, which either makes no difference or decides the result. If it makes
// no difference, the step is removed. If it decides the result, a constant replaces everything before it. An XOR with
// a side of known value is an inversion of the chain before it.
//
// A run is a sequence of steps with the same operation, so its steps can be reordered. A step that another step of
// the run implies is removed. Two equal sides in a run of XORs cancel. If the side of an AND or OR is also the side
// of an XOR in the run after it, the two steps are combined into one.
//
// Cost: O(steps) expected in each round. Rounds repeat until a round removes nothing.
func (s *Simplifier) Simplify(c *Chain) {
	for {
		before := len(c.Steps)
		s.backward(c)
		c.absorbConstant()
		c.mergeXor()
		if len(c.Steps) == before {
			break
		}
	}
	if len(c.Steps) == 0 && c.Base.constant() {
		c.Base, c.Inverted = Literal{}, c.Inverted != (c.Base.Net == 1)
	}
	c.normalise()
}

// backward walks once from the output to the base.
func (s *Simplifier) backward(c *Chain) {
	clear(s.known)
	s.undo, s.kept = s.undo[:0], s.kept[:0]
	flip, end := false, len(c.Steps)
	base, cut := c.Base, false
	for end > 0 && !cut {
		start := runStart(c.Steps, end)
		run := c.Steps[start:end]
		if flip {
			for i := range run {
				run[i] = run[i].not()
			}
		}
		if run[0].Op == Xor {
			flip = s.xorRun(run) != flip
		} else if cut = s.run(run); cut {
			base = constantOf(run[0].Op == Or)
		}
		end = start
	}
	if !cut {
		if base.Inverted = base.Inverted != flip; !base.constant() {
			if value, known := s.value(base); known {
				base = constantOf(value)
			}
		}
		base = base.settled()
	}
	slices.Reverse(s.kept)
	c.Base, c.Steps = base, append(c.Steps[:0], s.kept...)
}

// runStart returns the start of the run of one operation that ends before step end.
func runStart(steps []Step, end int) int {
	start := end - 1
	for start > 0 && steps[start-1].Op == steps[end-1].Op {
		start--
	}
	return start
}

// run keeps those steps of an AND run or an OR run that make a difference, last step first. It assumes that
// everything before the run makes a difference. If the run turns out to be constant, nothing before it makes a
// difference; run then keeps no step and returns true.
func (s *Simplifier) run(run []Step) (constant bool) {
	first, mark := len(s.kept), len(s.undo)
	for _, step := range slices.Backward(run) {
		value, known := s.value(step.Side)
		switch {
		case !known:
			s.assume(step)
			s.kept = append(s.kept, step)
		case value == (step.Op == Or):
			s.kept = s.kept[:first]
			return true
		}
	}
	// A second walk, from the base to the output, removes the steps that earlier steps imply.
	s.back(mark)
	mine := s.kept[first:]
	left := len(mine)
	for i, step := range slices.Backward(mine) {
		if _, known := s.value(step.Side); !known {
			s.assume(step)
			left--
			mine[left] = mine[i]
		}
	}
	s.kept = append(s.kept[:first], mine[left:]...)
	return false
}

// xorRun keeps those steps of an XOR run that matter, last step first. It reports whether the removed steps invert
// the chain before them.
func (s *Simplifier) xorRun(run []Step) (inverts bool) {
	first := len(s.kept)
	for _, step := range slices.Backward(run) {
		if value, known := s.value(step.Side); known {
			inverts = inverts != value
			continue
		}
		twin := slices.IndexFunc(s.kept[first:], func(k Step) bool { return k.Side == step.Side })
		if twin >= 0 {
			s.kept = slices.Delete(s.kept, first+twin, first+twin+1)
			continue
		}
		s.kept = append(s.kept, step)
	}
	return inverts
}

// feature returns the key of a net's feature, the net's threshold, and the levels that the feature
// can still have.
func (s *Simplifier) feature(l Literal) (key, threshold uint64, levels interval) {
	key, levels = uint64(l.Net), interval{0, 1}
	if b := s.order.of(l.Net); b.feature > 0 {
		key, threshold, levels = uint64(b.feature)<<32, b.threshold, interval{0, b.limit}
	}
	if now, ok := s.known[key]; ok {
		levels = now
	}
	return key, threshold, levels
}

// value returns the value of a literal, if it is known.
func (s *Simplifier) value(l Literal) (value, known bool) {
	if l.constant() {
		return (l.Net == 1) != l.Inverted, true
	}
	_, threshold, levels := s.feature(l)
	switch {
	case levels.low > threshold:
		return !l.Inverted, true
	case levels.high <= threshold:
		return l.Inverted, true
	}
	return false, false
}

// assume narrows the levels to those for which the chain before an AND or OR matters.
func (s *Simplifier) assume(step Step) {
	key, threshold, levels := s.feature(step.Side)
	s.undo = append(s.undo, change{key, levels})
	if (step.Op == And) != step.Side.Inverted {
		levels.low = threshold + 1
	} else {
		levels.high = threshold
	}
	s.known[key] = levels
}

// back undoes all assumptions since the mark.
func (s *Simplifier) back(mark int) {
	for _, c := range slices.Backward(s.undo[mark:]) {
		s.known[c.feature] = c.before
	}
	s.undo = s.undo[:mark]
}

// absorbConstant evaluates the first steps of a chain whose base is constant.
func (c *Chain) absorbConstant() {
	done := 0
	for ; done < len(c.Steps) && c.Base.constant(); done++ {
		step := c.Steps[done]
		one := c.Base.Net == 1
		switch {
		case step.Op == Xor:
			c.Base = Literal{step.Side.Net, step.Side.Inverted != one}
		case one == (step.Op == And):
			c.Base = step.Side
		}
	}
	c.Steps = slices.Delete(c.Steps, 0, done)
}

// mergeXor combines an AND or OR with an XOR whose side is the same net, in the run after it. It also combines the
// base with an XOR of the base's net in the first run:
//
//	(h AND x) XOR x = NOT h AND x        (h OR x) XOR x = h AND NOT x
//	(h AND NOT x) XOR x = h OR x         (h OR NOT x) XOR x = NOT h OR NOT x
//
// It combines at most one pair; another round finds the next.
func (c *Chain) mergeXor() {
	for i, step := range c.Steps {
		if step.Op != Xor {
			continue
		}
		start := runStart(c.Steps, i+1)
		if start == 0 && c.Base.Net == step.Side.Net {
			c.Base = constantOf(c.Base.Inverted)
			c.Steps = slices.Delete(c.Steps, i, i+1)
			c.absorbConstant()
			return
		}
		for k := start - 1; k >= 0 && c.Steps[k].Op == c.Steps[start-1].Op; k-- {
			if c.Steps[k].Side.Net == step.Side.Net {
				c.join(k, start, i)
				return
			}
		}
	}
}

// join combines two steps into one step. The first is step k of the run that ends before start. The second is the XOR
// at index i in the run that begins at start.
func (c *Chain) join(k, start, i int) {
	joined, x := c.Steps[k], c.Steps[i].Side
	negated := joined.Side.Inverted == (joined.Op == Or)
	joined.Side = Literal{x.Net, joined.Op == Or}
	if !negated {
		joined.Op = joined.Op.dual()
	}
	c.Steps = slices.Delete(c.Steps, i, i+1)
	copy(c.Steps[k:start-1], c.Steps[k+1:start])
	c.Steps[start-1] = joined
	if negated {
		c.Base = c.Base.not()
		for j := range start - 1 {
			c.Steps[j] = c.Steps[j].not()
		}
	}
}
