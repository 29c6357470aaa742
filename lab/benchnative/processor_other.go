//go:build !unix

package main

import "time"

var began = time.Now()

// processor returns wall time, on systems without Getrusage.
func processor() time.Duration { return time.Since(began) }
