package fit

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"ialgn/internal/message"
	"ialgn/internal/progress"
)

// The rounds, in their order, each with an equal share of the time that is left to it and to those after it.
const (
	roundUsual     = "usual"      // the usual candidate, a few epochs, to learn how long trials take
	roundMany      = "many"       // candidates all over the space
	roundBetter    = "better"     // the better of these, for longer
	roundNeighbour = "neighbours" // what is one step beside the best, for as long
	roundBest      = "best"       // the best of both, for longer still
	roundSmaller   = "smaller"    // the two best of these, with smaller budgets
)

// timedRounds are those that share the time.
var timedRounds = []string{roundMany, roundBetter, roundNeighbour, roundBest, roundSmaller}

// What a search is like.
const (
	usualEpochs = 3 // of the usual candidate, and the least of any round
	firstEpochs = 5 // of the first round, if the time for that lets it have the most candidates
	fewest      = 4 // candidates of the first round
	most        = 54
	fold        = 3 // candidates of a round for each of the next one
	mostSteps   = 40_000
	planned     = 0.85 // of a round's time is planned, for trials differ
	slack       = 1.2  // how much of its time a round may take
)

// The most epochs and seeds of a trial.
const (
	leastCap, mostCap = 100, 600
	mostSeeds         = 5
)

// smallerBudgets are the parts of the budget, beside the whole, that the front is of.
var smallerBudgets = []int{2, 4, 8}

// find searches.
func (s *search) find(ctx context.Context) error {
	ctx, end := progress.Begin(ctx, "fit")
	defer end()
	if err := s.try(ctx); err != nil {
		return err
	}
	defer s.rehearsing(ctx)()
	for i, name := range timedRounds {
		r := s.ledger.rung(name)
		if r != nil && r.Closed {
			continue
		}
		if r == nil {
			if r = s.plan(name, len(timedRounds)-i); r == nil {
				continue
			}
			if err := s.ledger.record(func() { s.ledger.Rungs = append(s.ledger.Rungs, r) }); err != nil {
				return err
			}
			s.note("%s: %s, %d epochs each", r.Name, message.Plural(len(r.Trials), "candidate", "candidates"), r.Epochs)
		}
		progress.Say(ctx, "%s", name)
		if err := s.runRound(ctx, r, len(timedRounds)-i); err != nil {
			return err
		}
	}
	return nil
}

// plan returns a round that so many rounds share the time with, itself counted; nil if there is nothing to try, or no
// time.
func (s *search) plan(name string, rounds int) *rung {
	seconds := planned * s.searchLeft().Seconds() / float64(rounds) * float64(s.cores) // of one core
	epoch := max(1e-6, s.ledger.Epoch*s.pace())
	perTrial := func(epochs int) float64 { return s.ledger.Fixed + float64(epochs)*epoch }
	fit := int(max(0, seconds) / perTrial(usualEpochs)) // trials that there is time for
	r := &rung{Name: name, Seeds: 1}
	var list []*trial
	switch name {
	case roundMany:
		n := min(int(seconds/perTrial(firstEpochs)), most)
		list = s.trials(spread(s.dims, max(fewest, n)), 1)
	case roundBetter:
		list = s.again(s.ranked(roundMany), max(2, s.count(roundMany)/fold))
	case roundNeighbour:
		list = s.neighbours(s.count(roundBetter))
	case roundBest:
		list = s.again(s.ranked(roundBetter, roundNeighbour), max(2, s.count(roundBetter)/fold))
	case roundSmaller:
		for _, part := range smallerBudgets {
			for _, t := range s.top(2) {
				list = append(list, s.trials([]candidate{t.Candidate}, part)...)
			}
		}
	}
	// As many as there is time for, for as long as there is.
	if list = list[:min(len(list), fit)]; len(list) == 0 || fit < 2 {
		return nil
	}
	r.Trials, r.Epochs = list, int((seconds/float64(len(list))-s.ledger.Fixed)/epoch)
	if same := s.epochsOf(name); same > 0 {
		r.Epochs, r.Seeds = same, s.ledger.rung(sameAs[name]).Seeds
		return r
	}
	longest := s.cap()
	if r.Epochs >= longest {
		r.Seeds = min(max(1, int(seconds/float64(len(list))/perTrial(longest))), mostSeeds)
	}
	r.Epochs = min(max(r.Epochs, usualEpochs), longest)
	return r
}

// pace returns how much longer an epoch of the trials so far took than of the usual one: side by side, with other
// batches and widths.
func (s *search) pace() float64 {
	took, foreseen := 0.0, 0.0
	for _, r := range s.ledger.Rungs {
		for _, t := range r.Trials {
			if n := float64(len(t.Wrong)); t.Budget == float64(s.budget) && r.Name != roundUsual {
				took += max(0, t.Seconds-n*s.ledger.Fixed)
				foreseen += n * float64(r.Epochs) * s.ledger.Epoch
			}
		}
	}
	if foreseen == 0 {
		return 1
	}
	return max(took/foreseen, 0.2)
}

// sameAs are the rounds whose results are compared with those of an earlier one, and so have its epochs and seeds.
var sameAs = map[string]string{roundNeighbour: roundBetter, roundSmaller: roundBest}

