//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package outfile

import "os"

// LockLacks is what cannot be locked on this system, empty if all can.
const LockLacks = "files and folders"

// MovesOpen says that an open file can be renamed and removed.
const MovesOpen = false

// lock has nothing to lock with.
func lock(*os.File, bool) error { return nil }

// openFolder opens nothing, for there is nothing to lock with.
func openFolder(path string) (*os.File, error) {
	_, err := os.Stat(path)
	return nil, err
}

// Hold locks nothing: see [RemoveAbandonedLock].
func Hold(*os.File) bool { return true }

// RemoveAbandonedLock removes nothing: no file of this system is known to be left by a killed process.
func RemoveAbandonedLock(string) {}
