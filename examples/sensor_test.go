package examples_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ialgn/internal/tooltest"
)

// TestSensor goes from a table to answers of its design by a simulated line, and compares all figures on the way with
// the README. What takes longest is left to the README: the proof and the bitstream.
func TestSensor(t *testing.T) {
	tooltest.Long(t, "walks a README")
	t.Parallel()
	needs(t, "python3", "gzip")
	tooltest.Find(t, "iverilog")
	w := newWalk(t)
	w.fetch("tabular/Shuttle.csv.gz")
	hostsim := filepath.Join(w.dir, "hostsim")
	if out, err := exec.Command("go", "build", "-o", hostsim, "ialgn/tools/hostsim").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	w.change = func(command string) string {
		if strings.HasPrefix(command, "ialgn verify ") || strings.HasPrefix(command, "ialgn synth ") {
			return ""
		}
		return strings.Replace(command, "go run ./tools/hostsim", hostsim, 1)
	}
	w.readme("sensor/README.md")
}
