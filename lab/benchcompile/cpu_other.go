//go:build !unix

package main

import "time"

var began = time.Now()

// cpuSeconds returns the wall time, because this system has no Getrusage.
func cpuSeconds() float64 { return time.Since(began).Seconds() }
