package trainer

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTorn cuts a checkpoint at places all over it, and flips a byte at others. Every cut is
// refused, by a message that names the file and a remedy; a byte that is another is refused
// or, in the middle of a number, gives a run that can go on and be saved.
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
		err := again.restore()
		if err == nil {
			err = again.save()
		}
		if err != nil && (!strings.HasPrefix(err.Error(), CheckpointPath(path)+": ") || !strings.ContainsAny(err.Error(), ";,") || strings.Contains(err.Error(), "Go ")) {
			t.Errorf("no plain message: %v", err)
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
	accepted, refused := 0, 0
	for i := 0; i < len(whole); i += 37 {
		torn := append([]byte(nil), whole...)
		torn[i] ^= 0xff
		if restore(torn) == nil {
			accepted++
		} else {
			refused++
		}
	}
	t.Logf("of %d bytes that were another, %d were refused; the others stand in numbers", accepted+refused, refused)
	if refused < 50 {
		t.Errorf("only %d bytes were refused", refused)
	}
}
