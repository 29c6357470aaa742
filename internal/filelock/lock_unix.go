//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package filelock

import (
	"errors"
	"os"
	"syscall"
)

// Lacks is what cannot be locked on this system, empty if all can.
const Lacks = ""

// removesOpen says that an open file can be removed.
const removesOpen = true

// openFolder opens a folder to be locked.
func openFolder(path string) (*os.File, error) { return os.Open(path) }

// lock locks an open file or folder. A file system without locks lets everybody in.
func lock(f *os.File, wait bool) error {
	how := syscall.LOCK_EX
	if !wait {
		how |= syscall.LOCK_NB
	}
	for {
		switch err := syscall.Flock(int(f.Fd()), how); {
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EWOULDBLOCK):
			return ErrHeld
		case errors.Is(err, errors.ErrUnsupported), errors.Is(err, syscall.ENOLCK), errors.Is(err, syscall.EBADF):
			return nil
		default:
			return err
		}
	}
}
