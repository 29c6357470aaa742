package explain

import (
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"ialgn/internal/model"
	"ialgn/internal/netgen"
)

// flipSets returns all sets of candidates that change the class in the trainer's forward pass. A set has at most one
// candidate per column. Each set has one element for each column: 0 for no change, or 1 plus the index of the
// candidate.
func flipSets(t *testing.T, f *model.Frozen, e *Explanation, columns [][]candidate) (all [][]int) {
	t.Helper()
	var sets [][]int
	var samples [][]uint16
	set := make([]int, len(columns))
	var extend func(k int, words []uint16)
	extend = func(k int, words []uint16) {
		if k == len(columns) {
			sets, samples = append(sets, slices.Clone(set)), append(samples, words)
			return
		}
		set[k] = 0
		extend(k+1, words)
		for i, c := range columns[k] {
			next := slices.Clone(words)
			next[c.column] = c.words[0]
			set[k] = 1 + i
			extend(k+1, next)
		}
	}
	extend(0, e.Words)
	for i, class := range scores(t, f, samples...).Predicted {
		if int(class) != e.Index {
			all = append(all, sets[i])
		}
	}
	return all
}

// isBelow reports whether set a is smaller than set b. That is the case if a differs from b and results from b by
// leaving out changes or making changes smaller.
func isBelow(columns [][]candidate, a, b []int) bool {
	if slices.Equal(a, b) {
		return false
	}
	for k := range a {
		if a[k] == 0 || a[k] == b[k] {
			continue
		}
		if b[k] == 0 {
			return false
		}
		x, y := columns[k][a[k]-1], columns[k][b[k]-1]
		if x.up != y.up || x.steps > y.steps {
			return false
		}
	}
	return true
}

// differ returns the number of columns in which two sets differ.
func differ(a, b []int) (n int) {
	for k := range a {
		if a[k] != b[k] {
			n++
		}
	}
	return n
}

// changes returns the number of changes in a set.
func changes(set []int) int { return differ(set, make([]int, len(set))) }

// TestOracle compares explanations of random networks with all possible sets of changes. If any set changes the
// class, the explanation must have a set that does. The statements of the explanation about sets with fewer changes
// and about smaller sets must be true. If the search is limited, the explanation may make weaker statements. The
// environment variable ORACLE sets the number of networks.
func TestOracle(t *testing.T) {
	networks := uint64(60)
	if n, err := strconv.ParseUint(os.Getenv("ORACLE"), 10, 32); err == nil {
		networks = n
	}
	const start = 180 // includes seed 200, for which the greedy search alone finds nothing
	flipped, least, irreducible, missed, more := 0, 0, 0, 0, 0
	for seed := range networks {
		seed += start
		r := rand.New(rand.NewPCG(seed, 9))
		classes := 2 + r.IntN(3)
		f := netgen.Frozen(seed, netgen.FrozenOptions{
			Width: classes * (1 + r.IntN(12)), Depth: 1 + r.IntN(4), Features: 2 + r.IntN(5), Bits: 2 + r.IntN(3), BitsIn: 2,
			Classes: classes, Topology: netgen.Topology(seed % 2),
		})
		n, err := New(f, Options{})
		if err != nil {
			t.Fatal(err)
		}
		words := randomWords(r, &f.Encoder)
		for _, room := range []float64{n.room, 100, 10, 0} {
			n.room = room
			e, err := n.Explain(t.Context(), words, len(words))
			if err != nil {
				t.Fatal(err)
			}
			columns := newSearch(n, e, len(words)).byColumn()
			sets := flipSets(t, f, e, columns)
			if len(sets) == 0 {
				if e.Flipped != nil || e.Search.AllUpTo > len(columns) {
					t.Errorf("seed %d, room %v: nothing flips the class, but %+v does", seed, room, e.Flips)
				}
				continue
			}
			flipped++
			fewest := changes(slices.MinFunc(sets, func(a, b []int) int { return changes(a) - changes(b) }))
			if e.Search.AllUpTo >= fewest {
				t.Errorf("seed %d, room %v: said that no set of up to %d changes flips the class, but one of %d does", seed,
					room, e.Search.AllUpTo, fewest)
			}
			if e.Flipped == nil {
				if missed++; room == roomFor(f) {
					t.Errorf("seed %d: %d sets flip the class and none was found", seed, len(sets))
				}
				continue
			}
			found := make([]int, len(columns))
			for _, c := range e.Flips {
				k := slices.IndexFunc(columns, func(all []candidate) bool { return all[0].column == c.Feature })
				found[k] = 1 + slices.IndexFunc(columns[k], func(d candidate) bool { return d.words[0] == c.To })
			}
			if e.Flipped.Least {
				least++
			}
			if len(e.Flips) > fewest {
				if more++; e.Flipped.Least {
					t.Errorf("seed %d, room %v: %d changes are called the fewest, but %d suffice", seed, room, len(e.Flips), fewest)
				}
			}
			if e.Flipped.Irreducible {
				irreducible++
			} else if room == roomFor(f) {
				t.Errorf("seed %d: the set is not called irreducible", seed)
			}
			for _, s := range sets {
				if isBelow(columns, s, found) && (e.Flipped.Irreducible || differ(s, found) == 1) {
					t.Errorf("seed %d, room %v: %v flips the class, and so does the smaller set %v", seed, room, found, s)
				}
			}
		}
	}
	t.Logf("%d explanations, %d least, %d irreducible, %d missed, %d with more than the fewest", flipped, least, irreducible,
		missed, more)
	if least == flipped || irreducible == flipped || least < flipped/4 {
		t.Errorf("of %d explanations %d have the fewest changes, %d are irreducible: want some with and without",
			flipped, least, irreducible)
	}
}
