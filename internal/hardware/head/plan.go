package head

// maxLevels bounds the levels of a tree after its last input. With full adders alone, n bits take about log(n) /
// log(1.5) levels until each digit has two bits. After that, each digit takes one more level.
const maxLevels = 96

// profile[level][digit] is the number of bits of weight 2^digit that arrive at a level.
type profile [][maxDigits]int32

// placement is one decision of a plan. It places a number of counters (count) of one shape at a level. The lowest
// inputs of these counters are at the given digit.
type placement struct {
	shape, level, digit, count int
}

// plan is a tree of counters that [search] has found.
type plan struct {
	placed []placement // sorted by level, and within a level by digit
	luts   int
	levels int // level at which the last digit arrives
}

// planner decides where counters are placed. It goes from level to level, and at each level from the lowest digit to
// the highest. In each digit, it first places the counters that the genes specify. Then it places bulk counters as
// long as there are enough bits. The remaining bits wait for the next level. Every choice of genes gives a valid
// tree. [search] looks for good genes.
type planner struct {
	shapes []shape // all shapes, bulk shapes first
	bulk   int     // number of bulk shapes
	digits int
	in     profile
	genes  genes

	moment
	level   int
	settled bool // each lower digit has one bit and gets no more bits
	record  *plan
}

// moment holds a planner's results before a level.
type moment struct {
	state
	luts int
}

// state is the part of a moment on which the rest of the tree depends.
type state struct {
	have   [maxDigits]int32               // bits at this level
	future [maxDigits]int32               // bits that come later
	made   [maxLater + 1][maxDigits]int32 // outputs of counters, by the level of their arrival
}

// genes are the parameters that determine a planner's tree.
type genes struct {
	// least applies to bits that bulk counters do not take. If the number of such bits is least[level] or more, the
	// best-fitting counter is placed. Otherwise the bits wait.
	least [maxLevels]uint8
	// choice[level][digit] lists up to two counters to place, instead of the rule given by the field least.
	choice [maxLevels][maxDigits][2]uint8
	// bulk[level] is the bulk shape that is tried first.
	bulk [maxLevels]uint8
}

// These are the values of a choice. Values from firstShape on are shapes.
const (
	byRule = iota
	noCounter
	firstShape
)

// run builds the tree of the genes. It returns false if the tree is not complete within maxLevels after the last
// input. If the argument record is not nil, run stores the tree there.
func (p *planner) run(record *plan) (luts, levels int, ok bool) {
	for p.begin(record); p.level < p.lastLevel(); {
		if p.step() {
			return p.luts, p.level, true
		}
	}
	return 0, 0, false
}

// lastLevel returns the level at which a tree must be complete.
func (p *planner) lastLevel() int { return len(p.in) + maxLevels }

// step places the counters of a level and goes to the next one, unless the tree is complete.
func (p *planner) step() (complete bool) {
	p.arrive()
	if p.done() {
		return true
	}
	p.settled = true
	for d := range p.digits {
		p.place(d)
		if p.have[d]+p.future[d] > 1 {
			p.settled = false
		}
	}
	p.level++
	return false
}

func (p *planner) begin(record *plan) {
	p.record, p.level = record, 0
	p.moment = moment{}
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
		if s == 0 { // shape 0 is the smallest, so too few bits are left for any shape
			break
		}
	}
}

// fit places the best counter for the bits of digit d that no bulk counter takes. It places the counter if there are
// at least the given number (least) of such bits, or if no other bits can come to this digit. In the second case,
// only this counter can produce the final value of the digit.
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
		// The score prefers as many bits of this digit as possible, then the best gain, then the most bits.
		if now := 100*s.in[0] + 10*s.gain + s.in[1] + s.in[2]; now > score {
			best, score = i, now
		}
	}
	if best >= 0 {
		p.put(best, d, 1)
	}
}

// fits reports whether there are enough bits for all inputs of a counter.
func (p *planner) fits(s, d int) bool {
	for i, c := range p.shapes[s].in {
		if c > 0 && (d+i >= p.digits || p.have[d+i] < c) {
			return false
		}
	}
	return true
}

// put places counters. Sums are modulo 2^digits, so outputs of higher weight are dropped. In the highest digit, a
// counter is just an exclusive or.
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
