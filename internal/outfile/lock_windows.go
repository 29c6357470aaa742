package outfile

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// LockLacks names what cannot be locked on this system. It is empty if everything can be locked.
const LockLacks = "folders"

// MovesOpen says whether an open file can be renamed and removed.
const MovesOpen = false

// lockedAt is the offset of the byte that is locked. Other processes cannot read a locked byte, so it lies far after
// the number in the file.
const lockedAt = 1 << 30

// lock locks an open file. On a file system without locks it always succeeds.
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

// openFolder opens nothing, because folders cannot be locked, and an open folder could not be removed.
func openFolder(path string) (*os.File, error) {
	_, err := os.Stat(path)
	return nil, err
}

// Hold locks nothing; see [RemoveAbandonedLock].
func Hold(*os.File) bool { return true }

// RemoveAbandonedLock removes nothing, because on this system it is never known whether a killed process left a file.
func RemoveAbandonedLock(string) {}
