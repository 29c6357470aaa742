//go:build unix

package main

import (
	"syscall"
	"time"
)

// processor returns the processor time that this process has used. On one thread of an otherwise idle machine, it is
// close to the wall time.
func processor() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
