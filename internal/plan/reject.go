package plan

import (
	"ialgn/backend"
	"ialgn/internal/message"
	"ialgn/internal/model"
	"ialgn/netlist"
)

// checkReject returns an error for a margin, or a share of samples, that no design of the scope can have.
func (o Options) checkReject(scope netlist.Scope) error {
	const remedy = "omit it, or use {Scope core} or full"
	switch share := o.RejectShare; {
	case o.Reject < 0:
		return message.Optionf("{Reject} %d: give a margin of 1 or more", o.Reject)
	case share != 0 && !(share > 0 && share < 1):
		return message.Optionf("{RejectShare} %v: give a share of the samples above 0 and below 1, such as 0.05", share)
	case share != 0 && scope == netlist.Gates:
		return message.WithHint(message.Optionf("{RejectShare} %v: scope gates has no class counts", share), remedy)
	case o.Reject > 0 && scope == netlist.Gates:
		return message.WithHint(message.Optionf("{Reject} %d: scope gates has no class counts", o.Reject), remedy)
	}
	return nil
}

// checkMargin returns an error if the margin does not suit a network.
func (o Options) checkMargin(f *model.Frozen) error {
	switch largest := f.LargestCount(); {
	case o.Reject == 0:
		return nil
	case len(f.Classes) == 1:
		return message.WithHint(message.Optionf("{Reject} %d: the network has a single class, which is always the largest",
			o.Reject), "omit it")
	case o.Reject > largest:
		return message.Optionf("{Reject} %d: no class count is larger than %d: give 1 to %d", o.Reject, largest, largest)
	}
	return nil
}

// chooseMargin sets the margin of a plan with a share of samples: the largest margin with which at most this share of
// the samples of the model's calibration is uncertain. It returns an error if the model has no calibration, or if even
// the samples without a lead, which are uncertain with every margin, are more than the share.
func (p *Plan) chooseMargin(m *model.Model) error {
	share := p.Options.RejectShare
	if share == 0 {
		return nil
	}
	if len(m.Classes) == 1 {
		return message.WithHint(message.Optionf("{RejectShare} %v: the network has a single class, which is always the "+
			"largest", share), "omit it")
	}
	c := m.Calibration
	if c == nil {
		return message.WithHint(message.Optionf("{RejectShare} %v: the model does not have the leads of validation samples, "+
			"because it was trained without a validation set", share),
			"train with train.validation.share, such as 0.1, or give a margin with {Reject}")
	}
	if ties := c.Leads[0]; float64(ties)/float64(c.Samples) > share {
		err := message.Optionf("{RejectShare} %v: %d of %d validation samples have several classes with the largest count, "+
			"so they are uncertain with every margin", share, ties, c.Samples)
		if least := leastShare(ties, c.Samples); least < 1 {
			return message.WithHint(err, "give a share of %v or more, or {Reject 1}, which marks only such samples", least)
		}
		return message.WithHint(err, "give {Reject 1}, which marks only such samples")
	}
	p.Options.Reject = c.Margin(share)
	return nil
}

// leastShare returns the smallest share with at most four decimals that n of the samples do not exceed.
func leastShare(n, samples int) float64 {
	const unit = 10000
	return float64((n*unit+samples-1)/samples) / unit
}

// rejection describes the margin on the samples of a calibration, or returns nil if there is no margin or no
// calibration.
func (p *Plan) rejection(c *model.Calibration) *backend.Rejection {
	if p.Options.Reject == 0 || c == nil {
		return nil
	}
	samples, correct := c.Answered(p.Options.Reject)
	r := &backend.Rejection{
		Margin: p.Options.Reject, Of: c.Samples, Uncertain: float64(c.Samples-samples) / float64(c.Samples),
		Samples: samples, Correct: correct,
	}
	if samples > 0 {
		accuracy := float64(correct) / float64(samples)
		r.Accuracy = &accuracy
	}
	return r
}
