package trainer

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLeastBytes compares the estimated minimum memory with the arrays of a run. The estimate must be below the size
// of the arrays, and close to it.
func TestLeastBytes(t *testing.T) {
	for _, sets := range [][]string{
		{"model.width=200", "model.depth=9"},
		{"model.width=200", "model.depth=9", "model.parametrization=light", "model.hidden=3"},
		{"model.width=200", "model.depth=9", "model.topology=rwlgn"},
	} {
		cfg := parse(t, sets...)
		s := prepared(t, cfg, filepath.Join(t.TempDir(), "m"))
		have := uint64(0)
		for i := range s.m.Sections {
			sec := &s.m.Sections[i]
			have += uint64(4 * len(sec.Ops))
			for k := range sec.Pins {
				have += uint64(4 * len(sec.Pins[k].Logits))
			}
		}
		for _, m := range s.eng.Moments() {
			have += uint64(4 * len(m.Data))
		}
		if least := leastBytes(&cfg); least < have || least > have+have/3 {
			t.Errorf("%v: at least %d bytes, parameters and moments have %d", sets, least, have)
		}
	}
}

// TestRoom checks that a file which cannot be written is refused before the first batch, not after the last.
func TestRoom(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "n.checkpoint"), 0o777); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		dir:                           ": a folder; name a file in it",
		filepath.Join(dir, "n"):       "n.checkpoint: a folder; name a file in it",
		filepath.Join(dir, "no", "m"): "does not exist; create it first",
	} {
		steps := 0
		_, err := (Run{Config: parse(t), Model: path, Progress: func(Progress) { steps++ }}).Train(t.Context())
		if err == nil || !strings.Contains(err.Error(), want) || steps > 0 {
			t.Errorf("%s: error %v after %d steps, want %q before the first", path, err, steps, want)
		}
	}
}

// TestTogether trains two runs with the same output path. The second run must be refused before it changes any file,
// and the first run must end as if it had run alone.
func TestTogether(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m")
	alone := Run{Config: parse(t), Model: filepath.Join(t.TempDir(), "alone"), Threads: 1}
	train(t, alone)
	var second error
	first := Run{Config: parse(t), Model: path, Threads: 1}
	first.Progress = func(p Progress) {
		if p.Epoch == 2 && p.Batch == 1 {
			_, second = Run{Config: parse(t, "train.seed=8"), Model: path}.Train(t.Context())
		}
	}
	train(t, first)
	if second == nil || !strings.Contains(second.Error(),
		"m: another run is training this model (the lock is held by another process, number ") {
		t.Errorf("the second run: %v", second)
	}
	if string(read(t, path)) != string(read(t, alone.Model)) {
		t.Error("the first run was disturbed")
	}
	if names, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); len(names) > 0 {
		t.Errorf("left behind: %q", names)
	}
}
