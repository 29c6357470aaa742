package main

import (
	"strings"
	"testing"

	"ialgn/internal/verify/cec"
	"ialgn/internal/verify/readback"
)

// TestUndecided checks that a wire without a proof is not called a difference.
func TestUndecided(t *testing.T) {
	for verdict, want := range map[cec.Verdict]string{
		cec.Undecided: "  w is another function of the wires before it, which may be right\n",
		cec.Different: "  w differs from the netlist\n",
	} {
		var text strings.Builder
		proofText(&text, "cells", &readback.Result{Verdict: verdict, Differ: []string{"w"}})
		if !strings.HasSuffix(text.String(), "\n"+want) {
			t.Errorf("%s: %q, want the end %q", verdict, text.String(), want)
		}
	}
}
