package main

import (
	"errors"
	"strings"
	"testing"

	"ialgn/sim/verify"
	"ialgn/sim/verify/cec"
	"ialgn/sim/verify/readback"
	"ialgn/sim/verify/step"
)

// TestWrapperText holds what is said of a wrapper that no sample went through: nobody must read
// "no difference" of what was never tried.
func TestWrapperText(t *testing.T) {
	stub := &verify.StubResult{Samples: 64, Words: 4096, Packets: 13, Simulator: "iverilog"}
	for _, c := range []struct {
		result verify.WrapperResult
		want   string
	}{
		{
			verify.WrapperResult{Stub: stub, Unplayed: "250000 cells are more than 200000"},
			"wrapper: 4096 random words in 64 samples and 13 broken packets around a stub in iverilog; no test samples: 250000 cells are more than 200000; no difference\n",
		},
		{
			verify.WrapperResult{Values: 32, Unplayed: "its encoder is wrong"},
			"wrapper: 32 values of a word; no test samples: its encoder is wrong; no difference\n",
		},
	} {
		var text strings.Builder
		(&verifyReport{}).wrapperText(&text, &c.result)
		if text.String() != c.want {
			t.Errorf("%+v is told as %q, want %q", c.result, text.String(), c.want)
		}
	}
}

// TestStepsHold holds that a folder whose engine or wrapper has no proof of a clock is not verified.
func TestStepsHold(t *testing.T) {
	proved, unproved := &step.Result{Verdict: cec.Equivalent}, &step.Result{Verdict: cec.Undecided, Reason: "there is no beat[2]"}
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
		r := &verifyReport{foldAsked: c.fold, wrapAsked: c.wrap, FoldStep: c.engine, WrapperStep: c.w}
		if r.stepsHold() != c.holds || r.stepUnproved() != c.why {
			t.Errorf("%+v: holds %t, %q", c, r.stepsHold(), r.stepUnproved())
		}
	}
}

// TestDifferenceBeforeUnproved has a file that is not what compile writes, and a proof that ended with
// nothing: a check found a difference, whatever else was left open.
func TestDifferenceBeforeUnproved(t *testing.T) {
	r := &verifyReport{Formal: &verify.FormalResult{Verdict: "unproved"}}
	if err := r.outcome(); !errors.Is(err, errUnproved) {
		t.Errorf("unproved alone: %v", err)
	}
	r.Folder = []string{"net_uart.v is not what ialgn writes"}
	if err := r.outcome(); !errors.Is(err, errDifference) || r.result() != "different" {
		t.Errorf("unproved, and a file that differs: %v, %s", err, r.result())
	}
	r.Folder, r.Synthesized = nil, &verify.SynthesisResult{Proof: &readback.Result{Verdict: cec.Different}}
	if err := r.outcome(); !errors.Is(err, errDifference) || r.result() != "different" {
		t.Errorf("unproved, and a synthesised netlist that differs: %v, %s", err, r.result())
	}
}
