//go:build !unix

package main

import "time"

var began = time.Now()

// cpuSeconds stands in with wall time where the system does not tell CPU time in this way.
func cpuSeconds() float64 { return time.Since(began).Seconds() }
