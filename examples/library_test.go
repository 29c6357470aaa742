package examples_test

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ialgn/internal/testkit"
)

// TestLibrary builds and runs the program of another module that uses the library.
func TestLibrary(t *testing.T) {
	testkit.FindTool(t, "yosys")
	testkit.FindTool(t, "abc")
	program := filepath.Join(t.TempDir(), "library")
	goModule(t, "library", "build", "-ldflags=-s", "-o", program, ".")
	run := exec.Command(program)
	run.Dir = t.TempDir()
	out, err := run.CombinedOutput()
	want := regexp.MustCompile(`^the middle is inside by \[\d+ \d+\]\n\d+ LUTs\nverified: formal\n$`)
	if err != nil || !want.Match(out) {
		t.Errorf("%v: %s", err, out)
	}
	if left, err := filepath.Glob(filepath.Join(run.Dir, "*")); err != nil || len(left) > 0 {
		t.Errorf("left: %s (%v)", strings.Join(left, ", "), err)
	}
}
