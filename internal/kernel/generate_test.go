//go:build amd64

package kernel

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"ialgn/internal/testkit"
)

// TestGenerated generates the vector kernels anew and compares them with the committed files. It is skipped if avo is
// neither in the module cache nor available from a proxy.
func TestGenerated(t *testing.T) {
	testkit.Generated(t, filepath.Join("..", "..", "lab", "avo", "kernel"))
}

// TestRegisters checks that the AVX2 kernels use only registers of AVX2. If the generator runs out of registers, it
// takes registers that only AVX-512 can encode. Running the kernels on a processor with both extensions would not
// show this error.
func TestRegisters(t *testing.T) {
	more := regexp.MustCompile(`(?m)^.*\b([XY](1[6-9]|[23]\d)|Z\d+|K[0-7])\b.*$`)
	for _, name := range []string{"avx2", "steps2", "relaxed2", "nodes2", "sparse2"} {
		text, err := os.ReadFile(name + "_amd64.s")
		if err != nil {
			t.Fatal(err)
		}
		if line := more.Find(text); line != nil {
			t.Errorf("%s_amd64.s: %q is not AVX2", name, line)
		}
	}
	if own, err := os.ReadFile("avx512_amd64.s"); err != nil || more.Find(own) == nil {
		t.Errorf("no line of avx512_amd64.s is found to be AVX-512 (%v)", err)
	}
}
