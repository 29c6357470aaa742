package examples_test

import (
	"path/filepath"
	"strings"
	"testing"

	"ialgn/internal/testkit"
)

// TestSensor follows the README, from a table to the answers of the design on a simulated serial line, and compares
// all figures with the README. It leaves out the slowest steps, which are the proof and the bitstream.
func TestSensor(t *testing.T) {
	testkit.Long(t, "walks a README")
	t.Parallel()
	needs(t, "python3", "gzip")
	testkit.FindTool(t, "iverilog")
	w := newWalk(t)
	w.fetch("tabular/Shuttle.csv.gz")
	hostsim := filepath.Join(w.dir, "hostsim")
	if err := testkit.Build(hostsim, "ialgn/lab/hostsim"); err != nil {
		t.Fatal(err)
	}
	w.change = func(command string) string {
		if strings.HasPrefix(command, "ialgn verify ") || strings.HasPrefix(command, "ialgn synth ") {
			return ""
		}
		return strings.Replace(command, "go run ./lab/hostsim", hostsim, 1)
	}
	w.readme("sensor/README.md")
}
