package augment

import (
	"path/filepath"
	"testing"

	"ialgn/internal/testkit"
)

// TestGenerated generates the vector kernels anew and compares them with the committed files. It is skipped if avo is
// neither in the module cache nor available from a proxy.
func TestGenerated(t *testing.T) {
	testkit.Generated(t, filepath.Join("..", "..", "..", "lab", "avo", "augment"))
}
