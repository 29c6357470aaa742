//go:build unix

package main

import (
	"syscall"
	"time"
)

// processor returns the time that this process has had of processors: on one thread what it takes on a machine that is
// not shared, but for the caches.
func processor() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
