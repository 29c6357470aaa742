package torchlogix_test

import (
	"errors"
	"testing"

	"ialgn/interchange/given"
)

// wantMissing fails the test unless the error is that something is not known.
func wantMissing(t *testing.T, err error, what string) {
	t.Helper()
	var m *given.Missing
	if !errors.As(err, &m) || m.What != what || m.Why == "" {
		t.Errorf("error %v, want that %q is missing", err, what)
	}
}
