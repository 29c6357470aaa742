package certify

import (
	"errors"
	"testing"

	"ialgn/internal/verify/cec"
)

// TestErr checks the error for combinations of outcomes. If a check finds a difference, the error is ErrDifference,
// even if other checks are unproved. If several checks are unproved, the error names the last one, which ended the
// run.
func TestErr(t *testing.T) {
	good, different := outcome{verdict: cec.Equivalent}, outcome{verdict: cec.Different}
	open := func(reason string) outcome { return outcome{verdict: "unproved", reason: reason} }
	for name, c := range map[string]struct {
		outcomes     []outcome
		want         error
		says, result string
	}{
		"good":                         {[]outcome{good, good}, nil, "", "verified"},
		"unproved":                     {[]outcome{good, open("abc ended")}, ErrUnproved, "not proved: abc ended", "unproved"},
		"a difference before unproved": {[]outcome{different, good, open("")}, ErrDifference, ErrDifference.Error(), "different"},
		"a difference after unproved":  {[]outcome{open(""), different}, ErrDifference, ErrDifference.Error(), "different"},
		"twice unproved":               {[]outcome{open("yosys's"), good, open("ours")}, ErrUnproved, "not proved: ours", "unproved"},
	} {
		r := &Certificate{outcomes: c.outcomes}
		if r.Err() == nil {
			t.Errorf("%s: no error before all checks are run", name)
		}
		r.finish(All)
		err := r.Err()
		if !errors.Is(err, c.want) || err != nil && err.Error() != c.says || r.result() != c.result {
			t.Errorf("%s: %v, %s, want %q, %s", name, err, r.result(), c.says, c.result)
		}
		if r.Verified != (c.want == nil) || r.Verified != (r.Level == Formal) {
			t.Errorf("%s: verified %t, level %q", name, r.Verified, r.Level)
		}
	}
}

// TestTable checks that the rows of the table of checks have distinct names, and that the levels never decrease.
func TestTable(t *testing.T) {
	names := map[string]bool{}
	for i, row := range checks {
		if names[row.name] || i > 0 && row.level < checks[i-1].level {
			t.Errorf("row %d, %s, level %d", i, row.name, row.level)
		}
		names[row.name] = true
	}
}
