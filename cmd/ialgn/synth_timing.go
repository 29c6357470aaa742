package main

import (
	"errors"
	"fmt"

	"ialgn/artifact"
	"ialgn/flow/synth"
	"ialgn/internal/hint"
)

// errSlow says that a routed design does not reach the clock that --require-timing wants.
var errSlow = errors.New("was not reached")

// errTooSlow says so with the figures.
func errTooSlow(r *synth.Report) error {
	return fmt.Errorf("the clock of %.1f MHz %w: the fastest of the seeds is %.1f MHz", r.MHz, errSlow, r.Most)
}

// timing returns the error that decides the exit status with --require-timing.
func (r *synthReport) timing() error {
	switch {
	case r.NotPlaced != "":
		return fmt.Errorf("--require-timing: %w: %s", errUnplaced, r.NotPlaced)
	case !r.Met:
		return hint.With(errTooSlow(r.Report), "%s", r.Hint)
	}
	return nil
}

// errUnplaced says that there is no clock to judge.
var errUnplaced = errors.New("nothing was placed, so there is no clock")

// timingHint says what may bring a compiled folder, which was routed below its clock, to it: what it
// was not compiled with, in the order of what it brings.
func timingHint(out *artifact.Output, r *synth.Report) string {
	o, plan, err := readOptions(out)
	if err != nil {
		return lower(r)
	}
	levels := fewer(&out.Report, r)
	switch {
	case plan.fold > 0:
		return fmt.Sprintf("try more seeds with --seeds 5, or %s", lower(r))
	case plan.hardware == nil:
		return fmt.Sprintf("compile with --target %s --pipeline auto --max-levels %d", r.Device.Family, levels)
	case out.Report.Pipeline == nil:
		return fmt.Sprintf("compile with --pipeline auto --max-levels %d", levels)
	case out.Report.Pipeline.LevelsPerStage > levels:
		return fmt.Sprintf("compile with --pipeline auto --max-levels %d, where it has stages of %d levels", levels, out.Report.Pipeline.LevelsPerStage)
	case o.Style != "lut":
		return fmt.Sprintf("compile with --style lut, try more seeds with --seeds 5, or %s", lower(r))
	}
	return fmt.Sprintf("try more seeds with --seeds 5, or %s", lower(r))
}

func lower(r *synth.Report) string {
	return fmt.Sprintf("aim lower with --freq %d", max(1, int(r.Most)))
}

// usualLevels are the levels of a stage that are suggested where the folder does not say how many
// it has.
const usualLevels = 3

// fewer returns the levels of a stage that would reach the clock if a level took as long as it does
// now.
func fewer(report *artifact.Report, r *synth.Report) int {
	levels := report.Levels.Total
	if p := report.Pipeline; p != nil {
		levels = p.LevelsPerStage
	}
	if report.Mapping == nil { // gates and operators, which are no LUTs yet
		return usualLevels
	}
	return max(1, int(float64(levels)*r.Most/r.MHz))
}
