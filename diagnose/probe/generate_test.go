package probe

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestGenerated generates the vector kernels anew and compares them with the committed
// files. It is skipped without avo in the module cache or a proxy to fetch it from.
func TestGenerated(t *testing.T) {
	tools := filepath.Join("..", "..", "tools", "avo")
	download := exec.Command("go", "mod", "download")
	download.Dir = tools
	if out, err := download.CombinedOutput(); err != nil {
		t.Skipf("avo is not to be had: %v: %s", err, out)
	}
	dir := t.TempDir()
	if out, err := exec.Command(filepath.Join(tools, "generate-probe.sh"), dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, name := range []string{"avx2_amd64.go", "avx2_amd64.s", "avx512_amd64.go", "avx512_amd64.s"} {
		want, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what tools/avo/probe writes (%v): run make generate", name, err)
		}
	}
}
