package main

import (
	"strings"
	"testing"

	"ialgn/internal/verify/rtl"
)

// TestWrapperText checks the text about a wrapper through which no sample went. The text must not say "no
// difference".
func TestWrapperText(t *testing.T) {
	for _, c := range []struct {
		result rtl.WrapperResult
		want   string
	}{
		{
			rtl.WrapperResult{Unplayed: "250000 cells are more than 200000"},
			"wrapper: no test samples: 250000 cells are more than 200000; no difference\n",
		},
		{
			rtl.WrapperResult{Values: 32, Unplayed: "its encoder is wrong"},
			"wrapper: 32 values of a word; no test samples: its encoder is wrong; no difference\n",
		},
	} {
		var text strings.Builder
		(&verifyReport{}).wrapperText(&text, &c.result)
		if text.String() != c.want {
			t.Errorf("%+v is described as %q, want %q", c.result, text.String(), c.want)
		}
	}
}
