package trainer

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"ialgn/internal/ranks"
)

// TestRankNamedOnce checks that an error names its rank once, even if an exchange at a lower level has already named
// it.
func TestRankNamedOnce(t *testing.T) {
	for text, want := range map[string]string{
		"full":                "rank 1: full",
		"rank 2: full":        "rank 2: full",
		"m.st: rank 2: full":  "m.st: rank 2: full",
		"m.st: rank 2 of all": "rank 1: m.st: rank 2 of all",
	} {
		all, end := ranks.Local(3)
		errs := make([]error, 3)
		var done sync.WaitGroup
		for _, c := range all {
			done.Go(func() {
				var own error
				if c.Rank() == 1 {
					own = errors.New(text)
				}
				r := &Run{Ranks: c}
				errs[c.Rank()] = r.agree(own)
			})
		}
		done.Wait()
		end()
		if got := fmt.Sprint(errs[0], errs[2]); got != want+" "+want || errs[1].Error() != text {
			t.Errorf("%q: %v, want %s on the others", text, errs, want)
		}
	}
}
