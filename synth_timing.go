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

// clockOf returns the clock frequency in MHz for placing a design if the options do not set a frequency. It is the
// frequency for which the design was compiled. If there is none, it is the frequency from which the design's serial
// line derives bit times. For other designs, it is usualMHz.
func clockOf(p *plan.Plan) float64 {
	if k, err := wrapper.Find(p.Wrap); err == nil && k.Baud {
		hz, _ := wrapper.LineOptions(p.Options.MHz, p.Options.Baud, p.Board).Line()
		return cmp.Or(p.Options.MHz, float64(hz)/1e6)
	}
	return cmp.Or(p.Options.MHz, usualMHz)
}

// tooSlow returns the error for a design that was routed below the requested clock frequency or that has no clock.
// Its hint says what may help.
func tooSlow(p *plan.Plan, out *backend.Output, r *synth.Report) error {
	slowest := r.Slowest
	if slowest.MHz == 0 {
		return message.WithHint(ErrUnclocked, "compile with {Pipeline auto} or {Wrap stream}, which add registers")
	}
	err := fmt.Errorf("the clock of %.1f MHz %w: the fastest of the seeds is %.1f MHz", r.MHz, ErrSlow, slowest.MHz)
	if r.Chip != nil {
		err = fmt.Errorf("the clock of %.1f MHz %w: the longest path allows %.1f MHz", r.MHz, ErrSlow, slowest.MHz)
	}
	if slowest.Kind != flow.RegisterToRegister {
		err = fmt.Errorf("%w, by a path from %s of %.2f ns", err, slowest.Kind, slowest.NS)
	}
	return timingHint(err, p, out, r)
}

// timingHint adds a hint about a compile or synthesis option that the design did not use. It tries the most
// effective option first.
func timingHint(err error, p *plan.Plan, out *backend.Output, r *synth.Report) error {
	levels, lower := fewer(&out.Report, r), max(1, int(r.Slowest.MHz))
	switch {
	case r.Slowest.Kind != flow.RegisterToRegister && (p.Folded() || p.Wrap != ""): // the path begins or ends at a pad
		return message.WithHint(err, "give pins close to each other with {Pins FILE}, try more seeds with {Seeds 5}, or "+
			"aim lower with {MHz %d}", lower)
	case p.Lanes() > 0:
		return message.WithHint(err, "try more seeds with {Seeds 5}, or aim lower with {MHz %d}", lower)
	case p.Hardware == nil:
		return message.WithHint(err, "compile with {Target %s} {Pipeline auto} {MaxLevels %d}", r.Device.Family, levels)
	case out.Report.Pipeline == nil:
		return message.WithHint(err, "compile with {Pipeline auto} {MaxLevels %d}", levels)
	case out.Report.Pipeline.LevelsPerStage > levels:
		return message.WithHint(err, "compile with {Pipeline auto} {MaxLevels %d}; the stages now have %d levels", levels,
			out.Report.Pipeline.LevelsPerStage)
	case r.Chip != nil:
		return message.WithHint(err, "aim lower with {MHz %d}", lower)
	case p.Options.Style != plan.StyleLUT:
		return message.WithHint(err, "compile with {Style lut}, try more seeds with {Seeds 5}, or aim lower with {MHz %d}",
			lower)
	}
	return message.WithHint(err, "try more seeds with {Seeds 5}, or aim lower with {MHz %d}", lower)
}

// usualLevels is the number of levels in each stage to suggest if the folder does not say how many it has.
const usualLevels = 3

// fewer returns the number of levels in each stage with which the design would reach the clock frequency. It assumes
// that the delay of a level stays the same.
func fewer(report *backend.Report, r *synth.Report) int {
	levels := report.Levels.Total
	if p := report.Pipeline; p != nil {
		levels = p.LevelsPerStage
	}
	if report.Mapping == nil { // the design has gates and operators, which are not mapped to LUTs
		return usualLevels
	}
	return max(1, int(float64(levels)*r.Slowest.MHz/r.MHz))
}
