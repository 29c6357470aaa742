package examples_test

import (
	"path/filepath"
	"strings"
	"testing"

	"ialgn/internal/testkit"
)

// TestChips runs the commands of the guide for chips, with a smaller network and without the other steps of demo.
func TestChips(t *testing.T) {
	testkit.Long(t, "synthesises and proves a network")
	needs(t, "yosys", "iverilog")
	testkit.FindTool(t, "abc")
	w := newWalk(t)
	w.shortened = true
	w.change = func(command string) string {
		if strings.HasPrefix(command, "ialgn demo") {
			return "mkdir demo && ialgn train examples/digits/digits.yaml -o demo/digits.safetensors --set train.epochs=3 " +
				"--set model.width=60"
		}
		return command
	}
	w.readme(filepath.Join("..", "docs", "guides", "chips.md"))
}
