//go:build !unix

package main

import "time"

var began = time.Now()

// processor returns the wall time, because this system has no Getrusage.
func processor() time.Duration { return time.Since(began) }
