package testkit

import (
	"os"
	"testing"
)

// long is the environment variable that enables the long tests. There are three tiers of tests. `go test -short` is
// for use in an editor, and `make test` is for every change. `make test-all` sets the variable, which adds tests with
// emulators, browsers and additional simulators, and tests of whole documents.
const long = "IALGN_LONG"

// Whole reports whether the long tests run. If not, a test with many cases runs only a few cases.
func Whole() bool { return os.Getenv(long) != "" }

// Long skips a test unless `make test-all` runs it. reason says what makes the test long.
func Long(t testing.TB, reason string) {
	t.Helper()
	if !Whole() {
		t.Skipf("long (%s): run by make test-all, which sets %s", reason, long)
	}
}
