package trainer

import (
	"context"

	"ialgn/internal/estimate"
)

// addEstimating adds an estimate of the network's look-up tables to the Progress of each finished epoch, if the run
// has the option Estimate.
func (s *session) addEstimating() {
	if !s.Estimate || s.Progress == nil && s.Ranks == nil {
		return
	}
	inputs := estimate.Usual
	if c := s.Config.Train.Cost; c.Active() {
		inputs = c.LUTInputs()
	}
	s.evaluated = append(s.evaluated, func(_ context.Context, p *Progress) error {
		luts, err := estimate.Of(s.frozen, inputs, s.sumFunc())
		if err != nil {
			return lost(err)
		}
		p.LUTs = &luts
		return nil
	})
}
