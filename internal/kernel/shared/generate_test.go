//go:build amd64

package shared

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
	testkit.Generated(t, filepath.Join("..", "..", "..", "lab", "avo", "shared"))
}

// TestRegisters checks that the AVX2 kernels use only registers of AVX2. If the generator runs out of registers, it
// takes registers that only AVX-512 can encode. Running the kernels on a processor with both extensions would not
// show this error. TestRegisters also checks that no kernel fuses a product and a sum, which would round once instead
// of twice.
func TestRegisters(t *testing.T) {
	more := regexp.MustCompile(`(?m)^.*\b([XY](1[6-9]|[23]\d)|Z\d+|K[0-7])\b.*$`)
	fused := regexp.MustCompile(`(?m)^.*\bVFN?M(ADD|SUB).*$`)
	for _, name := range []string{"avx2", "avx512"} {
		text, err := os.ReadFile(name + "_amd64.s")
		if err != nil {
			t.Fatal(err)
		}
		if line := more.Find(text); (line == nil) != (name == "avx2") {
			t.Errorf("%s_amd64.s: %q is AVX-512", name, line)
		}
		if line := fused.Find(text); line != nil {
			t.Errorf("%s_amd64.s: %q rounds once", name, line)
		}
	}
}
