//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package interrupt

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// blocking returns a pipe. Its reading end is in blocking mode, so that Go's runtime does not wait for it.
func blocking(t *testing.T) (r, w *os.File) {
	t.Helper()
	var ends [2]int
	if err := unix.Pipe(ends[:]); err != nil {
		t.Fatal(err)
	}
	r, w = os.NewFile(uintptr(ends[0]), "in"), os.NewFile(uintptr(ends[1]), "out")
	t.Cleanup(func() { r.Close(); w.Close() })
	return r, w
}

func pollable(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	return r, w
}

// TestInterrupt interrupts a waiting read of a pipe, after a read that did not wait. The pipe must stay usable for
// the next reader.
func TestInterrupt(t *testing.T) {
	for name, pipe := range map[string]func(*testing.T) (r, w *os.File){"blocking": blocking, "pollable": pollable} {
		t.Run(name, func(t *testing.T) {
			r, w := pipe(t)
			f, b := New(r, false), make([]byte, 10)
			write := func(text string) {
				if _, err := w.WriteString(text); err != nil {
					t.Fatal(err)
				}
			}
			write("one")
			if n, err := f.Read(b); n != 3 || err != nil {
				t.Fatalf("%d bytes and error %v", n, err)
			}
			time.AfterFunc(20*time.Millisecond, f.Interrupt)
			for range 2 {
				n, err := f.Read(b)
				if n != 0 || !errors.Is(err, ErrInterrupted) && !errors.Is(err, os.ErrDeadlineExceeded) {
					t.Errorf("%d bytes and error %v, want an interruption", n, err)
				}
			}
			if err := f.Close(); err != nil {
				t.Error(err)
			}
			f.Interrupt()
			write("two")
			w.Close()
			if text, err := io.ReadAll(r); string(text) != "two" || err != nil {
				t.Errorf("%q and error %v are left", text, err)
			}
		})
	}
}

// TestFile reads a regular file, on which reads never wait, and a pipe. It reads each of them to the end.
func TestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	regular, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	r, w := blocking(t)
	if _, err := w.WriteString("text"); err != nil {
		t.Fatal(err)
	}
	w.Close()
	for _, f := range []*os.File{regular, r} {
		i := New(f, true)
		if text, err := io.ReadAll(i); string(text) != "text" || err != nil {
			t.Errorf("%q and error %v", text, err)
		}
		if err := i.Close(); err != nil {
			t.Error(err)
		}
		if _, err := f.Stat(); !errors.Is(err, os.ErrClosed) {
			t.Errorf("after it was closed: error %v", err)
		}
	}
}
