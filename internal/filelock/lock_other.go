//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package filelock

import "os"

// Lacks is what cannot be locked on this system, empty if all can.
const Lacks = "files and folders"

// removesOpen says that an open file can be removed.
const removesOpen = false

// lock has nothing to lock with.
func lock(*os.File, bool) error { return nil }

// openFolder opens nothing, for there is nothing to lock with.
func openFolder(path string) (*os.File, error) {
	_, err := os.Stat(path)
	return nil, err
}
