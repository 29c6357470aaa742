package ialgn

import (
	"errors"
	"testing"

	"ialgn/sim/verify/cec"
	"ialgn/sim/verify/proof"
	"ialgn/sim/verify/readback"
	"ialgn/sim/verify/rtl"
)

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
