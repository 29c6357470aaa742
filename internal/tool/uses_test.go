package tool_test

import (
	"testing"

	"ialgn/internal/tool"
)

// TestUses checks that the use of each program is described.
func TestUses(t *testing.T) {
	for _, name := range tool.Names() {
		if tool.Use(name) == "" {
			t.Errorf("%s: uses.go must describe its use", name)
		}
	}
}
