//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package outfile

import (
	"errors"
	"os"
	"syscall"
)

// LockLacks names what cannot be locked on this system. It is empty if everything can be locked.
const LockLacks = ""

// MovesOpen says whether an open file can be renamed and removed.
const MovesOpen = true

// openFolder opens a folder so that it can be locked.
func openFolder(path string) (*os.File, error) { return os.Open(path) }

// lock locks an open file or folder. On a file system without locks it always succeeds.
func lock(f *os.File, wait bool) error {
	how := syscall.LOCK_EX
	if !wait {
		how |= syscall.LOCK_NB
	}
	err := flock(f, how)
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.ENOLCK) || errors.Is(err, syscall.EBADF) {
		return nil
	}
	return err
}

// flock calls the system's flock, and repeats the call if a signal interrupts it. It returns [ErrHeld] if another
// process holds the lock.
func flock(f *os.File, how int) error {
	for {
		switch err := syscall.Flock(int(f.Fd()), how); {
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EWOULDBLOCK):
			return ErrHeld
		default:
			return err
		}
	}
}

// Hold locks an open file until the file is closed, if the system has locks. It returns false if another process
// holds the lock.
func Hold(f *os.File) bool { return lock(f, false) == nil }

// RemoveAbandonedLock removes a file that was locked by [Hold], if it is certain that no process holds the lock. It
// holds the lock itself while it removes the file. Another process may have just created the file and not locked it
// yet. That process can then notice that the file was removed.
func RemoveAbandonedLock(path string) {
	f, err := os.Open(path)
	if err != nil {
		return
	}
	defer f.Close()
	if flock(f, syscall.LOCK_EX|syscall.LOCK_NB) == nil {
		os.Remove(path)
	}
}
