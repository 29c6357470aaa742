package explain

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// MostTargets is how many classes a search goes for, each by itself, beside whichever class is nearest.
const mostTargets = 3

// mostLanes is how many candidates are simulated at a time.
const mostLanes = 64 * 64

// candidate is a value that a feature may be changed to.
type candidate struct {
	feature int
	value   uint16
	steps   int // thresholds that are read between it and the sample's own value
}

// flip searches for the changes that have another class come out.
func (n *Network) flip(ctx context.Context, e *Explanation, most int) error {
	s := &search{Network: n, class: e.Index, from: e.Words, most: most}
	s.candidates = n.candidates(e.Words)
	e.Search = Search{Candidates: len(s.candidates), Changes: most}
	if len(n.f.Classes) < 2 || len(s.candidates) == 0 {
		return nil
	}
	best, err := s.run(ctx, targets(e.Counts, e.Index))
	if err != nil || best == nil {
		return err
	}
	words := slices.Clone(e.Words)
	for _, c := range best {
		words[c.feature] = c.value
	}
	counts, err := n.counts(ctx, words)
	if err != nil {
		return err
	}
	class := winner(counts)
	if class == e.Index {
		return errDisagree
	}
	// All single changes were tried, and none alone did where the search went on to two.
	e.Flipped = &Flipped{Class: n.f.Classes[class], Counts: counts, Least: len(best) <= 2}
	for _, c := range best {
		e.Flips = append(e.Flips, n.change(c, e.Words[c.feature]))
	}
	return nil
}

// change describes a change for people.
func (n *Network) change(c candidate, from uint16) Change {
	enc := &n.f.Encoder
	v := Change{Place: PlaceOf(enc, n.shape, c.feature), From: from, To: c.value}
	if q := enc.Quantiser; q != nil && q.Scale[c.feature] != 0 {
		value := func(word uint16) *float64 {
			x := q.Offset[c.feature] + float64(word)/q.Scale[c.feature]
			if q.Apply(c.feature, x, enc.Max) != word {
				return nil // it would not come back as this word
			}
			return &x
		}
		v.FromValue, v.ToValue = value(from), value(c.value)
	}
	return v
}

// candidates returns for each feature the values that the network tells apart from its own and from each other: the
// nearest ones beyond each threshold that is read.
func (n *Network) candidates(words []uint16) (all []candidate) {
	enc := &n.f.Encoder
	width := enc.Bits - 1
	for f, v := range words {
		read := n.live.Inputs[f*width : (f+1)*width]
		steps, last := 0, v
		for j := width - 1; j >= 0; j-- { // downwards: the value is at most the threshold
			if t := enc.Thresholds[f][j]; read[j] && t < last {
				steps++
				all = append(all, candidate{f, t, steps})
				last = t
			}
		}
		steps, last = 0, v
		for j, t := range enc.Thresholds[f] { // upwards: it is greater
			if read[j] && t >= last && uint32(t) < enc.Max {
				steps++
				all = append(all, candidate{f, t + 1, steps})
				last = t + 1
			}
		}
	}
	return all
}

// anyClass is the target of a search for whichever class is nearest.
const anyClass = -1

// targets returns what a search goes for: whichever class, and some with the largest counts.
func targets(counts []int32, class int) []int {
	var order []int
	for c := range counts {
		if c != class {
			order = append(order, c)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(counts[b], counts[a]) })
	return append([]int{anyClass}, order[:min(len(order), mostTargets)]...)
}

// search looks for changes of one sample.
type search struct {
	*Network
	class      int
	from       []uint16
	candidates []candidate
	most       int
}

// run returns the fewest changes that were found for any of the targets, nil if there were none.
func (s *search) run(ctx context.Context, targets []int) (best []candidate, err error) {
	if s.most < 1 {
		return nil, nil
	}
	bound := s.most
	for _, target := range targets {
		set, err := s.greedy(ctx, target, bound)
		if err != nil {
			return nil, err
		}
		if set == nil {
			continue
		}
		bound = min(bound, len(set))
		if set, err = s.reduce(ctx, set); err != nil {
			return nil, err
		}
		if best == nil || len(set) < len(best) || len(set) == len(best) && steps(set) < steps(best) {
			best = set
		}
		if len(best) == 1 {
			break
		}
	}
	slices.SortFunc(best, func(a, b candidate) int { return a.feature - b.feature })
	return best, nil
}

func steps(set []candidate) (sum int) {
	for _, c := range set {
		sum += c.steps
	}
	return sum
}

