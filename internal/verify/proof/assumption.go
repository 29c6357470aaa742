package proof

import (
	"context"
	"time"

	"ialgn/internal/progress"
	"ialgn/internal/verify"
	"ialgn/internal/verify/cec"
)

// leastWithout is how long a proof without the assumption may take at least.
const leastWithout = 2 * time.Second

// unassumed repeats a proof that was made for thermometer codes, in the time that
// it took, for any bits at the inputs, and returns the verdict: whether the product
// uses that the inputs are such codes, which compile options alone do not tell. It is empty
// where nothing was assumed. The argmax and the counters were proved for any bits before.
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
