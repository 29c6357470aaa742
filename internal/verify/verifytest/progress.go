package verifytest

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"ialgn/internal/progress"
)

// Said returns a context that records all progress reports, and a function that returns the reports as lines.
func Said(t *testing.T) (ctx context.Context, lines func() []string) {
	var all []string
	b := progress.NewBoard(time.Millisecond, func(tasks []progress.Status) {
		for _, s := range tasks {
			all = append(all, s.Name+": "+strings.Join(s.Doing, ", "))
		}
	})
	return progress.With(t.Context(), b), func() []string { return slices.Compact(all) }
}

// SaidAll checks that the patterns match lines in the given order. Other lines may come between the matching lines.
func SaidAll(t *testing.T, lines []string, want ...string) {
	t.Helper()
	rest := lines
	for _, w := range want {
		i := slices.IndexFunc(rest, regexp.MustCompile("^"+w+"$").MatchString)
		if i < 0 {
			t.Fatalf("%q was not said after what was to be before, but\n%s", w, strings.Join(lines, "\n"))
		}
		rest = rest[i+1:]
	}
}
