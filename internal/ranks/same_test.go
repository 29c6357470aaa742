package ranks_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"ialgn/internal/ranks"
)

func TestSame(t *testing.T) {
	digest := strings.Repeat("0123456789abcdef", 4)
	other := strings.Repeat("f", 64)
	for _, c := range []struct {
		name   string
		values [][2]string // configuration and seed by rank
		want   string
	}{
		{"alike", [][2]string{{digest, "1"}, {digest, "1"}, {digest, "1"}}, ""},
		{"one", [][2]string{{digest, "1"}}, ""},
		{
			"another configuration",
			[][2]string{{digest, "1"}, {digest, "1"}, {other, "1"}},
			"rank 2 has another configuration (ffffffffffff) than rank 0 (0123456789ab)",
		},
		{
			"rank 0 is the odd one",
			[][2]string{{other, "1"}, {digest, "1"}, {digest, "1"}},
			"rank 0 has another configuration (ffffffffffff) than rank 1 (0123456789ab)",
		},
		{
			"of two",
			[][2]string{{digest, "1"}, {digest, "18446744073709551615"}},
			"rank 1 has another seed (18446744073709551615) than rank 0 (1)",
		},
		{
			"both",
			[][2]string{{digest, "1"}, {other, ""}},
			"rank 1 has another configuration (ffffffffffff) than rank 0 (0123456789ab); rank 1 has another seed (none) " +
				"than rank 0 (1)",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			for rank, err := range agreed(len(c.values), func(of ranks.Comm) error {
				v := c.values[of.Rank()]
				return ranks.Same(of, ranks.Fact{"configuration", v[0]}, ranks.Fact{"seed", v[1]})
			}) {
				var differ *ranks.DifferError
				switch {
				case c.want == "" && err == nil:
				case !errors.As(err, &differ) || !strings.HasSuffix(err.Error(), "alike: "+c.want):
					t.Errorf("rank %d: error %v, want %q", rank, err, c.want)
				}
			}
		})
	}
}

// TestSameMany checks that the error names some of many ranks, and gives the number of the other ranks.
func TestSameMany(t *testing.T) {
	errs := agreed(40, func(c ranks.Comm) error { return ranks.Same(c, ranks.Fact{"seed", strconv.Itoa(max(20, c.Rank()))}) })
	if text := errs[7].Error(); !strings.Contains(text, "rank 28 has") || !strings.HasSuffix(text, "; and 11 more ranks") {
		t.Error(text)
	}
}

// TestSameOtherNames checks a rank whose facts have other names, as in another version of the program.
func TestSameOtherNames(t *testing.T) {
	for rank, err := range agreed(3, func(c ranks.Comm) error {
		if c.Rank() == 1 {
			return ranks.Same(c, ranks.Fact{"program", "b"})
		}
		return ranks.Same(c, ranks.Fact{"program", "a"}, ranks.Fact{"seed", "1"})
	}) {
		if err == nil {
			t.Errorf("rank %d: no error", rank)
		}
	}
}
