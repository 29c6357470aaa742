package ialgn

import (
	"strings"
	"testing"

	"ialgn/docs"
	"ialgn/internal/target"
	"ialgn/internal/wrapper"
)

// TestBoardTargets checks that each board's device is a target of synth, and that the command-line reference lists it.
func TestBoardTargets(t *testing.T) {
	page := strings.Join(strings.Fields(docs.CLI), " ")
	for _, name := range wrapper.Boards() {
		b, err := wrapper.ParseBoard(name)
		if err != nil {
			t.Fatal(err)
		}
		want := boardTarget(b)
		if d, err := target.FindDevice(want); err != nil || !carries(b, d) {
			t.Errorf("%s: its device is no target: %s (%v)", name, want, err)
		}
		if !strings.Contains(page, "`"+name+"` with `--target "+want+"`") {
			t.Errorf("docs/reference/cli.md: synth: the board %s lacks its `--target %s`", name, want)
		}
	}
}
