// This file keeps two processes from writing one output at the same time.
//
// The locks are advisory and belong to open files, so that the system takes them away from a
// process that is killed: none is ever left behind to be removed by hand. Where the system
// or the file system has no such locks, all are free; [LockLacks] says which those are.

package outfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// ErrHeld says that another process holds a lock.
var ErrHeld = errors.New("held by another process")

// Lock is a lock that is held, until [Lock.Release].
type Lock struct {
	file *os.File
	path string // file to remove at the end; "": none
}

// AcquireLock makes the file of that path, locks it and writes the number of this process into
// it. It returns an error that wraps [ErrHeld] and has the number of the other process, if
// that holds it, and refuses a file that is there and is no lock. [Lock.Release] removes the file.
func AcquireLock(path string) (*Lock, error) {
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
		if err != nil {
			return nil, err
		}
		if err := lock(f, false); err != nil {
			err = inUse(f, err)
			f.Close()
			return nil, err
		}
		if !Current(f, path) { // its holder removed the file after it was opened here
			f.Close()
			continue
		}
		if _, ok := holder(f); !ok {
			f.Close()
			return nil, fmt.Errorf("%s: exists, but is not a lock of ialgn; move the file away", path)
		}
		// What stands in the file is for people; the lock holds without it.
		if err := f.Truncate(0); err == nil {
			fmt.Fprintln(f, os.Getpid())
		}
		return &Lock{f, path}, nil
	}
}

// LockFile locks a file for whoever writes it, by [AcquireLock] of .NAME.lock beside it. All symbolic
// links to a file mean the same lock.
func LockFile(path string) (*Lock, error) { return AcquireLock(LockPath(path)) }

// LockPath returns the path of the file that [LockFile] locks.
func LockPath(path string) string {
	if to, err := filepath.EvalSymlinks(path); err == nil {
		path = to
	}
	folder, base := filepath.Split(path)
	return folder + "." + base + ".lock"
}

// inUse adds the number of the process that holds a lock to the error, if it is known.
func inUse(f *os.File, err error) error {
	if !errors.Is(err, ErrHeld) {
		return err
	}
	if number, ok := holder(f); ok && number != "" {
		return fmt.Errorf("%w, number %s", err, number)
	}
	return err
}

// holder returns the number in the file of a lock, "" if it is empty, and reports whether the
// file has nothing else.
func holder(f *os.File) (number string, ok bool) {
	const longest = 20 // digits of a number, and a line break
	text, err := io.ReadAll(io.NewSectionReader(f, 0, longest+1))
	number = strings.TrimSpace(string(text))
	return number, err == nil && len(text) <= longest && strings.Trim(number, "0123456789") == ""
}

// Current reports whether the path still names the open file.
func Current(f *os.File, path string) bool {
	a, err := f.Stat()
	if err != nil {
		return false
	}
	b, err := os.Stat(path)
	return err == nil && os.SameFile(a, b)
}

// LockFolder locks a folder itself, which leaves no file in it. With wait it waits for the lock,
// otherwise an error that wraps [ErrHeld] says that another process has it.
func LockFolder(path string, wait bool) (*Lock, error) {
	f, err := openFolder(path)
	if f == nil {
		return &Lock{}, err
	}
	if err := lock(f, wait); err != nil {
		f.Close()
		return nil, err
	}
	return &Lock{file: f}, nil
}

// Release gives the lock back.
func (l *Lock) Release() {
	if l.path != "" {
		os.Remove(l.path) // while it is locked, so that it is not the next holder's
	}
	if l.file != nil {
		l.file.Close()
	}
	if l.path != "" && !MovesOpen {
		os.Remove(l.path) // which fails if the next holder has it open
	}
}
