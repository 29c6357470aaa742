//go:build !unix

package main

import "time"

var began = time.Now()

// processor stands in with wall time where the system does not tell processor time in this way.
func processor() time.Duration { return time.Since(began) }
