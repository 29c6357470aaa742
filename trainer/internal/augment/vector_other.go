//go:build !amd64

package augment

// vectorTake returns nil, because only the plain path exists.
func vectorTake(bool) (f taker, lanes int) { return nil, 0 }
