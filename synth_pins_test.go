package ialgn

import (
	"testing"

	"ialgn/backend/wrapper"
	"ialgn/target"
)

// TestBoardTargets holds that each board's device is a target of synth.
func TestBoardTargets(t *testing.T) {
	for name, want := range map[string]string{"hx8k-breakout": "ice40-hx8k", "icebreaker": "ice40-up5k"} {
		b, err := wrapper.ParseBoard(name)
		if err != nil {
			t.Fatal(err)
		}
		if d, err := target.FindDevice(want); err != nil || !carries(b, d) || boardTarget(b) != want {
			t.Errorf("%s: %s, want %s (%v)", name, boardTarget(b), want, err)
		}
	}
}
