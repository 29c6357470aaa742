package diagnose

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"ialgn/internal/testkit"
)

// TestGenerated generates the vector kernels anew and compares them with the committed
// files. It is skipped without avo in the module cache or a proxy to fetch it from.
func TestGenerated(t *testing.T) {
	dir := testkit.Generate(t, filepath.Join("..", "..", "lab", "avo", "generate-probe.sh"))
	for _, name := range []string{"avx2_amd64.go", "avx2_amd64.s", "avx512_amd64.go", "avx512_amd64.s"} {
		want, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what lab/avo/probe writes (%v): run make generate", name, err)
		}
	}
}
