package main

import (
	"strings"
	"testing"

	"ialgn/sim/verify/rtl/play"
)

// TestWrapperText holds what is said of a wrapper that no sample went through: nobody must read
// "no difference" of what was never tried.
func TestWrapperText(t *testing.T) {
	stub := &play.StubResult{Samples: 64, Words: 4096, Packets: 13, Simulator: "iverilog"}
	for _, c := range []struct {
		result play.WrapperResult
		want   string
	}{
		{
			play.WrapperResult{Stub: stub, Unplayed: "250000 cells are more than 200000"},
			"wrapper: 4096 random words in 64 samples and 13 broken packets around a stub in iverilog; no test samples: " +
				"250000 cells are more than 200000; no difference\n",
		},
		{
			play.WrapperResult{Values: 32, Unplayed: "its encoder is wrong"},
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
