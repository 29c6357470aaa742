package given_test

import (
	"strings"
	"testing"

	"ialgn/internal/interchange/given"
)

// TestPlainDecimals checks that only plain decimal numbers are accepted, both in the file of facts and in single
// facts.
func TestPlainDecimals(t *testing.T) {
	for _, number := range []string{"0x10", "1_0", "0b11", "0o17", "010", "\u0661\u0660", ".inf", "+-1"} {
		_, file := given.ParseFacts([]byte("group_sum: {k: "+number+"}\n"), nil)
		_, further := given.ParseFacts(nil, []string{"group_sum.k=" + number})
		_, tau := given.ParseFacts([]byte("group_sum:\n  tau: "+number+" # of the sum\n"), nil)
		for _, err := range []error{file, further, tau} {
			if err == nil || !strings.Contains(err.Error(), "number") {
				t.Errorf("%s: error %v, want one about a number", number, err)
			}
		}
	}
	f, err := given.ParseFacts([]byte("group_sum: {k: 10, tau: 1e-3}\nclasses: [0x10, \"1_0\"]\n"), nil)
	if err != nil || f.Sum.K == nil || *f.Sum.K != 10 || f.Sum.Tau == nil || *f.Sum.Tau != 0.001 {
		t.Errorf("%+v, error %v", f, err)
	}
}
