package outfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// TestAcquire takes a lock, tries to take it a second time, releases it, and takes it again.
func TestAcquire(t *testing.T) {
	path := filepath.Join(t.TempDir(), ".m.lock")
	first, err := AcquireLock(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := AcquireLock(path); !errors.Is(err, ErrHeld) || !strings.HasSuffix(err.Error(),
		fmt.Sprintf("number %d", os.Getpid())) {
		t.Errorf("acquiring a held lock: error %v", err)
	}
	first.Release()
	if _, err := os.Stat(path); err == nil {
		t.Error("the lock file was not removed")
	}
	second, err := AcquireLock(path)
	if err != nil {
		t.Fatal(err)
	}
	second.Release()
}

// TestKilled takes a lock whose file was left by a killed process. This file must not count as a held lock.
func TestKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), ".m.lock")
	if err := os.WriteFile(path, []byte("123456789\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	l, err := AcquireLock(path)
	if err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile(path); string(text) != fmt.Sprintln(os.Getpid()) {
		t.Errorf("the lock file contains %q, want this process's number", text)
	}
	l.Release()
}

// TestForeign checks that a file that has the name of a lock file but is not a lock is neither taken nor changed.
func TestForeign(t *testing.T) {
	path := filepath.Join(t.TempDir(), ".m.lock")
	for _, text := range []string{"notes\n", "12 monkeys\n", strings.Repeat("1", 1000)} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if l, err := AcquireLock(path); l != nil || err == nil || !strings.Contains(err.Error(), "is not a lock") {
			t.Errorf("%.20q: error %v", text, err)
		}
		if now, _ := os.ReadFile(path); string(now) != text {
			t.Errorf("the file %.20q was changed to %q", text, now)
		}
	}
}

// TestLockIsExclusive lets many goroutines take and release a lock, whose file is removed and created again. No two
// goroutines may hold the lock at the same time.
func TestLockIsExclusive(t *testing.T) {
	dir := t.TempDir()
	for name, acquire := range map[string]func() (*Lock, error){
		"file":           func() (*Lock, error) { return AcquireLock(filepath.Join(dir, "lock")) },
		"folder":         func() (*Lock, error) { return LockFolder(dir, false) },
		"folder, waited": func() (*Lock, error) { return LockFolder(dir, true) },
	} {
		var holders, taken atomic.Int32
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for range 50 {
					l, err := acquire()
					if errors.Is(err, ErrHeld) {
						continue
					}
					if err != nil {
						t.Error(err)
						return
					}
					if n := holders.Add(1); n != 1 {
						t.Errorf("%s: %d goroutines hold the lock at once", name, n)
					}
					taken.Add(1)
					holders.Add(-1)
					l.Release()
				}
			})
		}
		all.Wait()
		if n := taken.Load(); n == 0 || strings.Contains(name, "waited") && n != 400 {
			t.Errorf("%s: the lock was taken %d times", name, n)
		}
	}
}

// TestBeside locks a file by its name and through links to it. One of the links is in another folder. A file that
// does not exist is locked by its name.
func TestBeside(t *testing.T) {
	dir := t.TempDir()
	path, near, far := filepath.Join(dir, "m"), filepath.Join(dir, "near"), filepath.Join(t.TempDir(), "far")
	missing, err := LockFile(path)
	if err != nil {
		t.Fatal(err)
	}
	missing.Release()
	if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Symlink("m", near), os.Symlink(path, far)); err != nil {
		t.Fatal(err)
	}
	for _, held := range []string{path, near, far} {
		l, err := LockFile(held)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{path, near, far} {
			if _, err := LockFile(name); !errors.Is(err, ErrHeld) {
				t.Errorf("%s while %s is held: %v", name, held, err)
			}
		}
		l.Release()
	}
}
