package diagnose

import (
	"path/filepath"
	"testing"

	"ialgn/internal/testkit"
)

// TestGenerated generates the vector kernels again and compares them with the committed files. It is skipped if avo
// is not in the module cache and there is no proxy to fetch it from.
func TestGenerated(t *testing.T) {
	testkit.Generated(t, filepath.Join("..", "..", "lab", "avo", "probe"))
}
