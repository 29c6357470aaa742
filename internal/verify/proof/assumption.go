package proof

import (
	"context"
	"time"

	"ialgn/internal/progress"
	"ialgn/internal/verify"
	"ialgn/internal/verify/cec"
)

// leastWithout is the least time limit for the proof without the assumption.
const leastWithout = 2 * time.Second

// unassumed repeats the proof of a design that was proved for thermometer codes, this time for any bits at the
// inputs. The verdict shows whether the product relies on thermometer codes. The compile options alone cannot show
// this. The argument limit is the time that the first proof took. The verdict is empty if nothing was assumed. The
// argmax and the counters need no second proof, because they were proved for any bits.
func unassumed(d verify.Design, p prover, limit time.Duration) (verdict cec.Verdict, err error) {
	if d.Project() == 0 {
		return "", nil
	}
	var end func()
	p.ctx, end = progress.Begin(p.ctx, "without the assumption")
	defer end()
	d.Assumed = false
	r := &Result{Verdict: unproved}
	if err := show(p.ctx, d, verify.StimuliFor(d), r); err != nil || r.Verdict == different {
		return r.Verdict, err
	}
	k, err := newCuts(d)
	if err != nil {
		return unproved, nil
	}
	within, cancel := context.WithTimeout(p.ctx, max(limit, leastWithout))
	defer cancel()
	if _, err = proveCuts(d, prover{within, p.engine}, k, r); within.Err() != nil {
		return unproved, p.ctx.Err()
	}
	return r.Verdict, err
}
