// This file keeps two processes from writing the same output at the same time.
//
// The locks are advisory and belong to open files. If a process is killed, the system releases the locks of this
// process, so no lock must ever be removed by hand. If the system or the file system has no such locks, locking
// always succeeds. [LockLacks] says what cannot be locked on this system.

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

// Lock is a held lock. [Lock.Release] releases it.
type Lock struct {
	file *os.File
	path string // file to remove at the end, or "" for none
}

// AcquireLock creates the file at path, locks it, and writes the number of this process into it. If another process
// holds the lock, the error wraps [ErrHeld] and contains the number of this other process. AcquireLock refuses an
// existing file that is not a lock. [Lock.Release] removes the file.
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
		if !Current(f, path) { // the previous holder removed the file after this process opened it
			f.Close()
			continue
		}
		if _, ok := holder(f); !ok {
			f.Close()
			return nil, fmt.Errorf("%s: exists, but is not a lock of ialgn; move the file away", path)
		}
		// The number in the file is only for people. The lock works without the number.
		if err := f.Truncate(0); err == nil {
			fmt.Fprintln(f, os.Getpid())
		}
		return &Lock{f, path}, nil
	}
}

// LockFile locks a file for writing. It calls [AcquireLock] for the file .NAME.lock in the same folder. All symbolic
// links to a file share one lock.
func LockFile(path string) (*Lock, error) { return AcquireLock(LockPath(path)) }

// LockPath returns the path of the lock file that [LockFile] uses for the file at path.
func LockPath(path string) string {
	if to, err := filepath.EvalSymlinks(path); err == nil {
		path = to
	}
	folder, base := filepath.Split(path)
	return folder + "." + base + ".lock"
}

// inUse adds the number of the process that holds the lock to the error, if the number is known.
func inUse(f *os.File, err error) error {
	if !errors.Is(err, ErrHeld) {
		return err
	}
	if number, ok := holder(f); ok && number != "" {
		return fmt.Errorf("%w, number %s", err, number)
	}
	return err
}

// holder returns the process number in the file of a lock, or "" if the file is empty. ok is false if the file has
// any other content.
func holder(f *os.File) (number string, ok bool) {
	const longest = 20 // longest content: a number and a line break
	text, err := io.ReadAll(io.NewSectionReader(f, 0, longest+1))
	number = strings.TrimSpace(string(text))
	return number, err == nil && len(text) <= longest && strings.Trim(number, "0123456789") == ""
}

// Current reports whether path still names the open file.
func Current(f *os.File, path string) bool {
	a, err := f.Stat()
	if err != nil {
		return false
	}
	b, err := os.Stat(path)
	return err == nil && os.SameFile(a, b)
}

// LockFolder locks a folder itself and leaves no file in it. If another process has the lock, LockFolder waits if
// wait is true, and otherwise returns an error that wraps [ErrHeld].
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

// Release releases the lock.
func (l *Lock) Release() {
	if l.path != "" {
		os.Remove(l.path) // the file is still locked, so it cannot be the next holder's file
	}
	if l.file != nil {
		l.file.Close()
	}
	if l.path != "" && !MovesOpen {
		os.Remove(l.path) // this fails if the next holder has opened the file
	}
}
