package memory

import (
	"os"
	"path/filepath"
	"testing"
)

func TestPeak(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, "proc", "self", "status")
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if got := (system{root}).peak(); got != 0 {
		t.Errorf("no file: %d bytes", got)
	}
	for text, want := range map[string]uint64{
		"Name:\tialgn\nVmPeak:\t  900 kB\nVmHWM:\t     123 kB\nVmRSS:\t 7 kB\n": 123 << 10,
		"Name:\tialgn\n": 0,
		"VmHWM:\tmuch\n": 0,
	} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if got := (system{root}).peak(); got != want {
			t.Errorf("%q: %d bytes, want %d", text, got, want)
		}
	}
}
