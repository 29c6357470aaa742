package trainer

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// fused matches a fused multiply-add in the disassembly of arm64.
var fused = regexp.MustCompile(`\bFN?M(ADD|SUB)[SD]\b`)

// TestNoContraction builds the training path for arm64, where the compiler contracts
// x*y + z unless the product is rounded explicitly, and finds no fused instruction in
// any of our functions: the trained bytes do not depend on the processor. It leaves out
// internal/plot, where gonum's arithmetic is inlined, and where charts get their coordinates, and fit, which chooses
// configurations by how much time there is, and writes down what it chose.
func TestNoContraction(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program for arm64, which takes a minute with an empty cache")
	}
	readSources(t)
	exe := filepath.Join(t.TempDir(), "ialgn")
	build := exec.Command("go", "build", "-o", exe, "ialgn/cmd/ialgn")
	build.Env = append(os.Environ(), "GOARCH=arm64", "GOOS=linux", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	text, err := exec.Command("go", "tool", "objdump", "-s", `^ialgn/`, exe).Output()
	if err != nil {
		t.Fatal(err)
	}
	function, seen := "", 0
	for line := range bytes.Lines(text) {
		if name, ok := strings.CutPrefix(string(line), "TEXT "); ok {
			function, _, _ = strings.Cut(name, "(")
			seen++
		}
		free := strings.HasPrefix(function, "ialgn/internal/plot.") || strings.HasPrefix(function, "ialgn/fit.")
		if fused.Match(line) && !free {
			t.Errorf("%s holds %s", function, bytes.TrimSpace(line))
		}
	}
	if seen < 1000 {
		t.Errorf("%d functions disassembled, the test shows little", seen)
	}
}

// readSources opens every source file, so that go test, which keeps account of opened
// files, does not answer from its cache after a change of any.
func readSources(t *testing.T) {
	t.Helper()
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".go") {
			_, err = os.ReadFile(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
