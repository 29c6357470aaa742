//go:build !unix

package main

import "time"

var began = time.Now()

// cpuSeconds returns wall time, on systems without Getrusage.
func cpuSeconds() float64 { return time.Since(began).Seconds() }
