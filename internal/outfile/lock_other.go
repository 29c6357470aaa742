//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package outfile

import "os"

// LockLacks names what cannot be locked on this system. It is empty if everything can be locked.
const LockLacks = "files and folders"

// MovesOpen says whether an open file can be renamed and removed.
const MovesOpen = false

// lock does nothing, because this system has no locks.
func lock(*os.File, bool) error { return nil }

// openFolder opens nothing, because this system has no locks.
func openFolder(path string) (*os.File, error) {
	_, err := os.Stat(path)
	return nil, err
}

// Hold locks nothing, because this system has no locks.
func Hold(*os.File) bool { return true }

// RemoveAbandonedLock removes nothing, because on this system it is never known whether a killed process left a file.
func RemoveAbandonedLock(string) {}
