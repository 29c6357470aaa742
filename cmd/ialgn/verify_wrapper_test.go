package main

import (
	"strings"
	"testing"

	"ialgn/sim/verify"
)

// TestWrapperText holds what is said of a wrapper that no sample went through: nobody must read
// "no difference" of what was never tried.
func TestWrapperText(t *testing.T) {
	for _, c := range []struct {
		result verify.WrapperResult
		want   string
	}{
		{verify.WrapperResult{Unplayed: "250000 cells are more than 200000"}, "wrapper: no samples: 250000 cells are more than 200000\n"},
		{
			verify.WrapperResult{Values: 32, Unplayed: "250000 cells are more than 200000"},
			"wrapper: 32 values of a word: no difference; no samples: 250000 cells are more than 200000\n",
		},
	} {
		var text strings.Builder
		(&verifyReport{}).wrapperText(&text, &c.result)
		if text.String() != c.want {
			t.Errorf("%+v is told as %q, want %q", c.result, text.String(), c.want)
		}
	}
}
