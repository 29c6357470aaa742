package head

import (
	"math/rand/v2"
	"slices"
)

// A search tries stepsPerBit trees for each bit, but at most maxSteps trees. More trees would save at most one or
// two LUTs.
const (
	stepsPerBit = 300
	maxSteps    = 12000
)

// worth is the goal of a search. The search looks for few LUTs and few levels, where a level is worth a given number
// of LUTs. If maxLevels is not 0, it is most important that the tree has at most maxLevels levels.
type worth struct {
	level     float64
	maxLevels int
}

func (w worth) cost(luts, levels int) float64 {
	c := float64(luts) + float64(w.level*float64(levels))
	if w.maxLevels > 0 {
		c += float64(1e6 * float64(max(0, levels-w.maxLevels)))
	}
	return c
}

// search returns the best tree that it finds for a profile. The result depends only on the arguments.
//
// It starts from the best of several simple strategies, which use bulk counters up to some level and smaller counters
// after it. Then it changes genes at random by simulated annealing. A run begins at the first changed gene and ends
// early if possible, so trying a tree of 800 bits takes at most 5 us.
func search(k, digits int, in profile, w worth) plan {
	s := newAnnealing(k, digits, in, w)
	s.strategies()
	s.anneal()
	var best plan
	s.genes = s.bestGenes
	best.luts, best.levels, _ = s.run(&best)
	return best
}

// estimate returns the LUTs and levels of the best simple strategy. It takes a hundredth of the time of a search.
func estimate(k, digits int, in profile, w worth) (luts, levels int) {
	s := newAnnealing(k, digits, in, w)
	s.strategies()
	luts, levels, _ = s.run(nil)
	return luts, levels
}

// annealing is the state of a search.
type annealing struct {
	*planner
	goal      worth
	best      float64
	bestGenes genes
	levels    int // number of levels in the last accepted tree
	undo      []change

	accepted trace
	trial    trace
}

// trace records a planner's run.
type trace struct {
	before       []moment // by level
	end          int      // last level in the slice called before
	joins        int      // level from which on the trial equals the accepted tree
	luts, levels int
	ok           bool // the tree is complete
}

func newAnnealing(k, digits int, in profile, w worth) *annealing {
	p := &planner{shapes: shapesOf(k), bulk: len(bulkShapes(k)), digits: digits, in: in}
	s := &annealing{planner: p, goal: w, best: 1e18}
	s.accepted = trace{before: make([]moment, p.lastLevel()), end: -1}
	s.trial.before = make([]moment, p.lastLevel())
	p.begin(nil)
	s.accepted.before[0] = p.moment
	return s
}

// try runs the genes, and keeps them if they are the best so far. The genes may differ from the accepted tree's
// genes only at the levels from first to last. try returns the cost, or 1e18 if the cost is more than limit.
func (s *annealing) try(first, last int, limit float64) float64 {
	s.rerun(first, last, limit)
	if !s.trial.ok {
		return 1e18
	}
	c := s.goal.cost(s.trial.luts, s.trial.levels)
	if c < s.best {
		s.best, s.bestGenes = c, s.genes
	}
	s.levels = s.trial.levels
	return c
}

// rerun builds the trial's tree again, beginning at the level given by first. After the level given by last, it ends
// as soon as the state equals the state of the accepted tree, because the rest of the two trees is then the same. It
// gives up when the cost exceeds limit.
func (s *annealing) rerun(first, last int, limit float64) {
	was, now := &s.accepted, &s.trial
	s.moment, s.level, now.ok = was.before[first], first, false
	for s.level < s.lastLevel() && s.goal.cost(s.luts, s.level) <= limit {
		if at := s.level; at > last && at <= was.end && s.state == was.before[at].state {
			now.end, now.joins = was.end, at
			now.luts, now.levels, now.ok = s.luts+was.luts-was.before[at].luts, was.levels, was.ok
			return
		}
		now.before[s.level] = s.moment
		if s.step() {
			now.end, now.joins = s.level, s.level+1
			now.luts, now.levels, now.ok = s.luts, s.level, true
			return
		}
	}
	now.end, now.joins = s.level-1, s.level
}

