//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package outfile

import (
	"errors"
	"os"
	"syscall"
)

// LockLacks is what cannot be locked on this system, empty if all can.
const LockLacks = ""

// MovesOpen says that an open file can be renamed and removed.
const MovesOpen = true

// openFolder opens a folder to be locked.
func openFolder(path string) (*os.File, error) { return os.Open(path) }

// lock locks an open file or folder. A file system without locks lets everybody in.
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

// flock is the call of the system, again where a signal ended it. Its error is [ErrHeld] if another process holds the
// lock.
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

// Hold locks an open file until it is closed, where the system can, and reports whether no other process holds it.
func Hold(f *os.File) bool { return lock(f, false) == nil }

// RemoveAbandonedLock removes a file that was locked by [Hold], if it is known that no process holds it now. The file
// is locked meanwhile: whoever has just made it, and not locked it yet, sees that it is gone.
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
