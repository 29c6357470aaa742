//go:build amd64

package kernel

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"ialgn/internal/tooltest"
)

// TestGenerated generates the vector kernels anew and compares them with the committed
// files. It is skipped without avo in the module cache or a proxy to fetch it from.
func TestGenerated(t *testing.T) {
	dir := tooltest.Generate(t, filepath.Join("..", "..", "tools", "avo", "generate.sh"))
	files, err := filepath.Glob(filepath.Join(dir, "*_amd64.*"))
	if err != nil || len(files) != 16 { // two of each: fused kernels, steps, relaxed ones and the sparse one, on both paths
		t.Fatalf("tools/avo/generate.sh wrote %d files (%v)", len(files), err)
	}
	for _, file := range files {
		name := filepath.Base(file)
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what tools/avo/kernel writes (%v): run make generate", name, err)
		}
	}
}