// epochsOf returns the epochs that a round has of another, 0 if it has its own.
func (s *search) epochsOf(name string) int {
	if r := s.ledger.rung(sameAs[name]); r != nil {
		return r.Epochs
	}
	return 0
}

// cap returns the most epochs of a trial: few samples take more.
func (s *search) cap() int {
	steps := max(1, int(float64(s.samples)*(1-validationShare))/64)
	return min(max(mostSteps/steps, leastCap), mostCap)
}

// count returns how many trials a round had.
func (s *search) count(name string) int {
	if r := s.ledger.rung(name); r != nil {
		return len(r.Trials)
	}
	return 0
}

// ranked returns the trials of rounds that are done, the best first.
func (s *search) ranked(rounds ...string) (all []*trial) {
	for _, name := range rounds {
		if r := s.ledger.rung(name); r != nil {
			for _, t := range r.Trials {
				if t.Cost != nil {
					all = append(all, t)
				}
			}
		}
	}
	slices.SortStableFunc(all, func(a, b *trial) int { return cmp.Compare(a.score(), b.score()) })
	return all
}

// leading returns a trial of each candidate for the whole budget, that of its last round, the best of the last round
// first. Those far above the budget come last, so that an earlier round's stand before them.
func (s *search) leading() []*trial {
	var fitting, large []*trial
	var seen []candidate
	for _, rounds := range [][]string{{roundBest}, {roundBetter, roundNeighbour}, {roundMany}, {roundUsual}} {
		for _, t := range s.ranked(rounds...) {
			switch {
			case contains(seen, t.Candidate):
				continue
			case t.far():
				large = append(large, t)
			default:
				fitting = append(fitting, t)
			}
			seen = append(seen, t.Candidate)
		}
	}
	return append(fitting, large...)
}

// top returns the first of the leading trials, at most so many.
func (s *search) top(n int) []*trial {
	list := s.leading()
	return list[:min(n, len(list))]
}

// after returns the next leading trial behind that of a candidate, nil if there is none. It passes over networks that
// were too large even with one chain for each class, as nothing makes them smaller.
func (s *search) after(c candidate) *trial {
	list := s.leading()
	at := slices.IndexFunc(list, func(t *trial) bool { return slices.Equal(t.Candidate, c) })
	if at < 0 {
		return nil
	}
	for _, t := range list[at+1:] {
		if t.Width > s.classes || t.over() <= 1 {
			return t
		}
	}
	return nil
}

// trials returns the trials of candidates for a part of the budget, but for those that have no configuration.
func (s *search) trials(list []candidate, part int) (all []*trial) {
	known := s.known()
	for _, c := range list {
		budget := float64(s.budget) / float64(part)
		cfg, err := s.config(c, s.classes, 1, "", 0, 0)
		if err != nil {
			continue // a choice that this data set does not allow, such as more pins than there are input bits
		}
		width := known.width(s.shapeOf(&cfg), s.classes, budget)
		all = append(all, &trial{Candidate: c, Budget: budget, Width: width})
	}
	return all
}

// again returns trials of the candidates of others, at most so many, at the widths that their sizes speak for.
func (s *search) again(list []*trial, n int) (all []*trial) {
	for _, t := range list[:min(n, len(list))] {
		all = append(all, &trial{Candidate: t.Candidate, Budget: t.Budget, Width: s.resized(t, t.Budget)})
	}
	return all
}

// resized returns the width at which the network of a trial should take so much, by what each of its parts took, but at
// most twice what it is in proportion to the whole.
func (s *search) resized(t *trial, budget float64) int {
	cfg, err := s.config(t.Candidate, t.Width, 1, "", 0, 0)
	if err != nil || t.Cost == nil {
		return t.Width // it was trained, so that there is no error
	}
	shape := s.shapeOf(&cfg)
	most := 2 * float64(t.Width) * budget / float64(max(1, t.Cost.cells()))
	width := min(sizer{{shape, *t.Cost}}.width(shape, s.classes, budget), int(min(most, mostWidth)))
	return max(width/s.classes, 1) * s.classes
}

// neighbours returns up to n trials that are beside the best so far and were not tried, in a random order, so that no
// dimension is always the first.
func (s *search) neighbours(n int) []*trial {
	best := s.ranked(roundBetter)
	if len(best) == 0 {
		return nil
	}
	var tried []candidate
	for _, t := range s.ranked(roundMany, roundBetter) {
		tried = append(tried, t.Candidate)
	}
	list := slices.DeleteFunc(neighbours(s.dims, best[0].Candidate), func(c candidate) bool { return contains(tried, c) })
	rand.New(rand.NewPCG(1, uint64(len(list)))).Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	list = list[:min(n, len(list))]
	return s.trials(list, 1)
}

// known returns what was compiled so far.
func (s *search) known() (all sizer) {
	for _, r := range s.ledger.Rungs {
		for _, t := range r.Trials {
			cfg, err := s.config(t.Candidate, t.Width, 1, "", 0, 0)
			if t.Cost != nil && err == nil {
				all = append(all, measured{s.shapeOf(&cfg), *t.Cost})
			}
		}
	}
	return all
}
