package plan

import (
	"context"

	"ialgn/netlist"
	"ialgn/sim"
)

// checkedWords is how many words of 64 random samples tell the netlists before and after a pass apart.
const checkedWords = 64

// checkPasses has each pass of the plan compared with what it was given.
func (p *Plan) checkPasses() {
	random := sim.Random{Words: checkedWords, Codes: p.Options.AssumeThermometer}
	p.Optimiser.Check = func(ctx context.Context, before, after *netlist.Netlist) error {
		return sim.Same(ctx, before, after, random)
	}
	if p.Hardware != nil {
		p.Hardware.Check = p.Optimiser.Check
	}
}
