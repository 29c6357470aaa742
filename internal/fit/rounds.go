package fit

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"

	"ialgn/internal/message"
	"ialgn/internal/progress"
)

// These are the rounds in order. The time left is divided equally among a round and the rounds after it.
const (
	roundUsual     = "usual"      // the usual candidate, for a few epochs, to measure the time of trials
	roundMany      = "many"       // candidates from the whole search space
	roundBetter    = "better"     // the better candidates of round many, for more epochs
	roundNeighbour = "neighbours" // neighbours of the best candidate, for the same number of epochs
	roundBest      = "best"       // the best candidates of the two preceding rounds, for more epochs
	roundSmaller   = "smaller"    // the two best candidates, with smaller budgets
)

// timedRounds lists the rounds that share the time.
var timedRounds = []string{roundMany, roundBetter, roundNeighbour, roundBest, roundSmaller}

// These constants shape a search.
const (
	usualEpochs = 3 // epochs of the usual candidate, and minimum for every round
	firstEpochs = 5 // epochs of round many if there is time for the maximum of candidates
	fewest      = 4 // minimum of candidates in round many
	most        = 54
	fold        = 3 // ratio of the numbers of candidates in a round and in the next round
	mostSteps   = 40_000
	planned     = 0.85 // part of a round's time that is planned; the rest is a reserve for slow trials
	slack       = 1.2  // factor by which a round may exceed its share of the time
)

// These constants limit the epochs and seeds of a trial.
const (
	leastCap, mostCap = 100, 600
	mostSeeds         = 5
)

// smallerBudgets lists the numbers by which the budget is divided to get the budgets of the smaller networks of the
// front.
var smallerBudgets = []int{2, 4, 8}

// find runs the rounds.
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

// plan returns a round, or nil if there is nothing to try or no time. rounds is the number of rounds that share the
// time left, including this round.
func (s *search) plan(name string, rounds int) *rung {
	seconds := planned * s.searchLeft().Seconds() / float64(rounds) * float64(s.cores) // on one core
	epoch := max(1e-6, s.ledger.Epoch*s.pace())
	perTrial := func(epochs int) float64 { return s.ledger.Fixed + float64(epochs)*epoch }
	fit := int(max(0, seconds) / perTrial(usualEpochs)) // number of trials for which there is time
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
	// The number of trials and their epochs are limited by the time.
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

// pace returns the time of an epoch in the trials so far, divided by the time of an epoch of the usual candidate. The
// quotient is not 1, because trials run concurrently and have different batches and widths.
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

// sameAs maps a round to an earlier round with which its results are compared. Both rounds have the same number of
// epochs and the same seeds.
var sameAs = map[string]string{roundNeighbour: roundBetter, roundSmaller: roundBest}

// epochsOf returns the number of epochs of the earlier round with which a round is compared, or 0 if there is no such
// round.
func (s *search) epochsOf(name string) int {
	if r := s.ledger.rung(sameAs[name]); r != nil {
		return r.Epochs
	}
	return 0
}

// cap returns the largest number of epochs for a trial. This number is larger if there are fewer samples.
func (s *search) cap() int {
	steps := max(1, int(float64(s.samples)*(1-validationShare))/64)
	return min(max(mostSteps/steps, leastCap), mostCap)
}

// count returns the number of trials in a round.
func (s *search) count(name string) int {
	if r := s.ledger.rung(name); r != nil {
		return len(r.Trials)
	}
	return 0
}

// ranked returns the compiled trials of some rounds, the best first.
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

// leading returns one trial for each candidate that was tried with the whole budget. It is the candidate's trial in
// its last round. Trials of later rounds come first. Within a round, the better trials come first. Trials far above
// the budget come last, after trials of earlier rounds.
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

// top returns the first n leading trials.
func (s *search) top(n int) []*trial {
	list := s.leading()
	return list[:min(n, len(list))]
}

// after returns the next trial after the trial of candidate c in the order of leading, or nil if there is no further
// trial. It skips networks that are too large even with one chain for each class, since such networks cannot be made
// smaller.
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

// trials returns trials of the candidates. Their budget is the whole budget divided by the argument part. The result
// leaves out candidates without a valid configuration.
func (s *search) trials(list []candidate, part int) (all []*trial) {
	known := s.known()
	for _, c := range list {
		budget := float64(s.budget) / float64(part)
		cfg, err := s.config(c, s.classes, 1, "", 0, s.heldOut())
		if err != nil {
			continue // not possible for the data, for example with fewer input bits than pins
		}
		width := known.width(s.shapeOf(&cfg), s.classes, budget)
		all = append(all, &trial{Candidate: c, Budget: budget, Width: width})
	}
	return all
}

// again returns new trials for the candidates of the first n trials. The new widths follow from the sizes of the
// networks.
func (s *search) again(list []*trial, n int) (all []*trial) {
	for _, t := range list[:min(n, len(list))] {
		all = append(all, &trial{Candidate: t.Candidate, Budget: t.Budget, Width: s.resized(t, t.Budget)})
	}
	return all
}

// resized returns the width at which the network of a trial should use the budget. It is computed from the sizes of
// the network's parts. It is at most twice the width that results if the total size is assumed to be proportional to
// the width.
func (s *search) resized(t *trial, budget float64) int {
	cfg, err := s.config(t.Candidate, t.Width, 1, "", 0, s.heldOut())
	if err != nil || t.Cost == nil {
		return t.Width // config returns no error, because the candidate was trained
	}
	shape := s.shapeOf(&cfg)
	most := 2 * float64(t.Width) * budget / float64(max(1, t.Cost.cells()))
	width := min(sizer{{shape, *t.Cost}}.width(shape, s.classes, budget), int(min(most, mostWidth)))
	return max(width/s.classes, 1) * s.classes
}

// neighbours returns up to n trials of untried neighbours of the best candidate so far. The order is random, so that
// no dimension is always tried first.
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

// known returns all networks that were compiled so far.
func (s *search) known() (all sizer) {
	for _, r := range s.ledger.Rungs {
		for _, t := range r.Trials {
			cfg, err := s.config(t.Candidate, t.Width, 1, "", 0, s.heldOut())
			if t.Cost != nil && err == nil {
				all = append(all, measured{s.shapeOf(&cfg), *t.Cost})
			}
		}
	}
	return all
}
