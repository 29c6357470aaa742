package trainer

import (
	"context"

	"ialgn/internal/estimate"
)

// addEstimating has Progress get about how many look-up tables the network takes that was just evaluated, if anybody
// asks.
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