// accept makes the trial the accepted tree. Below the level given by first, the two trees must be equal.
func (s *annealing) accept(first int) {
	was, now := &s.accepted, &s.trial
	copy(was.before[first:now.joins], now.before[first:now.joins])
	for at := now.joins; at <= now.end; at++ {
		was.before[at].luts += now.luts - was.luts
	}
	was.end, was.luts, was.levels, was.ok = now.end, now.luts, now.levels, now.ok
}

// strategies tries the simple strategies. A simple strategy uses the last bulk shape up to one level, and then the
// first bulk shape up to another level. After that, it places any counter that fits, as long as a certain number of
// bits is left.
func (s *annealing) strategies() {
	const extra, tries = 24, 24
	last := len(s.in) + extra
	step := (last + tries - 1) / tries
	for from := 0; from < last; from += step {
		for least := uint8(2); int32(least) <= s.shapes[0].in[0]; least++ {
			for until := 0; until < last; until += step {
				s.strategy(from, until, least)
				s.try(0, s.lastLevel(), s.best)
				if s.bulk == 1 {
					break
				}
			}
		}
	}
	s.genes = s.bestGenes
}

func (s *annealing) strategy(from, until int, least uint8) {
	for t := range s.genes.least {
		s.genes.least[t], s.genes.bulk[t] = uint8(s.shapes[0].in[0]), 0
		if t >= from {
			s.genes.least[t] = least
		}
		if t < until {
			s.genes.bulk[t] = uint8(s.bulk - 1)
		}
	}
}

func (s *annealing) anneal() {
	steps := min(stepsPerBit*s.in.bits(s.digits), maxSteps)
	r := rand.New(rand.NewPCG(1, uint64(s.digits)))
	now := s.try(0, s.lastLevel(), s.best)
	s.accept(0)
	for i := range steps {
		undo := s.mutate(r)
		levels := s.levels
		temperature := 0.5 * (1 - float64(i)/float64(steps))
		limit := now + float64(temperature*r.ExpFloat64())
		first, last := s.changed(undo)
		if c := s.try(first, last, limit); c <= limit {
			now = c
			s.accept(first)
			continue
		}
		s.levels = levels
		for _, u := range slices.Backward(undo) {
			*u.at = u.was
		}
	}
}

// bits returns the number of bits that are summed.
func (in profile) bits(digits int) (bits int) {
	for _, row := range in {
		for _, count := range row[:digits] {
			bits += int(count)
		}
	}
	return bits
}

// change is a gene and its value before the change.
type change struct {
	at    *uint8
	was   uint8
	level int
}

// changed returns the first and the last level that changes affect.
func (s *annealing) changed(changes []change) (first, last int) {
	first = changes[0].level
	for _, c := range changes {
		first, last = min(first, c.level), max(last, c.level)
	}
	if last == maxLevels-1 { // later levels also use the genes of this level
		last = s.lastLevel()
	}
	return first, last
}

// mutate changes one to three genes. The result is valid until the next call.
func (s *annealing) mutate(r *rand.Rand) []change {
	undo := s.undo[:0]
	for range 1 + r.IntN(3) {
		t := min(r.IntN(s.levels+1), maxLevels-1)
		if r.IntN(8) == 0 {
			at := &s.genes.least[t]
			undo = append(undo, change{at, *at, t})
			*at = uint8(2 + r.IntN(int(s.shapes[0].in[0])))
			continue
		}
		if s.bulk > 1 && r.IntN(8) == 0 {
			at := &s.genes.bulk[t]
			undo = append(undo, change{at, *at, t})
			*at = uint8(r.IntN(s.bulk))
			continue
		}
		at := &s.genes.choice[t][r.IntN(s.digits)][r.IntN(2)]
		undo = append(undo, change{at, *at, t})
		*at = byRule
		if r.IntN(3) > 0 {
			*at = uint8(r.IntN(len(s.shapes) + firstShape))
		}
	}
	s.undo = undo
	return undo
}