// greedy makes the change that brings the target nearest, then the next one with that, until the class is another; nil
// where so many changes are not enough. A feature that was changed is changed again only where that brings it nearer,
// so that it ends.
func (s *search) greedy(ctx context.Context, target, most int) ([]candidate, error) {
	var set []candidate
	now := int32(math.MaxInt32)
	for {
		scores, err := s.try(ctx, set, s.candidates, target)
		if err != nil {
			return nil, err
		}
		best := -1
		for i := range scores {
			again := has(set, s.candidates[i].feature)
			if again && scores[i].rank >= now || !again && len(set) == most {
				continue
			}
			if best < 0 || s.before(scores, i, best) {
				best = i
			}
		}
		if best < 0 {
			return nil, nil
		}
		set = with(set, s.candidates[best])
		now = scores[best].rank
		if scores[best].flips {
			return set, nil
		}
	}
}

// before reports whether candidate i is better than candidate j: it flips the class, comes nearer, or is as near with
// a smaller change.
func (s *search) before(scores []score, i, j int) bool {
	switch a, b := scores[i], scores[j]; {
	case a.flips != b.flips:
		return a.flips
	case a.rank != b.rank:
		return a.rank < b.rank
	}
	return s.candidates[i].steps < s.candidates[j].steps
}

// reduce takes changes back, and makes them smaller, until no single one can be left out or be smaller.
func (s *search) reduce(ctx context.Context, set []candidate) ([]candidate, error) {
	for {
		lanes := s.smaller(set)
		scores, err := s.try(ctx, set, lanes, anyClass)
		if err != nil {
			return nil, err
		}
		best := -1
		for i, c := range lanes {
			if !scores[i].flips {
				continue
			}
			if best < 0 || c.steps < lanes[best].steps ||
				c.steps == lanes[best].steps && scores[i].rank < scores[best].rank {
				best = i
			}
		}
		if best < 0 {
			return set, nil
		}
		set = with(set, lanes[best])
	}
}

// smaller returns all smaller changes of the features of a set; one of no steps is none.
func (s *search) smaller(set []candidate) (all []candidate) {
	for _, c := range set {
		own := s.from[c.feature]
		all = append(all, candidate{c.feature, own, 0})
		for _, d := range s.candidates {
			if d.feature == c.feature && d.steps < c.steps && (d.value > own) == (c.value > own) {
				all = append(all, d)
			}
		}
	}
	return all
}

func has(set []candidate, feature int) bool {
	return slices.ContainsFunc(set, func(c candidate) bool { return c.feature == feature })
}

// with returns a set with one feature changed in another way.
func with(set []candidate, c candidate) []candidate {
	out := make([]candidate, 0, len(set)+1)
	for _, d := range set {
		if d.feature != c.feature {
			out = append(out, d)
		}
	}
	if c.steps == 0 {
		return out
	}
	return append(out, c)
}

// score is what comes of a candidate: how far the target is from being the class, below 0 where it is before the
// sample's class, and whether another class comes out.
type score struct {
	rank  int32
	flips bool
}

// try simulates the changes of a set together with each of the candidates, a lane each.
func (s *search) try(ctx context.Context, set, lanes []candidate, target int) ([]score, error) {
	words := slices.Clone(s.from)
	for _, c := range set {
		words[c.feature] = c.value
	}
	scores := make([]score, 0, len(lanes))
	for part := range slices.Chunk(lanes, mostLanes) {
		r, err := s.sim.Classify(ctx, s.rows(words, part), len(part))
		if err != nil {
			return nil, err
		}
		for i := range part {
			counts := r.Counts[i*r.Classes:][:r.Classes]
			scores = append(scores, score{s.rank(counts, target), int(r.Class[i]) != s.class})
		}
	}
	return scores, nil
}

// rows returns the bit rows of a sample with each of the candidates, a lane each.
func (s *search) rows(words []uint16, lanes []candidate) []uint64 {
	wide, width := (len(lanes)+63)/64, s.f.Encoder.Bits-1
	rows := make([]uint64, s.f.Inputs()*wide)
	for i, b := range s.bits(words) {
		for w := range wide {
			rows[i*wide+w] = -b
		}
	}
	for lane, c := range lanes {
		for j, t := range s.f.Encoder.Thresholds[c.feature] {
			word, bit := &rows[(c.feature*width+j)*wide+lane/64], uint64(1)<<(lane%64)
			*word &^= bit
			if c.value > t {
				*word |= bit
			}
		}
	}
	return rows
}

// rank returns how far the target is from being before the sample's class. Votes count twice, so that the one by which
// a tie is decided, by the lower number, has room between them.
func (s *search) rank(counts []int32, target int) int32 {
	least := int32(math.MaxInt32)
	for c, n := range counts {
		if c == s.class || target != anyClass && c != target {
			continue
		}
		tie := int32(1)
		if c < s.class {
			tie = -1
		}
		least = min(least, 2*(counts[s.class]-n)+tie)
	}
	return least
}
