package diagnose

import (
	"context"

	"ialgn/internal/crew"
	"ialgn/internal/model"
	"ialgn/trainer"
)

// meter measures the credit of a network, batch by batch.
type meter struct {
	pass     *pass
	reach    *reach
	truths   [][]truth   // indexed [layer][sampled]
	scorers  []*scorer   // one scorer for each goroutine
	coverage [][]float64 // indexed [layer][batch]; only for layers with an eligible gate
	purity   [][]float64 // indexed [layer][batch]; only for batches with a covered gate
}

// newMeter returns a meter for a valid model. batch is the maximum number of samples in a batch.
func newMeter(m *model.Model, sampled []int, batch int, members *crew.Crew) *meter {
	n := newNetwork(m, batch)
	t := &meter{
		pass: newPass(n, sampled, members), reach: newReach(n, sampled, members),
		coverage: make([][]float64, len(n.layers)), purity: make([][]float64, len(n.layers)),
	}
	for range members.Size() {
		t.scorers = append(t.scorers, newScorer(len(sampled), m.Sections[0].Arity))
	}
	for l := range n.layers {
		truths := make([]truth, len(sampled))
		for k, i := range sampled {
			truths[k] = n.truth(l, i)
		}
		t.truths = append(t.truths, truths)
	}
	return t
}

// batch measures a batch. The inputs of the batch must be in the network.
func (t *meter) batch(ctx context.Context, labels []uint8, done func(sample int)) {
	t.pass.batch(ctx, labels, done)
	if ctx.Err() != nil {
		return
	}
	scores := make([]score, len(t.truths))
	t.pass.share(len(scores), func(member, l int) { scores[l] = t.pass.score(t.scorers[member], l, t.truths[l]) })
	for l, s := range scores {
		if eligible := t.eligible(l); eligible > 0 {
			t.coverage[l] = append(t.coverage[l], float64(s.covered)/float64(eligible))
		}
		if s.covered > 0 {
			t.purity[l] = append(t.purity[l], s.purity/float64(s.covered))
		}
	}
}

// eligible returns the number of sampled gates of a layer from which a sampled output can be reached.
func (t *meter) eligible(l int) int {
	count := 0
	for _, ok := range t.reach.eligible[l] {
		if ok {
			count++
		}
	}
	return count
}

// result returns the measurements.
func (t *meter) result() *CreditResult {
	r := &CreditResult{}
	for l, outputs := range t.reach.outputs {
		sharing := make([]float64, len(outputs))
		for k, n := range outputs {
			sharing[k] = float64(n)
		}
		r.Layers, r.Eligible = append(r.Layers, l+1), append(r.Eligible, t.eligible(l))
		r.PathSharing = append(r.PathSharing, spread(sharing))
		r.Coverage = append(r.Coverage, spread(t.coverage[l]))
		r.Purity = append(r.Purity, spread(t.purity[l]))
	}
	return r
}

// spread returns the mean and the standard deviation of values, or nil if values is empty.
func spread(values []float64) *trainer.Spread {
	if len(values) == 0 {
		return nil
	}
	s := trainer.SpreadOf(values)
	return &s
}
