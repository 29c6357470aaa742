package head

import (
	"math/rand/v2"
	"slices"
)

// maxLevels bounds the levels of a tree after its last input. With full adders alone, n bits take
// about log(n) / log(1.5) levels until each digit has two bits, and then one level for each digit.
const maxLevels = 96

// profile[level][digit] is the number of bits of weight 2^digit that arrive at a level.
type profile [][maxDigits]int32

// placement is one decision of a plan: place count counters of a shape at a level, with their
// lowest inputs at the given digit.
type placement struct {
	shape, level, digit, count int
}

// plan is a tree of counters, found by [search].
type plan struct {
	placed []placement // sorted by level, and within a level by digit
	luts   int
	levels int // level at which the last digit arrives
}

// planner decides where counters are placed. Time runs in levels. At each level the digits are
// visited from the lowest; in each digit, the counters that the genes ask for are placed first,
// then as many bulk counters as the bits allow. The bits left over wait for the next level. Every
// choice of genes gives a valid tree; [search] looks for good genes.
type planner struct {
	shapes []shape // number of bulk shapes
	bulk   int     // how many those are
	digits int
	in     profile
	genes  genes

	have    [maxDigits]int32 // bits at this level
	future  [maxDigits]int32 // bits that come later
	made    [maxLater + 1][maxDigits]int32
	level   int
	settled bool // the digits below have one bit each, for good
	record  *plan
	luts    int
}

// genes are the parameters that decide a planner's tree.
type genes struct {
	// least[level] is the number of left-over bits from which on the best-fitting counter is
	// placed, rather than letting the bits wait.
	least [maxLevels]uint8
	// choice replaces this rule at a level and digit by up to two counters.
	choice [maxLevels][maxDigits][2]uint8
	// bulk[level] is the bulk shape that comes first.
	bulk [maxLevels]uint8
}

// The values of a choice; values from firstShape on are shapes.
const (
	byRule = iota
	noCounter
	firstShape
)

// run builds the tree of the genes. It returns false if the tree is not complete within maxLevels
// after the last input. The tree is written to record, unless record is nil.
func (p *planner) run(record *plan) (luts, levels int, ok bool) {
	p.begin(record)
	for ; p.level < len(p.in)+maxLevels; p.level++ {
		p.arrive()
		if p.done() {
			return p.luts, p.level, true
		}
		p.settled = true
		for d := range p.digits {
			p.place(d)
			if p.have[d]+p.future[d] > 1 {
				p.settled = false
			}
		}
	}
	return 0, 0, false
}

func (p *planner) begin(record *plan) {
	p.record, p.luts, p.level = record, 0, 0
	clear(p.have[:])
	clear(p.made[:])
	clear(p.future[:])
	for _, row := range p.in {
		for d := range p.digits {
			p.future[d] += row[d]
		}
	}
}

// arrive makes the bits of this level available.
func (p *planner) arrive() {
	made := &p.made[p.level%len(p.made)]
	for d := range p.digits {
		bits := made[d]
		made[d] = 0
		if p.level < len(p.in) {
			bits += p.in[p.level][d]
		}
		p.have[d] += bits
		p.future[d] -= bits
	}
}

func (p *planner) done() bool {
	for d := range p.digits {
		if p.have[d] > 1 || p.future[d] > 0 {
			return false
		}
	}
	return true
}

// place places the counters of one level whose lowest digit is d.
func (p *planner) place(d int) {
	if p.have[d] < 2 {
		return
	}
	at := min(p.level, maxLevels-1)
	for slot, choice := range p.genes.choice[at][d] {
		switch {
		case choice >= firstShape:
			if s := int(choice) - firstShape; s < len(p.shapes) && p.fits(s, d) {
				p.put(s, d, 1)
			}
		case choice == byRule && slot == 0:
			p.fit(d, int32(p.genes.least[at]))
		}
	}
	for i := range p.bulk {
		s := (i + int(p.genes.bulk[at])) % p.bulk
		if count := p.have[d] / p.shapes[s].in[0]; count > 0 {
			p.put(s, d, int(count))
		}
		if s == 0 { // shape 0 is the smallest: too few bits are left for the others
			break
		}
	}
}

// fit places the best counter for the bits of digit d that no bulk counter takes, if there are at
// least least of them, or if no other bits can come to this digit: then only this counter can give
// its final value.
func (p *planner) fit(d int, least int32) {
	full := p.shapes[0].in[0]
	rest := p.have[d] % full
	if p.settled && p.future[d] == 0 {
		rest = min(p.have[d], full)
	} else if rest < least {
		return
	}
	best, score := -1, int32(-1<<30)
	for i := range p.shapes {
		s := &p.shapes[i]
		if s.in[0] > rest || !p.fits(i, d) {
			continue
		}
		// As many bits of this digit as possible, then the best gain, then the most bits.
		if now := 100*s.in[0] + 10*s.gain + s.in[1] + s.in[2]; now > score {
			best, score = i, now
		}
	}
	if best >= 0 {
		p.put(best, d, 1)
	}
}

