// Package tooltest runs external programs in tests, which are skipped where a program is not
// installed.
package tooltest

import (
	"testing"
	"time"

	"ialgn/internal/tool"
)

// limit is how long a program of a test may run.
const limit = 3 * time.Minute

// Find returns a program, or skips the test.
func Find(t testing.TB, name string) *tool.Tool {
	t.Helper()
	p, err := tool.Find(name)
	if err != nil {
		t.Skip(err)
	}
	return p
}

// Run runs a program in a folder and returns its standard output, followed by its standard
// error. It ends the test if the program fails.
func Run(t testing.TB, p *tool.Tool, dir string, args ...string) string {
	t.Helper()
	r, err := p.Run(t.Context(), tool.Command{Args: args, Dir: dir, Limit: limit})
	if err != nil {
		t.Fatalf("%v\n%s", err, r.Stdout+r.Stderr)
	}
	return r.Stdout + r.Stderr
}
