package tool_test

import (
	"testing"

	"ialgn/internal/tool"
)

// TestUses: of each program it is said what it is for.
func TestUses(t *testing.T) {
	for _, name := range tool.Names() {
		if tool.Use(name) == "" {
			t.Errorf("%s: say in uses.go what it is for", name)
		}
	}
}
