package synth

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ialgn/internal/target"
)

// TestLongSynthesis uses a fake yosys that takes longer than usual. If the design consists of plain gates, a warning
// must say how to make synthesis faster.
func TestLongSynthesis(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "yosys"), []byte("#!"+shell+"\nsleep 0.3\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	device, err := target.FindDevice("ice40-hx1k")
	if err != nil {
		t.Fatal(err)
	}
	usual := longSynthesis
	longSynthesis = time.Millisecond
	t.Cleanup(func() { longSynthesis = usual })
	source := filepath.Join(dir, "m.v")
	if err := os.WriteFile(source, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, gates := range []bool{true, false} {
		var warned []string
		o := Options{
			Device: device, Module: "m", Sources: []string{source}, Gates: gates,
			Warn: func(err error) { warned = append(warned, err.Error()) },
		}
		if _, err := o.synthesise(t.Context(), t.TempDir()); err == nil {
			t.Fatal("no error of yosys")
		}
		if all := strings.Join(warned, "\n"); strings.Contains(all, "compile with Target: ice40 Style: lut") != gates {
			t.Errorf("gates %v: warned of %q", gates, all)
		}
	}
}
