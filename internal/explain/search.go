package explain

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"ialgn/internal/model"
	"ialgn/internal/progress"
	"ialgn/internal/ties"
)

// mostTargets is the largest number of classes that a search tries to reach one by one. In addition, a search tries
// to reach an arbitrary other class.
const mostTargets = 3

// mostLanes is the number of sets of changes that are simulated at a time.
const mostLanes = 64 * 64

// anyClass is the target of a search that may end in any other class.
const anyClass = -1

// targets returns the targets of a search: any class, and some classes with the largest counts.
func targets(counts []int32, tieOrder []int, class int) []int {
	var order []int
	for place := range counts {
		if c := ties.At(tieOrder, place); c != class {
			order = append(order, c)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(counts[b], counts[a]) })
	return append([]int{anyClass}, order[:min(len(order), mostTargets)]...)
}

// search searches for changes of a sample that change the class.
type search struct {
	*Network
	class      int
	places     []int // place of each class in the tie order
	from       []uint16
	candidates []candidate   // sorted by column
	single     [][]candidate // [candidate]: the set that contains only this candidate
	most       int           // largest number of changes in a set

	allUpTo     int  // all sets with up to this number of changes were tried
	irreducible bool // no smaller set than the one that was found changes the class
}

func newSearch(n *Network, e *Explanation, most int) *search {
	s := &search{
		Network: n, class: e.Index, places: ties.Places(n.f.Ties, len(n.f.Classes)),
		from: e.Words, most: most, candidates: n.candidates(e.Words),
	}
	for i := range s.candidates {
		s.single = append(s.single, s.candidates[i:i+1:i+1])
	}
	return s
}

// roomFor returns the number of sets that each exhaustive search of a network may try.
func roomFor(f *model.Frozen) float64 {
	values := f.Inputs()
	for l := range f.Layers {
		values += f.Layers[l].Width()
	}
	return min(mostSets, mostBits/float64(max(values, 1)))
}

// run returns a set of changes that changes the class, or nil if it finds no such set. It first searches greedily. If
// this fails, it tries random sets. When it has found a set, it tries all sets with fewer changes and all smaller
// sets, as far as the limits allow.
func (s *search) run(ctx context.Context, targets []int) (best []candidate, err error) {
	if s.most < 1 {
		return nil, nil
	}
	if best, err = s.nearest(ctx, targets); err == nil && best == nil {
		best, err = s.scatter(ctx)
	}
	if err != nil {
		return nil, err
	}
	bound := s.most
	if best != nil {
		bound = len(best) - 1
	}
	if least, err := s.fewest(ctx, bound); err != nil {
		return nil, err
	} else if least != nil {
		best = least
	}
	if best, err = s.lowest(ctx, best); err != nil {
		return nil, err
	}
	slices.SortFunc(best, func(a, b candidate) int { return a.column - b.column })
	return best, nil
}

// nearest makes a greedy search for each target. It returns the set with the fewest changes that any of these
// searches finds.
func (s *search) nearest(ctx context.Context, targets []int) (best []candidate, err error) {
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
		if best == nil || fewer(set, best) {
			best = set
		}
		if len(best) == 1 {
			break
		}
	}
	return best, nil
}

// fewer reports whether set a has fewer changes than set b. If the numbers are equal, it compares the numbers of
// steps.
func fewer(a, b []candidate) bool {
	return len(a) < len(b) || len(a) == len(b) && steps(a) < steps(b)
}

func steps(set []candidate) (sum int) {
	for _, c := range set {
		sum += c.steps
	}
	return sum
}

