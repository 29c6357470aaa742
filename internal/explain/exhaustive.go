package explain

import (
	"context"
	"iter"
	"slices"

	"ialgn/internal/progress"
)

// These constants limit an exhaustive search, so that it takes about a second. For a large network, mostBits limits
// the number of sets further.
const (
	mostSets = 1 << 20
	mostBits = 1 << 36 // number of input bits and nodes, times the number of sets
)

// firstOf simulates sets of changes. Among the sets that change the class, it returns the set with the fewest changes
// and, among these, with the fewest steps. It returns nil if no set changes the class.
func (s *search) firstOf(ctx context.Context, sets iter.Seq[[]candidate]) (best []candidate, err error) {
	lanes := make([][]candidate, 0, mostLanes)
	simulate := func() error {
		scores, err := s.try(ctx, nil, lanes, anyClass)
		for i, score := range scores {
			if score.flips && (best == nil || fewer(lanes[i], best)) {
				best = lanes[i]
			}
		}
		lanes = lanes[:0]
		return err
	}
	for set := range sets {
		if lanes = append(lanes, slices.Clone(set)); len(lanes) == mostLanes {
			if err := simulate(); err != nil {
				return nil, err
			}
		}
	}
	return best, simulate()
}

// fewest tries all sets of one change, then of two changes, and so on up to bound changes, as far as the limits
// allow. It returns the best set with the smallest number of changes that changes the class.
func (s *search) fewest(ctx context.Context, bound int) ([]candidate, error) {
	columns, room := s.byColumn(), s.room
	for n := 1; n <= min(bound, len(columns)); n++ {
		if room -= setsOf(columns, n); room < 0 {
			return nil, nil
		}
		progress.Say(ctx, "trying all sets of %d changes", n)
		best, err := s.firstOf(ctx, choices(columns, n))
		if err != nil || best != nil {
			return best, err
		}
		s.allUpTo = n
	}
	return nil, nil
}

// byColumn returns the candidates grouped by column.
func (s *search) byColumn() (all [][]candidate) {
	for i, c := range s.candidates {
		if i == 0 || c.column != s.candidates[i-1].column {
			all = append(all, nil)
		}
		all[len(all)-1] = append(all[len(all)-1], c)
	}
	return all
}

// setsOf returns the number of sets that have n changes of different columns.
func setsOf(columns [][]candidate, n int) float64 {
	sets := make([]float64, n+1) // indexed by number of changes
	sets[0] = 1
	for _, c := range columns {
		for k := n; k > 0; k-- {
			sets[k] += float64(sets[k-1] * float64(len(c)))
		}
	}
	return sets[n]
}

// choices yields all sets that have n changes of different columns. A set is valid until the next set is yielded.
func choices(columns [][]candidate, n int) iter.Seq[[]candidate] {
	return func(yield func([]candidate) bool) {
		set := make([]candidate, 0, n)
		var extend func(from int) bool
		extend = func(from int) bool {
			if len(set) == n {
				return yield(set)
			}
			for i := from; i <= len(columns)-(n-len(set)); i++ {
				for _, c := range columns[i] {
					set = append(set, c)
					if !extend(i + 1) {
						return false
					}
					set = set[:len(set)-1]
				}
			}
			return true
		}
		extend(0)
	}
}

// lowest tries all sets that result from the argument set by leaving out changes or making changes smaller. It
// returns the smallest of these sets that changes the class. If no smaller set does, or if the limits do not allow
// trying all of them, it returns set itself.
func (s *search) lowest(ctx context.Context, set []candidate) ([]candidate, error) {
	below, sets := make([][]candidate, len(set)), 1.0
	for i, c := range set {
		below[i] = append(s.smaller(c)[1:], c)
		sets *= float64(1 + len(below[i]))
	}
	if set == nil || sets > s.room {
		return set, nil
	}
	progress.Say(ctx, "trying all parts of %d changes", len(set))
	s.irreducible = true
	return s.firstOf(ctx, func(yield func([]candidate) bool) {
		for n := 1; n <= len(set); n++ {
			for part := range choices(below, n) {
				if !yield(part) {
					return
				}
			}
		}
	})
}
