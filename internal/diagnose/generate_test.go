package diagnose

import (
	"path/filepath"
	"testing"

	"ialgn/internal/testkit"
)

// TestGenerated generates the vector kernels again and compares them with the committed files. The test is skipped if
// the module avo is not in the module cache and there is no proxy from which it can be fetched.
func TestGenerated(t *testing.T) {
	testkit.Generated(t, filepath.Join("..", "..", "lab", "avo", "probe"))
}
