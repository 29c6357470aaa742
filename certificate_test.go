package ialgn

import (
	"errors"
	"testing"

	"ialgn/sim/verify/cec"
	"ialgn/sim/verify/proof"
	"ialgn/sim/verify/readback"
	"ialgn/sim/verify/rtl"
	"ialgn/sim/verify/step"
)

// TestStepsHold holds that a folder whose engine or wrapper has no proof of a clock is not verified.
func TestStepsHold(t *testing.T) {
	proved, unproved := &step.Result{Verdict: cec.Equivalent}, &step.Result{
		Verdict: cec.Undecided,
		Reason:  "there is no beat[2]",
	}
	for _, c := range []struct {
		fold, wrap bool
		engine, w  *step.Result
		holds      bool
		why        string
	}{
		{false, false, nil, nil, true, ""},
		{true, true, proved, proved, true, ""},
		{true, true, proved, nil, false, ""},
		{true, false, nil, nil, false, ""},
		{false, true, nil, unproved, false, "a clock of the wrapper: there is no beat[2]"},
		{true, false, unproved, nil, false, "a clock of the folded engine: there is no beat[2]"},
	} {
		r := &Certificate{foldAsked: c.fold, foldRuns: c.fold, wrapAsked: c.wrap, FoldStep: c.engine, WrapperStep: c.w}
		if why, _ := r.undecided(); r.stepsHold() != c.holds || why != c.why {
			t.Errorf("%+v: holds %t, %q", c, r.stepsHold(), why)
		}
	}
}

// TestDifferenceBeforeUnproved has a file that is not what compile writes, and a proof that ended with
// nothing: a check found a difference, whatever else was left open.
func TestDifferenceBeforeUnproved(t *testing.T) {
	r := &Certificate{Formal: &proof.Result{Verdict: "unproved"}}
	if err := r.Err(); !errors.Is(err, ErrUnproved) {
		t.Errorf("unproved alone: %v", err)
	}
	r.Folder = []string{"net_uart.v is not what ialgn writes"}
	if err := r.Err(); !errors.Is(err, ErrDifference) || r.result() != "different" {
		t.Errorf("unproved, and a file that differs: %v, %s", err, r.result())
	}
	r.Folder, r.Synthesized = nil, &rtl.SynthesisResult{Proof: &readback.Result{Verdict: cec.Different}}
	if err := r.Err(); !errors.Is(err, ErrDifference) || r.result() != "different" {
		t.Errorf("unproved, and a synthesised netlist that differs: %v, %s", err, r.result())
	}
}