// greedy adds changes one by one until the class changes. Each time it adds the change that brings the target nearest
// to winning. It returns nil if the number of changes would exceed most. It changes a column again only if this
// brings the target nearer, so that the search ends.
func (s *search) greedy(ctx context.Context, target, most int) ([]candidate, error) {
	var set []candidate
	now := int32(math.MaxInt32)
	for {
		progress.Say(ctx, "searching changes, %d made", len(set))
		scores, err := s.try(ctx, set, s.single, target)
		if err != nil {
			return nil, err
		}
		best := -1
		for i := range scores {
			again := has(set, s.candidates[i].column)
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

// before reports whether candidate i is better than candidate j. First, a candidate that changes the class is better
// than one that does not. Next, the better candidate brings the target nearer to winning. If two candidates are still
// equal, the smaller change is better.
func (s *search) before(scores []score, i, j int) bool {
	switch a, b := scores[i], scores[j]; {
	case a.flips != b.flips:
		return a.flips
	case a.rank != b.rank:
		return a.rank < b.rank
	}
	return s.candidates[i].steps < s.candidates[j].steps
}

// reduce removes changes and makes changes smaller until no single change can be removed or made smaller.
func (s *search) reduce(ctx context.Context, set []candidate) ([]candidate, error) {
	for {
		progress.Say(ctx, "taking back changes, %d left", len(set))
		var lanes [][]candidate
		for _, c := range set {
			for _, d := range s.smaller(c) {
				lanes = append(lanes, []candidate{d})
			}
		}
		scores, err := s.try(ctx, set, lanes, anyClass)
		if err != nil {
			return nil, err
		}
		best := -1
		for i, lane := range lanes {
			if !scores[i].flips {
				continue
			}
			if best < 0 || lane[0].steps < lanes[best][0].steps ||
				lane[0].steps == lanes[best][0].steps && scores[i].rank < scores[best].rank {
				best = i
			}
		}
		if best < 0 {
			return set, nil
		}
		set = with(set, lanes[best][0])
	}
}

// smaller returns all smaller changes of a candidate's column. The first result has no steps, so it changes nothing.
func (s *search) smaller(c candidate) []candidate {
	col := &s.columns[c.column]
	all := []candidate{{column: c.column, words: s.from[col.first:][:col.features]}}
	for _, d := range s.candidates {
		if d.column == c.column && d.steps < c.steps && d.up == c.up {
			all = append(all, d)
		}
	}
	return all
}

func has(set []candidate, column int) bool {
	return slices.ContainsFunc(set, func(c candidate) bool { return c.column == column })
}

// with returns a copy of a set with candidate c as the change of c's column.
func with(set []candidate, c candidate) []candidate {
	out := make([]candidate, 0, len(set)+1)
	for _, d := range set {
		if d.column != c.column {
			out = append(out, d)
		}
	}
	if c.steps == 0 {
		return out
	}
	return append(out, c)
}

// score is the result of a candidate. It says how far the target is from winning, and whether the class changes. If
// the target is ahead of the sample's class, the distance is negative.
type score struct {
	rank  int32
	flips bool
}

// try simulates several combinations of changes, one in each lane. Each combination consists of the argument set,
// which all lanes share, and the lane's own set in lanes. If both sets change the same column, the change in the
// lane's own set is used.
func (s *search) try(ctx context.Context, set []candidate, lanes [][]candidate, target int) ([]score, error) {
	words := s.apply(s.from, set)
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

// rows returns the bit rows for a sample, with a different set of changes in each lane.
func (s *search) rows(words []uint16, lanes [][]candidate) []uint64 {
	wide, width := (len(lanes)+63)/64, s.f.Encoder.Bits-1
	rows := make([]uint64, s.f.Inputs()*wide)
	for i, b := range s.bits(words) {
		for w := range wide {
			rows[i*wide+w] = -b
		}
	}
	for lane, set := range lanes {
		for _, c := range set {
			for i, v := range c.words {
				f := s.columns[c.column].first + i
				for j, t := range s.f.Encoder.Thresholds[f] {
					word := &rows[(f*width+j)*wide+lane/64]
					*word = *word&^(1<<(lane%64)) | one(v > t)<<(lane%64)
				}
			}
		}
	}
	return rows
}

// rank says how far the target is behind the sample's class. It returns twice the difference of the counts, plus or
// minus 1 because the class that comes first in the tie order wins a tie.
func (s *search) rank(counts []int32, target int) int32 {
	least := int32(math.MaxInt32)
	for c, n := range counts {
		if c == s.class || target != anyClass && c != target {
			continue
		}
		tie := int32(1)
		if s.places[c] < s.places[s.class] {
			tie = -1
		}
		least = min(least, 2*(counts[s.class]-n)+tie)
	}
	return least
}

// scatter tries random sets. It calls [search.reduce] for the random sets that change the class, and returns the
// smallest result.
func (s *search) scatter(ctx context.Context) ([]candidate, error) {
	columns, r := s.byColumn(), rand.New(rand.NewPCG(1, uint64(len(s.candidates))))
	most := min(s.most, len(columns))
	set, err := s.firstOf(ctx, func(yield func([]candidate) bool) {
		for range mostLanes {
			set := make([]candidate, 0, most)
			for _, i := range r.Perm(len(columns))[:1+r.IntN(most)] {
				set = append(set, columns[i][r.IntN(len(columns[i]))])
			}
			if !yield(set) {
				return
			}
		}
	})
	if err != nil || set == nil {
		return nil, err
	}
	return s.reduce(ctx, set)
}
