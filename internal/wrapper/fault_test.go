package wrapper

import (
	"strings"
	"testing"
)

// fault is a change of a wrapper, and the rule of its testbench that must find it.
type fault struct{ rule, good, bad string }

// broken returns a wrapper with a fault, which must change something.
func (f fault) broken(t *testing.T, wrapper string) string {
	t.Helper()
	text := strings.Replace(wrapper, f.good, f.bad, 1)
	if text == wrapper {
		t.Fatalf("nothing to break: %s", f.good)
	}
	return text
}

// found checks what the testbench says of the broken wrapper.
func (f fault) found(t *testing.T, out string) {
	t.Helper()
	if !strings.HasPrefix(out, "FAIL: "+f.rule+",") {
		t.Errorf("%q instead of %q: want %q: %s", f.bad, f.good, f.rule, out)
	}
}
