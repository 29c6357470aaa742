package screen

import (
	"testing"
	"time"

	"ialgn/internal/progress"
)

// tasks returns the status of a deeply nested task and of a second task at the same level.
func tasks() []progress.Status {
	doing := []string{"rtl", "3 of 100 parts", "count_2", "verilator, running", "640 of 1000 samples"}
	return []progress.Status{
		{Name: "synthesized", Elapsed: 3725 * time.Second, Doing: doing, Done: 640, Of: 1000},
		{Name: "nextpnr, seed 2"},
	}
}

// TestFit checks that a narrow terminal shows the most important parts, and that a wide terminal shows more parts.
func TestFit(t *testing.T) {
	for _, c := range []struct {
		columns int
		parts   func(columns int) []Part
		want    string
	}{
		{8, func(columns int) []Part { return taskParts(tasks(), columns) }, "synth..."},
		{39, func(columns int) []Part { return taskParts(tasks(), columns) }, "synthesized: 1 h 2 min, 640 of 1000 ..."},
		{
			79, func(columns int) []Part { return taskParts(tasks(), columns) },
			"synthesized: 1 h 2 min, count_2, verilator, running, 640 of 1000 samples",
		},
		{
			119, func(columns int) []Part { return taskParts(tasks(), columns) },
			"synthesized: 1 h 2 min, rtl, 3 of 100 parts, count_2, verilator, running, 640 of 1000 samples",
		},
		{
			159, func(columns int) []Part { return taskParts(tasks(), columns) },
			"synthesized: 1 h 2 min, rtl, 3 of 100 parts, count_2, verilator, running, 640 of 1000 samples  " +
				"[###############.........]  and 1 more",
		},
	} {
		if got := Fit(c.parts(c.columns), c.columns); got != c.want {
			t.Errorf("in %d columns:\n%s, want\n%s", c.columns, got, c.want)
		}
	}
}
