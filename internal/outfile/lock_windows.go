package outfile

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// LockLacks is what cannot be locked on this system, empty if all can.
const LockLacks = "folders"

// MovesOpen says that an open file can be renamed and removed.
const MovesOpen = false

// lockedAt is the byte that is locked. What is locked nobody else can read, so it is far behind the number in the file.
const lockedAt = 1 << 30

// lock locks an open file. A file system without locks lets everybody in.
func lock(f *os.File, wait bool) error {
	how := uint32(windows.LOCKFILE_EXCLUSIVE_LOCK)
	if !wait {
		how |= windows.LOCKFILE_FAIL_IMMEDIATELY
	}
	err := windows.LockFileEx(windows.Handle(f.Fd()), how, 0, 1, 0, &windows.Overlapped{Offset: lockedAt})
	switch {
	case errors.Is(err, windows.ERROR_LOCK_VIOLATION), errors.Is(err, windows.ERROR_IO_PENDING):
		return ErrHeld
	case errors.Is(err, windows.ERROR_NOT_SUPPORTED), errors.Is(err, windows.ERROR_INVALID_FUNCTION):
		return nil
	}
	return err
}

// openFolder opens nothing: folders cannot be locked, and one that is open cannot be removed.
func openFolder(path string) (*os.File, error) {
	_, err := os.Stat(path)
	return nil, err
}

// Hold locks nothing: see [RemoveAbandonedLock].
func Hold(*os.File) bool { return true }

// RemoveAbandonedLock removes nothing: no file of this system is known to be left by a killed process.
func RemoveAbandonedLock(string) {}
