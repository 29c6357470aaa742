//go:build unix

package main

import (
	"syscall"
	"time"
)

// processor returns the processor time that this process has used. For one thread on an otherwise idle machine, this
// is close to the wall time.
func processor() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
