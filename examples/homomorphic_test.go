package examples_test

import (
	"path/filepath"
	"strings"
	"testing"

	"ialgn/internal/testkit"
)

// TestHomomorphic runs the commands of the guide for homomorphic encryption. Except in the long tier, the network is
// smaller, and nothing is proved.
func TestHomomorphic(t *testing.T) {
	needs(t, "python3")
	w := newWalk(t)
	if testkit.Whole() {
		needs(t, "yosys", "iverilog")
		testkit.FindTool(t, "abc")
	} else {
		w.shortened = true
		w.change = func(command string) string {
			switch {
			case strings.HasPrefix(command, "ialgn train"):
				return command + " --set train.epochs=2 --set model.width=60"
			case strings.HasPrefix(command, "ialgn verify"):
				return strings.Replace(command, "formal --samples 100", "software", 1)
			}
			return command
		}
	}
	w.readme(filepath.Join("..", "docs", "guides", "homomorphic.md"))
}
