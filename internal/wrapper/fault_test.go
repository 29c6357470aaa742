package wrapper

import (
	"strings"
	"testing"
)

// fault replaces the text good in a wrapper by the text bad. The testbench must then report that the rule is broken.
type fault struct{ rule, good, bad string }

// broken returns the wrapper with the fault, and fails if the fault changes nothing.
func (f fault) broken(t *testing.T, wrapper string) string {
	t.Helper()
	text := strings.Replace(wrapper, f.good, f.bad, 1)
	if text == wrapper {
		t.Fatalf("nothing to break: %s", f.good)
	}
	return text
}

// found checks the testbench's output for the broken wrapper.
func (f fault) found(t *testing.T, out string) {
	t.Helper()
	if !strings.HasPrefix(out, "FAIL: "+f.rule+",") {
		t.Errorf("%q instead of %q: want %q: %s", f.bad, f.good, f.rule, out)
	}
}
