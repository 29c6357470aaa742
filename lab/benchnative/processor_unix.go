//go:build unix

package main

import (
	"syscall"
	"time"
)

// processor returns the processor time of this process so far. On one thread, it is close to the wall time on an
// otherwise idle machine, apart from cache effects.
func processor() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
