package ialgn

import (
	"cmp"
	"fmt"

	"ialgn/backend"
	"ialgn/internal/flow"
	"ialgn/internal/message"
	"ialgn/internal/plan"
	"ialgn/internal/synth"
	"ialgn/internal/wrapper"
)

// clockOf returns the clock in MHz that a design is placed for where nobody says another: that of compile, else that
// which its serial line counts bits in, else the usual one.
func clockOf(p *plan.Plan) float64 {
	if k, err := wrapper.Find(p.Wrap); err == nil && k.Baud {
		hz, _ := wrapper.LineOptions(p.Options.MHz, p.Options.Baud, p.Board).Line()
		return cmp.Or(p.Options.MHz, float64(hz)/1e6)
	}
	return cmp.Or(p.Options.MHz, usualMHz)
}

// tooSlow is the error of a compiled folder that was routed below its clock, or has none. Its hint says what may bring
// it there.
func tooSlow(p *plan.Plan, out *backend.Output, r *synth.Report) error {
	slowest := r.Slowest
	if slowest.MHz == 0 {
		return message.WithHint(ErrUnclocked, "compile with {Pipeline auto} or with {Wrap stream}, which have registers")
	}
	err := fmt.Errorf("the clock of %.1f MHz %w: the fastest of the seeds is %.1f MHz", r.MHz, ErrSlow, slowest.MHz)
	if slowest.Kind != flow.RegisterToRegister {
		err = fmt.Errorf("%w, by a path from %s of %.2f ns", err, slowest.Kind, slowest.NS)
	}
	return timingHint(err, p, out, r)
}

// timingHint adds what a folder was not compiled with, in the order of what it brings.
func timingHint(err error, p *plan.Plan, out *backend.Output, r *synth.Report) error {
	levels, lower := fewer(&out.Report, r), max(1, int(r.Slowest.MHz))
	switch {
	case r.Slowest.Kind != flow.RegisterToRegister && (p.Folded() || p.Wrap != ""): // paths from and to pads
		return message.WithHint(err, "give pins close to each other with {Pins FILE}, try more seeds with {Seeds 5}, or "+
			"aim lower "+
			"with {MHz %d}", lower)
	case p.Lanes() > 0:
		return message.WithHint(err, "try more seeds with {Seeds 5}, or aim lower with {MHz %d}", lower)
	case p.Hardware == nil:
		return message.WithHint(err, "compile with {Target %s} {Pipeline auto} {MaxLevels %d}", r.Device.Family, levels)
	case out.Report.Pipeline == nil:
		return message.WithHint(err, "compile with {Pipeline auto} {MaxLevels %d}", levels)
	case out.Report.Pipeline.LevelsPerStage > levels:
		return message.WithHint(err, "compile with {Pipeline auto} {MaxLevels %d}, where it has stages of %d levels", levels,
			out.Report.Pipeline.LevelsPerStage)
	case p.Options.Style != plan.StyleLUT:
		return message.WithHint(err, "compile with {Style lut}, try more seeds with {Seeds 5}, or aim lower with {MHz %d}",
			lower)
	}
	return message.WithHint(err, "try more seeds with {Seeds 5}, or aim lower with {MHz %d}", lower)
}

// usualLevels are the levels of a stage that are suggested where the folder does not say how many
// it has.
const usualLevels = 3

// fewer returns the levels of a stage that would reach the clock if a level took as long as it does
// now.
func fewer(report *backend.Report, r *synth.Report) int {
	levels := report.Levels.Total
	if p := report.Pipeline; p != nil {
		levels = p.LevelsPerStage
	}
	if report.Mapping == nil { // gates and operators, which are no LUTs yet
		return usualLevels
	}
	return max(1, int(float64(levels)*r.Slowest.MHz/r.MHz))
}
