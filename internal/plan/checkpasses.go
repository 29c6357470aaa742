package plan

import (
	"context"

	"ialgn/netlist"
	"ialgn/sim"
)

// checkedWords is the number of words of random samples, with 64 samples in each word, on which the netlists before
// and after a pass are compared.
const checkedWords = 64

// checkPasses makes the compiler compare the netlists before and after each pass.
func (p *Plan) checkPasses() {
	random := sim.Random{Words: checkedWords, Codes: p.Options.AssumeThermometer}
	p.Optimiser.Check = func(ctx context.Context, before, after *netlist.Netlist) error {
		return sim.Same(ctx, before, after, random)
	}
	if p.Hardware != nil {
		p.Hardware.Check = p.Optimiser.Check
	}
}
