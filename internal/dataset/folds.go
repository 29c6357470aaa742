package dataset

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"ialgn/internal/message"
)

// chooseFold returns the samples of the fold s.Fold, and their number.
func (s Split) chooseFold(labels []uint8) (chosen []bool, n int, err error) {
	of, err := s.divide(labels)
	if err != nil {
		return nil, 0, err
	}
	chosen = make([]bool, len(labels))
	for i, fold := range of {
		if chosen[i] = fold == s.Fold-1; chosen[i] {
			n++
		}
	}
	return chosen, n, nil
}

// divide returns the fold of each sample, from 0. The folds depend only on the split and on the labels. They do not
// depend on s.Fold.
func (s Split) divide(labels []uint8) ([]int, error) {
	switch {
	case s.Groups != nil && len(s.Groups.Names) < s.Folds:
		return nil, message.WithHint(fmt.Errorf("data.folds: %s cannot be divided into %d folds, because data.group keeps "+
			"the samples of a group in one fold", message.Plural(len(s.Groups.Names), "group", "groups"), s.Folds),
			"use at most %d folds, or omit data.group", len(s.Groups.Names))
	case len(labels) < s.Folds:
		return nil, message.WithHint(fmt.Errorf("data.folds: %s cannot be divided into %d folds",
			message.Plural(len(labels), "sample", "samples"), s.Folds), "use at most %d folds", len(labels))
	case s.Groups != nil:
		return s.groupFolds(labels), nil
	}
	return s.classFolds(labels), nil
}

// classFolds deals the samples to the folds in turn, class by class, like cards to players. The numbers of samples of
// two folds differ by at most one, and so do the numbers of samples of each class.
//
// The samples of a class are shuffled like in [Split.stratified], with a stream of their own.
func (s Split) classFolds(labels []uint8) []int {
	members := make([][]int, len(s.Classes))
	for i, c := range labels {
		members[c] = append(members[c], i)
	}
	of, src, dealt := make([]int, len(labels)), rand.NewPCG(s.Seed, foldStream), 0
	for _, m := range members {
		shuffle(src, m)
		for _, i := range m {
			of[i] = dealt % s.Folds
			dealt++
		}
	}
	return of
}

// groupFolds assigns whole groups to folds so that about the same share of each class is in each fold. The error of an
// assignment is the sum, over the folds and the classes, of the squared difference between the share of the class in
// the fold and 1/s.Folds.
//
// An attempt shuffles the groups and sorts them by their weight, the largest first. The weight of a group is the sum,
// over the classes, of its squared share of the class. Each group in turn gets into the fold in which it increases the
// error least. If several folds are equally good, the group gets into the fold with the fewest samples or, of these,
// into the first. Then the attempt goes through the groups repeatedly. It moves a group to the fold with the least
// error if this decreases the error. It ends when no single group decreases the error. All attempts use one PCG stream,
// and the first attempt with the least error counts.
//
// No fold is empty, since a group increases the error least in an empty fold, and since no error decreases if the only
// group of a fold moves.
func (s Split) groupFolds(labels []uint8) []int {
	members, totals := s.count(labels)
	order, src := make([]int, len(members)), rand.NewPCG(s.Seed, foldStream)
	for g := range order {
		order[g] = g
	}
	var best *assignment
	least := math.Inf(1)
	for range attempts {
		shuffle(src, order)
		a := newAssignment(s.Folds, members, totals)
		sorted := slices.Clone(order)
		slices.SortStableFunc(sorted, func(g, h int) int { return cmp.Compare(a.weight(h), a.weight(g)) })
		for _, g := range sorted {
			a.put(g, a.bestFold(g))
		}
		for a.improve(sorted) {
		}
		if m := a.miss(); m < least-leastGain {
			best, least = a, m
		}
	}
	of := make([]int, len(labels))
	for i, g := range s.Groups.Of {
		of[i] = best.of[g]
	}
	return of
}

// assignment says in which fold each group is.
type assignment struct {
	members [][]ofClass // the samples of each group
	totals  []int       // samples of each class
	of      []int       // for each group, its fold; -1: none yet
	in      [][]int     // [fold][class] samples
	samples []int       // for each fold, its samples
}

// newAssignment returns an assignment in which no group is in a fold.
func newAssignment(folds int, members [][]ofClass, totals []int) *assignment {
	a := &assignment{
		members: members, totals: totals, of: make([]int, len(members)), in: make([][]int, folds),
		samples: make([]int, folds),
	}
	for g := range a.of {
		a.of[g] = -1
	}
	for f := range a.in {
		a.in[f] = make([]int, len(totals))
	}
	return a
}

// squared returns the squared share of n samples in a class.
func (a *assignment) squared(n int, class uint8) float64 {
	share := float64(n) / float64(a.totals[class])
	return float64(share * share)
}

// weight returns the weight of a group.
func (a *assignment) weight(g int) (sum float64) {
	for _, m := range a.members[g] {
		sum += a.squared(m.n, m.class)
	}
	return sum
}

// miss returns the error of a complete assignment, without a constant.
func (a *assignment) miss() (sum float64) {
	for _, counts := range a.in {
		for class, n := range counts {
			if n > 0 {
				sum += a.squared(n, uint8(class))
			}
		}
	}
	return sum
}

// increase returns the increase of the error if a group, which is not in the fold, is added to the fold.
func (a *assignment) increase(g, fold int) (sum float64) {
	for _, m := range a.members[g] {
		n := a.in[fold][m.class]
		sum += a.squared(n+m.n, m.class) - a.squared(n, m.class)
	}
	return sum
}

// bestFold returns the fold in which a group, which is in no fold, increases the error least.
func (a *assignment) bestFold(g int) (best int) {
	least := math.Inf(1)
	for f := range a.in {
		e := a.increase(g, f)
		if e < least-leastGain || e < least+leastGain && a.samples[f] < a.samples[best] {
			best, least = f, e
		}
	}
	return best
}

// put adds a group, which is in no fold, to a fold.
func (a *assignment) put(g, fold int) {
	a.of[g] = fold
	a.count(g, 1)
}

// take takes a group out of its fold.
func (a *assignment) take(g int) {
	a.count(g, -1)
	a.of[g] = -1
}

// count adds the samples of a group, times sign, to the numbers of its fold.
func (a *assignment) count(g, sign int) {
	fold := a.of[g]
	for _, m := range a.members[g] {
		a.in[fold][m.class] += sign * m.n
		a.samples[fold] += sign * m.n
	}
}

// improve goes once through the groups and moves each group for which this decreases the error. It reports whether it
// has moved a group.
func (a *assignment) improve(order []int) (moved bool) {
	for _, g := range order {
		from := a.of[g]
		a.take(g)
		to := a.bestFold(g)
		if a.increase(g, to) >= a.increase(g, from)-leastGain {
			to = from
		}
		a.put(g, to)
		moved = moved || to != from
	}
	return moved
}
