package diagnose

import (
	"path/filepath"
	"testing"

	"ialgn/internal/testkit"
)

// TestGenerated generates the vector kernels anew and compares them with the committed
// files. It is skipped without avo in the module cache or a proxy to fetch it from.
func TestGenerated(t *testing.T) {
	testkit.Generated(t, filepath.Join("..", "..", "lab", "avo", "probe"))
}
