package kernel

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestGenerated runs the generator and finds its output equal to the files that are
// committed.
func TestGenerated(t *testing.T) {
	dir := t.TempDir()
	out, err := exec.Command("sh", filepath.Join("..", "..", "tools", "avo", "generate.sh"), dir).CombinedOutput()
	if err != nil {
		if strings.Contains(string(out), "dial tcp") || strings.Contains(string(out), "module lookup disabled") {
			t.Skipf("the generator's modules are not to be had: %s", out)
		}
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range []string{"avx512_amd64.s", "avx512_amd64.go"} {
		want, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		_, got, _ = bytes.Cut(got, []byte("\n")) // the first line names the output folder
		_, want, _ = bytes.Cut(want, []byte("\n"))
		if len(want) == 0 || !bytes.Equal(got, want) {
			t.Errorf("%s is not what the generator writes: run make generate", name)
		}
	}
}
