package testkit

import (
	"os"
	"testing"
)

// long is the variable that asks for the long tests. Three tiers of tests exist: `go test -short` for the loop of an
// editor, `make test` for every change, and `make test-all`, which sets the variable, for emulators, browsers, other
// simulators and whole documents.
const long = "IALGN_LONG"

// Whole reports whether the long tests run. A test of many cases takes a few of them elsewhere.
func Whole() bool { return os.Getenv(long) != "" }

// Long skips a test that only `make test-all` runs. The reason says what makes the test long.
func Long(t testing.TB, reason string) {
	t.Helper()
	if !Whole() {
		t.Skipf("long (%s): run by make test-all, which sets %s", reason, long)
	}
}
