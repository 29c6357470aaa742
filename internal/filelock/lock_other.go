//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package filelock

import "os"

// Supported says that there are locks.
const Supported = false

// lock has nothing to lock with.
func lock(*os.File, bool) error { return nil }
