package trainer

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ialgn/internal/testkit"
)

// TestTorn cuts a checkpoint at places all over the file. It also flips one to eight bits of every fifth byte, or of
// every byte in the long test tier. Each damaged file must be refused with a message that names the file and a
// remedy.
func TestTorn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m")
	cfg := parse(t, "model.width=10", "model.depth=2", "model.anchors=2", "encoder.bits=2")
	s := prepared(t, cfg, path)
	if err := s.save(); err != nil {
		t.Fatal(err)
	}
	whole := read(t, CheckpointPath(path))
	restore := func(text []byte) error {
		if err := os.WriteFile(CheckpointPath(path), text, 0o666); err != nil {
			t.Fatal(err)
		}
		again := &session{Run: s.Run, data: s.data}
		again.Resume = true
		err := again.prepare()
		if err == nil {
			err = again.save()
		}
		if err != nil && (!strings.HasPrefix(err.Error(), CheckpointPath(path)+": ") ||
			!strings.ContainsAny(err.Error(), ";,") || strings.Contains(err.Error(), "Go ")) {
			t.Errorf("the error names no file or remedy: %v", err)
		}
		return err
	}
	if err := restore(whole); err != nil {
		t.Fatal(err)
	}
	for n := 0; n < len(whole); n += 1 + n/40 {
		if restore(whole[:n]) == nil {
			t.Errorf("cut to %d of %d bytes: accepted", n, len(whole))
		}
	}
	step := 5
	if testkit.Whole() {
		step = 1
	}
	for i := 0; i < len(whole); i += step {
		torn := append([]byte(nil), whole...)
		torn[i] ^= 0xff >> (i % 8) // flips the lowest one to eight bits
		if restore(torn) == nil {
			t.Errorf("byte %d of %d: accepted as %#x", i, len(whole), torn[i])
		}
	}
	t.Logf("%d bytes", len(whole))
}