// fits reports whether the bits for all inputs of a counter are there.
func (p *planner) fits(s, d int) bool {
	for i, c := range p.shapes[s].in {
		if c > 0 && (d+i >= p.digits || p.have[d+i] < c) {
			return false
		}
	}
	return true
}

// put places counters. Sums are modulo 2^digits, so outputs of higher weight are dropped: in the
// highest digit, a counter is an exclusive or.
func (p *planner) put(s, d, count int) {
	sh := &p.shapes[s]
	for i, c := range sh.in {
		if c > 0 {
			p.have[d+i] -= c * int32(count)
		}
	}
	outs := min(int(sh.outs), p.digits-d)
	for i := range outs {
		p.made[(p.level+1+int(sh.later[i]))%len(p.made)][d+i] += int32(count)
		p.future[d+i] += int32(count)
	}
	p.luts += sh.lutsOf(outs) * count
	if p.record != nil {
		p.record.placed = append(p.record.placed, placement{s, p.level, d, count})
	}
}

// The number of trees that a search tries: stepsPerBit for each bit, up to maxSteps. More trees
// save one or two LUTs at most.
const (
	stepsPerBit = 300
	maxSteps    = 12000
)

// worth is the goal of a search: few LUTs and few levels, each level being worth some LUTs. Before
// all else, the tree should have at most maxLevels levels, unless that is 0.
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

// search returns the best tree found for a profile. The result depends on the arguments alone.
//
// It starts from the best of several simple strategies (bulk counters up to some level, and smaller
// ones after it) and then changes genes at random by simulated annealing. Trying a tree of 800 bits
// takes 5 us.
func search(k, digits int, in profile, w worth) plan {
	s := newAnnealing(k, digits, in, w)
	s.strategies()
	s.anneal()
	var best plan
	s.genes = s.bestGenes
	best.luts, best.levels, _ = s.run(&best)
	return best
}

// estimate returns the LUTs and levels of the best simple strategy, in a hundredth of the time of a
// search.
func estimate(k, digits int, in profile, w worth) (luts, levels int) {
	s := newAnnealing(k, digits, in, w)
	s.strategies()
	luts, levels, _ = s.run(nil)
	return luts, levels
}

// annealing is the state of a search.
type annealing struct {
	*planner
	worth
	best      float64
	bestGenes genes
	levels    int // levels of the tree that was accepted last
}

func newAnnealing(k, digits int, in profile, w worth) *annealing {
	p := &planner{shapes: shapesOf(k), bulk: len(bulkShapes(k)), digits: digits, in: in}
	return &annealing{planner: p, worth: w, best: 1e18}
}

// try runs the genes and keeps them if they are the best so far.
func (s *annealing) try() float64 {
	luts, levels, ok := s.run(nil)
	if !ok {
		return 1e18
	}
	c := s.cost(luts, levels)
	if c < s.best {
		s.best, s.bestGenes = c, s.genes
	}
	s.levels = levels
	return c
}

// strategies tries the simple strategies: the last bulk shape up to one level, the first bulk shape
// up to another, and after that whatever fits a certain number of bits or more.
func (s *annealing) strategies() {
	const extra, tries = 24, 24
	last := len(s.in) + extra
	step := (last + tries - 1) / tries
	for from := 0; from < last; from += step {
		for least := uint8(2); int32(least) <= s.shapes[0].in[0]; least++ {
			for until := 0; until < last; until += step {
				s.strategy(from, until, least)
				s.try()
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
	now := s.try()
	for i := range steps {
		undo := s.mutate(r)
		levels := s.levels
		temperature := 0.5 * (1 - float64(i)/float64(steps))
		if c := s.try(); c <= now+float64(temperature*r.ExpFloat64()) {
			now = c
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
	at  *uint8
	was uint8
}

// mutate changes one to three genes.
func (s *annealing) mutate(r *rand.Rand) (undo []change) {
	for range 1 + r.IntN(3) {
		t := min(r.IntN(s.levels+1), maxLevels-1)
		if r.IntN(8) == 0 {
			at := &s.genes.least[t]
			undo = append(undo, change{at, *at})
			*at = uint8(2 + r.IntN(int(s.shapes[0].in[0])))
			continue
		}
		if s.bulk > 1 && r.IntN(8) == 0 {
			at := &s.genes.bulk[t]
			undo = append(undo, change{at, *at})
			*at = uint8(r.IntN(s.bulk))
			continue
		}
		at := &s.genes.choice[t][r.IntN(s.digits)][r.IntN(2)]
		undo = append(undo, change{at, *at})
		*at = byRule
		if r.IntN(3) > 0 {
			*at = uint8(r.IntN(len(s.shapes) + firstShape))
		}
	}
	return undo
}
